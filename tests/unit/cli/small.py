"""A workspace of two agents and four items, and the program over it, as a person starts it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from daemon.cli import main

FACTS = (
    "The harbour of Arenal handled 4,120 boats in 2024, of which 3,010 carried fish.",
    "In 2025 the harbour of Arenal handled 4,388 boats, 268 more than in the year before.",
    "A berth in the harbour of Arenal costs 41 USD a night for boats up to 12 metres.",
    "Boats longer than 12 metres pay 63 USD a night for a berth in the harbour of Arenal.",
    "The harbour office answered 52 of 60 letters from boat owners within 14 days in 2025.",
    "Of 200 boat owners who were asked in May 2025, 131 would pay for a berth in advance.",
    "The nearest harbour, Punta Baja, is 31 km away and has 90 berths for boats.",
    "Storms closed the harbour of Arenal on 17 days in 2025 and on 9 days in 2024.",
    "The council of Arenal approved 240 new berths on 4 March 2026 by seven votes to four.",
    "A study of 2026 expects 4,700 boats a year in the harbour of Arenal from 2028 on.",
)

_FILES = {
    "agents/analyst.md": """\
---
id: analyst
name: Harbour analyst
tier: reasoning
teams: [harbour]
reads: [memory/]
max_output_tokens: 4000
---
You answer questions about harbours from the notes.
""",
    "agents/lead.md": """\
---
id: lead
name: Lead
tier: routine
teams: [harbour, quays]
reads: [memory/findings/]
max_output_tokens: 2000
---
You choose what is worked on.
""",
    "agents/playbooks/note.md": """\
---
id: note
title: A short note
profile: report
---
Answer in the first paragraph, then the evidence.
""",
    "agents/teams.yaml": """\
teams:
  - id: harbour
    title: Harbour
    purpose: Learn how many boats come.
    members: [analyst, lead]
  - id: quays
    title: Quays
    purpose: Nothing yet.
    members: [lead]
""",
    "backlog.yaml": """\
items:
  - id: B01
    title: Boats in the harbour
    question: How many boats use the harbour of Arenal, and what does a berth cost?
    agent: analyst
    criterion: KC1
    playbook: note
    priority: 1
    added_on: 2026-11-30
    needs: [harbour.boats]
  - id: B02
    title: The lighthouse
    question: Who pays for the lighthouse?
    agent: analyst
    criterion: KC2
    playbook: note
    priority: 1
    added_on: 2026-11-30
    needs: [harbour.light]
  - id: B03
    title: Berths to build
    question: How many berths should be built?
    agent: analyst
    criterion: KC1
    playbook: note
    priority: 2
    added_on: 2026-11-30
    depends_on: [B01, B02]
  - id: B04
    title: Season
    question: When does the season begin?
    agent: analyst
    criterion: KC1
    playbook: note
    priority: 5
    added_on: 2026-11-30
    waiting_for: the calendar of the council
""",
    "kill_criteria.yaml": """\
criteria:
  - id: KC1
    name: Demand
    question: Do enough boats come?
    evidence: Counts.
    threshold: 4,000 a year.
    deadline: 2027-01-31
    if_failed: Stop.
  - id: KC2
    name: Light
    question: Is the lighthouse paid for?
    evidence: A contract.
    threshold: One contract.
    deadline: 2027-01-31
    if_failed: Stop.
""",
    "knowledge.yaml": """\
kcp_version: "0.32"
project: Harbour
version: "1.0.0"
units:
  - id: harbour.boats
    path: memory/harbour/boats.md
    intent: "How many boats use the harbour, and what do berths cost?"
    scope: project
    audience: [agent]
    triggers: [boats, berth, harbour]
  - id: harbour.light
    path: memory/harbour/light.md
    intent: "What about the lighthouse?"
    scope: project
    audience: [agent]
    triggers: [lighthouse]
""",
    "memory/harbour/boats.md": "# Boats\n\n" + "\n\n".join(FACTS) + "\n",
    "memory/harbour/light.md": "# Light\n\nThe lighthouse is white.\n",
}


def write_small(root: Path, config: str = '[provider]\nkind = "extractive"\n') -> Path:
    """B01 is accepted, B02 (a note of one sentence) is rejected, B03 and B04 wait."""
    for name, text in {**_FILES, "config.toml": config}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, "utf-8")
    return root


def edit(root: Path, name: str, old: str, new: str) -> None:
    """Replace a text that is there in a file of the workspace."""
    text = (root / name).read_text("utf-8")
    assert old in text
    (root / name).write_text(text.replace(old, new), "utf-8")


@dataclass(frozen=True)
class Done:
    """How a command ended and what it wrote."""

    returncode: int
    stdout: str
    stderr: str


def sprintd(root: Path | None, *args: str, environ: dict[str, str] | None = None) -> Done:
    """`sprintd --workspace ROOT ARGS`, in this process because that is quicker."""
    chosen = [] if root is None else ["--workspace", str(root)]
    env: dict[str, str | None] = {"SPRINTD_WORKSPACE": None, "COLUMNS": "100", **(environ or {})}
    result = CliRunner(env=env).invoke(main, [*chosen, *args], prog_name="sprintd")
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Done(result.exit_code, result.stdout, result.stderr)


def sprintd_process(
    root: Path, *args: str, environ: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """The same in a process of its own, to its end."""
    return subprocess.run(
        command(root, *args),
        capture_output=True,
        text=True,
        check=False,
        env=clean_environ(environ),
    )


def as_json(root: Path, *args: str, code: int = 0) -> Any:
    """The JSON that a command writes, which must be all that it writes to standard output."""
    done = sprintd(root, *args, "--json")
    assert done.returncode == code, done.stderr
    return json.loads(done.stdout)


def command(root: Path, *args: str) -> list[str]:
    return [sys.executable, "-m", "daemon", "--workspace", str(root), *args]


def clean_environ(more: dict[str, str] | None = None) -> dict[str, str]:
    """This process's environment without what would change the program's answers."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SPRINTD_")}
    return {**kept, "COLUMNS": "100", **(more or {})}
