"""kill_criteria.yaml: what must be true for the venture to go on."""

from __future__ import annotations

from collections import Counter
from datetime import date
from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, model_validator

from daemon.workspace.criterion_tests import FigureEntry, StatementEntry, build_tests
from daemon.workspace.definitions import KillCriterion
from daemon.workspace.entries import Entry, Id, Parsed, Text, Words
from daemon.workspace.list_file import load_list

CRITERIA_FILE = "kill_criteria.yaml"
_MOST_TESTS = 50  # each is read against every finding, at each look


class CriterionEntry(Entry):
    """One entry below `criteria:`. The meaning of each key stands at KillCriterion."""

    id: Id
    name: Words
    question: Text
    evidence: Text
    threshold: Text
    deadline: date
    if_failed: Text
    tests: Annotated[tuple[FigureEntry, ...], Field(max_length=_MOST_TESTS)] = ()
    rubric: Annotated[tuple[StatementEntry, ...], Field(max_length=_MOST_TESTS)] = ()

    @model_validator(mode="after")
    def _check_ids(self) -> Self:
        ids = [*(test.id for test in self.tests), *(one.id for one in self.rubric)]
        for name, times in Counter(one.casefold() for one in ids).items():
            if times > 1:
                raise ValueError(f"has {times} tests or statements with the id {name}; rename one")
        for test in self.tests:
            for name in test.guards:
                if name not in ids:
                    raise ValueError(f"{test.id} guards {name}, which is no test or statement here")
        return self


def load_criteria(root: Path) -> Parsed[KillCriterion]:
    """All sound criteria in the file's order, and the faults of the others."""
    return load_list(root, CRITERIA_FILE, "criteria", CriterionEntry, build_criterion)


def build_criterion(entry: CriterionEntry) -> KillCriterion:
    fields = {name: value for name, value in entry if name != "rubric"}
    return KillCriterion(**{**fields, "tests": build_tests(entry.tests, entry.rubric)})
