"""Citation numbers beyond the list of sources that the text itself gives."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from daemon.quality.normalise import Reading
from daemon.quality.verdict import Defect, Profile

_SHORT_WORDS = 300
_WIDEST_RANGE = 30
_SOURCES = (
    r"(?:list of )?(?:references?|sources?|bibliography|works cited|citations?|notes|endnotes|footnotes"
    r"|lista de referencias|referencias?(?: bibliogr[aá]ficas)?|fuentes?|bibliograf[ií]a|notas|citas"
    r"|r[eé]f[eé]rences|sources|riferimenti|fonti|quellen|refer[eê]ncias|fontes)"
    r"(?: (?:used|cited|consulted|consultadas|citadas|usadas|utilizadas|al pie|consult[eé]es))?"
)
_HEADING = re.compile(
    rf"(?im)^[ \t#*_\d.)]{{0,20}}{_SOURCES}[ \t*_]{{0,4}}(?::[ \t*_]{{0,4}})?(?=$|\S)(?<![a-z])"
    rf"|^[ \t#*_\d.)]{{0,20}}{_SOURCES}[ \t*_]{{0,4}}$"
)
_ENTRY = re.compile(
    r"(?:^|\n|[;.] |: |, )[ \t]*(?:[-*•][ \t]+)?"
    r"(?:\[\^?(?P<square>\d{1,3})\]|\((?P<round>\d{1,3})\)|(?P<bare>\d{1,3})[.)](?= ))[ \t:]*(?=\S)"
)
_BARE_ENTRY = re.compile(r"[ \t]*(?:[-*•][ \t]+)?\[\^?(\d{1,3})\][ \t]*:?[ \t]*\S")
_LIST_INSIDE = r"\d{1,3}(?: ?[,;–-] ?\d{1,3}){0,12}"
_CITED = re.compile(rf"\[\^?({_LIST_INSIDE})\](?!\()")
_CITED_ROUND = re.compile(rf"\((?<=[\w%.»\"] .)({_LIST_INSIDE})\)")
_CITED_HIGH = re.compile(r"([¹²³⁴-⁹⁰](?<=[^\W\d_].|[.,;%»\"].)[¹²³⁴-⁹⁰]{0,2})(?![¹²³⁴-⁹⁰])")
_CITED_WORD = re.compile(
    rf"[\[(](?:ref|refs|reference|source|sources|note|referencia|fuente|fuentes|nota)\.? ?(?:no\.? ?)?"
    rf"({_LIST_INSIDE})[\])]"
)
_HIGH_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")


def citations(reading: Reading, profile: Profile) -> Iterable[Defect]:
    """Numbers in the text beyond its own numbered list.

    A short text is rejected for one of them, as for an address that no note has; a long one is
    marked: good reports miscount too.
    """
    del profile
    found = _listed(reading)
    if not found:
        return
    start, listed, rounded = found
    cited = set(_cited(reading, start, with_round=rounded))
    beyond = sorted(number for number in cited if number > max(listed))
    if beyond:
        numbers = ", ".join(f"[{number}]" for number in beyond[:5])
        message = f"It cites {numbers}, but lists {max(listed)} sources."
        yield Defect("structure.citations", message, rejects=reading.words <= _SHORT_WORDS)


def _listed(reading: Reading) -> tuple[int, list[int], bool] | None:
    """Where the text's list of sources begins, its numbers, and whether these stand in round brackets."""
    first: re.Match[str] | None = None
    for heading in _HEADING.finditer(reading.raw):
        begin = max(heading.end() - 2, 0)
        if first is None or first.start() < begin:
            first = _ENTRY.search(reading.raw, begin)
        if first is None:
            break
        if _number(first) <= 2 and heading.start() > 0:
            entries = list(_ENTRY.finditer(reading.raw, begin))
            numbers = [_number(one) for one in entries]
            return heading.start(), _rising(numbers), any(one["round"] for one in entries)
    before, _, block = reading.raw.rstrip().rpartition("\n\n")
    found = [_BARE_ENTRY.match(line) for line in block.split("\n")]
    numbers = [int(one[1]) for one in found if one]
    if len(numbers) >= 2 and all(found):
        return len(before), numbers, False
    return None


def _number(entry: re.Match[str]) -> int:
    return int(entry["square"] or entry["round"] or entry["bare"])


def _rising(numbers: list[int]) -> list[int]:
    """The run of numbers that rises from the first; a year or an amount behind it is no entry."""
    run = numbers[:1]
    for number in numbers[1:]:
        if run[-1] <= number <= run[-1] + 3:
            run.append(number)
    return run


def _cited(reading: Reading, end: int, *, with_round: bool) -> Iterator[int]:
    text = reading.masked[:end]
    regexes = [_CITED, _CITED_WORD, *([_CITED_ROUND] if with_round else [])]
    for regex in regexes:
        for found in regex.finditer(text):
            yield from _numbers(found[1])
    for found in _CITED_HIGH.finditer(reading.text):
        yield from _numbers(found[1].translate(_HIGH_DIGITS))


def _numbers(inside: str) -> Iterator[int]:
    """ "2, 5-7" is 2, 5, 6, 7."""
    for piece in re.split(r" ?[,;] ?", inside):
        first, _, last = (part.strip() for part in re.sub("–", "-", piece).partition("-"))
        if last and int(first) <= int(last) <= int(first) + _WIDEST_RANGE:
            yield from range(int(first), int(last) + 1)
        else:
            yield from (int(one) for one in (first, last) if one)
