"""Which Markdown is not set in type: what takes too long, and what would lose a part unseen."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from markdown_it.token import Token

DEEPEST = 20  # of lists and quotations in each other; the parser drops what lies deeper
MOST_MARKS = 8_000  # some 50 microseconds each in the worst order
MOST_CELLS = 20_000  # a line of bars makes cells of every short line below it

_MARK = re.compile(r"[\[\]!*_`<&~|\n]")
_BAR = re.compile(r"(?<!\\)\|")
_AROUND_A_ROW = re.compile(r"^[\s>*+-]*\|?|\|?\s*$")


def is_within_limits(text: str) -> bool:
    """Whether the parser is done with it soon, whatever its marks are: 100,000 brackets took seconds."""
    if len(_MARK.findall(text)) > MOST_MARKS:
        return False
    lines = text.split("\n")
    return max(line.count("|") for line in lines) * len(lines) <= MOST_CELLS


def leaves_out(tokens: Sequence[Token], text: str) -> bool:
    """Whether a part of the text is in none of its tokens: what lies too deep, or a cell of a table
    beyond its columns."""
    deepest = max((token.level for token in tokens), default=0)
    return deepest >= DEEPEST - 1 or _has_surplus_cells(tokens, text.split("\n"))


def _has_surplus_cells(tokens: Sequence[Token], lines: Sequence[str]) -> bool:
    return any(_cells_in(lines[line]) > columns for line, columns in _rows(tokens))


def _rows(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """The line of each row of a table, and how many cells it was given."""
    rows = [at for at, token in enumerate(tokens) if token.type == "tr_open"]
    for start, end in pairwise((*rows, len(tokens))):
        cells = 0
        for token in tokens[start:end]:
            if token.type == "tr_close":
                break
            cells += token.type in ("th_open", "td_open")
        place = tokens[start].map
        if place:
            yield place[0], cells


def _cells_in(line: str) -> int:
    return len(_BAR.findall(_AROUND_A_ROW.sub("", line))) + 1
