"""What of a document stays within its ceiling; the rest goes to the archive whole. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from daemon.memory.documents import item_lines
from daemon.memory.merging import find_pairs
from daemon.memory.statements import Statement

_LARGE_PART = 2  # what is more than half the ceiling would leave no room for others
_FEWEST_APART = 2  # statements that differ: of fewer, nobody would see that they do


class Fitted(NamedTuple):
    """`kept` in the order given; `left_out` are the statements for which there was no room."""

    kept: tuple[Statement, ...]
    left_out: tuple[Statement, ...]


def fit(
    statements: Sequence[Statement], render: Callable[[Sequence[Statement]], str], ceiling: int
) -> Fitted:
    """As many as `render` puts into `ceiling` bytes.

    First what alone is too large leaves, then what was superseded, then what is unverified, then the
    oldest; statements that contradict each other leave together, but of a group that is too large its
    oldest leave first: it would take the whole document with it.
    """
    sizes = {one: _size(one) for one in statements}
    out: set[Statement] = {one for one in statements if sizes[one] * _LARGE_PART > ceiling}
    kept = [one for one in statements if one not in out]
    size = len(render(kept).encode())
    if size > ceiling:
        out.update(_too_many(kept, sizes, ceiling))
        kept = [one for one in kept if one not in out]
        size = len(render(kept).encode())
    waiting = _units(kept)
    while size > ceiling and waiting:
        while size > ceiling and waiting:
            unit = waiting.pop(0)
            size -= sum(sizes[one] for one in unit)
            out.update(unit)
        kept = [one for one in statements if one not in out]
        size = len(render(kept).encode())
    return Fitted(tuple(kept), tuple(one for one in statements if one in out))


def _too_many(
    statements: Sequence[Statement], sizes: Mapping[Statement, int], ceiling: int
) -> Iterator[Statement]:
    """The oldest of each group of statements that differ, until it is small enough to stay as one."""
    for pair in find_pairs(statements):
        size = sum(sizes[one] for one in pair)
        for one in pair[:-_FEWEST_APART]:
            if size * _LARGE_PART <= ceiling:
                break
            size -= sizes[one]
            yield one


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
