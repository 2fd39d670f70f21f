"""The rules of the house that no linter knows."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import pytest

import daemon

ROOT = Path(__file__).parents[2]
HOUSE = ROOT / "daemon"
FILES = sorted(HOUSE.rglob("*.py"))
LINT = Path(sys.executable).with_name("lint-imports")
BROKEN = {
    "A room imports only lower floors": ("store/items.py", "import daemon.sprint.runner"),
    "No two rooms or files import each other in a circle": (
        "store/stored_text.py", "import daemon.store.items"),
    "SQLite is opened only in store": ("sprint/runner.py", "import sqlite3"),
    "The anthropic SDK and its transport are used only in llm.claude": (
        "governance/budget.py", "import anthropic"),
    "The Slack SDK is used only in notify.slack, its client and the doors that people press": (
        "governance/incidents.py", "import slack_sdk"),
    "The Notion SDK and its transport are used only in notify's connection to Notion": (
        "notify/slack.py", "import httpx"),
    "Flask is used only in web": ("scheduling/worker.py", "import flask"),
    "APScheduler is used only in scheduling.scheduler": ("web/app.py", "import apscheduler"),
    "Gunicorn is used only in server": ("web/app.py", "import gunicorn"),
    "YAML is parsed only in config.yaml_file": ("workspace/agents.py", "import yaml"),
    "Click is used only in cli": ("server/start.py", "import click"),
    "Prometheus' client is used only in web.metrics": (
        "web/health.py", "import prometheus_client"),
    "Markdown becomes HTML only in web.markdown, which makes it harmless": (
        "web/now.py", "from markupsafe import Markup"),
    "Ed25519 is used only in ledger.keys and ledger.verify": (
        "ledger/entry.py", "import nacl.signing"),
    "ReportLab is used only in reports.pdf": ("reports/files.py", "import reportlab.lib"),
    "Providers are built only in bootstrap, so every call passes the metered one": (
        "sprint/attempt.py", "import daemon.llm.extractive"),
    "Judgement is pure: no store, no network, no processes": (
        "quality/score.py", "import subprocess"),
}  # fmt: skip


@lru_cache
def functions() -> tuple[tuple[Path, str, int], ...]:
    return tuple(_functions())


def _functions() -> Iterator[tuple[Path, str, int]]:
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                assert node.end_lineno is not None
                yield path, node.name, node.end_lineno - node.lineno + 1


def test_the_package_is_ours() -> None:
    """Another distribution installs a package of the same name; it must not be the one in use."""
    assert Path(daemon.__file__).parent == HOUSE


def test_no_file_has_more_than_300_lines() -> None:
    """A longer file has a second subject in it."""
    assert not {str(p): n for p in FILES if (n := p.read_text().count("\n")) > 300}


def test_no_function_has_more_than_60_lines_and_half_have_at_most_nine() -> None:
    """Lines of a function, its signature and docstring included."""
    lengths = [length for _, _, length in functions()]
    assert not [(str(p), name) for p, name, length in functions() if length > 60]
    assert sorted(lengths)[len(lengths) // 2] <= 9


def test_only_the_clock_asks_for_the_time() -> None:
    """Time is a parameter everywhere else."""
    asks = re.compile(
        r"datetime\.(now|utcnow|today)\(|date\.today\(|\btime\.(time|sleep|monotonic)\("
    )
    assert not [str(p) for p in FILES if p.name != "clock.py" and asks.search(p.read_text())]


def test_no_import_is_hidden_from_the_floors() -> None:
    """An import under TYPE_CHECKING climbs where no contract sees it."""
    assert not [str(p) for p in FILES if "TYPE_CHECKING" in p.read_text()]


def test_requirements_are_hashed_and_name_no_address() -> None:
    """Whoever installs decides where packages come from; what is installed is fixed by hash."""
    for name in ("run.txt", "dev.txt"):
        text = (ROOT / "requirements" / name).read_text()
        assert "--hash=sha256:" in text
        assert not re.search(r"https?://|file://|--(extra-)?index-url|--find-links", text)


def lint(where: Path) -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, "PYTHONPATH": str(where), "COLUMNS": "200"}
    command = [str(LINT), "--no-logo", "--no-cache", "--config", str(where / ".importlinter")]
    return subprocess.run(
        command, cwd=where, env=environ, capture_output=True, text=True, check=False
    )


def copy_house(target: Path) -> Path:
    shutil.copytree(HOUSE, target / "daemon", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / ".importlinter", target)
    return target


def test_the_floors_hold(tmp_path: Path) -> None:
    """Every contract of .importlinter is kept, and this table breaks each one of them."""
    done = lint(copy_house(tmp_path))
    assert done.returncode == 0, done.stdout
    declared = re.findall(r"^name = (.*)$", (ROOT / ".importlinter").read_text(), re.MULTILINE)
    assert declared == list(BROKEN)


@pytest.mark.parametrize("contract", BROKEN)
def test_a_broken_contract_is_found(contract: str, tmp_path: Path) -> None:
    """One import in the wrong place fails the check that is there for it."""
    place, line = BROKEN[contract]
    path = copy_house(tmp_path) / "daemon" / place
    path.write_text(f"{path.read_text()}\n{line}\n")
    done = lint(tmp_path)
    assert done.returncode == 1
    assert re.search(rf"{re.escape(contract)}\s+BROKEN", done.stdout), done.stdout
