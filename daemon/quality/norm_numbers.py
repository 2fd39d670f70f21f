"""Laws, standards and rulings cited by a number of their own, and cases by their parties."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable
from functools import lru_cache

from daemon.quality.norms import Norm
from daemon.quality.pieces import PieceFinder

NUMBER_KINDS = {
    "ley": ("ley", "law no", "law ", "public law", "pub. l", "act no"),
    "decreto": ("decreto", "decree"),
    "resolucion": ("resolucion", "resolution"),
    "acuerdo": ("acuerdo", "agreement no", "ministerial agreement"),
    "ordenanza": ("ordenanza", "ordinance"),
    "registro": ("registro oficial", "official register", "official gazette", "official registry",
                 "gaceta oficial", "r.o. "),
    "directiva": ("directiva", "directive"),
    "reglamento": ("reglamento", "regulation"),
    "iso": ("iso", "une-en iso"),
    "rfc": ("rfc",),
    "sp": ("nist sp", "sp 800", "special publication"),
    "inen": ("inen",),
    "sentencia": ("sentencia", "ruling", "judgment", "judgement", "fallo", "case ", "caso ", "causa ", "juicio ",
                  "expediente", "docket", "proceso ", "radicado", "dictamen", "stc ", "sts "),
}  # fmt: skip
_STANDARDS = ("iso", "rfc", "inen", "sp")
_LAX = (
    r"(?:[\s,.:(/-]{0,3}(?:organic[oa]|ejecutiv[oa]|ministerial|legislativo|reformatoria|suplement[oa]?"
    r"|supplement|especial|edicion|oficial|constitucional|constitutional|plenaria|iec|ieee|en|nte|eu"
    r"|ue|ec|ce|cee|eec|general|issue|num(?:ero)?|number|nro|no?|n)(?![a-z])[.°o]{0,2}\)?){0,4}"
)
_CODE = (
    r"[\s,.:#(-]{0,3}(?P<code>(?:[a-z]{1,4}-)?\d[\d.]*(?:[-/:]\w{1,8}){0,5}"
    r"(?:,?\s(?:de|del|of)\s(?:\d{1,2}\sde\s[a-z]{3,10}\s(?:de|del)\s)?(?:19|20)\d\d(?!\d))?)"
)


def _start(word: str) -> str:
    """The regex of a kind's word: a plural is allowed, and a blank where it ends with one."""
    return re.escape(word) if word.endswith(" ") else rf"{re.escape(word)}(?:s|es)?"


_NUMBERED = tuple(
    (kind, word.strip(), re.compile(rf"{_start(word)}(?![a-z]){_LAX}{_CODE}"))
    for kind, words in NUMBER_KINDS.items()
    for word in words
)
_BARE = re.compile(
    r"(?P<court>(?:[ct]|su)-\d{1,4}/\d{2,4})|(?P<ec>\d{1,5}-\d{2,4}-[a-z]{2,4}(?:-cc|/\d{2,4}))"
    r"|(?P<act>\d{2,4}/\d{1,5}/(?:eu|ue|ec|ce|cee|eec))|(?P<cv>\d{1,2}(?::\d{2})?-c[vr]-\d{3,6})"
    r"|(?P<us>\d{1,4}\s(?:u\.?\s?s\.?\s?c\.?|c\.?\s?f\.?\s?r\.?|u\.s\.|s\.\s?ct\."
    r"|f\.\s?(?:supp\.?|app'?x\.?)?\s?(?:2d|3d|4th)?)"
    r"(?:\s?§{1,2})?\s?\d{1,5}(?!\d)[a-z]?(?:\(\w{1,4}\)){0,4})"
)
_ECLI = re.compile(r"ecli:[a-z]{2}:[a-z\d]{1,7}:\d{4}:[\w.]{1,25}")
_HINT = re.compile(r"[0-9](?:[-/:]|\s(?=[ucfs]\.?\s?(?:s|f|ct|\d|r)))")
_BEFORE_HINT = re.compile(r"(?<![\w./-])(?:[a-z]{1,2}-|\d{1,2}:)?\d{1,5}$")
_DIGITS = re.compile(r"[0-9]+|[a-z]+")
_FILLERS = frozenset(("de", "del", "of", "no", "nro", "n", "numero", "number"))
_PARTY = r"[A-ZÁÉÍÓÚÑ][\w&'.-]{0,30}"
_CASE = re.compile(
    r"\s(?P<v>v|vs|c)(?P<dot>\.?)\s(?:the\s|la\s|el\s)?"
    rf"(?P<right>{_PARTY}(?:\s(?:(?:of|de|del|la|the|&|and|y)\s)?{_PARTY}){{0,4}})"
)
_LEFT = re.compile(
    rf"(?P<left>{_PARTY}(?:(?:,\s(?=Inc|Corp|Ltd|LLC|Co\.|S\.A)|\s)(?:(?:of|de|del|la|the|&|and|y|ex\srel\.)\s)?{_PARTY}){{0,5}})"
    r"(?:,?\s(?:y otros|et al\.?|and others))?$"
)
_CUE_BEFORE = re.compile(
    r"(?<!\w)(?:case|caso|sentencia|ruling|judge?ment|fallo|court|corte|tribunal)(?:\sof|\sde|\sen)?[\s:*_\"']{1,4}$"
)
_CUE_BEHIND = re.compile(
    r"[\w\s.]{0,30}[,(\[\s]{1,2}(?:\d{1,4}\s(?:f\.|u\.s|s\.)|corte|court|sentencia|serie c|case|caso|ewca|uksc"
    r"|(?:19|20)\d\d\])"
)
_COMPANY_ENDS = frozenset((
             "inc",         "corp",         "ltd",         "llc",         "co",         "company",
    "sa",         "plc",         "gmbh",         "ag",         "limited",         "corporation",
))  # fmt: skip
_OPENERS = frozenset((
             "in",         "see",         "the",         "under",         "as",         "and",
    "but",         "case",         "caso",         "while",         "el",         "la",
    "en",         "ver",         "cf",         "also",         "accord",
))  # fmt: skip


def find_numbered(view: str, taken: list[tuple[int, int]]) -> Iterable[Norm]:
    """Norms with a number of their own; what overlaps an earlier one in `taken` is left out."""
    for match in (*_bare(view), *_ECLI.finditer(view)):
        kind = "" if match.lastgroup in ("us", "act") else "sentencia"
        taken.append(match.span())
        yield Norm("number", match.start(), match.end(), pieces(match.group()), kind=kind)
    standing = _finder().places(view)
    for kind, word, pattern in _NUMBERED:
        if word not in standing:
            continue
        fresh: list[tuple[int, int]] = []
        before = sorted(taken)
        for match in pattern.finditer(view):
            start = match.start()
            code = match.group("code").rstrip(".")
            end = match.start("code") + len(code)
            number = pieces(code)
            if (start and view[start - 1].isalnum()) or not _is_norm(kind, match, number):
                continue
            if not _touches(before, match.start("code"), end):
                fresh.append((start, end))
                yield Norm("number", start, end, number, kind=kind)
        taken.extend(fresh)


@lru_cache(maxsize=1)
def _finder() -> PieceFinder:
    return PieceFinder(word for _, word, _ in _NUMBERED)


def pieces(code: str) -> tuple[str, ...]:
    """The letters and numbers of a code without leading zeros, dots and words between them.

    "T-760/08" and "T-760 de 2008" are t, 760, 2008: a last number of two digits is a year.
    """
    text = re.sub(r"(?<=\d)\.(?=\d{3}\b)", "", code)
    return tuple(piece for piece, _, _ in numbered_pieces(text))


def numbered_pieces(text: str) -> list[tuple[str, int, int]]:
    """Numbers without leading zeros and single letters, each with its place; fillers left out."""
    found: list[tuple[str, int, int]] = []
    for match in _DIGITS.finditer(text):
        piece = match.group()
        if piece.isdigit():
            found.append((piece.lstrip("0") or "0", match.start(), match.end()))
        elif piece not in _FILLERS:
            found.extend((letter, match.start(), match.end()) for letter in piece)
    return found


def find_cases(raw: str, view: str) -> Iterable[Norm]:
    """Cases named by their parties. "vs" compares products too, so it needs a court near it."""
    for match in _CASE.finditer(raw):
        left = _LEFT.search(raw, max(0, match.start() - 120), match.start())
        if left is None:
            continue
        if match.group("v") != "v" or not match.group("dot"):
            before = view[max(0, match.start() - 120) : left.start("left")]
            if not _CUE_BEFORE.search(before) and not _CUE_BEHIND.match(view, match.end()):
                continue
        start, names = _left_names(view, left)
        right = _telling(_names(view[match.start("right") : match.end("right")]))
        if names and right:
            yield Norm("case", start, match.end(), (names[-1], right[0]))


def _touches(spans: list[tuple[int, int]], start: int, end: int) -> bool:
    """Whether one of the last spans that begin before `end` reaches behind `start`."""
    at = bisect_left(spans, (end,))
    return any(last > start for _, last in spans[max(0, at - 3) : at])


def _bare(view: str) -> Iterable[re.Match[str]]:
    """Numbers that tell by their shape alone; looked for only where a digit stands before a joint."""
    end = 0
    for hint in _HINT.finditer(view):
        at = hint.start() + 1
        begin = _BEFORE_HINT.search(view, max(0, at - 10), at)
        if begin is None or begin.start() < end:
            continue
        match = _BARE.match(view, begin.start())
        if match and not view[match.end() : match.end() + 1].isalnum():
            end = match.end()
            yield match


def _left_names(view: str, left: re.Match[str]) -> tuple[int, list[str]]:
    text = view[left.start("left") : left.end("left")]
    start = left.start("left")
    while True:
        first, blank, rest = text.partition(" ")
        if not blank or first.rstrip(",.") not in _OPENERS:
            return start, _telling(_names(text))
        start += len(first) + 1
        text = rest


def _names(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text)


def _telling(names: list[str]) -> list[str]:
    small = ("of", "de", "del", "la", "the", "and", "y", "s")
    return [name for name in names if name not in _COMPANY_ENDS and name not in small]


def _is_norm(kind: str, match: re.Match[str], number: tuple[str, ...]) -> bool:
    """Whether a number behind such a word cites anything: "case 3" and "1080p resolution" do not."""
    digits = [piece for piece in number if piece.isdigit()]
    if not digits or "".join(number[-2:]) in ("st", "nd", "rd", "th") or number[-1] in "pk":
        return False
    if kind in _STANDARDS:
        return len(digits[0]) >= 2
    if len(digits) >= 2:
        return re.search(r"[-/]|\sde\s|\sof\s|\sdel\s", match.group("code")) is not None
    said = re.search(
        r"(?<![a-z])(?:no|nro|n|num|numero|number|suplemento|supplement)(?![a-z])", match.group()
    )
    return said is not None or (kind == "registro" and len(digits[0]) >= 2)
