"""Tests of kill_criteria.yaml that nothing anybody writes can count for: each stays open for ever, silently."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, product
from pathlib import Path

from daemon.errors import Fault
from daemon.quality.measure_doubts import doubting_word
from daemon.quality.measured import Sight, sight
from daemon.workspace.criterion_tests import CriterionTest
from daemon.workspace.kill_criteria import load_criteria

_MOST_TRIED = 200
_WHY = {
    "rounded": "reads as a bound or a range",
    "goal": "reads as a wish, a plan or a guess",
    "denied": "reads as a denial",
    "hearsay": "reads as what somebody else says",
    "other_period": "names two periods",
    "several_figures": "has more than one figure",
    "other_whole": "is of another whole",
    "no_figure": "has no figure of the unit",
}


def criteria_warnings(root: Path) -> Iterator[Fault]:
    """Of each test at most one; nothing for a criterion with a fault, which is told as such.

    Raises WorkspaceInvalid where the file cannot be read."""
    parsed = load_criteria(root)
    for index, criterion in enumerate(parsed.nouns):
        figures = [one for one in criterion.tests if one.looks.figure]
        for at, test in enumerate(criterion.tests):
            first = ("tests", at) if test.looks.figure else ("rubric", at - len(figures))
            told = _told(test)
            if told:
                key, message, cure = told
                line = parsed.line_of(index, *first, key)
                place = f"criteria[{index}].{first[0]}[{first[1]}].{key}"
                yield Fault(parsed.file_of(index), line, place, f"{test.id}: {message}", cure)


def _told(test: CriterionTest) -> tuple[str, str, str] | None:
    """Key, message and cure; None where something can count."""
    words = "words" if test.looks.figure else "supports"
    word = doubting_word(test.measure, test.looks)
    if word:
        key = "measure" if test.looks.figure else "statement"
        message = f'a sentence with "{word}" never counts, for it is no plain result'
        return key, message, f'measure what was done, or put "{word}" with its verb into `{words}`'
    tried = list(_tried(test))
    if any(not one.doubt for one in tried):
        return None
    seen = tried[0] if tried else Sight((0, 0), doubt="no_figure")
    if seen.doubt == "excluded":
        message = f'`unless` excludes "{seen.word}", which is among its own words'
        return "unless", message, f"take it out of `unless`, or change `{words}`"
    why = f"even a sentence of its own words {_WHY.get(seen.doubt, 'does not count')}"
    if seen.doubt == "no_figure" and _unit(test):
        cure = (
            'write "%", a currency such as USD, a unit of time or the noun that is counted, '
            f"and words of one clause into `{words}`"
        )
        return "unit", f"{why}: {_unit(test)}", cure
    return words, why, f"change `{words}`: plain words of what was found"


def _unit(test: CriterionTest) -> str:
    return " | ".join(test.looks.unit)


def _tried(test: CriterionTest) -> Iterator[Sight]:
    """What the plainest sentences of its own words would count for."""
    measure = test.looks
    for unit, *words in islice(product(measure.unit or ("",), *measure.words), _MOST_TRIED):
        sentence = " ".join(filter(None, (_figure(test, unit), *words)))
        yield from sight(f"{sentence}.", measure)[:1]


def _figure(test: CriterionTest, unit: str) -> str:
    """A figure on the good side, as one would write it; a currency stands in front."""
    if test.go is None:
        return ""
    value = f"{test.go.value:,f}"
    if test.looks.sign:
        return f"{unit} {value}"
    return " ".join(filter(None, (value, f"of {test.looks.of:,}" if test.looks.of else "", unit)))
