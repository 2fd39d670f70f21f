"""Garbage patterns as data: one TOML table in `patterns/` is one way in which a text fails.

A file holds one family. `[family]` says how much of a text must match before it counts:

    share         matched words over all words from which the family rejects, 0..1
    short_words   up to so many words one match in a telling position (head, tail) rejects
    spare_figures sentences with digits are left alone
    counts_with   other families whose matched words count towards this one's share

Each `[[pattern]]` has id, language, regex, message, answers, catches, leaves, and, where the
family's own does not fit, where, mask and action. `{name}` in a regex stands for that entry of
`_words.toml`. Clause patterns (head, tail, sentence) are tried where a sentence or clause begins.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.resources import files
from typing import Any, Literal

from daemon.quality.openings import OPENING, openings, required, shortest_first

Where = Literal["whole", "head", "tail", "sentence"]
View = Literal["masked", "open", "raw"]
Action = Literal["rejects", "strips", "flags"]

WHERE: tuple[Where, ...] = ("whole", "head", "tail", "sentence")
VIEWS: tuple[View, ...] = ("masked", "open", "raw")
ACTIONS: tuple[Action, ...] = ("rejects", "strips", "flags")
LANGUAGES = ("en", "es", "any")

_MOST_OPENINGS_KEPT = 20_000
_MOST_ANCHORS = 60
_LEAST_ANCHOR = 2
_WORD_NAME = re.compile(r"\{([a-z_]+)\}")


@dataclass(frozen=True)
class Family:
    """How much of a text must match before patterns of this kind count."""

    name: str
    share: float
    short_words: int
    spare_figures: bool
    profiles_without: tuple[str, ...]
    counts_with: tuple[str, ...] = ()


@dataclass(frozen=True)
class Pattern:
    """One way in which a text fails.

    `where`: `whole` searches the whole text; `sentence` counts by share; `head` and `tail` count by
    share too, and in a short text by position. `mask`: `masked` looks at the author's own prose in
    lower case without accents, `open` at all of the text so folded, `raw` at the text as written.
    `clauses`: tried where a clause begins too, not only where a sentence does.
    `needs`: where not empty, one of these must occur in the folded text, else the regex is not tried.
    `source` is the regex with its named pieces put in.
    """

    id: str
    family: Family
    language: str
    regex: str
    message: str
    answers: str
    catches: str
    leaves: str
    where: Where
    mask: View
    action: Action
    source: str
    spare_figures: bool = False
    clauses: bool = True
    needs: tuple[str, ...] = ()

    @cached_property
    def required(self) -> tuple[str, ...]:
        """Pieces of which the folded text holds one wherever this matches; empty where none is known."""
        return tuple(shortest_first(required(self.source)))

    @cached_property
    def anchors(self) -> tuple[str, ...]:
        """What each match begins with, where that is little enough to be looked for; else empty."""
        begins = openings(self.source)
        telling = len(begins) <= _MOST_ANCHORS and min(map(len, begins)) >= _LEAST_ANCHOR
        return tuple(sorted(begins)) if telling else ()

    @cached_property
    def is_told_late(self) -> bool:
        """Whether a piece inside tells better than the first letters where it can match.

        So too where it does not look at prose only, whose first letters another view may hide.
        """
        return bool(self.needs) or self.mask != "masked" or "" in openings(self.source)

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        """Compiled at its first use: most texts need few of the patterns one by one."""
        return re.compile(self.source)


@dataclass(frozen=True)
class PatternGroup:
    """Patterns that look at the same view, and which of them can begin with what stands somewhere."""

    patterns: tuple[Pattern, ...]
    mask: View

    def likely(self, text: str, start: int, end: int) -> Sequence[Pattern]:
        """Those that can match at `start` by its first letters; the others cannot."""
        opening = text[start : min(start + OPENING, end)]
        known = self._kept.get(opening)
        if known is None:
            if len(self._kept) >= _MOST_OPENINGS_KEPT:
                self._kept.clear()
            sizes = range(len(opening) + 1)
            known = [one for size in sizes for one in self._index.get(opening[:size], ())]
            self._kept[opening] = known
        return known

    @cached_property
    def _index(self) -> dict[str, list[Pattern]]:
        """Patterns by what they begin with, 0 to OPENING letters."""
        index: dict[str, list[Pattern]] = {}
        for one in self.patterns:
            for opening in openings(one.source):
                index.setdefault(opening, []).append(one)
        return index

    @cached_property
    def _kept(self) -> dict[str, list[Pattern]]:
        return {}


@dataclass(frozen=True)
class PatternSet:
    """All patterns, split by how they are looked for; `anywhere` and `clause` keep file order."""

    patterns: tuple[Pattern, ...]

    @property
    def whole(self) -> tuple[Pattern, ...]:
        return tuple(pattern for pattern in self.patterns if pattern.where == "whole")

    @property
    def clause(self) -> tuple[Pattern, ...]:
        return tuple(pattern for pattern in self.patterns if pattern.where != "whole")


@lru_cache(maxsize=1)
def load_patterns() -> PatternSet:
    """The package's own patterns; read once. Raises ValueError for a table that is not well formed."""
    words = _load_words()
    patterns: list[Pattern] = []
    for name, table in _load_tables():
        patterns.extend(_parse_family(name, table, words))
    ids = [pattern.id for pattern in patterns]
    doubled = sorted({one for one in ids if ids.count(one) > 1})
    if doubled:
        raise ValueError(f"pattern ids are used twice: {', '.join(doubled)}")
    return PatternSet(tuple(patterns))


@lru_cache(maxsize=1)
def clause_groups() -> tuple[PatternGroup, ...]:
    """All clause patterns, each group of one kind.

    The kinds are what is cut from a text's ends and what announces work; see strip.py.
    """
    kinds: dict[tuple[object, ...], list[Pattern]] = {}
    for one in load_patterns().clause:
        cut = one.action == "strips"
        kind = (one.where, "") if cut else ("", one.family.name == "planning")
        kinds.setdefault((one.mask, *kind), []).append(one)
    return tuple(PatternGroup(tuple(some), some[0].mask) for some in kinds.values())


@lru_cache(maxsize=1)
def load_lead_ins() -> re.Pattern[str]:
    """What may stand in front of a clause without changing who speaks ("Sorry, but ...")."""
    words = _load_words()
    return re.compile(f"(?>(?:{words['lead_en']}|{words['lead_es']}){{0,5}})")


def build_pattern(fields: Mapping[str, Any], family: Family, words: Mapping[str, str]) -> Pattern:
    """A pattern from its table, not yet compiled. Raises KeyError for a missing field or piece."""
    source = _WORD_NAME.sub(lambda name: f"(?:{words[name.group(1)]})", fields["regex"])
    return Pattern(
        id=fields["id"],
        family=family,
        language=fields["language"],
        regex=fields["regex"],
        message=fields["message"],
        answers=fields["answers"],
        catches=fields["catches"],
        leaves=fields["leaves"],
        where=fields["where"],
        mask=fields["mask"],
        action=fields["action"],
        source=source,
        clauses=fields.get("clauses", True),
        spare_figures=fields.get("spare_figures", family.spare_figures),
        needs=tuple(fields.get("needs", ())),
    )


def _load_tables() -> Iterable[tuple[str, dict[str, Any]]]:
    folder = files("daemon.quality") / "patterns"
    for entry in sorted(folder.iterdir(), key=lambda one: one.name):
        if entry.name.endswith(".toml") and not entry.name.startswith("_"):
            yield entry.name, tomllib.loads(entry.read_text(encoding="utf-8"))


@lru_cache(maxsize=1)
def _load_words() -> dict[str, str]:
    """Named pieces of regexes; a piece may use those above it."""
    text = (files("daemon.quality") / "patterns" / "_words.toml").read_text(encoding="utf-8")
    words: dict[str, str] = {}
    for name, regex in tomllib.loads(text).items():
        words[name] = _WORD_NAME.sub(lambda found: f"(?:{words[found.group(1)]})", regex)
    return words


def _parse_family(name: str, table: dict[str, Any], words: Mapping[str, str]) -> Iterable[Pattern]:
    head = table["family"]
    family = Family(
        name=head["name"],
        share=head["share"],
        short_words=head["short_words"],
        spare_figures=head.get("spare_figures", False),
        profiles_without=tuple(head.get("profiles_without", ())),
        counts_with=(head["name"], *head.get("counts_with", ())),
    )
    inherited = {
        "where": head.get("where", "sentence"),
        "mask": head.get("mask", "masked"),
        "action": head.get("action", "rejects"),
    }
    for fields in table["pattern"]:
        try:
            yield build_pattern(inherited | fields, family, words)
        except KeyError as error:
            raise ValueError(f"patterns/{name}: {fields.get('id')}: {error}") from error
