"""Where sentences and table rows stand in a text, and the passage around a place."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from functools import cached_property, lru_cache
from itertools import islice

from daemon.quality.content_words import content_stems
from daemon.quality.figure_labels import is_label
from daemon.quality.figure_text import Number, find_numbers
from daemon.quality.masks import is_table_row
from daemon.quality.normalise import fold, letters_beyond_latin
from daemon.quality.note_texts import LONGEST_KEPT, MOST_KEPT, quick_fold

LONGEST_PASSAGE = 200

_BREAK = re.compile(r"[.!?…\n][\"'»”)\]*_.!?…]*\s*")
_ABBREVIATION = re.compile(
    r"(?:\.[A-Z]|\b(?:Dr|Mr|Mrs|Ms|vs|No|St|Dra|Sr|Sra|Art|art|approx|aprox))$"
)
_ITEM = re.compile(r"[ \t]*(?:[-*•·–—]|\d{1,3}[.)])[ \t]")
_CLIP = 400
_UPWARDS = 60
_STRETCH = 1_000
_LONG_WORD = re.compile(r"[^\W\d_]{8}")
_HALF_WORD = 4
_MOST_STEMS, _MANY_STEMS = 2_000, 24
_ONLY_LETTERS = bytes(code if chr(code).isalpha() else ord(" ") for code in range(256))


class Passages:
    """One text, cut lazily: nothing is computed before it is asked for. `folded` keeps offsets."""

    def __init__(self, text: str, folded: str | None = None) -> None:
        self.text = text
        self._folded = folded
        self._rows = "|" in text
        self._sentences: dict[tuple[int, int], tuple[int, int]] = {}
        self._lines: dict[int, tuple[int, int]] = {}
        self._small: dict[str, bool] = {}
        self._stems: dict[tuple[int, int], frozenset[str]] = {}
        self._starts: dict[int, list[int]] = {}
        self._labels: dict[tuple[int, float], bool] = {}
        self._words: dict[tuple[str, int], list[int]] = {}

    @cached_property
    def folded(self) -> str:
        """The text in lower case without accents."""
        return quick_fold(self.text) if self._folded is None else self._folded

    @cached_property
    def cuts(self) -> list[int]:
        """Where its stretches begin: each in the middle of a long word, so that no end of a sentence lies across."""
        found = [0]
        for at in range(_STRETCH, len(self.text), _STRETCH):
            word = _LONG_WORD.search(self.text, at, at + _STRETCH)
            if word:
                found.append(word.end() - _HALF_WORD)
        return found

    @property
    def starts(self) -> list[int]:
        """Where sentences and lines begin."""
        return [
            0,
            *(start for number in range(len(self.cuts)) for start in self._starts_of(number)),
        ]

    @cached_property
    def numbers(self) -> list[Number]:
        """Its numbers in digits."""
        return find_numbers(self.text)

    @cached_property
    def by_value(self) -> dict[float, list[Number]]:
        """Its numbers by what they may mean."""
        found: dict[float, list[Number]] = {}
        for number in self.numbers:
            for value, _ in number.readings:
                if value in found:
                    found[value].append(number)
                else:
                    found[value] = [number]
        return found

    @cached_property
    def values(self) -> list[float]:
        """What its numbers may mean, in order."""
        return sorted(self.by_value)

    def numbers_in(self, start: int, end: int) -> list[Number]:
        """Its numbers that begin in [start, end)."""
        first = bisect_left(self.numbers, start, key=_start)
        return self.numbers[first : bisect_left(self.numbers, end, lo=first, key=_start)]

    def sentence(self, place: int, around: int = 0) -> tuple[int, int]:
        """[start, end) of the sentence at `place`, with so many sentences before and behind it."""
        known = self._sentences.get((place, around))
        if known is None:
            known = self._sentences[place, around] = self._sentence(place, around)
        return known

    def row_or_sentence(self, place: int) -> tuple[int, int]:
        """The row of a table at `place`, or else its sentence."""
        known = self._lines.get(place)
        if known is None:
            known = self._lines[place] = self.row(place) or self.sentence(place)
        return known

    def is_label(self, start: int, end: int, value: float) -> bool:
        """Whether a number of it counts nothing; see figure_labels.py."""
        known = self._labels.get((start, value))
        if known is None:
            known = self._labels[start, value] = is_label(self.text, start, end, value)
        return known

    def word_starts(self, stem: str, most: int) -> list[int]:
        """The first places where a word begins with these letters."""
        known = self._words.get((stem, most))
        if known is None:
            if len(self._words) >= _MOST_STEMS:
                self._words.clear()
            known = self._words[stem, most] = list(islice(self._begun_with(stem), most))
        return known

    def _begun_with(self, stem: str) -> Iterable[int]:
        words = self._vocabulary if len(self._words) >= _MANY_STEMS else ""
        if words and stem.isalpha() and f" {stem}" not in words:
            return
        at = self.folded.find(stem)
        while at >= 0:
            if at == 0 or not self.folded[at - 1].isalpha():
                yield at
            at = self.folded.find(stem, at + 1)

    @cached_property
    def _vocabulary(self) -> str:
        """Its words, each once behind a blank: several times shorter. Empty where letters are not Latin."""
        if letters_beyond_latin(self.folded):
            return ""
        words = self.folded.encode("latin-1", "replace").translate(_ONLY_LETTERS).decode("latin-1")
        return " " + " ".join(dict.fromkeys(words.split()))

    def is_written_small(self, name: str) -> bool:
        """Whether a name of one word is also written without its capital here."""
        if name not in self._small:
            self._small[name] = self.folded.count(name.lower()) > self.text.count(name)
        return self._small[name]

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
        if not self._rows:
            return None
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

    def _sentence(self, place: int, around: int) -> tuple[int, int]:
        low, high = place - _CLIP * (1 + around), place + _CLIP * (1 + around)
        near = self._starts_of(max(0, bisect_right(self.cuts, place) - 1))
        at = bisect_right(near, place) - 1
        if around <= at < len(near) - around - 1:
            return max(near[at - around], low), min(near[at + around + 1], high)
        starts = [0]
        for stretch in self._stretches(low, high):
            starts += self._starts_of(stretch)
        at = bisect_right(starts, place) - 1
        first = starts[max(0, at - around)]
        after = at + around + 1
        last = starts[after] if after < len(starts) else len(self.text)
        return max(first, low), min(last, high)

    def _starts_of(self, stretch: int) -> list[int]:
        if stretch not in self._starts:
            self._starts[stretch] = list(_breaks(self.text, *self._stretch(stretch)))
        return self._starts[stretch]

    def _stretch(self, number: int) -> tuple[int, int]:
        cuts = self.cuts
        return cuts[number], cuts[number + 1] if number + 1 < len(cuts) else len(self.text)

    def _stretches(self, start: int, end: int) -> range:
        """The stretches that [start, end) touches."""
        first = bisect_right(self.cuts, max(0, start)) - 1
        return range(first, max(first + 1, bisect_left(self.cuts, end)))

    def _word_edge(self, first: int, limit: int) -> int:
        if self.text[first - 1].isspace():
            return first
        blank = self.text.find(" ", first, limit)
        return blank + 1 if blank >= 0 else first


def passages_of(text: str) -> Passages:
    """The text as passages; the same notes are asked about again and again, so some are kept."""
    return _kept(text) if len(text) <= LONGEST_KEPT else Passages(text)


@lru_cache(maxsize=MOST_KEPT)
def _kept(text: str) -> Passages:
    return Passages(text)


def _breaks(text: str, begin: int, end: int) -> Iterable[int]:
    """Where sentences and lines begin behind a break in [begin, end)."""
    for one in _BREAK.finditer(text, begin, end):
        at = one.end()
        if text[one.start()] != "\n":
            if not text[at - 1].isspace() or text[at : at + 1].islower():
                continue
            if text[one.start()] == "." and _ABBREVIATION.search(
                text, one.start() - 7, one.start()
            ):
                continue
        yield at


def _start(number: Number) -> int:
    return number.start
