"""What of a model's summary of a day may be shown: only what the day's own figures bear out.

Anything that is not plainly so leaves the whole summary out, and the worked-out one stands:
1. It is at most 150 words. It is read from left to right as forms (`daily_forms`) and what joins them, with
   nothing between: there is no form for a verdict, advice, a reason, a comparison or a forecast.
2. Every sentence is about one day at most. What stands now is told of no other day.
3. Every figure is that of its form, on that day; a part is told of its own whole only.
4. Every item that a form names is of that kind: learned on that day, or blocked. A figure beside them is
   how many there are, so none is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal

from daemon.config.sections import Language
from daemon.quality.normalise import fold
from daemon.reports.daily_forms import FAMILIES, ITEM, STANDING, STATES, TONGUES, Tongue
from daemon.reports.day_figures import Daily, DayFigures
from daemon.reports.plain_text import one_line

MOST_WORDS = 150
_MOST_CHARACTERS = 1_500
_MICROS = Decimal(1_000_000)
_SIGNS = re.compile(rf"[A-Za-zÀ-ÖØ-öø-ÿ0-9 .,;:()$-]*(?:{ITEM}[A-Za-zÀ-ÖØ-öø-ÿ0-9 .,;:()$-]*)*")
_TOKEN = re.compile(rf"{ITEM}\d+")
_SENTENCE = re.compile(r"(?<=[.;])\s+")
_LOOSE = re.compile(r" +(?=[ ,:)])|^[ ,]+|[ ,.;]+$")
_WHOLES = ("sprints", "calls")  # what may be said to have cost a day's money


@dataclass(frozen=True)
class _Truth:
    """What may be said of one day; `cap` is None where no model was asked on it."""

    figures: Mapping[str, Decimal]
    items: Mapping[str, tuple[str, ...]]
    cap: Decimal | None


@dataclass(frozen=True)
class _Said:
    """A form as it stands: `figure` and `whole` are None where it has none, `items` the tokens of items."""

    kind: str
    text: str
    figure: str | None
    whole: str | None
    items: frozenset[str]
    continues: bool
    before: str = ""
    join: str = ""


def fault_of(found: Daily, words: str, language: Language) -> str:
    """Why a summary may not be shown, in a few words for people; empty where it may."""
    if not words.strip() or len(words) > _MOST_CHARACTERS:
        return "it is empty or too long"
    if len(words.split()) > MOST_WORDS:
        return f"it has more than {MOST_WORDS} words"
    bare, names = _with_tokens(found, words.strip())
    strange = language == "en" and fold(bare) != bare.lower()  # its words have no accents
    if strange or ITEM in words or not _SIGNS.fullmatch(bare):
        return "it has lines, an address, markup, or letters that do not belong there"
    return next(filter(None, _faults(found, bare, names, TONGUES[language])), "")


def _faults(found: Daily, words: str, names: Mapping[str, str], tongue: Tongue) -> Iterator[str]:
    day, kind = "", ""
    for sentence in _SENTENCE.split(words):
        days, bare = _without_days(found, fold(sentence), tongue)
        if len(days) > 1:
            yield "a sentence is about two days"
        day = next(iter(days), day)
        said, rest = _read(bare, tongue, kind)
        if rest or not said:
            yield f'it says "{_shown(rest, names)}", which is no form that the figures bear out'
            continue
        if any(one.kind in STANDING for one in said):
            if "before" in days or re.search(tongue.no_standing, fold(sentence)):
                yield "it tells how things stand now of another time"
        elif not day:
            yield "a sentence says of no day when it was"
        yield from (_fault_of_form(one, _truth(found, day), tongue, names) for one in said)
        yield from _uncounted(said, _truth(found, day))
        kind = said[-1].kind


def _read(text: str, tongue: Tongue, kind: str) -> tuple[list[_Said], str]:
    """The forms of a sentence, and what cannot be read; `kind` is that of the form before it."""
    said: list[_Said] = []
    opened: list[str] = []
    at, join = 0, ""
    while at < len(text):
        one = _form_at(text, at, tongue, kind, join)
        if one is None:
            return said, text[at:]
        said.append(one)
        at, kind, join = at + len(one.text), one.kind, ""
        while at < len(text) and (found := _join_at(text, at, tongue)):
            name, at = found
            if name == ")":
                if not opened:
                    return said, name
                kind = opened.pop()
            elif name == "(":
                opened.append(kind)
            join = name
            if name != ")":
                break
        if at < len(text) and not join:
            return said, text[at:]
    return said, ("(" if opened else join if join not in ("", ")") else "")


def _form_at(text: str, at: int, tongue: Tongue, before: str, join: str) -> _Said | None:
    """The longest form that begins here."""
    matches = [(kind, form.match(text, at)) for kind, form in tongue.forms]
    found = [(match.end(), kind, match) for kind, match in matches if match]
    if not found:
        return None
    _, kind, match = max(found, key=lambda one: one[0])
    part = match.groupdict()
    kind = before if kind == "named" else kind
    items = frozenset(_TOKEN.findall(part.get("items") or ""))
    continues = part.get("noun") is None
    return _Said(kind, match.group(), part.get("n"), part.get("m"), items, continues, before, join)


def _join_at(text: str, at: int, tongue: Tongue) -> tuple[str, int] | None:
    found = [
        (one.end(), name) for name, join in tongue.joins.items() if (one := join.match(text, at))
    ]
    return (max(found)[1], max(found)[0]) if found else None


def _fault_of_form(said: _Said, truth: _Truth, tongue: Tongue, names: Mapping[str, str]) -> str:
    if said.kind not in (*truth.figures, "cap") or not _may_follow(said):
        return f'"{_shown(said.text, names)}" does not go with what stands before it'
    right_ones = truth.items.get(said.kind, ())
    strange = sorted(names[one] for one in said.items if names[one] not in right_ones)
    if strange:
        return f"it names {strange[0][:40]}, which is not that in the data"
    right = truth.cap if said.kind == "cap" else truth.figures[said.kind]
    exact = said.kind in ("usd", "cap") or not re.search(r"\D0|\b0\d", said.figure or "")
    if said.figure and (right is None or not exact or _value(said.figure, tongue) != right):
        return f"it has a figure that is not that in the data: {said.figure}"
    whole = truth.cap if said.kind == "usd" else truth.figures["sprints"]
    if said.whole is not None and (whole is None or _value(said.whole, tongue) != whole):
        return f"it has a figure that is not that in the data: {said.whole}"
    return ""


def _may_follow(said: _Said) -> bool:
    """Whether it reads as what it is, behind the form and the join before it."""
    kind, before, join = said.kind, said.before, said.join
    family = FAMILIES.get(kind, kind)
    if said.continues and said.items:  # bare names
        return join in ("(", ":") and kind == before
    if said.continues and FAMILIES.get(before, before) != family:
        return False
    if join in ("(", ":", "part"):
        return (before == "sprints" and kind in STATES) or (join == ":" and not before)
    if join == "within":
        return kind == "sprints" or (kind == "calls" and before in ("findings", "sprints", "usd"))
    if join in ("beside", "cost"):
        return before in _WHOLES and (kind == "usd" if join == "cost" else kind in _WHOLES)
    return True


def _uncounted(said: Iterable[_Said], truth: _Truth) -> Iterator[str]:
    """A sentence that counts items and names them names them all."""
    for kind in truth.items:
        counted = [one for one in said if one.kind == kind and one.figure is not None]
        named = {name for one in said if one.kind == kind for name in one.items}
        if counted and named and len(named) != len(set(truth.items[kind])):
            yield "it counts more items than it names"


def _value(written: str, tongue: Tongue) -> Decimal | None:
    """None for what is no plain number: 1.2.3, or 4,210, which reads otherwise in another language."""
    if written in tongue.zero or written in tongue.one:
        return Decimal(written in tongue.one)
    whole, sign, rest = written.replace(",", ".").partition(".")
    if "." in rest or (sign and len(rest) == 3 and int(whole)):
        return None
    return Decimal(f"{whole}{sign}{rest}")


def _truth(found: Daily, day: str) -> _Truth:
    """Of one day; how things stand now is the same for each."""
    told = found.before if day == "before" else found.today
    figures = {name: Decimal(found.backlog.get(name, -1)) for name in STANDING}
    items = {
        "findings": tuple(row.item for row in told.findings),
        "blocked": tuple(one.item for one in found.blocked),
    }
    cap = None if told.cap_micros is None else Decimal(told.cap_micros) / _MICROS
    return _Truth({**_counts(told), **figures, "blocked": Decimal(len(found.blocked))}, items, cap)


def _counts(day: DayFigures) -> dict[str, Decimal]:
    return {
        "usd": Decimal(day.spent_micros) / _MICROS,
        "findings": Decimal(len(day.findings)),
        "rejected": Decimal(day.rejected),
        "calls": Decimal(day.calls),
        "sprints": Decimal(sum(day.sprints.values())),
        **{state: Decimal(day.sprints.get(state, 0)) for state in STATES},
    }


def _without_days(found: Daily, folded: str, tongue: Tongue) -> tuple[set[str], str]:
    """The days that a sentence names, and the sentence without them."""
    until = tongue.until.format(at=f"{found.until:%H:%M}")
    days: set[str] = set()
    for name, words, behind in (
        ("before", f"{tongue.before}|{found.before.day}", ""),
        ("today", f"{tongue.today}|{found.today.day}", until),
    ):
        place = re.compile(rf"(?<![\w-]){tongue.on}(?:{words})(?![\w-]){behind}")
        folded, times = place.subn(" ", folded)
        days |= {name} if times else set()
    if days:
        folded = re.sub(tongue.in_all, "", folded.strip())
    return days, _LOOSE.sub("", _LOOSE.sub("", folded)).strip()


def _with_tokens(found: Daily, words: str) -> tuple[str, dict[str, str]]:
    """Each item as a token, with the title that people gave it, in quotation marks, or without; and what is what."""
    rows = {(row.item, row.title) for day in (found.before, found.today) for row in day.findings}
    rows |= {(one.item, one.title) for one in found.blocked}
    items = sorted({item for item, _ in rows}, key=lambda name: (-len(name), name))
    tokens = {item: f"{ITEM}{at}" for at, item in enumerate(items)}
    for item, title in rows:
        words = words.replace(f'{item} "{one_line(title, 120)}"', tokens[item])
    for item, token in tokens.items():
        words = re.sub(rf"(?<![\w-]){re.escape(item)}(?![\w-])", token, words)
    return words, {token: item for item, token in tokens.items()}


def _shown(text: str, names: Mapping[str, str]) -> str:
    """At most 40 characters of what was said, with the items' names."""
    return _TOKEN.sub(lambda one: names.get(one.group(), ""), text)[:40]
