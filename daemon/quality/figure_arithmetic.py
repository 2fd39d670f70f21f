"""What a figure that stands in no note may be calculated from, nearest figures first."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice

from daemon.quality.claims import Claim
from daemon.quality.content_words import content_stems, names
from daemon.quality.derived_figures import MOST_OPERANDS, Luck, derive
from daemon.quality.derived_products import Operand
from daemon.quality.figure_index import FigureIndex
from daemon.quality.figure_operands import OwnFigures
from daemon.quality.figure_spans import in_another_unit, span_of_time
from daemon.quality.figure_speech import Speech, of_all_kinds, speech
from daemon.quality.figure_terms import Group, Terms, as_operand
from daemon.quality.figures import Figure
from daemon.quality.passages import Passages

_EXACT_DIGITS = 3
_CERTAIN_DIGITS = 4
_AROUND = 3
_MANY_OPERANDS = 14
_COLUMN = 40
_NEARBY = 6
_PARAGRAPHS = 1000
_MOST_TRIES = 200  # a text with more figures in no note is rejected anyway
_CHANGES = frozenset(("rises", "falls", "changes"))
_SCALING = (" x ", " of ", " / ")


class Arithmetic:
    """The figures of one output that may be calculated with; grows by those that were derived."""

    def __init__(
        self,
        output: Passages,
        index: FigureIndex,
        figures: Sequence[Figure],
        claims: Sequence[Claim],
        source_ids: Sequence[str],
    ) -> None:
        self._output = output
        self._index = index
        self._looked_up = list(zip(figures, claims, strict=True))
        self._source_ids = {name: number for number, name in enumerate(source_ids)}
        self._doubtful = {(f.start, f.end) for f, c in self._looked_up if c.status == "absent"}
        self._derived: dict[float, str] = {}
        self._stems_of: dict[tuple[int, tuple[int, int]], frozenset[str]] = {}
        self._tries = _MOST_TRIES
        self._figures = figures
        self._terms = Terms(index)

    @cached_property
    def _own(self) -> OwnFigures:
        return OwnFigures(self._output, self._index, self._figures, self._doubtful)

    def explain(self, figure: Figure) -> str:
        """The arithmetic that gives the figure; empty where none near it does.

        Tried in turn: its sentence or row; with the sentence before; its column; the source's
        sentences where the figures beside it stand, and those that are about the same; for a figure
        of three digits and more, what stands around those in sentences that share a word with its own.
        All of it together tries no more than chance allows (`Luck`). What was derived once may be named
        and used again.
        """
        if figure.kind in ("date", "time") or self._tries == 0:
            return ""
        self._tries -= 1
        luck = Luck()
        note = (
            self._measured(figure)
            or self._of_a_whole(figure, luck)
            or self._near(figure, luck)
            or self._from_notes(figure, luck)
            or self._again(figure)
        )
        if note:
            self._doubtful.discard((figure.start, figure.end))
            self._derived[figure.readings[0][0]] = note
        return note

    def _measured(self, figure: Figure) -> str:
        """The time between two dates, or what a note says in another unit, in sentences about the same."""
        if figure.measured is None:
            return ""
        start, end = self._output.sentence(figure.start)
        about = self._about(figure)
        best = self._terms.best(about) or self._terms.best(self._output.window_stems(start))
        around = [(self._index.texts[source], first) for source, first, _ in best]
        texts = [text.text[slice(*text.sentence(at, 1))] for text, at in around]
        return in_another_unit(figure, self._index, best) or span_of_time(
            figure, [self._output.text[start:end], *texts]
        )

    def _of_a_whole(self, figure: Figure, luck: Luck) -> str:
        """The share that the amount right beside it has in one of the text or of the notes: "187 calls, 6 %"."""
        if figure.kind != "percent" or self._output.row(figure.start):
            return ""
        start, end = self._output.sentence(figure.start)
        parts = self._own.beside(figure, start, end)
        if not parts or _CHANGES & speech(self._output.folded[start:end], certain=False).kinds:
            return ""
        said = speech("share", certain=False)
        note = derive(figure, parts, said, luck, signs=(" / ",))
        if note:
            return note
        wholes = self._own.within((max(0, start - _PARAGRAPHS), end), figure)[::-1]
        groups = self._terms.groups(self._about(figure))
        wholes += [one for group in groups for one in group.operands]
        pool = [parts[0], *(one for one in wholes if one.value > parts[0].value)]
        return derive(figure, pool, said, luck, most=_MANY_OPERANDS, signs=(" / ",), own=parts[:1])

    def _near(self, figure: Figure, luck: Luck) -> str:
        row = self._output.row(figure.start)
        if row:
            said = speech("", certain=True)
            column = self._own.column(row, figure)
            return derive(figure, column, said, luck, most=_COLUMN, signs=(" + ",)) or derive(
                figure, self._own.within(row, figure), said, luck
            ) or derive(figure, column, said, luck)  # fmt: skip
        start, end = self._output.sentence(figure.start)
        before, _ = self._output.sentence(max(0, start - 2))
        said = speech(self._output.folded[start:end], certain=False)
        return derive(figure, self._own.within((start, end), figure), said, luck) or derive(
            figure, self._own.within((before, end), figure), said, luck
        )

    def _from_notes(self, figure: Figure, luck: Luck) -> str:
        row = self._output.row(figure.start)
        start, end = row or self._output.sentence(figure.start)
        said = speech(self._output.folded[start:end], certain=row is not None)
        own = self._own.within((start, end), figure)
        before, _ = (start, end) if row else self._output.sentence(max(0, start - 2))
        places = self._places(figure, before, end)
        exact = _digits(figure) >= _EXACT_DIGITS
        if exact:
            places += self._nearest(figure)
        if _digits(figure) >= _CERTAIN_DIGITS:
            said = of_all_kinds(said)
        elif figure.kind == "percent" and "gap" not in said.kinds:
            said = replace(said, kinds=said.kinds - {"compared"})
        note = self._in_notes(figure, said, luck, places, 0, MOST_OPERANDS, own)
        note = note or self._from_terms(figure, said, luck, own)
        if note or not exact:
            return note
        said = of_all_kinds(said)
        note = self._in_notes(figure, said, luck, places, _AROUND, _MANY_OPERANDS, own)
        if note:
            return note
        named = self._named(start, end)
        same = [*own, *self._own.of_the_same(figure, start, end)]
        return self._in_notes(figure, said, luck, named, 1, MOST_OPERANDS, own, _SCALING) or derive(
            figure, same, said, luck, signs=_SCALING
        )

    def _from_terms(self, figure: Figure, said: Speech, luck: Luck, own: Sequence[Operand]) -> str:
        """From the sentences and tables of the notes that are about the same as the figure's own."""
        groups = list(self._terms.groups(self._about(figure)))
        if not groups and not self._output.row(figure.start):
            groups = list(self._terms.groups(self._output.window_stems(figure.start)))
        ways = (said, of_all_kinds(said)) if _digits(figure) >= _EXACT_DIGITS else (said,)
        if figure.kind == "percent" and not said.said:
            ways = (speech("share", certain=False),)
        mixed = [Group([*own, *group.operands], own) for group in groups] if own else []
        for way in ways:
            for group in (*mixed, *groups):
                note = derive(figure, group.operands, way, luck, most=_MANY_OPERANDS, own=group.own)
                if note:
                    return note
        return ""

    def _places(self, figure: Figure, start: int, end: int) -> list[tuple[int, int]]:
        """Where in the sources the other figures of [start, end) stand."""
        return [
            (self._source_ids[claim.source], claim.place[0])
            for other, claim in self._looked_up
            if start <= other.start < end and other is not figure and claim.place
        ]

    def _nearest(self, figure: Figure) -> list[tuple[int, int]]:
        near = [(abs(f.start - figure.start), f) for f, claim in self._looked_up if claim.place]
        near = sorted(near, key=lambda one: one[0])[:_NEARBY]
        return [place for _, f in near for place in self._places(figure, f.start, f.end)]

    def _named(self, start: int, end: int) -> list[tuple[int, int]]:
        """Where the sources first speak of the names of [start, end)."""
        found = (
            (number, text.text.find(name))
            for at, name in names(self._output.text[start:end])
            if at
            for number, text in enumerate(self._index.texts)
        )
        return list(islice((one for one in found if one[1] >= 0), _NEARBY))

    def _in_notes(
        self,
        figure: Figure,
        said: Speech,
        luck: Luck,
        places: Sequence[tuple[int, int]],
        around: int,
        most: int,
        own: Sequence[Operand],
        signs: Collection[str] = (),
    ) -> str:
        about = self._about(figure) if around else frozenset()
        for source, place in dict.fromkeys(places):
            text = self._index.texts[source]
            within = text.row(place) if not around else None
            start, end = within or text.sentence(place, around)
            there = self._index.in_range(source, start, end)
            if around:
                there = [one for one in there if about & self._stems(source, one.start)]
            known = [as_operand(text, one) for one in there]
            note = derive(
                figure, [*(own if around else ()), *known], said, luck, most=most, signs=signs
            )
            if note:
                return note
        return ""

    def _about(self, figure: Figure) -> frozenset[str]:
        """The content words of its sentence, or of its row with the heads of the columns."""
        if self._output.row(figure.start):
            return self._output.window_stems(figure.start)
        return content_stems(self._output.folded[slice(*self._output.sentence(figure.start))])

    def _stems(self, source: int, place: int) -> frozenset[str]:
        """The content words of the source's sentence or row there."""
        text = self._index.texts[source]
        if text.row(place):
            return text.window_stems(place)
        sentence = text.sentence(place)
        if (source, sentence) not in self._stems_of:
            self._stems_of[source, sentence] = content_stems(text.folded[slice(*sentence)])
        return self._stems_of[source, sentence]

    def _again(self, figure: Figure) -> str:
        return self._derived.get(figure.readings[0][0], "")


def _digits(figure: Figure) -> int:
    """Significant digits as written: how unlikely it is that chance gives the same."""
    digits = re.sub(r"\D", "", figure.text).lstrip("0")
    return len(digits if re.search(r"[.,]\d{1,2}(?!\d)", figure.text) else digits.rstrip("0"))
