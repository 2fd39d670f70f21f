"""What of a document stays within its ceiling; the rest goes to the archive whole. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from daemon.memory.documents import item_lines
from daemon.memory.merging import find_pairs
from daemon.memory.statements import Statement

_LARGE_PART = 2  # a statement of more than half the ceiling would leave no room for others


class Fitted(NamedTuple):
    """`kept` in the order given; `left_out` are the statements for which there was no room."""

    kept: tuple[Statement, ...]
    left_out: tuple[Statement, ...]


def fit(
    statements: Sequence[Statement], render: Callable[[Sequence[Statement]], str], ceiling: int
) -> Fitted:
    """As many as `render` puts into `ceiling` bytes.

    First what alone is too large leaves, then what was superseded, then what is unverified, then the
    oldest; statements that contradict each other leave together.
    """
    sizes = {one: _size(one) for one in statements}
    out: set[Statement] = {one for one in statements if sizes[one] * _LARGE_PART > ceiling}
    waiting = [unit for unit in _units(statements) if not out.issuperset(unit)]
    kept = [one for one in statements if one not in out]
    size = len(render(kept).encode())
    while size > ceiling and waiting:
        while size > ceiling and waiting:
            unit = waiting.pop(0)
            size -= sum(sizes[one] for one in unit if one not in out)
            out.update(unit)
        kept = [one for one in statements if one not in out]
        size = len(render(kept).encode())
    return Fitted(tuple(kept), tuple(one for one in statements if one in out))


def _units(statements: Sequence[Statement]) -> list[tuple[Statement, ...]]:
    """What leaves together, in the order of leaving."""
    pairs = find_pairs(statements)
    paired = {one for pair in pairs for one in pair}
    units = [*pairs, *((one,) for one in statements if one not in paired)]
    places = {one: place for place, one in enumerate(statements)}
    return sorted(units, key=lambda unit: (*_rank(unit), places[unit[0]]))


def _rank(unit: tuple[Statement, ...]) -> tuple[int, str]:
    newest = max(one.newest for one in unit)
    if all(one.superseded_on for one in unit):
        return 0, newest
    return (1 if all(one.unverified for one in unit) else 2), newest


def _size(statement: Statement) -> int:
    return sum(len(line.encode()) + 1 for line in item_lines(statement))
