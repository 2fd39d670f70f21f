"""The content score, in integer hundredths: in floating point 0.3 + 0.05 + 0.05 falls short of 0.4.

30 for any content; 10 from 100 words, 10 more from 300; 5 for each kind of substance marker (money,
percentages, URLs, dates, tables, headings); 15 off for planning-heavy language; then the bonuses of
the workspace's own domain. Never below 0 or above 100.
"""

from __future__ import annotations

import re

from daemon.quality.garbage import share_of
from daemon.quality.hits import Hit
from daemon.quality.normalise import Reading
from daemon.quality.rules import QualityRules
from daemon.quality.verdict import ScorePart

BASE = 30
LENGTHS = ((100, 10), (300, 10))
MARKER = 5
MOST_FOR_MARKERS = 30
PLANNING_HEAVY = -15
PLANNING_SHARE = 0.15

_MONTHS = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|enero|febrero|marzo|abril|mayo|junio|julio|agosto"
    r"|sep?tiembre|octubre|noviembre|diciembre)"
)
_NUMERIC_DATE = re.compile(
    r"\d{4}-\d{2}-\d{2}\b|\d{1,2}/\d{1,2}/\d{2,4}\b|\d{4}年"
    rf"|\d{{1,2}}(?:st|nd|rd|th)? (?:of |de )?{_MONTHS}\b"
)
_MONTH = re.compile(_MONTHS)
_NUMBER = re.compile(r"\d{1,4}")
_DAY_OR_YEAR = re.compile(r"(?:19|20)\d\d|\d{1,2}\b")
_LONGEST_MONTH = 16
# name, texts of which one must occur (none: always looked for), regex; each regex begins with one class or piece, so
# that its search skips what it cannot begin with
_MARKERS: tuple[tuple[str, tuple[str, ...], re.Pattern[str]], ...] = (
    ("money", (), re.compile(r"[$€£¥₡]\s?\d")),
    (
        "money",
        ("usd", "eur", "gbp", "cny", "rmb", "us$"),
        re.compile(r"(?:usd|eur|gbp|cny|rmb|us\$)\s?\d"),
    ),
    ("money", ("s/",), re.compile(r"s/(?<!\ws/)\.?\s?\d")),
    (
        "money",
        ("usd", "dollar", "dolar", "eur", "pounds", "yuan", "soles", "pesos", "cents"),
        re.compile(
            r"\d[\d.,]{0,15}\s?(?:(?:million|billion|thousand|trillion|mil|millon(?:es)?)(?: de)? )?"
            r"(?:usd|us dollars?|dollars?|dolares?|euros?|pounds|yuan|soles|pesos|cents)\b"
        ),
    ),
    ("percentages", (), re.compile(r"\d\s?(?:%|percent\b|per cent\b|por ciento\b)")),
    ("URLs", ("http", "www."), re.compile(r"https?://[\w-]|www\.(?<!\wwww\.)[\w-]+\.\w")),
    (
        "tables",
        ("---", "<table", "tabular"),
        re.compile(
            r"(?m)^[ \t]{0,60}\|?[ \t]{0,60}:?-{3,}:?[ \t]{0,60}\|[ \t:|-]*$|<table\b|\\begin\{tabular"
        ),
    ),
    (
        "headings",
        ("#", "**", "\n===", "\n---", "section"),
        re.compile(
            r"(?m)^[ \t]{0,3}#{1,6}[ \t]+\S|^[ \t]{0,3}\*\*[^*\n]{2,80}\*\*:?[ \t]*$"
            r"|^[^\n]{2,80}\n[=-]{3,}[ \t]*$|\\(?:sub)*section\*?\{"
        ),
    ),
)


def score_parts(reading: Reading, hits: list[Hit], rules: QualityRules) -> tuple[ScorePart, ...]:
    """Every addend and why; their sum, held to 0..100, is the score."""
    if not reading.words:
        return (ScorePart("content", 0, "there is no content"),)
    parts = [ScorePart("content", BASE, "there is content")]
    for least, hundredths in LENGTHS:
        if reading.words >= least:
            parts.append(ScorePart(f"{least} words", hundredths, f"{reading.words} words"))
    parts.extend(_marker_parts(reading))
    share = share_of(reading, hits, ("planning",))
    if share >= PLANNING_SHARE:
        reason = f"{share:.0%} of the words announce work instead of reporting it"
        parts.append(ScorePart("planning", PLANNING_HEAVY, reason))
    parts.extend(_bonus_parts(reading, rules))
    return tuple(parts)


def total(parts: tuple[ScorePart, ...]) -> int:
    """The score in hundredths, 0..100."""
    return min(100, max(0, sum(part.hundredths for part in parts)))


def has_date(text: str) -> bool:
    """Whether the folded text has a day or a month with its year; a year alone is no date."""
    return any(_is_date(text, number.start()) for number in _NUMBER.finditer(text))


def _is_date(text: str, at: int) -> bool:
    """A numeric date begins at the number, or a month stands right before it."""
    if _NUMERIC_DATE.match(text, at):
        return True
    if not _DAY_OR_YEAR.match(text, at):
        return False
    before = text[max(0, at - _LONGEST_MONTH) : at].removesuffix(" ").split()
    if before and before[-1] in ("de", "del"):
        before.pop()
    return bool(before) and _MONTH.fullmatch(before[-1].removesuffix(".").lstrip("(*_")) is not None


def _marker_parts(reading: Reading) -> list[ScorePart]:
    text = reading.open
    found: dict[str, None] = {}
    for name, hints, regex in _MARKERS:
        if name not in found and (not hints or any(hint in text for hint in hints)):
            found.update({name: None} if regex.search(text) else {})
    if has_date(text):
        found["dates"] = None
    return [ScorePart(name, MARKER, f"it has {name}") for name in found][
        : MOST_FOR_MARKERS // MARKER
    ]


def _bonus_parts(reading: Reading, rules: QualityRules) -> list[ScorePart]:
    parts = []
    for bonus in rules.bonuses:
        found = bonus.compiled.search(reading.open)
        if found:
            sample = reading.raw[found.start() : found.end()][:40]
            parts.append(ScorePart(bonus.name, bonus.hundredths, f"{bonus.reason} ('{sample}')"))
    return parts
