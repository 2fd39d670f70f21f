"""The part of kill_criteria.yaml that code can decide: tests on figures, statements of a rubric."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Literal, Self, cast

from pydantic import AfterValidator, Field, model_validator

from daemon.knowledge.paths import scope_fault
from daemon.knowledge.provenance import is_by_model
from daemon.quality.measure import Measure, alternatives
from daemon.workspace.entries import Entry, Id, Words

Sign = Literal[">=", ">", "<=", "<", "="]

CONFIDENCES = {"low": 0.3, "medium": 0.6, "high": 0.9}

_BOUND = re.compile(r"(>=|<=|>|<|=) ?([+-]?\d{1,15}(?:\.\d{1,9})?)", re.ASCII)
_SHARE = re.compile(r"0(?:\.\d{1,6})?|1(?:\.0{1,6})?", re.ASCII)


@dataclass(frozen=True)
class Bound:
    """One side of a threshold, such as >= 5."""

    sign: Sign
    value: Decimal

    def holds(self, figure: Decimal) -> bool:
        return {
            ">=": figure >= self.value,
            ">": figure > self.value,
            "<=": figure <= self.value,
            "<": figure < self.value,
            "=": figure == self.value,
        }[self.sign]

    def __str__(self) -> str:
        return f"{self.sign} {self.value:,}"


@dataclass(frozen=True)
class Needs:
    """What evidence must have to count: `sources` that do not go back to the same one, none older
    than `max_age_days`, each of at least this `confidence` (0..1). `places` are the folders and files
    whose notes count; empty: every note."""

    sources: int = 1
    max_age_days: int = 365
    confidence: float = CONFIDENCES["medium"]
    places: tuple[str, ...] = ()


@dataclass(frozen=True)
class CriterionTest:
    """One question with two answers. `measure` says in words what is measured or stated.

    `looks` say what speaks for it, `refutes` (a rubric's only) what speaks against it. A figure that
    `go` holds for is for it, one that `no_go` holds for is against it (None: nothing is), one that
    `void` holds for makes the tests that it `guards` worth nothing (empty: all others of the criterion).
    `go` is None where no figure is asked for.
    """

    id: str
    measure: str
    looks: Measure
    needs: Needs = Needs()
    go: Bound | None = None
    no_go: Bound | None = None
    void: Bound | None = None
    refutes: Measure | None = None
    guards: tuple[str, ...] = ()
    weight: int = 1


def confidence_of(text: object) -> float | None:
    """low, medium, high or a number from 0 to 1; None for anything else."""
    if not isinstance(text, str):
        return None
    word = text.strip().lower()
    return CONFIDENCES.get(word, float(word) if _SHARE.fullmatch(word) else None)


def _check_bound(value: str) -> str:
    if not _BOUND.fullmatch(value):
        raise ValueError(f'expects a comparison in quotes such as ">= 5", not {value[:60]!r}')
    return value


def _check_confidence(value: str) -> str:
    if confidence_of(value) is None:
        raise ValueError(f"expects low, medium, high or a number from 0 to 1, not {value[:60]!r}")
    return value


def _check_place(value: str) -> str:
    fault = scope_fault(value)
    if fault:
        raise ValueError(f"{value!r} {fault}")
    if is_by_model(value):
        raise ValueError(f"{value!r} is where models write; name the notes that findings rest on")
    return value


def _check_alternatives(value: str) -> str:
    if not alternatives(value):
        raise ValueError("has no word in it")
    return value


BoundText = Annotated[str, AfterValidator(_check_bound)]
Alternatives = Annotated[Words, AfterValidator(_check_alternatives)]
WordList = Annotated[tuple[Alternatives, ...], Field(min_length=1, max_length=12)]
Weight = Annotated[int, Field(ge=1, le=100)]


class NeedsEntry(Entry):
    """The meaning of each key stands at Needs."""

    sources: Annotated[int, Field(ge=1, le=100)] = 1
    max_age_days: Annotated[int, Field(ge=1, le=36500)] = 365
    confidence: Annotated[str, AfterValidator(_check_confidence)] = "medium"
    places: tuple[Annotated[str, AfterValidator(_check_place)], ...] = Field(
        default=(), alias="from"
    )


class FigureEntry(Entry):
    """One entry below `tests:`."""

    id: Id
    measure: Words
    words: WordList
    unless: tuple[Alternatives, ...] = ()
    unit: Alternatives | None = None
    of: Annotated[int, Field(ge=1, le=10**12)] | None = None
    go: BoundText
    no_go: BoundText | None = None
    void: BoundText | None = None
    guards: tuple[Id, ...] = ()
    needs: NeedsEntry = NeedsEntry()
    weight: Weight = 1

    @model_validator(mode="after")
    def _check_sides(self) -> Self:
        if self.guards and not self.void:
            raise ValueError("has guards but no void; say which figures make those tests void")
        if self.no_go and _both_hold(_bound(self.go), _bound(self.no_go)):
            raise ValueError(
                f"go {self.go} and no_go {self.no_go} are both true of some figures; "
                "write them so that no figure is on both sides"
            )
        return self


class StatementEntry(Entry):
    """One entry below `rubric:`."""

    id: Id
    statement: Words
    supports: WordList
    refutes: Annotated[tuple[Alternatives, ...], Field(max_length=12)] = ()
    unless: tuple[Alternatives, ...] = ()
    needs: NeedsEntry = NeedsEntry()
    weight: Weight = 1


def build_tests(
    tests: Sequence[FigureEntry], rubric: Sequence[StatementEntry]
) -> tuple[CriterionTest, ...]:
    """Those on figures first, then the statements, each in the file's order."""
    return (*map(_build_test, tests), *map(_build_statement, rubric))


def _build_test(entry: FigureEntry) -> CriterionTest:
    unit = alternatives(entry.unit or "")
    return CriterionTest(
        entry.id,
        entry.measure,
        Measure(_words(entry.words), _flat(entry.unless), unit, entry.of),
        _build_needs(entry.needs),
        go=_bound(entry.go),
        no_go=_bound(entry.no_go) if entry.no_go else None,
        void=_bound(entry.void) if entry.void else None,
        guards=entry.guards,
        weight=entry.weight,
    )


def _build_statement(entry: StatementEntry) -> CriterionTest:
    unless = _flat(entry.unless)
    refutes = Measure(_words(entry.refutes), unless, figure=False) if entry.refutes else None
    return CriterionTest(
        entry.id,
        entry.statement,
        Measure(_words(entry.supports), unless, figure=False),
        _build_needs(entry.needs),
        refutes=refutes,
        weight=entry.weight,
    )


def _build_needs(entry: NeedsEntry) -> Needs:
    confidence = confidence_of(entry.confidence) or 0.0
    return Needs(entry.sources, entry.max_age_days, confidence, entry.places)


def _words(entries: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    return tuple(alternatives(one) for one in entries)


def _flat(entries: Sequence[str]) -> tuple[str, ...]:
    return tuple(word for one in entries for word in alternatives(one))


def _bound(text: str) -> Bound:
    """What was checked when the entry was read."""
    sign = text.rstrip("+-.0123456789 ")
    return Bound(cast("Sign", sign), Decimal(text[len(sign) :].strip()))


def _both_hold(one: Bound, other: Bound) -> bool:
    """Whether some figure is on both sides: it would be at a bound, beside it, or between the two."""
    step = Decimal("0.000000001")
    marks = (one.value, other.value, (one.value + other.value) / 2)
    near = [mark + offset for mark in marks for offset in (-step, Decimal(0), step)]
    far = [min(marks) - 1, max(marks) + 1]
    return any(one.holds(figure) and other.holds(figure) for figure in (*near, *far))
