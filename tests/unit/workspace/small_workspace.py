"""A small sound workspace in a folder, for tests to break in one place at a time."""

from __future__ import annotations

from pathlib import Path

AGENT = """---
id: {id}
name: {name}
tier: routine
teams: [{teams}]
reads: [memory/, notes/*.md]
max_output_tokens: 2000
---
Answer the question with figures and say where each one comes from.
"""

PLAYBOOK = """---
id: memo
title: A memo
profile: report
---
State the result first.
"""

TEAMS = """teams:
  - id: growth
    title: Growth
    purpose: Find out what sells.
    members: [ada, ben]
  - id: law
    title: Law
    purpose: Find out what is allowed.
    members: [ben]
"""

BACKLOG = """items:
  - id: size-market
    title: Size the market
    question: How many bakeries are there?
    agent: ada
    criterion: demand
    playbook: memo
    priority: 1
    added_on: 2026-11-01
  - id: check-permit
    title: Check the permit
    question: Which permit does a bakery need?
    agent: ben
    criterion: demand
    playbook: memo
    priority: 3
    added_on: 2026-11-02
    needs: [permits]
    depends_on: [size-market]
    waiting_for: the ministry's answer
    not_before: 2026-12-24
"""

CRITERIA = """criteria:
  - id: demand
    name: Demand
    question: Do bakers pay?
    evidence: Signed orders
    threshold: 10 of 50
    deadline: 2027-03-31
    if_failed: Stop.
"""


def write_workspace(root: Path) -> Path:
    """Two agents, one playbook, two teams, two items, one criterion."""
    write(root, "agents/ada.md", AGENT.format(id="ada", name="Ada", teams="growth"))
    write(root, "agents/ben.md", AGENT.format(id="ben", name="Ben", teams="growth, law"))
    write(root, "agents/playbooks/memo.md", PLAYBOOK)
    write(root, "agents/teams.yaml", TEAMS)
    write(root, "backlog.yaml", BACKLOG)
    write(root, "kill_criteria.yaml", CRITERIA)
    return root


def write(root: Path, file: str, text: str) -> None:
    path = root / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def edit(root: Path, file: str, old: str, new: str) -> None:
    """Replace the one place where `old` stands in the file."""
    text = (root / file).read_text("utf-8")
    if text.count(old) != 1:
        raise ValueError(f"{old!r} stands {text.count(old)} times in {file}")
    write(root, file, text.replace(old, new))
