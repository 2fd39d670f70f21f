"""The norms and rulings of an output, looked up by number and by the law they belong to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from daemon.quality.claims import Claim
from daemon.quality.norm_numbers import find_cases, find_numbered
from daemon.quality.norm_places import Held, NormPlaces
from daemon.quality.normalise import Reading
from daemon.quality.norms import Norm, find_articles
from daemon.quality.note_texts import NoteText, blocked_by
from daemon.quality.url_claims import code_blocks

_CALLED_FALSE = re.compile(
    r"\b(?:fabricat|invent(?:ed|ad)|bogus|non-?existent|inexistent|fictici|fictitious|fake|hallucinat"
    r"|alucina|(?:does|do|did) not exist|no existen?\b|unverified|not verified|no verificad"
    r"|sin verificar|made[- ]up)"
)
_SENTENCE_END = re.compile(r"(?<=[a-z]{3})\.\s")
_AROUND = 160


def norm_claims(reading: Reading, given: NoteText, notes: Sequence[NoteText]) -> Iterable[Claim]:
    """One claim for each article, numbered law, standard, ruling and case that the task does not name.

    *supported*: the same number of the same law (or of a note about it). *weak*: the number without
    its law, year or paragraph, or a note that calls the thing invented. *absent*: no such number, or
    the number of another law, kind or year. What the output says of its own citation ("verified",
    "it is real") is never looked at.
    """
    view = reading.open.replace("\u2013", "-")
    places, asked = NormPlaces(notes), NormPlaces((given,))
    code = code_blocks(reading.raw, reading.masks)
    for norm in find_norms(reading.raw, view):
        if blocked_by(code, norm.start, norm.end) or _in_name(reading.raw, norm.start):
            continue
        if asked.look_up(norm).status == "supported":
            continue
        yield _claim(reading, norm, _doubted(view, norm, places.look_up(norm)))


def find_norms(raw: str, view: str) -> list[Norm]:
    """All norms in order; `view` is `raw` folded, place for place."""
    found = [*find_articles(raw, view)]
    taken = [(norm.start, norm.end) for norm in found]
    found.extend(find_numbered(view, taken))
    found.extend(find_cases(raw, view))
    kept: list[Norm] = []
    for norm in sorted(found, key=lambda norm: (norm.start, -norm.end)):
        if not kept or norm.end > kept[-1].end:
            kept.append(norm)
    return kept


def _claim(reading: Reading, norm: Norm, held: Held) -> Claim:
    note = held.note
    span = reading.span(norm.start, norm.end)
    return Claim(
        kind="norm",
        text=reading.text[slice(*span)],
        span=span,
        status=held.status,
        source=note.note.id if note else "",
        place=note.place(held.start, held.end) if note else None,
        passage=note.passage(held.start, held.end) if note else "",
        note=held.remark,
    )


def _doubted(view: str, norm: Norm, held: Held) -> Held:
    """A note that tells of an invented ruling is no source for it, unless the output says so too."""
    if held.status != "supported" or held.note is None:
        return held
    if norm.form == "article" or norm.kind not in ("", "sentencia"):
        return held
    there = _called_false(held.note.open, held.start, held.end)
    if there and not _called_false(view, norm.start, norm.end):
        remark = "the note calls it invented or unverified"
        return Held("weak", held.note, held.start, held.end, remark)
    return held


def _called_false(text: str, start: int, end: int) -> bool:
    """Whether the line says so in front of the citation, or right behind it before the next case."""
    before = text[max(0, start - _AROUND) : start].rpartition("\n")[2]
    before = _SENTENCE_END.split(before)[-1]
    behind = text[end : end + _AROUND // 2].partition("\n")[0].partition(" v. ")[0]
    return bool(_CALLED_FALSE.search(before) or _CALLED_FALSE.search(behind))


def _in_name(raw: str, start: int) -> bool:
    """Inside an address or a mark such as [law.n7], where a number names something else."""
    begin = max(raw.rfind(blank, max(0, start - 300), start) for blank in " \n(<[")
    if raw.startswith("[", begin) and not raw[begin + 1 : start].endswith(" "):
        return True
    return "://" in raw[begin + 1 : start] or raw.startswith("www.", begin + 1)
