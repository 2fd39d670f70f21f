"""Laws, articles, standards and rulings that a text cites, each with its number."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from daemon.quality.instruments import Instrument, keys_of

NormForm = Literal["article", "number", "case"]

_DETAIL = (
    r"(?:\s?\(\w{1,4}\)|\.\d{1,2}(?!\d)(?:\.[a-z]\b)?"
    r"|,?\s{1,2}(?:numeral(?:es)?|num\.|nro\.|literal(?:es)?|lit\.|inciso|inc\.|paragraphs?|para\."
    r"|point|apartado|parrafo|fraccion)\s{0,2}[\"']?[\da-z]{1,5}[\"']?(?!\w))"
)
_NUMBER = rf"\d{{1,4}}(?!\d)(?:\s?(?:bis|ter|quater)\b)?(?:-?[a-z]\b)?{_DETAIL}{{0,4}}"
_LIST = rf"{_NUMBER}(?:\s{{0,2}}(?:,|;|y|e|o|and|or|&|-|to|al?|through)\s{{1,2}}(?:y\s|and\s)?{_NUMBER}){{0,12}}"
_ARTICLES = (
    re.compile(
        rf"art(?<![a-z0-9]art)(?:(?:iculos?|icles?|s)?\.?\s{{1,2}}|s?\.)(?:n\.?[o°]\.?\s?)?(?P<list>{_LIST})"
    ),
    re.compile(rf"§{{1,2}}\s?(?P<list>{_LIST})"),
    re.compile(rf"sec(?<![a-z0-9]sec)(?:cion(?:es)?|tions?|\.)\s{{1,2}}(?P<list>{_LIST})"),
)
_PLURAL = re.compile(r"arts|articulos|articles|§§|secciones|sections")
_EACH = re.compile(_NUMBER)
_BASE = re.compile(r"\d+(?:\s?(?:bis|ter|quater)\b|-?[a-z]\b)?")
_STEP = re.compile(r"\d+|(?<![a-z])[a-z]{1,5}(?![a-z])")
_LEVELS = frozenset(["num", "nro", "lit", "inc", "para", "point", "bis", "ter"])

_HEAD = (
    r"(?:[Ll]ey|[Cc][oó]digo|[Cc]onstituci[oó]n|[Rr]eglamento|[Dd]ecreto|[Ee]statuto|[Cc]onvenio|[Cc]onvenci[oó]n"
    r"|[Tt]ratado|[Dd]irectiva|[Ll]aw|[Aa]ct|[Cc]ode|[Cc]onstitution|[Rr]egulation|[Dd]irective|[Cc]onvention"
    r"|[Tt]reaty|[Cc]harter|[Cc]arta)"
)
_CAPITAL = r"[A-ZÁÉÍÓÚÑ][\w'-]{1,30}"
_JOIN = r"(?:de|del|la|las|los|el|y|e|of|on|the|and|for|in|to|para|a|sobre)"
_NAME = (
    rf"(?:{_HEAD}|{_CAPITAL})(?:(?:\s{_JOIN}){{0,3}}\s{_CAPITAL}"
    r"|\s\((?:EU|UE|EC|CE)\)(?:\sNo\.?)?\s\d{2,4}/\d{1,4}){0,9}"
)
_BEHIND = re.compile(
    r"\s?\(?,?\s?(?:of|del?|in|en|from|under|,)?\s?(?:the|la|el|los|las|EU|UE)?\s?"
    rf"(?:(?P<short>[A-Z]{{2,10}})(?![\w-])|(?P<name>{_NAME}))"
)
_LOOSE = re.compile(
    rf"\s?,?\s?(?:of|de|del)\s(?:the\s|la\s|el\s)?(?P<name>{_HEAD}(?:\s[^\W\d_]+){{0,7}})"
)
_AHEAD = re.compile(
    rf"(?:(?<![\w-])(?P<short>[A-Z]{{2,10}})|(?P<name>{_NAME}))(?:'s)?\s?[,(:-]?\s?(?:the|el|la|en su|in its|su)?\s?$"
)
_LAW_WORDS = frozenset(
    ["ley", "codi", "regl", "dire", "decr", "cons", "esta", "conv", "trat", "cart", "char"]
)
_NAMED = re.compile(rf"(?P<short>(?!))|(?P<name>{_NAME})")
_LAW_WORD = re.compile(rf"(?<!\w)(?:{_HEAD}|(?:LO|C[OR]|GD|RG)[A-Z]{{1,5}})(?!\w)")
_LAST_LAW_WITHIN = 400
_NOT_LAWS = frozenset((
             "no",         "on",         "in",         "the",         "and",         "is",
    "it",         "if",         "as",         "at",         "by",         "we",         "art",
    "arts",         "section",         "el",         "la",         "los",         "las",
    "en",         "del",         "por",         "que",         "un",         "una",         "see",
    "under",         "also",         "usc",         "cfr",         "pdf",         "url",
    "faq",         "api",         "usd",         "eur",         "uk",         "us",         "eu",
    "ue",         "according",         "segun",         "pursuant",         "violates",
))  # fmt: skip


@dataclass(frozen=True)
class Norm:
    """One citation at [start, end) of the reading.

    `number` is what is looked up first: the article, or the pieces of a docket or law number, without
    leading zeros; for a case, one telling word of each side. `details` are paragraph and letter of an
    article. `kind` says what the number counts (ley, iso, sentencia), empty where the number tells.
    """

    form: NormForm
    start: int
    end: int
    number: tuple[str, ...]
    details: tuple[str, ...] = ()
    instrument: Instrument | None = None
    kind: str = ""


@dataclass(frozen=True)
class ArticleNumber:
    """One number behind "article" or "§". `lead` is where its word begins, `last` where the list ends."""

    lead: int
    start: int
    end: int
    last: int
    base: str
    details: tuple[str, ...]
    alone: bool
    is_section: bool


def article_numbers(view: str) -> Iterable[ArticleNumber]:
    """Every numbered article, section or paragraph sign of a folded text."""
    for at, pattern in enumerate(_ARTICLES):
        for match in pattern.finditer(view):
            numbers = list(_EACH.finditer(view, match.start("list"), match.end("list")))
            if not _PLURAL.match(match.group()):
                numbers = numbers[:1]
            for number in numbers:
                base = _BASE.match(number.group())
                head = base.group() if base else number.group()
                yield ArticleNumber(
                    lead=match.start(),
                    start=number.start(),
                    end=number.end(),
                    last=numbers[-1].end(),
                    base=re.sub(r"[\s-]", "", head).lstrip("0") or "0",
                    details=details_of(number.group()[len(head) :]),
                    alone=len(numbers) == 1,
                    is_section=at > 0,
                )


def find_articles(raw: str, view: str) -> Iterable[Norm]:
    """Articles and sections; `view` is `raw` in lower case without accents.

    "Section" and "§" are parts of any text: they count only with the name of a law beside them.
    """
    for one in article_numbers(view):
        instrument, end = instrument_near(raw, view, one.lead, one.last)
        if one.is_section and (instrument is None or instrument.loose):
            continue
        yield Norm(
            form="article",
            start=one.lead if one.alone else one.start,
            end=end if one.alone else one.end,
            number=(one.base,),
            details=one.details,
            instrument=instrument,
        )


def last_law(raw: str, view: str, end: int) -> Instrument | None:
    """The law that a text spoke of last before `end`: what "its article 5" belongs to."""
    begin = max(0, end - _LAST_LAW_WITHIN)
    last: Instrument | None = None
    at = begin
    while match := _LAW_WORD.search(raw, at, end):
        found = names_at(raw, view, match.start()) if match.group()[1:].islower() else None
        if match.group().isupper():
            found = Instrument(match.group().lower(), acronym=True)
        last = found or last
        at = match.end()
    return last


def names_at(raw: str, view: str, start: int) -> Instrument | None:
    """The name of a law that begins at `start`."""
    match = _NAMED.match(raw, start, start + 160)
    return _instrument(match, view) if match else None


def details_of(text: str) -> tuple[str, ...]:
    """Paragraph and letter: "(1)(f)", ".7.l" and ", numeral 7, literal l" are told alike."""
    return tuple(step for step in _STEP.findall(text) if step not in _LEVELS)


def instrument_near(raw: str, view: str, start: int, end: int) -> tuple[Instrument | None, int]:
    """The law that an article at [start, end) belongs to, and where the citation ends."""
    behind = _BEHIND.match(raw, end, end + 160)
    if behind:
        found = _instrument(behind, view)
        if found:
            return found, behind.end()
    ahead = _AHEAD.search(raw, max(0, start - 90), start)
    if ahead:
        found = _instrument(ahead, view)
        if found:
            return found, end
    loose = _LOOSE.match(raw, end, end + 120)
    if loose:
        first, last = loose.span("name")
        return Instrument(" ".join(view[first:last].split()), acronym=False, loose=True), end
    return None, end


def _instrument(match: re.Match[str], view: str) -> Instrument | None:
    short = match.group("short")
    first, last = match.span("short" if short else "name")
    name = " ".join(view[first:last].split())
    if name in _NOT_LAWS or len(name) < 2:
        return None
    acronym = bool(short) or match.group("name").isupper()
    is_law = acronym or bool(_LAW_WORDS & set(keys_of(name)))
    if not is_law and match.re is _AHEAD:
        return None
    return Instrument(name, acronym=acronym, loose=not is_law)
