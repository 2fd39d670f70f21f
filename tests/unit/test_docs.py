"""What the documents claim is so."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path

from daemon.llm.prices import load_prices
from daemon.llm.provider import Usage

ROOT = Path(__file__).parents[2]
KNOWN_FAULTS = (ROOT / "docs" / "known-faults.md").read_text("utf-8")
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]
PAGES += sorted((ROOT / "docs").rglob("*.md"))
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


def links_of(page: Path) -> Iterator[str]:
    """The targets of a page's links within the project, without code blocks and anchors."""
    text = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text("utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\[[^\]]*\]\(([^)\s]+)\)", text):
        if not re.match(r"[a-z]+:|#", target):
            yield target.partition("#")[0]


def test_every_link_leads_somewhere() -> None:
    """A page that was moved or renamed is linked by its new name everywhere."""
    links = [(page, target) for page in PAGES if page.exists() for target in links_of(page)]
    assert len(links) > 15
    lost = [(page.name, target) for page, target in links if not (page.parent / target).exists()]
    assert lost == []


def test_every_page_can_be_reached_from_the_readme() -> None:
    """What nobody finds, nobody reads."""
    found = {ROOT / "README.md"}
    waiting = list(found)
    while waiting:
        page = waiting.pop()
        for target in links_of(page):
            linked = (page.parent / target).resolve()
            if linked.suffix == ".md" and linked.exists() and linked not in found:
                found.add(linked)
                waiting.append(linked)
    assert [page.name for page in (ROOT / "docs").rglob("*.md") if page not in found] == []


def test_the_example_of_prices_is_a_sound_file(tmp_path: Path) -> None:
    """It can be copied, and the longer prompt costs what its row says."""
    text = (ROOT / "docs" / "configuration.md").read_text("utf-8")
    (example,) = re.findall(r"```toml\n(# prices\.toml\n.*?)```", text, re.DOTALL)
    (tmp_path / "prices.toml").write_text(example)
    prices, day = load_prices(tmp_path), date(2026, 6, 1)
    assert prices.cost_micros("example-large-2", Usage(100_000, 1_000), day) == 210_000
    assert prices.cost_micros("example-large-2", Usage(300_000, 1_000), day) == 1_215_000
    assert prices.cost_micros("llama3.3", Usage(300_000, 1_000), day) == 0


DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


def test_every_relative_link_leads_to_a_file() -> None:
    """In README, docs and the rest; a part of a page is a heading of it."""
    lost = []
    for document in DOCUMENTS:
        for link in re.findall(r"\]\(([^)\s]+)\)", document.read_text("utf-8")):
            if re.match(r"[a-z]+:", link):
                continue
            name, _, part = link.partition("#")
            target = (document.parent / name).resolve() if name else document
            if not target.exists() or (part and part not in anchors(target)):
                lost.append(f"{document.relative_to(ROOT)}: {link}")
    assert not lost


def test_the_readme_links_every_page_of_the_docs() -> None:
    """Nobody has to guess that a page is there."""
    readme = (ROOT / "README.md").read_text("utf-8")
    pages = {f"docs/{page.name}" for page in (ROOT / "docs").glob("*.md")}
    assert pages <= set(re.findall(r"\]\(([^)\s]+)\)", readme))


def anchors(document: Path) -> set[str]:
    """The headings as a forge writes them into addresses."""
    headings = re.findall(r"^#+ (.+)$", document.read_text("utf-8"), re.M)
    return {re.sub(r"[^\w -]", "", one.lower()).replace(" ", "-") for one in headings}
