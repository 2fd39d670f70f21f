"""What a text says of its own figures and what they say: who is cheaper, what rose, what most do."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from daemon.quality.content_words import content_stems
from daemon.quality.normalise import Reading, fold
from daemon.quality.verdict import Defect

MOST_WORDS = 400

_NUMBER = r"(\d{1,18}(?:[.,]\d{1,18}){0,6})"  # bounded: a text may be nothing but digits
_OFFER = re.compile(
    rf"\b([A-ZÁÉÍÓÚÑ][\w&'-]{{2,}})(?:,|:| [a-zà-ÿ']+){{1,6}}? ?(?:[$€]|US\$|USD )? ?{_NUMBER}(?: ?(%"
    rf"|[a-zà-ÿ]{{3,}}))?"
)
_LOWEST = re.compile(
    r"\b([A-ZÁÉÍÓÚÑ][\w&'-]{2,})(?: [a-zà-ÿ']+){0,3}? (?:is|es|resulta|offers|ofrece|has|tiene|asks"
    r"|pide)\b[^.!?\n]{0,30}?"
    r"\b(?:cheap(?:er|est)|low(?:er|est) (?:price|cost|offer|bid)|less expensive|least expensive|m[aá]s barat[oa]"
    r"|m[aá]s econ[oó]mic[oa]|menor precio|precio m[aá]s bajo)\b"
)
_HIGHEST = re.compile(
    r"\b([A-ZÁÉÍÓÚÑ][\w&'-]{2,})(?: [a-zà-ÿ']+){0,3}? (?:is|es|resulta|has|tiene)\b[^.!?\n]{0,30}?"
    r"\b(?:dear(?:er|est)|(?:more|most) expensive|high(?:er|est) price|m[aá]s car[oa]|precio m[aá]s alto)\b"
)
_UP = (
    r"(?:rose|risen|rises|grew|grown|increased|climbed|went up|gained|subi(?:o|eron)|crec(?:io|ieron)"
    r"|aument(?:o|aron))"
)
_DOWN = (
    r"(?:fell|fallen|dropped|declined|decreased|shrank|went down|lost|baj(?:o|aron)|cay(?:o|eron)|disminuy(?:o|eron)"
    r"|descend(?:io|ieron)|se redu(?:jo|jeron))"
)
_MOVED = re.compile(
    rf"\b(?P<verb>{_UP}|{_DOWN})\b[^.!?\n\d]{{0,40}}?\b(?:from"
    rf"|de) (?:[$€] ?)?{_NUMBER}(?P<one> ?%)?[^.!?\n\d]{{0,40}}?"
    rf"\b(?:to|a) (?:[$€] ?)?{_NUMBER}(?P<two> ?%)?"
)
_BEFORE_AFTER = re.compile(
    rf"{_NUMBER}[^.!?\n\d]{{0,50}}?\b(?:before|antes)\b[^.!?\n\d]{{0,60}}?{_NUMBER}[^.!?\n\d]{{0,50}}?\b(?:after"
    rf"|afterwards|despues)\b"
)
_SAYS_MOVED = re.compile(rf"\b(?:sales|ventas|[a-z]+s?) (?:\w+ ){{0,2}}?(?P<verb>{_UP}|{_DOWN})\b")
_IS_UP = re.compile(_UP)
_OF_ALL = re.compile(
    rf"\b{_NUMBER} (?:out )?(?:of|de|from among) (?:the |los |las |all |our )?{_NUMBER}\b"
    rf"|\b(?:of|de) (?:the |los |las )?{_NUMBER} [^.!?\n\d]{{2,40}}?,? {_NUMBER}\b"
)
_MOST = re.compile(
    r"\b(?:most|the majority of|a majority of|more than half of) (?!of (?:all )?the time|likely|important|common)"
    r"|\b(?:la mayoria|la mayor parte|mas de la mitad) (?:de )?"
)
_SENTENCE = re.compile(r"[^.!?\n]+")


@dataclass(frozen=True)
class _Said:
    message: str
    span: tuple[int, int]


def against_own_figures(reading: Reading) -> Iterable[Defect]:
    """Marks a ranking, a movement or a majority that the text's own figures say otherwise; long texts are left."""
    if reading.words > MOST_WORDS:
        return
    for check in (_ranked_wrongly, _moved_wrongly, _no_majority):
        said = check(reading)
        if said:
            span = reading.span(*said.span)
            yield Defect("conclusion.own_figures", said.message, rejects=False, span=span)


def _ranked_wrongly(reading: Reading) -> _Said | None:
    """The one called cheapest has a higher figure of the same kind than another, each named with one."""
    offers: dict[str, set[tuple[float, str]]] = {}
    for found in _OFFER.finditer(reading.raw):
        amount = _value(found[2])
        if amount is not None:
            offers.setdefault(found[1], set()).add((amount, ""))
    known = {name: next(iter(some))[0] for name, some in offers.items() if len(some) == 1}
    if len(known) < 2 or len(known) != len(offers):
        return None
    for regex, best in ((_LOWEST, min(known.values())), (_HIGHEST, max(known.values()))):
        for found in regex.finditer(reading.raw):
            own = known.get(found[1])
            if own is not None and own != best:
                return _Said(
                    f"It ranks {found[1]} otherwise than its own figures do.", found.span()
                )
    return None


def _moved_wrongly(reading: Reading) -> _Said | None:
    for found in _MOVED.finditer(reading.masked):
        first, second = _value(found[2]), _value(found[4])
        if found["one"] == found["two"] and _contradicts(found["verb"], first, second):
            return _Said("It says the other direction than its own two figures.", found.span())
    pairs = list(_BEFORE_AFTER.finditer(reading.masked))
    if len(pairs) == 1:
        first, second = _value(pairs[0][1]), _value(pairs[0][2])
        for said in _SAYS_MOVED.finditer(reading.masked, pairs[0].end()):
            if _contradicts(said["verb"], first, second):
                return _Said("It says the other direction than its own two figures.", said.span())
    return None


def _contradicts(verb: str, first: float | None, second: float | None) -> bool:
    if first is None or second is None or first == second:
        return False
    return (second > first) != bool(_IS_UP.fullmatch(verb))


def _no_majority(reading: Reading) -> _Said | None:
    """ "Most" of what the text counts as less than half, in a sentence without a figure of its own."""
    shares = [(share, words) for share, words in _shares(reading)]
    for sentence in _SENTENCE.finditer(reading.masked):
        found = _MOST.search(sentence.group())
        if not found or re.search(r"\d", sentence.group()):
            continue
        subject = content_stems(sentence.group())
        same = [share for share, words in shares if len(subject & words) >= 2]
        if same and max(same) < 0.5:
            return _Said("It says most of what it counts as less than half.", sentence.span())
    return None


def _shares(reading: Reading) -> Iterator[tuple[float, frozenset[str]]]:
    """Each "64 of 210" of the text as a share, with the content words of its sentence."""
    for sentence in _SENTENCE.finditer(reading.masked):
        for found in _OF_ALL.finditer(sentence.group()):
            part, whole = (found[1], found[2]) if found[1] else (found[4], found[3])
            some, all_of = _value(part), _value(whole)
            if some is not None and all_of and some <= all_of:
                yield some / all_of, content_stems(fold(sentence.group()))


def _value(text: str | None) -> float | None:
    """1,200 and 1.200 are thousands where three digits stand behind each mark; else a decimal."""
    if not text:
        return None
    if re.fullmatch(r"\d{1,3}(?:[.,]\d{3})+", text):
        return float(re.sub(r"[.,]", "", text))
    return (
        float(text.replace(",", ".")) if re.fullmatch(r"\d{1,12}(?:[.,]\d{1,6})?", text) else None
    )
