"""Text from models and files, made fit for a terminal: nothing unseen in it, aligned tables."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence

from daemon.config.visible import visible

NARROWEST = 80
WIDEST = 100
_GAP = "  "
_MOST_OF_A_FIXED_COLUMN = 36
_LEAST_OF_THE_LAST = 10


def one_line(text: str, limit: int = 200) -> str:
    """Text fit for a line: no line breaks, nothing that is not seen, at most `limit` characters."""
    flat = visible(" ".join(text[: limit * 20].split()))
    return flat if len(flat) <= limit else flat[: limit - 1].rstrip() + "…"


def printable(text: str) -> str:
    """The text with its lines, and with nothing that could move a cursor or turn letters round."""
    lines = (visible(line) for line in text.expandtabs(4).splitlines())
    return "\n".join(line.rstrip() for line in lines)


def counted(number: int, word: str) -> str:
    """1 fault, 2 faults, 1,000 faults: for words with a plural in -s."""
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def points(lines: Sequence[str], most: int = 20) -> list[str]:
    """The first `most` lines as points below a heading, and how many more there are."""
    more = len(lines) - most
    shown = [f"  - {line}" for line in lines[:most]]
    return [*shown, *([f"  - … +{more}"] if more > 0 else [])]


def wrap(text: str, width: int, *, indent: str = "") -> list[str]:
    """The words of a text in lines of at most `width` columns; a longer word is cut into pieces."""
    lines: list[str] = []
    line = ""
    for word in _words(text, width - len(indent)):
        longer = f"{line} {word}" if line else word
        if line and columns(longer) > width - len(indent):
            lines.append(indent + line)
            longer = word
        line = longer
    return [*lines, indent + line] if line else lines


def hang(line: str, width: int) -> list[str]:
    """The line in at most `width` columns; what follows its first stands below its words, not its "- "."""
    mark = line[: len(line) - len(line.lstrip(" "))]
    mark += "- " if line[len(mark) :].startswith("- ") else ""
    lines = wrap(line[len(mark) :], width, indent=" " * len(mark))
    return [mark + lines[0][len(mark) :], *lines[1:]] if lines else []


def render_table(
    titles: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    width: int = WIDEST,
    right: Sequence[int] = (),
) -> str:
    """Aligned columns in at most `width` columns; the last one is wrapped below itself.

    `right` has the numbers of the columns that are set to the right. A cell is one line; what is
    too long for a column that is not the last is cut with "…".
    """
    cells = [[one_line(cell, 2_000) for cell in row] for row in (titles, *rows)]
    widths = [
        min(_MOST_OF_A_FIXED_COLUMN, max(columns(row[at]) for row in cells))
        for at in range(len(titles) - 1)
    ]
    while sum(widths) > width - _LEAST_OF_THE_LAST - len(_GAP) * len(widths):
        widths[widths.index(max(widths))] -= 1
    room = width - sum(widths) - len(_GAP) * len(widths)
    lines: list[str] = []
    for row in cells:
        head = _GAP.join(_fit(row[at], widths[at], right=at in right) for at in range(len(widths)))
        last = wrap(row[-1], room) or [""]
        if len(titles) - 1 in right:
            longest = min(room, max(columns(one[-1]) for one in cells))
            last = [_fit(line, longest, right=True) for line in last]
        start = head + _GAP if widths else ""
        lines.append((start + last[0]).rstrip())
        lines.extend(" " * columns(start) + line for line in last[1:])
    return "\n".join(lines)


def columns(text: str) -> int:
    """How many columns of a terminal a printable text takes."""
    if text.isascii():
        return len(text)
    return sum(map(_columns_of, text))


def _columns_of(char: str) -> int:
    if unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def _fit(text: str, width: int, *, right: bool) -> str:
    cut = _cut(text, width)
    blanks = " " * (width - columns(cut))
    return blanks + cut if right else cut + blanks


def _cut(text: str, width: int) -> str:
    if columns(text) <= width:
        return text
    while text and columns(text) > width - 1:
        text = text[:-1]
    return text.rstrip() + "…"


def _words(text: str, width: int) -> Iterator[str]:
    for word in text.split():
        rest = word
        while columns(rest) > width:
            piece = rest[: max(1, width // 2 if not rest.isascii() else width)]
            yield piece
            rest = rest[len(piece) :]
        if rest:
            yield rest
