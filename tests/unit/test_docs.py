"""What the documents claim is so."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
KNOWN_FAULTS = (ROOT / "docs" / "known-faults.md").read_text("utf-8")
ROWS = [line for line in KNOWN_FAULTS.splitlines() if line.startswith("| ") and "::" in line]


def find_tests(path: Path) -> Iterator[str]:
    """The names of a file's tests; those in a class as Class::name."""
    for node in ast.parse(path.read_text("utf-8")).body:
        members = node.body if isinstance(node, ast.ClassDef) else [node]
        prefix = f"{node.name}::" if isinstance(node, ast.ClassDef) else ""
        for member in members:
            if isinstance(member, ast.FunctionDef) and member.name.startswith("test_"):
                yield prefix + member.name


def named_tests(text: str) -> set[tuple[str, str]]:
    return set(re.findall(r"`(tests/[\w/.]+\.py)::([\w:]+)`", text))


def test_every_test_that_the_known_faults_name_exists() -> None:
    """A renamed or deleted test leaves no promise behind that nothing holds."""
    named = named_tests(KNOWN_FAULTS)
    assert len(named) > 40
    assert not [f"{path}::{name}" for path, name in named if name not in find_tests(ROOT / path)]


def test_every_known_fault_has_its_report_and_its_test() -> None:
    """Four cells a row: the fault, at least one public report, what happens here, and a test."""
    assert len(ROWS) > 25
    for row in ROWS:
        _, fault, reports, answer, held_by, _ = (cell.strip() for cell in row.split("|"))
        assert fault
        assert answer
        assert re.fullmatch(r"[\w.-]+/[\w.-]+#\d+(, [\w.-]+/[\w.-]+#\d+)*", reports), reports
        assert named_tests(held_by), row


def test_every_replayed_report_stands_among_the_known_faults() -> None:
    """A test that replays a public report is told of, with the report."""
    told = {name for _, name in named_tests(KNOWN_FAULTS)}
    for path in sorted((ROOT / "tests" / "acceptance").glob("test_known_faults_*.py")):
        assert set(find_tests(path)) <= told, path
        cited = set(re.findall(r"[\w.-]+/[\w.-]+#\d+", path.read_text("utf-8")))
        assert not [report for report in cited if report not in KNOWN_FAULTS]
