"""Numbers that only name or place something: citation marks, links, days of a date, ranks, numbers of laws."""

from __future__ import annotations

import re

_REACH = 48
_LONGEST_LINK = 300
_LONGEST_NAME = 24  # "resoluciones n.º ", and what stands before a word's edge
_JOINTS = (
    "-/.\n"  # at the end of what _NUMERIC_DATE finds; its $ also stands before a last line break
)
_YEARS = (1500, 2100)
_LARGEST_RANK = 999
_LARGEST_DAY = 31
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?|enero|ene|febrero|marzo|abr(?:il)?|mayo|junio|julio|ago(?:sto)?|sep?tiembre|set"
    r"|octubre|noviembre|dic(?:iembre)?)"
)
_IN_A_CITATION = re.compile(r"[\[【][\^†]?(?:\d[\d,;\s–-]*)?$")
_TO_ITS_END = re.compile(r"[\d,;\s–-]*[\]】†]")
_LINK = re.compile(r"://|www\.|doi[:.]|\]\(|\.(?:com|org|net|edu|gov|int|pdf|html?)\b")
_MONTH_BEHIND = re.compile(
    r"(?:st|nd|rd|th|\.?º)?(?: ?(?:[-–,/]|to|and|y|al?|o|or) ?\d{1,2}(?:st|nd|rd|th)?){0,3}"
    rf"[ -](?:of |de )?{_MONTH}\b",
    re.IGNORECASE,
)
_MONTH_BEFORE = re.compile(
    rf"(?<![a-z]){_MONTH}\.? (?:the )?(?:\d{{1,2}}(?:st|nd|rd|th)? ?(?:[-–,]|to|and|y) ?){{0,3}}$",
    re.IGNORECASE,
)
_NUMERIC_DATE = re.compile(r"(?:\d{1,4}[-/.]){1,2}$")
_REST_OF_ONE = re.compile(r"[-/.]\d{1,4}(?!\d)")
_RANK = re.compile(r"(?:^|\n)[ \t>#*|_-]*\(?$")
_BEHIND_A_RANK = re.compile(r"(?:[.)](?=[\s*_\[])| ?(?=\|))|[ \t]*\Z")
_OF_A_LAW = re.compile(r"(?<!\d)(\d{1,5})[/-]$")
_LAW_AND_YEAR = re.compile(r"[/-](?:19|20)\d\d(?!\d)")
_NAMES = re.compile(
    r"(?:\b(?:art(?:icles?|[ií]culos?|s?\.)?|sections?|secci(?:[oó]n|ones)|ley(?: org[aá]nica)?|rulings?|sentencias?"
    r"|resoluci(?:[oó]n|ones)|decretos?|decrees?|rfc|iso|directi(?:ve|va)|tables?|figures?|fig\.|pages?|pp?\.|chapters?"
    r"|appendix|footnotes?|tablas?|figuras?|p[aá]ginas?|p[aá]gs?\.|cap[ií]tulos?|anexos?|version|versi[oó]n"
    r"|route|highway|line|l[ií]nea|box|casilla|form|formulario|vol(?:ume|umen|\.)?|issue|isbn|issn)"
    r"|[§№]|\bn[.º°o]{1,2})[ ]?(?:n[.º°o]{1,2} ?)?$",
    re.IGNORECASE,
)


def is_label(text: str, start: int, end: int, value: float) -> bool:
    """Whether the number at [start, end) counts nothing: nothing said of an amount can rest on it.

    The year of a date is no label: it may be told of alone.
    """
    before = text[max(0, start - _REACH) : start]
    behind = text[end : end + _REACH]
    year = _YEARS[0] <= value < _YEARS[1]
    if _IN_A_CITATION.search(before) and _TO_ITS_END.match(behind):
        return True
    if in_a_link(text, start):
        return True
    if _NAMES.search(before, max(0, len(before) - _LONGEST_NAME)):
        return True
    if year:
        return _follows_a_law(before)
    return (
        is_day(text, start, end, value)
        or _LAW_AND_YEAR.match(behind) is not None
        or _is_rank(text, start, behind, value)
    )


def is_day(text: str, start: int, end: int, value: float) -> bool:
    """Whether the number is the day of a date, also of "4, 5 and 6 May", or a part of 3/5/2021."""
    before = text[max(0, start - _REACH) : start]
    behind = text[end : end + _REACH]
    if 1 <= value <= _LARGEST_DAY and (_MONTH_BEHIND.match(behind) or _MONTH_BEFORE.search(before)):
        return not behind.lstrip().startswith("%")
    parts = _NUMERIC_DATE.search(before) if before[-1:] in _JOINTS else None
    more = _REST_OF_ONE.match(behind)
    count = (len(re.findall(r"\d+", parts.group())) if parts else 0) + (more is not None)
    return count >= 2


def in_a_link(text: str, place: int) -> bool:
    """Whether the place lies in an address."""
    first = max(text.rfind(mark, max(0, place - _LONGEST_LINK), place) for mark in " \n\t|<")
    return _LINK.search(text, first + 1, place) is not None


def _is_rank(text: str, start: int, behind: str, value: float) -> bool:
    if value > _LARGEST_RANK or value != int(value) or not _BEHIND_A_RANK.match(behind):
        return False
    line = text.rfind("\n", 0, start) + 1
    return _RANK.search(text, max(0, line - 1), start) is not None


def _follows_a_law(before: str) -> bool:
    """The year of "112/2019"; "2018/2019" and "06/2019" are times."""
    found = _OF_A_LAW.search(before)
    if found is None:
        return False
    number = int(found[1])
    return number > 12 and not _YEARS[0] <= number < _YEARS[1] and not found[1].startswith("0")
