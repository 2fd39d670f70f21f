"""Where the notes have a norm: the same number, of the same law or of another."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from daemon.quality.claims import ClaimStatus
from daemon.quality.instruments import Instrument, same_instrument
from daemon.quality.norm_numbers import NUMBER_KINDS, numbered_pieces
from daemon.quality.norms import (
    ArticleNumber,
    Norm,
    article_numbers,
    instrument_near,
    last_law,
    names_at,
)
from daemon.quality.note_texts import NoteText, places_of

_MOST_PLACES = 60
_LAW_HEADS = (
    "ley", "codigo", "constitucion", "reglamento", "decreto", "convenio", "convencion", "tratado",
    "directiva", "estatuto", "law", "act", "code", "constitution", "regulation", "directive",
    "convention", "treaty", "charter", "carta",
)  # fmt: skip
_VERSUS = re.compile(r"\s(?:vs?|versus|contra|c)\.?\s")


@dataclass(frozen=True)
class Held:
    """What the notes have of a norm: how good it is, where (None: nowhere), and what differs."""

    status: ClaimStatus
    note: NoteText | None = None
    start: int = 0
    end: int = 0
    remark: str = ""


@dataclass
class NormPlaces:
    """The articles and the names of laws of some notes, looked for once and only when asked."""

    notes: Sequence[NoteText]
    _articles: dict[str, list[tuple[NoteText, ArticleNumber]]] | None = None
    _names: dict[int, list[Instrument]] = field(default_factory=dict)

    def look_up(self, norm: Norm) -> Held:
        """The best of all places; absent where there is none."""
        if norm.form == "article":
            return self._article(norm)
        if norm.form == "case":
            return _case(norm, self.notes)
        return _number(norm, self.notes)

    def _article(self, norm: Norm) -> Held:
        held = Held("absent", remark=f"no note has article {norm.number[0]}")
        for note, place in self._of_number(norm.number[0])[:_MOST_PLACES]:
            one = self._judge(norm, note, place)
            if one.status == "supported":
                return one
            if held.note is None or (held.status, one.status) == ("absent", "weak"):
                held = one
        return held

    def _of_number(self, number: str) -> list[tuple[NoteText, ArticleNumber]]:
        if self._articles is None:
            self._articles = {}
            for note in self.notes:
                for one in article_numbers(note.open):
                    self._articles.setdefault(one.base, []).append((note, one))
        return self._articles.get(number, [])

    def _judge(self, norm: Norm, note: NoteText, place: ArticleNumber) -> Held:
        there, _ = instrument_near(note.raw, note.open, place.lead, place.last)
        same = self._same(norm.instrument, there, note, place)
        shown = f"article {place.base}" + (f" of {there.shown}" if there else "")
        if same is False:
            return Held("absent", note, place.start, place.end, f"the notes have {shown}")
        if same is None:
            remark = f"the notes have {shown}, not said to be of {_name(norm)}"
            return Held("weak", note, place.start, place.end, remark)
        if not _has_details(norm.details, note, place):
            remark = f"the notes have {shown} without {', '.join(norm.details)}"
            return Held("weak", note, place.start, place.end, remark)
        return Held("supported", note, place.lead, place.end)

    def _same(
        self,
        mine: Instrument | None,
        there: Instrument | None,
        note: NoteText,
        place: ArticleNumber,
    ) -> bool | None:
        if mine is None:
            return True
        if there is not None:
            same = same_instrument(mine, there)
            if same is None and mine.acronym and self._anywhere(mine):
                return False
            return same
        before = last_law(note.raw, note.open, place.lead)
        if before is not None:
            return True if same_instrument(mine, before) else None
        return True if self._named_in(mine, note) else None

    def _anywhere(self, mine: Instrument) -> bool:
        """Whether the notes use these very letters, so that another name means another law."""
        return any(_has_acronym(mine, note) for note in self.notes)

    def _named_in(self, mine: Instrument, note: NoteText) -> bool:
        if _has_acronym(mine, note) or (not mine.acronym and mine.name in note.open):
            return True
        if id(note) not in self._names:
            self._names[id(note)] = list(_laws_named(note))
        return any(same_instrument(mine, other) for other in self._names[id(note)])


def _name(norm: Norm) -> str:
    return norm.instrument.shown if norm.instrument else "any law"


def _has_acronym(mine: Instrument, note: NoteText) -> bool:
    return mine.acronym and next(places_of(note.raw, mine.name.upper()), None) is not None


def _laws_named(note: NoteText) -> Iterable[Instrument]:
    for head in _LAW_HEADS:
        for at in places_of(note.open, head, _MOST_PLACES):
            begin = at
            if found := names_at(note.raw, note.open, begin):
                yield found
            before = note.raw.rfind("\n", 0, at) + 1
            for word in re.finditer(r"(?<!\w)[A-ZÁÉÍÓÚ]", note.raw[max(before, at - 60) : at]):
                found = names_at(note.raw, note.open, max(before, at - 60) + word.start())
                if found:
                    yield found
                break


def _has_details(details: Sequence[str], note: NoteText, place: ArticleNumber) -> bool:
    """The paragraph stands with the article, or as a numbered line of its text below."""
    if tuple(details) == place.details[: len(details)]:
        return True
    if place.details:
        return False
    below = note.open[place.end : place.end + 3_000]
    marks = ("({})", "\n{}.", "\n{})", " {}) ", "numeral {}", "literal {}", "paragraph {}")
    return all(any(mark.format(one) in below for mark in marks) for one in details)


def _number(norm: Norm, notes: Sequence[NoteText]) -> Held:
    digits = [piece for piece in norm.number if piece.isdigit()]
    anchor = max(digits, key=lambda piece: (not _is_year(piece), len(piece)))
    held = Held("absent", remark="no note has this number")
    for note in notes:
        for at in _digit_places(note.open, anchor):
            one = _judge_number(norm, anchor, note, at)
            if one and one.status == "supported":
                return one
            if one and (held.note is None or (held.status, one.status) == ("absent", "weak")):
                held = one
    return held


def _digit_places(text: str, digits: str) -> Iterable[int]:
    """Where the digits stand as a whole number, leading zeros apart."""
    at = text.find(digits)
    seen = 0
    while at >= 0 and seen < 1_000:
        seen += 1
        begin = at
        while begin and text[begin - 1] == "0":
            begin -= 1
        end = at + len(digits)
        if not (begin and text[begin - 1].isdigit()) and not text[end : end + 1].isdigit():
            yield at
        at = text.find(digits, end)


def _judge_number(norm: Norm, anchor: str, note: NoteText, at: int) -> Held | None:
    low = max(0, at - 30)
    window = note.open[low : at + 60]
    tokens = [(piece, low + first, low + last) for piece, first, last in numbered_pieces(window)]
    where = next((i for i, token in enumerate(tokens) if token[2] == at + len(anchor)), None)
    if where is None:
        return None
    first = where - norm.number.index(anchor)
    there = tuple(token[0] for token in tokens[max(first, 0) : first + len(norm.number)])
    right_kind = _kind_before(norm.kind, note, at)
    end = tokens[where][2]
    if first >= 0 and _equal(norm.number, there):
        end = tokens[first + len(norm.number) - 1][2]
        single = sum(piece.isdigit() for piece in norm.number) < 2
        if right_kind or not norm.kind or (norm.kind == "sentencia" and not single):
            return Held("supported", note, tokens[first][1], end)
        if single:
            return None
        return Held(
            "weak", note, tokens[first][1], end, "the notes have this number of another kind"
        )
    if not right_kind or not norm.kind or len(anchor) < 3:
        return None
    shown = _shown(note.raw, at, at + len(anchor))
    if (where + 1 < len(tokens) and _is_year(tokens[where + 1][0])) or norm.kind == "sentencia":
        return Held("absent", note, at, end, f"the notes have {shown}")
    return Held("weak", note, at, end, f"the notes have {shown}")


def _shown(raw: str, start: int, end: int) -> str:
    """The words around a number, whole ones."""
    words = raw[max(0, start - 24) : end + 16].split()
    return " ".join(words[1:-1] if len(words) > 3 else words)


def _kind_before(kind: str, note: NoteText, at: int) -> bool:
    if not kind:
        return True
    before = note.open[max(0, at - 70) : at]
    return any(start.strip() in before for start in NUMBER_KINDS[kind])


def _equal(mine: Sequence[str], there: Sequence[str]) -> bool:
    if len(mine) != len(there):
        return False
    if tuple(mine[:-1]) != tuple(there[:-1]):
        return False
    one, other = mine[-1], there[-1]
    return one == other or (len(mine) > 1 and (_same_year(one, other) or _same_year(other, one)))


def _same_year(short: str, long: str) -> bool:
    return short.isdigit() and len(short) <= 2 and _is_year(long) and int(long) % 100 == int(short)


def _is_year(piece: str) -> bool:
    return len(piece) == 4 and piece.isdecimal() and piece[:2] in ("19", "20")


def _case(norm: Norm, notes: Sequence[NoteText]) -> Held:
    left, right = norm.number
    lone: Held | None = None
    for note in notes:
        for at in places_of(note.open, left):
            end = at + len(left)
            stretch = note.open[end : end + 120]
            stop = next(
                (place for place in places_of(stretch, right) if _VERSUS.search(stretch, 0, place)),
                None,
            )
            if stop is not None and _VERSUS.search(stretch, 0, min(stop, 60)):
                return Held("supported", note, at, end + stop + len(right))
        if lone is None and next(places_of(note.open, left), None) is not None:
            at = next(places_of(note.open, left))
            lone = Held("absent", note, at, at + len(left), "the notes name a party, not the case")
    return lone or Held("absent", remark="no note has this case")
