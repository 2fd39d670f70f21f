"""Ways to make a true report false in one place, and where a report can be changed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from random import Random

from daemon.quality.normalise import read
from daemon.quality.quotations import find_quotations

_FIGURE = re.compile(
    r"(?<![\w.,/:$€£+#@°=\\{-])(?P<money>[$€£]\s?)?(?P<digits>\d{1,3}(?:[.,]\d{3})+(?:[.,]\d+)?|\d+(?:[.,]\d+)?)"
    r"(?P<percent>\s?%)?(?![\w/:°′″}-]|[.,\u00a0\u202f ]\d)"
)
_YEAR = re.compile(r"(?:19|20)\d\d")
_ADDRESS = re.compile(r"https?://[^\s)\]>\"|]+")
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|ene|abr|ago|dic)[a-záéíóú]*\.?"
_DATED = re.compile(rf"(?:{_MONTH}\s+(?:of\s|de\s)?$)", re.IGNORECASE)
_BEFORE_MONTH = re.compile(rf"\s+(?:de\s+)?{_MONTH}(?![a-z])", re.IGNORECASE)
_ITEM = re.compile(r"(?:^|\n)[\s#>*|-]*\[?$")
_NAMED = re.compile(
    r"(?:arxiv|isbn|issn|doi|cite|ref|label|table|figure|fig\.?|section|sec\.?|eq\.?|chapter|step|art\.?"
    r"|tabla|figura|cap[ií]tulo|art[ií]culo|no\.?|n[.º°]+|vol\.?|pp?\.?)[\s~:#({{\[]*$",
    re.IGNORECASE,
)  # fmt: skip
_CITED = re.compile(r"\[[\d,; –-]*$")
_THOUSANDS = re.compile(r"(?<!\d)\d{1,3}[ \u00a0\u202f]$")
_QUOTED = re.compile(r"\"[^\"\n]+\"|“[^”\n]+”|«[^»\n]+»|'[^'\n]+'(?!\w)")
_BREAK = re.compile(r"(?<=[a-záéíóúñ\])\"”»%\d]{2}[.!?])\s+(?=[A-ZÁÉÍÓÚÑ¿¡\"“«*])")
_WORD = re.compile(r"[^\W\d_]{5,}")
_DIGIT = re.compile(r"\d")
LEAST_FIGURE = 12  # whole numbers up to it are no figures to the gate
FACTORS = (Decimal(10), Decimal("0.1"), Decimal(1000))


@dataclass(frozen=True)
class Spot:
    """A figure, year, address or quotation at [start, end) of a text; `kind` keeps like with like."""

    start: int
    end: int
    text: str
    kind: str


@dataclass(frozen=True)
class Change:
    """The changed text, and where in it something is false now."""

    text: str
    spots: tuple[tuple[int, int], ...]


def figures(text: str) -> list[Spot]:
    """Figures of the prose: no years, dates, numbering, addresses, code, references, or up to 12."""
    return [spot for spot in _numbers(text) if spot.kind != "year"]


def years(text: str) -> list[Spot]:
    """Years that stand alone in the prose."""
    return [spot for spot in _numbers(text) if spot.kind == "year"]


def addresses(text: str) -> list[Spot]:
    """Addresses with a path of some length."""
    spots = []
    for match in _ADDRESS.finditer(text):
        address = match.group().rstrip(".,;:*_'`")
        if len(address.partition("://")[2].partition("/")[2].strip("/")) >= 4:
            spots.append(Spot(match.start(), match.start() + len(address), address, "url"))
    return spots


def quotations(text: str) -> list[Spot]:
    """Quotations of eight words or more, as the gate finds them."""
    reading = read(text)
    spots = []
    for one in find_quotations(reading):
        start, end = reading.span(one.start, one.end)
        if len(one.words) >= 8 and len(_WORD.findall(text[start:end])) >= 3:
            spots.append(Spot(start, end, text[start:end], "quote"))
    return spots


def replaced(text: str, spot: Spot, rng: Random) -> Change:
    """The figure with other digits, as many as before."""
    return _put(text, spot, other_digits(spot.text, rng))


def swapped(text: str, one: Spot, other: Spot) -> Change:
    """Two figures in each other's place."""
    first, second = sorted((one, other), key=lambda spot: spot.start)
    changed = (
        text[: first.start] + second.text + text[first.end : second.start] + first.text
        + text[second.end :]
    )  # fmt: skip
    moved = len(second.text) - len(first.text)
    return Change(
        changed,
        (
            (first.start, first.start + len(second.text)),
            (second.start + moved, second.start + moved + len(first.text)),
        ),
    )


def shifted(text: str, spot: Spot, rng: Random) -> Change | None:
    """Ten times as much, a tenth, or a thousand times; None where that is too small a number to count."""
    factors = FACTORS[:2] if spot.kind == "percent" else FACTORS
    match = _FIGURE.search(spot.text)
    if match is None:
        return None
    value = times(match.group("digits"), rng.choice(factors))
    start, end = match.span("digits")
    if value.isdigit() and int(value) <= LEAST_FIGURE and spot.kind == "plain":
        return None
    return _put(text, spot, spot.text[:start] + value + spot.text[end:])


def other_year(text: str, spot: Spot, rng: Random) -> Change:
    """A year one to eight years off."""
    return _put(text, spot, str(int(spot.text) + rng.choice((1, -1)) * rng.randint(1, 8)))


def other_path(text: str, spot: Spot, rng: Random) -> Change:
    """The last part of the path made of two other words, or with other digits."""
    head, slash, tail = spot.text.rstrip("/").rpartition("/")
    if _DIGIT.search(tail) and rng.random() < 0.5:
        return _put(text, spot, head + slash + other_digits(tail, rng))
    words = [word.lower() for word in _WORD.findall(text) if word.isascii()] or ["report", "annual"]
    return _put(text, spot, f"{head}{slash}{rng.choice(words)}-{rng.choice(words)}")


def one_word_changed(text: str, spot: Spot, rng: Random) -> Change:
    """One longer word of a quotation replaced by one from elsewhere in the text."""
    inside = list(_WORD.finditer(spot.text))
    word = rng.choice(inside)
    others = [other for other in _WORD.findall(text) if other.lower() not in spot.text.lower()]
    new = rng.choice(others or ["nothing"]).lower()
    return _put(text, spot, spot.text[: word.start()] + new + spot.text[word.end() :])


def half_invented(text: str, spot: Spot, rng: Random) -> Change:
    """The second half of a quotation made of other words of the text."""
    inside = list(_WORD.finditer(spot.text))
    pieces, at = [], 0
    for word in inside[len(inside) // 2 :]:
        pieces += [spot.text[at : word.start()], rng.choice(_WORD.findall(text)).lower()]
        at = word.end()
    return _put(text, spot, "".join([*pieces, spot.text[at:]]))


def other_digits(figure: str, rng: Random) -> str:
    """Every digit drawn anew, the first not zero; never the same; no percentage above 100."""
    for _ in range(100):
        first = True
        drawn = []
        for letter in figure:
            if letter.isdigit() and letter.isascii():
                low = 1 if first and len(_DIGIT.findall(figure)) > 1 else 0
                drawn.append(str(rng.randint(low, 9)))
                first = False
            else:
                drawn.append(letter)
        new = "".join(drawn)
        if new != figure and not ("%" in figure and new[:1] == "1" and figure[:3] == "100"):
            return new
    return figure


def times(digits: str, factor: Decimal) -> str:
    """The number times the factor, written with the same separators."""
    groups = re.fullmatch(r"\d{1,3}(?:([.,])\d{3})+(?:([.,])\d+)?", digits)
    group = groups.group(1) if groups else ""
    mark = (
        (groups.group(2) or "") if groups else next((sign for sign in ".," if sign in digits), "")
    )
    whole = digits.replace(group, "") if group and group != mark else digits
    value = Decimal(whole.replace(mark, ".") if mark else whole) * factor
    written = format(value.normalize(), "f")
    before, _, behind = written.partition(".")
    if group or (len(before) > 4 and not mark):
        sign = group or ","
        before = re.sub(r"(?<=\d)(?=(?:\d{3})+$)", sign, before)
    return before + ((mark or ("," if group == "." else ".")) + behind if behind else "")


def pieces(text: str) -> list[str]:
    """A text's sentences, lines and whole tables, to be shuffled into notes."""
    found: list[str] = []
    table: list[str] = []
    for line in text.split("\n"):
        if line.lstrip().startswith("|"):
            table.append(line)
            continue
        if table:
            found.append("\n".join(table))
            table = []
        found.extend(_sentences(line))
    if table:
        found.append("\n".join(table))
    return [piece for piece in found if piece.strip()]


def pick(spots: Sequence[Spot], most: int, rng: Random) -> list[Spot]:
    """At most so many of them, in the order of the text."""
    return sorted(rng.sample(list(spots), min(most, len(spots))), key=lambda spot: spot.start)


Mutation = Callable[[str, Spot, Random], Change | None]


def _sentences(line: str) -> Iterable[str]:
    """The sentences of a line; a quotation of several stays whole."""
    quoted = [match.span() for match in _QUOTED.finditer(line)]
    at = 0
    for stop in _BREAK.finditer(line):
        if not any(start < stop.start() < end - 1 for start, end in quoted):
            yield line[at : stop.start()]
            at = stop.end()
    yield line[at:]


def _numbers(text: str) -> Iterable[Spot]:
    hidden = [(match.start(), match.end()) for match in _ADDRESS.finditer(text)]
    reading = read(text)
    for mask in reading.masks:
        if mask.kind in ("code", "references", "heading"):
            hidden.append(reading.span(mask.start, mask.end))
    hidden.sort()
    at = 0
    for match in _FIGURE.finditer(text):
        while at < len(hidden) and hidden[at][1] <= match.start():
            at += 1
        if at < len(hidden) and hidden[at][0] < match.end():
            continue
        kind = _kind(text, match)
        if kind:
            yield Spot(match.start(), match.end(), match.group(), kind)


def _kind(text: str, match: re.Match[str]) -> str:
    """percent, money, plain or year; empty for what is no figure of the report."""
    before = text[max(0, match.start() - 30) : match.start()]
    digits = match.group("digits")
    if match.group("percent"):
        return "percent"
    if match.group("money"):
        return "money"
    if (
        _ITEM.search(before)
        or _NAMED.search(before)
        or _CITED.search(before)
        or _THOUSANDS.search(before)
    ):
        return ""
    if _DATED.search(before) or _BEFORE_MONTH.match(text, match.end()):
        return ""
    if _YEAR.fullmatch(digits):
        return "year"
    return "plain" if not digits.isdigit() or int(digits) > LEAST_FIGURE else ""


def _put(text: str, spot: Spot, new: str) -> Change:
    changed = text[: spot.start] + new + text[spot.end :]
    return Change(changed, ((spot.start, spot.start + len(new)),))
