"""Workspaces of any size for benchmarks: made-up subjects, twenty notes and twenty items to each."""

from __future__ import annotations

import shutil
from pathlib import Path

ROOT = Path(__file__).parents[1]
NOTES_TO_A_SUBJECT = 20
_SYLLABLES = ("ba", "ke", "lo", "mi", "nu", "ra", "se", "ti", "vo", "zu")

_AGENT = """\
---
id: researcher
name: Researcher
tier: routine
teams: [all]
reads: [memory/]
max_output_tokens: 2000
---
Answer from the notes and say what they leave open.
"""
_PLAYBOOK = """\
---
id: note
title: A short note
profile: report
---
Answer the question, then list what each note says.
"""
_TEAMS = """\
teams:
  - id: all
    title: Everybody
    purpose: Work on what comes first.
    members: [researcher]
"""


def write_made(root: Path, size: int, *, notes: int | None = None) -> Path:
    """A workspace of `size` backlog items and `size` units of the map, each with its note.

    Only the first `notes` of the notes are written where that is given.
    However large it is, a question touches twenty notes, so that a sprint has the same to read.
    """
    for folder in ("agents/playbooks", "memory"):
        (root / folder).mkdir(parents=True)
    (root / "agents/researcher.md").write_text(_AGENT)
    (root / "agents/playbooks/note.md").write_text(_PLAYBOOK)
    (root / "agents/teams.yaml").write_text(_TEAMS)
    (root / "kill_criteria.yaml").write_text("criteria:\n" + "".join(map(_criterion, range(5))))
    (root / "backlog.yaml").write_text("items:\n" + "".join(map(_item, range(size))))
    (root / "knowledge.yaml").write_text(_map_of(size))
    for number in range(size if notes is None else notes):
        path = root / _note_path(number)
        path.parent.mkdir(exist_ok=True)
        path.write_text(_note(number))
    return root


def write_sample(root: Path, config: str = "") -> Path:
    """The shipped sample without findings, with `config` as its config.toml."""
    root.mkdir(parents=True, exist_ok=True)
    for name in ("agents", "memory"):
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("findings"))
    for name in ("backlog.yaml", "kill_criteria.yaml", "knowledge.yaml", "quality.toml"):
        shutil.copy(ROOT / name, root / name)
    (root / "config.toml").write_text(config)
    return root


def subject_of(number: int) -> str:
    """The made-up word of a note's or an item's subject; no subject is a part of another."""
    return "".join(_SYLLABLES[int(digit)] for digit in f"{number // NOTES_TO_A_SUBJECT:04d}")


def _note_path(number: int) -> str:
    return f"memory/{number // 100:02d}/{number % 100:02d}.md"


def _criterion(number: int) -> str:
    return (
        f"  - id: K{number}\n    name: Criterion {number}\n    question: Is it so?\n"
        "    evidence: Signed papers.\n    threshold: At least five.\n    deadline: 2027-06-30\n"
        "    if_failed: Stop.\n"
    )


def _item(number: int) -> str:
    subject = subject_of(number)
    return (
        f"  - id: I{number:05d}\n    title: Sellers of {subject}\n"
        f"    question: Who sells {subject} in the region, and for how much?\n"
        f"    agent: researcher\n    criterion: K{number % 5}\n    playbook: note\n"
        f"    priority: {1 + number % 5}\n    added_on: 2026-11-{1 + number % 28:02d}\n"
    )


def _map_of(size: int) -> str:
    units = "".join(
        f"- {{id: n{number:04d}, path: {_note_path(number)}, intent: What {subject_of(number)} costs, "
        "scope: module, audience: [agent]}\n"
        for number in range(size)
    )
    return f'kcp_version: "0.32"\nproject: Made up\nversion: "1.0.0"\nunits:\n{units}'


def _note(number: int) -> str:
    subject = subject_of(number)
    return (
        f"# {subject}, offer {number}\n\n"
        f"The offer number {number} of {subject} costs USD {10 + number % 90} a month, says its price list.\n"
        f"A firm that takes {subject} for a year pays {number % 12} months less than the list says.\n"
        f"The list of {2000 + number % 26} named {3 + number % 7} sellers of {subject} in the region.\n"
    )
