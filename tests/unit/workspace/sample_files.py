"""Reads the sample workspace, and the facts it was written from, for the tests beside this file."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[3]
SHARED = ROOT.parent / "shared"
FACTS_FILE = SHARED / "facts" / "facts.json"
SCHEMA_FILE = SHARED / "vectors" / "kcp" / "knowledge-schema-0.32.json"
SOURCE = re.compile(r"^Source: (\S+) \((.+)\) · fact ([A-Z]\d\d)$", re.MULTILINE)
NUMBER = re.compile(r"\d[\d,.]*\d|\d")


@dataclass(frozen=True)
class Note:
    """One starting note: its front matter, its body, and the text about each fact it states."""

    path: str
    front: dict[str, str]
    body: str
    facts: dict[str, str]


@cache
def sample_notes() -> tuple[Note, ...]:
    """Every note under memory/ except the findings, by path."""
    files = sorted((ROOT / "memory").rglob("*.md"))
    relative = [file.relative_to(ROOT).as_posix() for file in files]
    starting = sorted(path for path in relative if not path.startswith("memory/findings/"))
    return tuple(_read_note(path) for path in starting)


@cache
def sample(name: str) -> Any:
    """A YAML file of the sample, every scalar as text."""
    return _load_yaml((ROOT / name).read_text(encoding="utf-8"))


def units() -> list[dict[str, Any]]:
    """The units of the map."""
    found: list[dict[str, Any]] = sample("knowledge.yaml")["units"]
    return found


def items() -> dict[str, dict[str, Any]]:
    """The backlog by item."""
    return {item["id"]: item for item in sample("backlog.yaml")["items"]}


def agent_reads() -> dict[str, list[str]]:
    """What each agent's own file lets it read."""
    files = sorted((ROOT / "agents").glob("*.md"))
    fronts = [_load_yaml(file.read_text("utf-8").split("---\n", 2)[1]) for file in files]
    return {front["id"]: front["reads"] for front in fronts}


@cache
def collected() -> Any:
    """The list of facts and tasks; the test is skipped where it is not beside the checkout."""
    if not FACTS_FILE.is_file():
        pytest.skip("the list of collected facts is not beside this checkout")
    return json.loads(FACTS_FILE.read_text(encoding="utf-8"))


def facts() -> list[dict[str, Any]]:
    """The collected facts."""
    found: list[dict[str, Any]] = collected()["facts"]
    return found


def text_of(fact_id: str) -> str:
    """What the notes say about one fact, its source line and disagreements included."""
    return next(note.facts[fact_id] for note in sample_notes() if fact_id in note.facts)


def squeezed(text: str) -> str:
    """Lower case, one space between words."""
    return re.sub(r"\s+", " ", text).strip().casefold()


def _read_note(path: str) -> Note:
    _, front, body = (ROOT / path).read_text(encoding="utf-8").split("---\n", 2)
    return Note(path, _load_yaml(front), body, _facts_in(body))


def _facts_in(body: str) -> dict[str, str]:
    found: dict[str, str] = {}
    latest = ""
    for block in re.split(r"\n\s*\n", body.strip()):
        if match := SOURCE.search(block):
            latest = match.group(3)
            assert latest not in found, f"{latest} stands twice in one note"
            found[latest] = block
        elif block.startswith("Disagreement:"):
            assert latest, f"a disagreement before any fact: {block}"
            found[latest] += "\n" + block
    return found


def _load_yaml(text: str) -> Any:
    return yaml.load(text, Loader=yaml.BaseLoader)
