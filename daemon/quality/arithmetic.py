"""Marks for sums, shares and changes that do not come out by the text's own figures; none rejects."""

from __future__ import annotations

import re
from collections.abc import Iterable

from daemon.quality.anchored import Anchored
from daemon.quality.normalise import Reading
from daemon.quality.verdict import Defect

_SUM = re.compile(
    r"(\d{1,3}(?:[.,]\d+)?) ?%?(?: ?\+ ?\d{1,3}(?:[.,]\d+)? ?%?){1,8} ?= ?(\d{1,3}(?:[.,]\d+)?) ?%"
)
_NUMBER = re.compile(r"\d{1,3}(?:[.,]\d+)?")
_CHANGE = re.compile(
    r"(?:from|de) [$€]?(\d[\d.,]*\d|\d) ?(?:to|a) [$€]?(\d[\d.,]*\d|\d)\b[^.!?\n\d]{0,60}?(\d{1,4}(?:[.,]\d+)?) ?%"
)
_PERCENT = re.compile(
    r"(?<![\d.,])(\d{1,3}(?:[.,]\d{1,2})?) ?(?:%|percent\b|per cent\b|por ciento\b)"
)
_WHOLE = Anchored(
    r"\b(?:together|in total|in all|totals?|totalling|adds? up|add to|sums?|summing|that is|i\.e\."
    r"|making up|makes? up"
    r"|es decir|o sea|en total|suman?|sumando|en conjunto|junt[oa]s|completan?)\b"
    r"[^.;\d%]{0,25}\b100 ?(?:%|percent\b|per cent\b|por ciento\b)"
)
_MONEY_OR_COUNT = re.compile(
    r"(?<![\d.,%])(?:[$€] ?)?(\d{1,3}(?:[.,]\d{3})+|\d{2,})(?![\d.,]*\d| ?%| ?percent| ?por ciento)"
)
_MAKES_UP = Anchored(
    r"\b(?:together (?:\w+ ){0,2}?(?:make|add|come|total)|which add up|adding up|totalling|make up the whole"
    r"|suman(?: en conjunto)?|que suman|en conjunto suman|sumando|que completan)\b"
)
_MONEY = r"(?:[$€] ?)?(\d{1,3}(?:[.,]\d{3})+(?:[.,]\d{1,2})?|\d+(?:[.,]\d{1,2})?)"
_AVERAGE = re.compile(
    r"(?:averages?|mean|promedios?|media)\b"
    rf"(?: (?:of|is|was|price|es|fue|precio|seria|de|del?|al|to|a)){{0,3}} {_MONEY}"
)
_TOTAL = re.compile(
    r"(?:totals?|totalling|altogether|suman?(?: en total)?|sumando)\b[:,]?"
    rf"(?: (?:of|is|comes to|de|es de|son))?,? {_MONEY}"
)
_AVERAGE_BEGINS = ("average", "mean ", "promedio", "media ")
_TOTAL_BEGINS = ("total", "altogether", "suma")
_LISTED = re.compile(rf"(?<![\w.,%]){_MONEY}(?! ?%| ?percent| ?por ciento|[\w])")
_DROP = re.compile(
    r"(?:from|de) [$€]?(\d[\d.,]*\d|\d) ?(?:to|a) [$€]?(\d[\d.,]*\d|\d)\b[^.!?\n\d%]{0,40}?"
    r"\d[\d.,]*\b[^.!?\n\d%]{0,30}?\b(?:or|o|i\.e\.|equal to|es decir)\b (?:del? )?(?:el "
    r"|un )?(\d{1,4}(?:[.,]\d+)?) ?%"
)
_LEAST_SHARES = 2
_LEAST_PARTS = 2
_ROUNDING = 2.5
_LONGEST_SENTENCE = 1_000


def does_not_add_up(reading: Reading) -> Iterable[Defect]:
    """Sums, changes, shares of a stated 100 %, parts of a stated whole."""
    yield from _sums(reading)
    yield from _changes(reading)
    yield from _wholes(reading)
    yield from _stated(reading)


def _sums(reading: Reading) -> Iterable[Defect]:
    for found in _SUM.finditer(reading.open) if "=" in reading.open else ():
        *parts, stated = [float(one.replace(",", ".")) for one in _NUMBER.findall(found.group())]
        if abs(sum(parts) - stated) > 1.0:
            message = f"{found.group()} does not add up: the sum is {sum(parts):g}."
            yield _mark(reading, "plausibility.sum", message, found.span())


def _changes(reading: Reading) -> Iterable[Defect]:
    if "%" not in reading.open:
        return
    for found in (*_CHANGE.finditer(reading.open), *_DROP.finditer(reading.open)):
        before, after = _amount(found.group(1)), _amount(found.group(2))
        stated = float(found.group(3).replace(",", "."))
        if before and after and not _is_change(before, after, stated):
            message = (
                f"'{found.group()}' does not come out: the change is {(after / before - 1):.0%}."
            )
            yield _mark(reading, "plausibility.change", message, found.span())


def _wholes(reading: Reading) -> Iterable[Defect]:
    """Shares that a sentence calls 100 % together, and amounts that it calls the whole of one."""
    for regex, fails in ((_WHOLE, _shares_fail), (_MAKES_UP, _parts_fail)):
        indexes = (
            reading.sentence_at(one.start()) for one in regex.finditer(reading, reading.masked)
        )
        for index in dict.fromkeys(indexes):
            if index is None:
                continue
            start, end = reading.sentences[index].start, reading.sentences[index].end
            message = fails(reading.open[start : min(end, start + _LONGEST_SENTENCE)])
            if message:
                yield _mark(reading, "plausibility.sum", message, (start, end))
                return


def _stated(reading: Reading) -> Iterable[Defect]:
    """An average or a total behind the amounts that its own sentence lists."""
    for regex, begins, name in (
        (_AVERAGE, _AVERAGE_BEGINS, "average"),
        (_TOTAL, _TOTAL_BEGINS, "sum"),
    ):
        for found in _beginning_with(begins, regex, reading.masked):
            index = reading.sentence_at(found.start())
            if index is None:
                continue
            start, end = reading.sentences[index].start, found.end()
            if end - start > _LONGEST_SENTENCE:
                continue
            listed = [
                _amount(one) for one in _LISTED.findall(reading.masked[start : found.start()])
            ]
            stated, parts = _amount(found[1]), [one for one in listed if one]
            if stated and len(parts) == len(listed) and _misses(name, parts, stated):
                right = sum(parts) / (len(parts) if name == "average" else 1)
                message = f"The {name} is said to be {found[1]} and comes to {right:,.2f}."
                yield _mark(reading, "plausibility.sum", message, (start, end))
                return


def _beginning_with(
    begins: tuple[str, ...], regex: re.Pattern[str], text: str
) -> Iterable[re.Match[str]]:
    """Matches where one of these words begins; quicker than to look for all of them everywhere."""
    for word in begins:
        at = text.find(word)
        while at >= 0:
            found = None if at and text[at - 1].isalpha() else regex.match(text, at)
            if found:
                yield found
            at = text.find(word, at + 1)


def _misses(name: str, parts: list[float], stated: float) -> bool:
    """Near enough to be meant as that sum or average of these parts, and not it."""
    if len(parts) < (3 if name == "sum" else 2):
        return False
    right = sum(parts) / (len(parts) if name == "average" else 1)
    within = min(parts) <= stated <= max(parts) if name == "average" else 0.6 < stated / right < 1.7
    return within and abs(stated - right) > 0.015 * right


def _shares_fail(sentence: str) -> str | None:
    whole = _WHOLE.regex.search(sentence)
    before = sentence[: whole.start()] if whole else ""
    parts = [float(one.replace(",", ".")) for one in _PERCENT.findall(before)]
    if len(parts) < _LEAST_SHARES or not 60 < sum(parts) < 160:
        return None
    if abs(sum(parts) - 100) <= _ROUNDING:
        return None
    return f"Its shares are said to be 100 % and add up to {sum(parts):g} %."


def _parts_fail(sentence: str) -> str | None:
    amounts = [float(re.sub(r"[.,]", "", one)) for one in _MONEY_OR_COUNT.findall(sentence)]
    whole = max(amounts, default=0.0)
    parts = [one for one in amounts if one != whole]
    if len(parts) < _LEAST_PARTS or not whole:
        return None
    if not 0.5 < sum(parts) / whole < 1.5 or abs(sum(parts) - whole) <= 0.01 * whole:
        return None
    return f"Its parts are said to be {whole:,.0f} together and add up to {sum(parts):,.0f}."


def _mark(reading: Reading, check: str, message: str, place: tuple[int, int]) -> Defect:
    return Defect(check, message, rejects=False, span=reading.span(*place))


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
