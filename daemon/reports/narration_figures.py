"""Which evidence each figure of a model's words belongs to: a true figure behind another's id is a lie."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation

from daemon.quality.normalise import clean
from daemon.reports.review import CriterionReview

CITED = re.compile(r"\[([^\[\]]*)\]")
_SIGNED = re.compile(r"(?:[-+<>=]=? ?)?\d+(?:[.,]\d+)*")


def bound_fault(one: CriterionReview, words: str) -> str:
    """A figure is one of the evidence whose id stands next behind it, or a bound with its sign, a date, or
    the whole that a figure is given of."""
    tests = one.verdict.tests
    bounds = [bound for test in tests for bound in (test.test.go, test.test.no_go, test.test.void)]
    kept = [str(bound) for bound in bounds if bound] + [test.test.id for test in tests]
    kept += [one.criterion.id, one.criterion.deadline.isoformat()]
    counted = [counted for test in tests for counted in test.counted]
    kept += [str(source.dated_on) for each in counted for source in each.sources]
    kept += [f"{of} {test.test.looks.of}" for test in tests for of in ("of", "de", "/")]
    bare = " ".join(clean(words).split())
    for text in sorted(set(kept), key=len, reverse=True):
        sole = (
            rf"(?<![\w.,-]){re.escape(text)}(?![\w%-]|[.,]\d|\s*\[)"  # none is the figure of an id
        )
        bare = re.sub(sole, " ", bare, flags=re.IGNORECASE)
    figures = {each.evidence.id: each.evidence.figure for each in counted}
    start = 0
    for cited in [*CITED.finditer(bare), None]:
        ids = [part.strip() for part in cited[1].split(",")] if cited else []
        right = {figures.get(name) for name in ids}
        for number in _SIGNED.findall(bare[start : cited.start() if cited else None]):
            if _decimal(number) not in right:
                return f"it has a figure that is not in the data of the id behind it: {number}"
        start = cited.end() if cited else start
    return ""


def _decimal(written: str) -> Decimal | None:
    try:
        return Decimal(written.replace(",", ""))
    except InvalidOperation:
        return None
