"""Marks for dates that no calendar has and for checks that nobody can have made; none of them rejects."""

from __future__ import annotations

import re
from calendar import isleap
from collections.abc import Iterable
from functools import lru_cache

from daemon.quality.anchored import Anchored
from daemon.quality.normalise import Reading
from daemon.quality.pieces import PieceFinder
from daemon.quality.verdict import Defect

_ISO = re.compile(r"-(\d\d)-(\d\d)\b")
_SLASHED = re.compile(r"(\d(?<![\w/.-]\d)\d?)([/.-])(\d{1,2})\2((?:19|20)\d\d)(?![\w/-])")
_CLOCK = re.compile(r"(\d(?<![\d.,:]\d)\d)(?::|h ?)(\d\d)\b(?![:.,]?\d| ?%)")
_CLOCK_BEHIND = (
    "at ",
    "a las ",
    "a la ",
    "las ",
    "until ",
    "hasta ",
    "from ",
    "um ",
    "alle ",
    "as ",
    "by ",
)
_YEAR_BEFORE = re.compile(r"(?<![\d-])(?:19|20)\d\d")
_MONTHS = {
    "january": 31, "february": 28, "march": 31, "april": 30, "may": 31, "june": 30, "july": 31,
    "august": 31, "september": 30, "october": 31, "november": 30, "december": 31,
    "enero": 31, "febrero": 28, "marzo": 31, "abril": 30, "mayo": 31, "junio": 30, "julio": 31,
    "agosto": 31, "septiembre": 30, "setiembre": 30, "octubre": 31, "noviembre": 30, "diciembre": 31,
}  # fmt: skip
_MONTH = f"({'|'.join(_MONTHS)})"
_LATE_DAY = re.compile(r"[2-9](?<![\d.,$€/-].)(?:(?<=2)9|(?<!2)\d)(?:st|nd|rd|th)?(?![\w%])")
_MONTH_BEHIND = re.compile(rf" (?:of |de )?{_MONTH}\b(?:,? (?:of |del? )?((?:19|20)\d\d)\b)?")
_MONTH_BEFORE = re.compile(rf"\b{_MONTH} $")
_YEAR_BEHIND = re.compile(r",? ((?:19|20)\d\d)\b")
_LONGEST_MONTH = 12
_PUBLISHED_BEFORE = Anchored(
    r"\b((?:19|20)\d\d) (?:census|survey|report|yearbook|study|edition|figures|data|results)\b"
    r"[^.!?\n]{0,60}\b(?:published|released|issued|presented)\b[^.!?\n]{0,40}?\b((?:19|20)\d\d)\b"
    r"|\b(?:censo|encuesta|informe|anuario|estudio|cifras|datos|resultados) (?:de|del) ((?:19|20)\d\d)\b"
    r"[^.!?\n]{0,60}\b(?:publicad[oa]s?|difundid[oa]s?|presentad[oa]s?)\b[^.!?\n]{0,40}?\b((?:19|20)\d\d)\b"
)
_DENIED = re.compile(
    r"\b(?:not|no|nor|never|nobody|without|if|unless|until|once|before|si|sin|nunca|nadie|cuando|hasta que)"
    r"(?: (?:se|l[oa]s?|be|been|being|yet|have|has|\w{3,}(?:ed|aron|ieron|o|amos))){0,2}\s$"
)
# Where such a claim begins, and how it goes on there.
_CLAIMED_CHECK: tuple[tuple[tuple[str, ...], re.Pattern[str]], ...] = (
    (
        ("all ", "every ", "each "),
        re.compile(
            r"(?<!\w)(?:all|every|each) (?:of the )?(?:figures?|data|numbers?|facts?|claims?|sources?|citations?)\b"
            r"[^.!?\n]{0,30}\b(?:verified|checked|confirmed|validated|cross-checked)\b"
        ),
    ),
    (
        ("todas las ", "todos los "),
        re.compile(
            r"tod[oa]s (?:las|los) (?:cifras|datos|numeros|hechos|afirmaciones|fuentes|citas)\b[^.!?\n]{0,30}"
            r"\b(?:verific|comprob|confirm|valid|contrast)\w+"
        ),
    ),
    (
        ("i ",),
        re.compile(
            r"(?<!\w)i (?:have )?(?:also )?(?:personally |myself )?(?:called|phoned|telephoned|visited|travelled to"
            r"|went to|drove to|met with|e-?mailed|wrote to|spoke (?:to|with)) (?!for\b)[^.!?\n]{0,120}?"
            r"\b(?:verif|confirm|check|saw|told me|assured me)\w*"
            r"|(?<!\w)i (?:have )?(?:personally|myself|manually|independently) "
            r"(?:verified|checked|confirmed|validated|counted)\b"
        ),
    ),
    (("with my own eyes", "con mis propios ojos"), re.compile(r"[a-z ]+")),
    (
        ("myself", "ourselves", "in person", "personally "),
        re.compile(
            r"(?:(?<=counted them )|(?<=counted it )|(?<=checked it )|(?<=checked them )|(?<=verified it )"
            r"|(?<=verified them )|(?<=confirmed it )|(?<=saw it )|(?<=measured it )|(?<=visited it )|(?<=counted )"
            r"|(?<=checked )|(?<=verified )|(?<=confirmed )|(?<=visited )|(?<=phoned ))(?:myself|ourselves"
            r"|in person)\b"
            r"|personally (?:verified|checked|confirmed|counted|visited|inspected|validated|measured|phoned|called)\b"
        ),
    ),
    (
        ("yo mism", "nosotros mism", "nosotras mism", "personalmente ", "en persona"),
        re.compile(
            r"(?:yo|nosotr[oa]s) mism[oa]s? (?:l[oa]s? )?(?:cont|verifi|comprob|confirm|contrast|visit"
            r"|llam|revis|med|vi\b|fui)\w*"
            r"|(?:(?<=conte )|(?<=verifique )|(?<=comprobe )|(?<=revise )|(?<=visite )|(?<=llamando )"
            r"|(?<=medi )|(?<=vi ))"
            r"(?:yo|nosotr[oa]s) mism[oa]s?"
            r"|personalmente (?:l[oa]s? )?(?:conte|verifi|comprob|confirm|contrast|visit|llam|revis)\w+"
            r"|(?<=visite )en persona|(?<=verifique )en persona|(?<=comprobe )en persona"
        ),
    ),
    (
        ("confirmed ", "verified ", "checked "),
        re.compile(
            r"(?:confirmed|verified|checked) (?:this|these|that|those|it|them|the) [^.!?\n]{0,40}?\bby "
            r"(?:phoning|calling|visiting|asking|e-?mailing|going to)\b"
        ),
    ),
    (
        (
            "confirmamos ",
            "verificamos ",
            "comprobamos ",
            "contrastamos ",
            "contraste ",
            "corrobore ",
        ),
        re.compile(
            r"(?:confirmamos|verificamos|comprobamos|contrastamos|contraste|corrobore) (?:est[eao]s?|l[oa]s?|el) "
            r"[^.!?\n]{0,40}?\b(?:llamando|visitando|preguntando|yendo|con (?:expertos|especialistas"
            r"|fuentes del sector))\b"
        ),
    ),
    (
        ("llame ", "telefonee ", "visite ", "acudi ", "viaje ", "hable ", "me reuni ", "escribi "),
        re.compile(
            r"(?<!\w)(?:llame|telefonee|visite|acudi|viaje|hable|me reuni|escribi) (?:por telefono |personalmente )?"
            r"(?:a |al |con |en |el |la |los |las )[^.!?\n]{0,100}?\b(?:y|donde|para) "
            r"(?:comprob|verifi|confirm|constat|me (?:dij|asegur|confirm))\w+"
        ),
    ),
    (
        ("comprobe ", "verifique ", "confirme ", "constate "),
        re.compile(
            r"(?<!\w)(?:comprobe|verifique|confirme|constate) (?:personalmente|en persona|yo mism[oa])\b"
        ),
    ),
)


def implausible(reading: Reading) -> Iterable[Defect]:
    """Impossible dates, results older than what they describe, claims of having checked."""
    yield from _dates(reading)
    yield from _published_before(reading)
    place = _claimed_check(reading.masked)
    if place:
        message = "It claims to have checked; nobody can see that from the text."
        yield Defect(
            "plausibility.claimed_check", message, rejects=False, span=reading.span(*place)
        )


def _claimed_check(text: str) -> tuple[int, int] | None:
    standing = _finder().places(text)
    for beginnings, claim in _CLAIMED_CHECK:
        for at in (at for beginning in beginnings for at in standing.get(beginning, ())):
            found = claim.match(text, at)
            if found and not _DENIED.search(text, max(0, at - 36), at):
                return found.span()
    return None


@lru_cache(maxsize=1)
def _finder() -> PieceFinder:
    return PieceFinder(one for beginnings, _ in _CLAIMED_CHECK for one in beginnings)


def _dates(reading: Reading) -> Iterable[Defect]:
    text = reading.open
    places = [*_wrong_iso(text), *_wrong_days(text), *_wrong_slashed(text)]
    for start, end in places[:3]:
        message = f"The date '{reading.raw[start:end]}' does not exist."
        yield Defect("plausibility.date", message, rejects=False, span=reading.span(start, end))


def _wrong_iso(text: str) -> Iterable[tuple[int, int]]:
    for found in _ISO.finditer(text):
        year = _YEAR_BEFORE.match(text, max(0, found.start() - 4), found.start())
        if year and not _exists(int(year.group()), int(found[1]), int(found[2])):
            yield year.start(), found.end()


def _wrong_slashed(text: str) -> Iterable[tuple[int, int]]:
    """30/02/2024, in whichever order day and month are meant; and hours that no clock shows."""
    for found in _SLASHED.finditer(text):
        first, second, year = int(found[1]), int(found[3]), int(found[4])
        if not _exists(year, second, first) and not _exists(year, first, second):
            yield found.span()
    for found in _CLOCK.finditer(text):
        hours, minutes = int(found[1]), int(found[2])
        late = hours > 24 or minutes > 59 or (hours == 24 and minutes > 0)
        if late and text[max(0, found.start() - 6) : found.start()].endswith(_CLOCK_BEHIND):
            yield found.span()


def _wrong_days(text: str) -> Iterable[tuple[int, int]]:
    """A day from the 29th on with the month behind or before it."""
    for day in _LATE_DAY.finditer(text):
        number = int(day.group()[:2])
        behind = _MONTH_BEHIND.match(text, day.end())
        before = _MONTH_BEFORE.search(text, max(0, day.start() - _LONGEST_MONTH), day.start())
        if behind and number > _last_day(behind[1], behind[2]):
            yield day.start(), behind.end()
        elif before and not behind:
            year = _YEAR_BEHIND.match(text, day.end())
            if number > _last_day(before[1], year and year[1]):
                yield before.start(), day.end()


def _exists(year: int, month: int, day: int) -> bool:
    if not 1 <= month <= 12:
        return False
    return 1 <= day <= _last_day(tuple(_MONTHS)[month - 1], str(year))


def _last_day(month: str, year: str | None) -> int:
    """The last day of a month; without a year any February may have 29."""
    if _MONTHS[month] != 28:
        return _MONTHS[month]
    return 29 if year is None or isleap(int(year)) else 28


def _published_before(reading: Reading) -> Iterable[Defect]:
    if not any(word in reading.open for word in ("publi", "released", "issued", "present")):
        return
    for found in _PUBLISHED_BEFORE.finditer(reading, reading.open):
        years = [int(year) for year in found.groups() if year]
        if years[0] > years[1]:
            message = f"It has figures of {years[0]} published in {years[1]}."
            span = reading.span(*found.span())
            yield Defect("plausibility.date", message, rejects=False, span=span)
