"""Marks for things that cannot be right whatever the sources say; none of them rejects."""

from __future__ import annotations

import re
from collections.abc import Iterable

from daemon.quality.normalise import Reading
from daemon.quality.verdict import Defect

_ISO = re.compile(r"\b(?:19|20)\d\d-(\d\d)-(\d\d)\b")
_LONG_MONTHS = r"(?:january|march|may|july|august|october|december|enero|marzo|mayo|julio|agosto|octubre|diciembre)"
_SHORT_MONTHS = r"(?:april|june|september|november|abril|junio|sep?tiembre|noviembre)"
_DAY_31 = re.compile(
    rf"\b31(?:st)? (?:of |de )?{_SHORT_MONTHS}\b|\b{_SHORT_MONTHS} 31(?:st)?\b"
    r"|\b3[01](?:th|st)? (?:of |de )?(?:february|febrero)\b|\b(?:february|febrero) 3[01](?:th|st)?\b"
    rf"|\b3[2-9](?:nd|rd|th)? (?:of |de )?(?:{_LONG_MONTHS}|{_SHORT_MONTHS})\b"
)
_PUBLISHED_BEFORE = re.compile(
    r"\b((?:19|20)\d\d) (?:census|survey|report|yearbook|study|edition|figures|data|results)\b"
    r"[^.!?\n]{0,60}\b(?:published|released|issued|presented)\b[^.!?\n]{0,40}?\b((?:19|20)\d\d)\b"
    r"|\b(?:censo|encuesta|informe|anuario|estudio|cifras|datos|resultados) (?:de|del) ((?:19|20)\d\d)\b"
    r"[^.!?\n]{0,60}\b(?:publicad[oa]s?|difundid[oa]s?|presentad[oa]s?)\b[^.!?\n]{0,40}?\b((?:19|20)\d\d)\b"
)
_SUM = re.compile(
    r"(\d{1,3}(?:[.,]\d+)?) ?%?(?: ?\+ ?\d{1,3}(?:[.,]\d+)? ?%?){1,8} ?= ?(\d{1,3}(?:[.,]\d+)?) ?%"
)
_NUMBER = re.compile(r"\d{1,3}(?:[.,]\d+)?")
_CHANGE = re.compile(
    r"(?:from|de) [$€]?(\d[\d.,]*\d|\d) ?(?:to|a) [$€]?(\d[\d.,]*\d|\d)\b[^.!?\n\d]{0,60}?(\d{1,4}(?:[.,]\d+)?) ?%"
)
_VERIFIED = re.compile(
    r"\b(?:all|every|each) (?:of the )?(?:figures?|data|numbers?|facts?|claims?|sources?|citations?)\b[^.!?\n]{0,30}"
    r"\b(?:verified|checked|confirmed|validated|cross-checked)\b"
    r"|\btod[oa]s (?:las|los) (?:cifras|datos|numeros|hechos|afirmaciones|fuentes|citas)\b[^.!?\n]{0,30}"
    r"\b(?:verific|comprob|confirm|valid|contrast)\w+"
)
_STOP_WORDS = {
    "en": frozenset(
        [
            "the",
            "of",
            "and",
            "to",
            "in",
            "is",
            "that",
            "for",
            "are",
            "was",
            "with",
            "as",
            "by",
            "on",
            "which",
            "from",
            "this",
            "be",
            "at",
        ]
    ),
    "es": frozenset(
        [
            "el",
            "la",
            "los",
            "las",
            "de",
            "que",
            "y",
            "en",
            "es",
            "por",
            "con",
            "para",
            "una",
            "del",
            "se",
            "no",
            "su",
            "como",
            "al",
            "lo",
        ]
    ),
}
_FEWEST_STOP_WORDS = 3


def implausible(reading: Reading, language: str) -> Iterable[Defect]:
    """Impossible dates, sums and changes that do not come out, claims of having checked, wrong language."""
    yield from _dates(reading)
    yield from _arithmetic(reading)
    for found in _VERIFIED.finditer(reading.masked):
        message = "It claims that everything was checked; nobody can see that from the text."
        yield Defect(
            "plausibility.claimed_check", message, rejects=False, span=reading.span(*found.span())
        )
        break
    other = _other_language(reading, language)
    if other:
        message = f"It is written in '{other}', the workspace's language is '{language}'."
        yield Defect("plausibility.language", message, rejects=False)


def _dates(reading: Reading) -> Iterable[Defect]:
    places = [found.span() for found in _ISO.finditer(reading.open) if not _exists(found)]
    places += [found.span() for found in _DAY_31.finditer(reading.open)]
    for start, end in places[:3]:
        message = f"The date '{reading.raw[start:end]}' does not exist."
        yield Defect("plausibility.date", message, rejects=False, span=reading.span(start, end))
    if not any(word in reading.open for word in ("publi", "released", "issued", "present")):
        return
    for found in _PUBLISHED_BEFORE.finditer(reading.open):
        years = [int(year) for year in found.groups() if year]
        if years[0] > years[1]:
            message = f"It has figures of {years[0]} published in {years[1]}."
            yield Defect(
                "plausibility.date", message, rejects=False, span=reading.span(*found.span())
            )


def _exists(found: re.Match[str]) -> bool:
    month, day = int(found.group(1)), int(found.group(2))
    return 1 <= month <= 12 and 1 <= day <= (
        29 if month == 2 else 30 if month in (4, 6, 9, 11) else 31
    )


def _arithmetic(reading: Reading) -> Iterable[Defect]:
    for found in _SUM.finditer(reading.open) if "=" in reading.open else ():
        *parts, stated = [float(one.replace(",", ".")) for one in _NUMBER.findall(found.group())]
        if abs(sum(parts) - stated) > 1.0:
            message = f"{found.group()} does not add up: the sum is {sum(parts):g}."
            yield Defect(
                "plausibility.sum", message, rejects=False, span=reading.span(*found.span())
            )
    for found in _CHANGE.finditer(reading.open):
        before, after = _amount(found.group(1)), _amount(found.group(2))
        stated = float(found.group(3).replace(",", "."))
        if before and after and not _is_change(before, after, stated):
            message = (
                f"'{found.group()}' does not come out: the change is {(after / before - 1):.0%}."
            )
            yield Defect(
                "plausibility.change", message, rejects=False, span=reading.span(*found.span())
            )


def _amount(text: str) -> float | None:
    """1,200 = 1.200 = 1200; 1,5 = 1.5; None where both marks leave it open."""
    if re.fullmatch(r"\d{1,3}(?:[.,]\d{3})+", text):
        return float(re.sub(r"[.,]", "", text))
    if re.fullmatch(r"\d+(?:[.,]\d{1,2})?", text):
        return float(text.replace(",", "."))
    return None


def _is_change(before: float, after: float, stated: float) -> bool:
    change = abs(after / before - 1) * 100
    ratio = after / before * 100
    return any(
        abs(one - stated) <= max(1.0, 0.06 * stated) for one in (change, ratio, abs(after - before))
    )


def _other_language(reading: Reading, language: str) -> str | None:
    """The other of the two known languages, where nearly all little words are of that one."""
    if language not in _STOP_WORDS:
        return None
    words = re.findall(r"[a-z]+", reading.masked)
    counts = {
        name: sum(1 for word in words if word in known) for name, known in _STOP_WORDS.items()
    }
    other = "es" if language == "en" else "en"
    if counts[other] >= _FEWEST_STOP_WORDS or (counts[other] >= 1 and len(words) <= 12):
        return other if counts[other] > 4 * counts[language] else None
    return None
