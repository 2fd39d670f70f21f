"""Where sentences and table rows stand in a text, and the passage around a place."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from functools import cached_property

from daemon.quality.content_words import content_stems
from daemon.quality.figure_text import Number, find_numbers
from daemon.quality.masks import is_table_row
from daemon.quality.normalise import fold

LONGEST_PASSAGE = 200

_BREAK = re.compile(r"[.!?…\n][\"'»”)\]*_.!?…]*\s*")
_ABBREVIATION = re.compile(
    r"(?:\.[A-Z]|\b(?:Dr|Mr|Mrs|Ms|vs|No|St|Dra|Sr|Sra|Art|art|approx|aprox))$"
)
_ITEM = re.compile(r"[ \t]*(?:[-*•·–—]|\d{1,3}[.)])[ \t]")
_CLIP = 400
_UPWARDS = 60


class Passages:
    """One text, cut lazily: nothing is computed before it is asked for. `folded` keeps offsets."""

    def __init__(self, text: str, folded: str | None = None) -> None:
        self.text = text
        self._folded = folded
        self._stems: dict[tuple[int, int], frozenset[str]] = {}
        self._above: dict[int, str] = {}

    @cached_property
    def folded(self) -> str:
        """The text in lower case without accents."""
        return fold(self.text) if self._folded is None else self._folded

    @cached_property
    def starts(self) -> list[int]:
        """Where sentences and lines begin."""
        text, found = self.text, [0]
        for one in _BREAK.finditer(text):
            at = one.end()
            if text[one.start()] != "\n":
                if not text[at - 1].isspace() or text[at : at + 1].islower():
                    continue
                if text[one.start()] == "." and _ABBREVIATION.search(
                    text, one.start() - 7, one.start()
                ):
                    continue
            found.append(at)
        return found

    @cached_property
    def numbers(self) -> list[Number]:
        """Its numbers in digits."""
        return find_numbers(self.text)

    def numbers_in(self, start: int, end: int) -> list[Number]:
        """Its numbers that begin in [start, end)."""
        first = bisect_left(self.numbers, start, key=_start)
        return self.numbers[first : bisect_left(self.numbers, end, lo=first, key=_start)]

    def sentence(self, place: int, around: int = 0) -> tuple[int, int]:
        """[start, end) of the sentence at `place`, with so many sentences before and behind it."""
        at = bisect_right(self.starts, place) - 1
        first = self.starts[max(0, at - around)]
        after = at + around + 1
        last = self.starts[after] if after < len(self.starts) else len(self.text)
        return max(first, place - _CLIP * (1 + around)), min(last, place + _CLIP * (1 + around))

    def window_stems(self, place: int) -> frozenset[str]:
        """The content words around a place: three sentences, or the row with header and caption.

        An item of a list takes the line along that its list stands under.
        """
        row = self.row(place)
        start, end = row or self.sentence(place, around=1)
        if (start, end) not in self._stems:
            above = self.above_row(start) if row else self.above_item(place)
            self._stems[start, end] = content_stems(fold(above) + "\n" + self.folded[start:end])
        return self._stems[start, end]

    def window(self, place: int) -> tuple[int, int]:
        """[start, end) of what `window_stems` reads, without header and caption."""
        return self.row(place) or self.sentence(place, around=1)

    def row(self, place: int) -> tuple[int, int] | None:
        """The line of a place, where it is a row of a table."""
        start = self.text.rfind("\n", 0, place) + 1
        end = self.text.find("\n", place)
        end = len(self.text) if end < 0 else end
        if end - start > 5 * _CLIP or "|" not in self.text[start:end]:
            return None
        return (start, end) if is_table_row(self.text[start:end]) else None

    def above_row(self, row: int) -> str:
        """The header row, and the caption or heading over it, of the table that `row` is in."""
        lines: list[tuple[int, str]] = []
        at = row
        for _ in range(_UPWARDS):
            if at <= 0:
                break
            start = self.text.rfind("\n", 0, at - 1) + 1
            line = self.text[start : at - 1]
            if line.strip() and not is_table_row(line):
                return self._with_header(lines, line)
            lines.append((start, line))
            at = start
        return self._with_header(lines, "")

    def heading(self, place: int) -> str:
        """The nearest heading over a place; empty where there is none near."""
        at = place
        for _ in range(_UPWARDS):
            start = self.text.rfind("\n", 0, at) + 1
            if self.text.startswith("#", start) or self.text.startswith("**", start):
                return self.text[start : self.text.find("\n", start) + 1 or None][:_CLIP]
            if start <= 0:
                break
            at = start - 1
        return ""

    def above_item(self, place: int) -> str:
        """The line that the list of `place` stands under; empty where it is in no list."""
        end = self.text.rfind("\n", 0, place)
        if not _ITEM.match(self.text, end + 1):
            return ""
        for _ in range(_UPWARDS):
            if end <= 0:
                break
            start = self.text.rfind("\n", 0, end) + 1
            line = self.text[start:end]
            if line.strip() and not _ITEM.match(line):
                return line[-_CLIP:]
            end = start - 1
        return ""

    @staticmethod
    def _with_header(lines: list[tuple[int, str]], caption: str) -> str:
        rows = [line for _, line in lines if line.strip()]
        return f"{caption}\n{rows[-1] if rows else ''}"

    def passage(self, start: int, end: int) -> str:
        """The sentence or row at [start, end) in whole words, at most 200 characters."""
        first, last = self.row(start) or self.sentence(start)
        last = max(last, end)
        if last - first > LONGEST_PASSAGE:
            before = max(first, min(start - LONGEST_PASSAGE // 2, last - LONGEST_PASSAGE))
            first, last = before, before + LONGEST_PASSAGE
            first = first if first == 0 else self._word_edge(first, start)
            cut = self.text.rfind(" ", end, last)
            last = cut if cut > end and last < len(self.text) else last
        return " ".join(self.text[first:last].split())[:LONGEST_PASSAGE]

    def _word_edge(self, first: int, limit: int) -> int:
        if self.text[first - 1].isspace():
            return first
        blank = self.text.find(" ", first, limit)
        return blank + 1 if blank >= 0 else first


def _start(number: Number) -> int:
    return number.start
