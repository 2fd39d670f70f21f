"""kill_criteria.yaml: what must be true for the venture to go on."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from daemon.workspace.definitions import KillCriterion
from daemon.workspace.entries import Entry, Id, Parsed, Text, Words
from daemon.workspace.list_file import load_list

CRITERIA_FILE = "kill_criteria.yaml"


class CriterionEntry(Entry):
    """One entry below `criteria:`. The meaning of each key stands at KillCriterion."""

    id: Id
    name: Words
    question: Text
    evidence: Text
    threshold: Text
    deadline: date
    if_failed: Text


def load_criteria(root: Path) -> Parsed[KillCriterion]:
    """All sound criteria in the file's order, and the faults of the others."""
    return load_list(root, CRITERIA_FILE, "criteria", CriterionEntry, build_criterion)


def build_criterion(entry: CriterionEntry) -> KillCriterion:
    return KillCriterion(**dict(entry))
