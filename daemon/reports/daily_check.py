"""What of a model's summary of a day may be shown: only what the day's own figures bear out.

Anything that is not plainly so leaves the whole summary out, and the worked-out one stands:
1. It is at most 150 words, all of them of a short list in the workspace's language. There is no word
   in it for a verdict, advice, a reason or a comparison, none for a number, and no link or markup.
2. Every sentence is about one day at most, and has a figure or an item of the data.
3. Every figure holds for each word beside it that counts something, on the day that is told of.
4. Every item that a sentence names is of that kind: learned on that day, or blocked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal

from daemon.config.sections import Language
from daemon.quality.normalise import fold
from daemon.reports.day_figures import Daily, DayFigures
from daemon.reports.plain_text import one_line

MOST_WORDS = 150
_MOST_CHARACTERS = 1_500
_MICROS = Decimal(1_000_000)

WORDS: Mapping[Language, str] = {
    "en": (
        "a an the and of on in at by for from to with until so far as it its this that there which were was is are"
        " has have had been be yesterday today day days utc now still also then both total finding findings learned"
        " item items output outputs accepted rejected blocked sprint sprints completed running ran paused"
        " interrupted failed idle model models call calls usd dollars spent cost money cap backlog eligible"
        " waiting done no none program research new recorded produced"
    ),
    "es": (
        "el la los las un una y e de del en a al con por para desde hasta que se su sus este esta estos estas como"
        " es son fue fueron hay hubo ha han sido ayer hoy dia dias utc ahora aun tambien ambos total hallazgo"
        " hallazgos aprendido aprendida aprendidos aprendidas tarea tareas resultado resultados aceptado aceptados"
        " rechazado rechazada rechazados rechazadas bloqueada bloqueadas sprint sprints completado completados"
        " curso pausado pausados interrumpido interrumpidos fallido fallidos modelo modelos llamada"
        " llamadas usd dolares gastado gastados gastaron costo dinero tope elegible elegibles espera hecha hechas"
        " ningun ninguno ninguna programa investigacion nuevo nuevos registro registraron"
    ),
}
_KNOWN = {language: frozenset(words.split()) for language, words in WORDS.items()}

# What a word counts, without accents. The words are all in the lists above.
_KINDS = {
    "usd": r"usd|dollars|dolares|\$",
    "rejected": r"rejected|rechazad[oa]s?",
    "blocked": r"blocked|bloqueadas?",
    "findings": r"findings?|hallazgos?|learned|aprendid[oa]s?|accepted|aceptados?",
    "calls": r"calls?|llamadas?",
    "completed": r"completed|completados?",
    "failed": r"failed|fallidos?",
    "paused_budget": r"paused|pausados?",
    "interrupted": r"interrupted|interrumpidos?",
    "no_work": r"idle",
    "running": r"running|en curso",
    "sprints": r"sprints?",
    "eligible": r"eligible|elegibles?",
    "waiting": r"waiting|en espera",
    "done": r"done|hechas?",
}
_KIND_OF = {kind: re.compile(rf"(?<![\w.])(?:{words})(?!\w)") for kind, words in _KINDS.items()}
_STANDING = ("eligible", "waiting", "done")
_STATES = ("completed", "failed", "paused_budget", "interrupted", "no_work", "running")
_A_KIND = "|".join(words for kind, words in _KINDS.items() if kind != "usd")
_ONE = re.compile(rf"\b(?:an?|una?)(?= (?:\w+ )?(?:{_A_KIND})(?!\w))")
_TWO = re.compile(r"\b(?:both|ambos)\b(?! (?:days|dias)\b)")
_NONE = re.compile(r"\b(?:no|none|ningun[oa]?)\b")
# The cap is told of by its name, or behind what was spent of it.
_CAP = re.compile(
    r"(?:\d (?:usd )?(?:of|de)(?: (?:the|los))?|\b(?:cap of|cap is|cap was|tope de|tope es)) ?\$?$"
)
_SPENT_OF = re.compile(r" (?:of|de)(?: (?:the|los))? \$?")

_SIGNS = re.compile(r"[A-Za-zÀ-ÖØ-öø-ÿ0-9 .,;:()$–—-]*")
_ADDRESS = re.compile(r"[a-z]\.[a-z]")
_NUMBER = re.compile(r"(?<![\w.,])\d+(?:[.,]\d+)*(?!\w)")
_MINUS = re.compile(r"[-–—] ?\$?\d|\(\$?\d[\d.,]*\)")
_DIGIT = re.compile(r"\d")
_SENTENCE = re.compile(r"(?<=[.;])\s+")
_WORD = re.compile(r"[^\W\d_]+")
_DAYS = {"before": r"yesterday|ayer", "today": r"today|so far|hoy|hasta ahora"}


@dataclass(frozen=True)
class _Truth:
    """What may be said of one day: figures by what they count, and items by what became of them."""

    figures: Mapping[str, frozenset[Decimal]]
    items: Mapping[str, frozenset[str]]
    cap: frozenset[Decimal]


def fault_of(found: Daily, words: str, language: Language) -> str:
    """Why a summary may not be shown, in a few words for people; empty where it may."""
    if not words.strip() or len(words) > _MOST_CHARACTERS:
        return "it is empty or too long"
    if len(words.split()) > MOST_WORDS:
        return f"it has more than {MOST_WORDS} words"
    bare = _without_titles(found, words.strip())
    if not _SIGNS.fullmatch(bare) or _ADDRESS.search(fold(bare)):
        return "it has lines, an address, markup, or letters that do not belong there"
    return next(filter(None, _faults(found, bare, _KNOWN[language])), "")


def _faults(found: Daily, words: str, known: frozenset[str]) -> Iterator[str]:
    day = ""
    for sentence in _SENTENCE.split(words):
        days = _days_of(found, fold(sentence))
        if len(days) > 1:
            yield "a sentence is about two days"
        day = next(iter(days), day)
        yield _fault_of_sentence(_truth(found, day), _without_dates(found, sentence), known)


def _fault_of_sentence(truth: _Truth, sentence: str, known: frozenset[str]) -> str:
    """Items first, then each word, then the figures among what is left."""
    named, rest = _named_items(truth, sentence)
    folded = _TWO.sub("2", _ONE.sub("1", fold(rest)))
    strange = [word for word in _WORD.findall(folded) if word not in known]
    if strange:
        return f'it says "{strange[0][:40]}", which no figure bears out'
    if named - _items_of_its_kind(truth, folded):
        return f"it names {min(named)[:40]}, which is not that in the data"
    if _MINUS.search(folded):
        return "it has a figure below nothing"
    numbers, none = list(_NUMBER.finditer(folded)), _NONE.search(folded)
    if len(_DIGIT.findall(folded)) != sum(len(_DIGIT.findall(one.group())) for one in numbers):
        return "it has a figure that cannot be read"
    for number in numbers:
        if not _holds(truth, folded, number):
            return f"it has a figure that is not that in the data: {number.group()}"
    if none and (numbers or named or not _is_so(truth, folded[none.end() :], Decimal(0))):
        return f'it says "{none.group()}" of what there was'
    return "" if numbers or named or none else "a sentence has nothing of the data"


def _named_items(truth: _Truth, sentence: str) -> tuple[set[str], str]:
    """The items of the data that a sentence names, and the sentence without them."""
    known = frozenset().union(*truth.items.values())
    named: set[str] = set()
    for name in sorted(known, key=len, reverse=True):
        place = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])")
        if place.search(sentence):
            named.add(name)
            sentence = place.sub(" ", sentence)
    return named, sentence


def _items_of_its_kind(truth: _Truth, folded: str) -> frozenset[str]:
    """Those that a sentence may name: of the one kind that it speaks of."""
    kinds = [kind for kind in truth.items if _KIND_OF[kind].search(folded)]
    other = any(_KIND_OF[kind].search(folded) for kind in (*_STANDING, *_STATES, "rejected"))
    return truth.items[kinds[0]] if len(kinds) == 1 and not other else frozenset()


def _holds(truth: _Truth, folded: str, number: re.Match[str]) -> bool:
    """Whether a figure is true of every word that it may be read with.

    Those are the words up to the next figure, else those back to the one before; and of a sentence's
    first figure also all that stands before it.
    """
    before, behind = folded[: number.start()], folded[number.end() :]
    value = _value(number.group())
    if value is None:
        return False
    earlier = list(_NUMBER.finditer(before))
    following = _NUMBER.search(behind)
    ahead = behind[: following.start()].removesuffix("$") if following else behind
    if following and _SPENT_OF.fullmatch(ahead):
        rest = behind[following.end() :]
        after = _NUMBER.search(rest)
        ahead = rest[: after.start()] if after else rest
        if _kinds_in(ahead) != ["usd"]:
            return False  # "11 of 11 sprints": only money is told of as a part
    if _kinds_in(ahead) == ["usd"] and _CAP.search(before):
        return value in truth.cap
    if before.endswith("$"):
        ahead = "usd"
    if not earlier:
        ahead = f"{before} {ahead}"
    elif not _kinds_in(ahead):
        ahead = before[earlier[-1].end() :]
    return _is_so(truth, ahead, value)


def _is_so(truth: _Truth, text: str, value: Decimal) -> bool:
    """Whether the text counts something, and there is so much of all that it counts."""
    kinds = _kinds_in(text)
    return bool(kinds) and all(value in truth.figures[kind] for kind in kinds)


def _kinds_in(text: str) -> list[str]:
    """Of sprints that ended in some way only the way: "11 sprints completed" counts those."""
    found = [kind for kind, word in _KIND_OF.items() if word.search(text)]
    ended = not set(_STATES).isdisjoint(found)
    return [kind for kind in found if not (ended and kind == "sprints")]


def _value(written: str) -> Decimal | None:
    """None for what is no plain number: 1.2.3, or 4,210, which reads otherwise in another language."""
    whole, sign, rest = written.replace(",", ".").partition(".")
    if "." in rest or (sign and len(rest) == 3 and int(whole)):
        return None
    return Decimal(f"{whole}{sign}{rest}")


def _truth(found: Daily, day: str) -> _Truth:
    """Of one day; where no sentence has named one yet, what holds for both."""
    days = {"before": (found.before,), "today": (found.today,)}.get(
        day, (found.before, found.today)
    )
    counts = [_counts(one) for one in days]
    figures = {
        kind: frozenset.intersection(*(frozenset({one[kind]}) for one in counts))
        for kind in counts[0]
    }
    caps = (one.cap_micros for one in days if one.cap_micros is not None)
    figures |= {name: frozenset({Decimal(found.backlog.get(name, -1))}) for name in _STANDING}
    figures["blocked"] = frozenset({Decimal(len(found.blocked))})
    return _Truth(
        figures,
        {
            "findings": frozenset(row.item for one in days for row in one.findings),
            "blocked": frozenset(one.item for one in found.blocked),
        },
        frozenset(Decimal(cap) / _MICROS for cap in caps),
    )


def _counts(day: DayFigures) -> dict[str, Decimal]:
    return {
        "usd": Decimal(day.spent_micros) / _MICROS,
        "findings": Decimal(len(day.findings)),
        "rejected": Decimal(day.rejected),
        "calls": Decimal(day.calls),
        "sprints": Decimal(sum(day.sprints.values())),
        **{state: Decimal(day.sprints.get(state, 0)) for state in _STATES},
    }


def _days_of(found: Daily, folded: str) -> set[str]:
    dates = {"before": found.before.day, "today": found.today.day}
    return {
        day
        for day, words in _DAYS.items()
        if re.search(rf"(?<![\w-])(?:{words}|{dates[day]})(?![\w-])", folded)
    }


def _without_dates(found: Daily, sentence: str) -> str:
    """Without the days themselves and the hour up to which the running one is told."""
    for known in (found.before.day, found.today.day, f"{found.until:%H:%M}"):
        sentence = re.sub(rf"(?<![\w-]){re.escape(str(known))}(?![\w-])", " ", sentence)
    return sentence


def _without_titles(found: Daily, words: str) -> str:
    """Without the title behind an item, in quotation marks: people gave it, and it may hold anything."""
    pairs = {(row.item, row.title) for day in (found.before, found.today) for row in day.findings}
    for item, title in pairs | {(one.item, one.title) for one in found.blocked}:
        words = words.replace(f'{item} "{one_line(title, 120)}"', item)
    return words
