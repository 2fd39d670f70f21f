"""A conclusion against the text's own numbers: "19 % ... the bar of 30 % was met". Marked, never rejected."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from daemon.quality.anchored import Anchored
from daemon.quality.content_words import content_stems, stem
from daemon.quality.normalise import Reading, fold
from daemon.quality.verdict import Defect, TaskBrief

_AMOUNT = r"(?P<amount>\d+(?:[.,]\d+)*) ?(?P<unit>%|percent|per cent|por ciento|[a-z]{3,})?"
_LEAST = re.compile(
    r"(?P<no>\b(?:no|not|nor|never|sin) (?:\w+ )?)?\b(?:above|over|more than|at least|a minimum of"
    r"|no less than|greater than|higher than|exceeds?|reach(?:es)?"
    r"|(?:target|goal|threshold|minimum|bar) (?:of|is|was)|superan?|superar|supere"
    r"|al menos|por lo menos|mas de|por encima del?|minimo de|mayor (?:a|al|que)|(?:meta|umbral"
    r"|objetivo) (?:del?|es))"
    rf" (?:a |el |la |los |un |una |the )?(?P<money>[$€] ?)?{_AMOUNT}"
    r"(?! (?:or|o) (?:less|fewer|lower|menos))"
)
_MOST = re.compile(
    r"\b(?:below|under|less than|at most|no more than|fewer than|lower than|a maximum of|menos del?"
    r"|menor (?:a|al|que)"
    r"|inferior (?:a|al)|por debajo del?|maximo de|a lo sumo|como maximo)"
    rf" (?:a |el |la |los |un |una |the )?(?P<money>[$€] ?)?{_AMOUNT}"
)
_MEASURED = re.compile(rf"(?<![\w.,])(?P<money>[$€] ?)?{_AMOUNT}")
_WELL = Anchored(
    r"\b(?:meets? (?:the|both|all|every|our|its)|met (?:the|both|all|our|its)|(?:is|was|were|are) met"
    r"|pass(?:es|ed) the"
    r"|clear(?:s|ed) the|(?:is|was) (?:reached|achieved|exceeded)"
    r"|recommend(?:ation is to| going| to go| proceeding| that we go)"
    r"|(?:verdict|decision|recommendation|veredicto|decision|recomendacion)(?: is| es)?:? ?\**go\b(?!-)|it is a go\b"
    r"|(?:is|are|was|were) \w+ enough (?:for|to)\b|(?:fue|fueron|queda|quedo|quedan) (?:superad|cumplid"
    r"|alcanzad|rebasad)[oa]s?"
    r"|cumplen?|cumplio|cumplieron|se alcanzo|alcanzo la|conviene|se supero|supero la|recomendacion es"
    r"|recomendamos)\b"
)
_BADLY = Anchored(
    r"\b(?:no-go|fails? (?:the|to meet|both|all)|failed (?:the|to meet)|falls? short|fell short"
    r"|(?:do|does|did) not (?:meet|reach|clear|pass)"
    r"|(?:is|was) not (?:met|reached)|no (?:se )?(?:cumplen?|cumplio|alcanza|alcanzo)|incumplen?|no conviene)\b"
)
_MORE_WELL = Anchored(
    r"\b(?:(?:is|are|was|were|queda|quedan|quedo) (?:\w+ )?(?:satisfied|fulfilled|exceeded|cleared|satisfech[oa]s?"
    r"|superad[oa]s?|rebasad[oa]s?)|(?:stays?|remains?|lies|is|falls) (?:well |safely )?(?:within|inside|below"
    r"|under|above) the"
    r" (?:limit|bar|threshold|target|maximum|ceiling)|se (?:mantiene|rebasa|supera|cumple|alcanza)n?\b(?! en)"
    r"|(?:advise|aconsejamos|se aconseja|recommended) (?:to go|going|seguir|proceder|avanzar)"
    r"|(?:is|es) (?:therefore |thus |clearly )?(?:worth it|viable)|vale la pena|can be (?:bought|approved)"
    r"|puede comprarse)\b"
)
_KILL = re.compile(
    r"\b(?:kill|stop|abandon|drop|reject|discard|no-go|give up|end)\b[^.;\n]{0,40}$"
    r"|\b(?:descart|abandon|parar|detener|rechaz|cancel|no seguir)\w*[^.;\n]{0,40}$"
)
_DENIED = re.compile(r"\b(?:not|no|never|n't|nor|neither|sin|if|whether|si|unless)\b[^.,;:]{0,14}$")
_UNITS = {
    "percent": "%",
    "per": "%",
    "per cent": "%",
    "por ciento": "%",
    "por": "%",
    "dollars": "$",
}
_UNITS |= {"dolares": "$", "dollar": "$", "dolar": "$", "usd": "$", "euros": "€", "eur": "€"}
_BREAK = re.compile(r"[.;:!?\n](?!\d)")
_BEFORE, _BEHIND = 60, 40

_Side = Literal["at least", "at most"]
_OTHER: dict[_Side, _Side] = {"at least": "at most", "at most": "at least"}


@dataclass(frozen=True)
class _Bar:
    """What the task asks to be reached, or not to be exceeded, and in words about what."""

    side: _Side
    amount: float
    unit: str
    subject: frozenset[str]


def against_own_numbers(reading: Reading, task: TaskBrief) -> Iterable[Defect]:
    """The text calls a bar of its task met (or missed) where its only figure for it says otherwise."""
    well = _concludes(reading, _WELL) or _concludes(reading, _MORE_WELL)
    badly = _concludes(reading, _BADLY)
    if (well is None) == (badly is None):
        return
    bars = _bars(fold(f"{task.question}\n{task.prompt_text[-4_000:]}"))
    outcomes = [one for bar in bars if (one := _outcome(reading, bar)) is not None]
    missed = [text for text, reached in outcomes if not reached]
    if well and missed:
        message = (
            f"Its conclusion says that the bar is met, its own figure ({missed[0]}) says otherwise."
        )
        yield Defect("conclusion.own_numbers", message, rejects=False, span=reading.span(*well))
    elif badly and outcomes and len(outcomes) == len(bars) and not missed:
        message = f"Its conclusion says that the bar is missed, its own figure ({outcomes[0][0]}) says otherwise."
        yield Defect("conclusion.own_numbers", message, rejects=False, span=reading.span(*badly))


def _concludes(reading: Reading, words: Anchored) -> tuple[int, int] | None:
    for found in words.finditer(reading, reading.masked):
        if not _DENIED.search(reading.masked, max(0, found.start() - 30), found.start()):
            return found.span()
    return None


def _bars(text: str) -> list[_Bar]:
    found: dict[tuple[_Side, float, str], _Bar] = {}
    sides: tuple[tuple[re.Pattern[str], _Side], ...] = ((_LEAST, "at least"), (_MOST, "at most"))
    for regex, side in sides:
        for one in regex.finditer(text):
            turned = side == "at least" and bool(one["no"])
            if _KILL.search(text, max(0, one.start() - 60), one.start()):
                turned = not turned
            bar = _bar(text, one, _OTHER[side] if turned else side)
            if bar and bar.subject:
                found.setdefault((bar.side, bar.amount, bar.unit), bar)
    return list(found.values())


def _bar(text: str, found: re.Match[str], side: _Side) -> _Bar | None:
    amount = _value(found["amount"])
    if amount is None:
        return None
    return _Bar(side, amount, _unit(found), _subject(text, found))


def _outcome(reading: Reading, bar: _Bar) -> tuple[str, bool] | None:
    """A figure of the text for a bar, and whether it reaches it; None where there is none, or they differ."""
    found: dict[float, str] = {}
    for one in _MEASURED.finditer(reading.open):
        value = _value(one["amount"])
        if value is None or _unit(one) != bar.unit or value == bar.amount:
            continue
        if bar.subject & _subject(reading.open, one):
            found[value] = one.group().strip()
    reached = {
        value >= bar.amount if bar.side == "at least" else value <= bar.amount for value in found
    }
    return (next(iter(found.values())), reached.pop()) if len(reached) == 1 else None


def _subject(text: str, found: re.Match[str]) -> frozenset[str]:
    """The content words around a figure, in its own sentence."""
    before = _BREAK.split(text[max(0, found.start() - _BEFORE) : found.start()])[-1]
    behind = _BREAK.split(text[found.end() : found.end() + _BEHIND])[0]
    return content_stems(f"{before} {found['unit'] or ''} {behind}")


def _unit(found: re.Match[str]) -> str:
    if found["money"]:
        return found["money"].strip()
    unit = found["unit"] or ""
    return _UNITS.get(unit, unit if unit == "%" else stem(unit))


def _value(text: str) -> float | None:
    """1,200 and 1.200 are thousands where three digits stand behind each mark; else a decimal."""
    if re.fullmatch(r"\d{1,3}(?:[.,]\d{3})+", text):
        return float(re.sub(r"[.,]", "", text))
    return (
        float(text.replace(",", ".")) if re.fullmatch(r"\d{1,12}(?:[.,]\d{1,6})?", text) else None
    )
