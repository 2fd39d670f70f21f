"""Garbage patterns as data: what a pattern is, and how the tables of `patterns/` become patterns.

The format of these files is told in pattern_files.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, Literal

from daemon.quality.openings import OPENING, Edge, edge, openings, required, shortest_first
from daemon.quality.pattern_files import (
    load_tables,
    load_words,
    pieces_of_languages,
    put_in,
    with_pieces,
)

Where = Literal["whole", "head", "tail", "sentence"]
View = Literal["masked", "open", "raw"]
Action = Literal["rejects", "strips", "flags"]

WHERE: tuple[Where, ...] = ("whole", "head", "tail", "sentence")
VIEWS: tuple[View, ...] = ("masked", "open", "raw")
ACTIONS: tuple[Action, ...] = ("rejects", "strips", "flags")

_MOST_OPENINGS_KEPT = 20_000
_MOST_ANCHORS = 700
_LEAST_ANCHOR = 2


@dataclass(frozen=True)
class Family:
    """How much of a text must match before patterns of this kind count."""

    name: str
    share: float
    short_words: int
    spare_figures: bool
    profiles_without: tuple[str, ...]
    counts_with: tuple[str, ...] = ()
    up_to_words: int | None = None


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
    def folded_anchors(self) -> tuple[tuple[str, str], ...]:
        """Each with what the folded text has there; empty where that cannot be told from it alone."""
        return tuple((one, one.lower() if one.isascii() else "") for one in self.anchors)

    @cached_property
    def edge(self) -> Edge | None:
        """Where alone it can match: where the text begins, or a line; None for anywhere."""
        return edge(self.source)

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
    def languages(self) -> tuple[str, ...]:
        """Codes of the languages that have patterns; "any" stands for all of them."""
        return tuple(sorted({pattern.language for pattern in self.patterns}))

    @property
    def whole(self) -> tuple[Pattern, ...]:
        return tuple(pattern for pattern in self.patterns if pattern.where == "whole")

    @property
    def clause(self) -> tuple[Pattern, ...]:
        return tuple(pattern for pattern in self.patterns if pattern.where != "whole")


@lru_cache(maxsize=1)
def load_patterns() -> PatternSet:
    """The package's own patterns; read once. Raises ValueError for a table that is not well formed."""
    families, tables = _load_families(), load_tables()
    patterns: list[Pattern] = []
    for name, table in tables:
        if "language" in table:
            patterns.extend(_parse_language(name, table, families))
        else:
            patterns.extend(_parse_family(name, table, families))
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
    words = load_words()
    leads = [words["lead_en"], words["lead_es"], *pieces_of_languages("lead")]
    return re.compile(f"(?>(?:{'|'.join(leads)}){{0,5}})")


@lru_cache(maxsize=1)
def load_joins() -> str:
    """Words that begin a clause behind a comma, as alternatives of a regex."""
    words = load_words()
    return "|".join((words["joins_en"], words["joins_es"], *pieces_of_languages("joins")))


def build_pattern(fields: Mapping[str, Any], family: Family, words: Mapping[str, str]) -> Pattern:
    """A pattern from its table, not yet compiled. Raises KeyError for a missing field or piece."""
    own = {key: fields[key] for key in ("share", "short_words", "up_to_words") if key in fields}
    if "profiles_without" in fields:
        own["profiles_without"] = tuple(fields["profiles_without"])
    source = put_in(fields["regex"], words)
    return Pattern(
        id=fields["id"],
        family=replace(family, **own),
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


@dataclass(frozen=True)
class _Settings:
    """A family, and what its patterns are where they do not say otherwise."""

    family: Family
    inherited: Mapping[str, str]


def _load_families() -> dict[str, _Settings]:
    found: dict[str, _Settings] = {}
    for _, table in load_tables():
        if "family" in table:
            settings = _settings(table["family"])
            found[settings.family.name] = settings
    return found


def _settings(head: Mapping[str, Any]) -> _Settings:
    family = Family(
        name=head["name"],
        share=head["share"],
        short_words=head["short_words"],
        spare_figures=head.get("spare_figures", False),
        profiles_without=tuple(head.get("profiles_without", ())),
        counts_with=(head["name"], *head.get("counts_with", ())),
        up_to_words=head.get("up_to_words"),
    )
    inherited = {
        "where": head.get("where", "sentence"),
        "mask": head.get("mask", "masked"),
        "action": head.get("action", "rejects"),
    }
    return _Settings(family, inherited)


def _parse_family(
    name: str, table: Mapping[str, Any], families: Mapping[str, _Settings]
) -> Iterable[Pattern]:
    settings = families[table["family"]["name"]]
    for fields in table["pattern"]:
        yield _parse_pattern(name, fields, settings, load_words())


def _parse_language(
    name: str, table: Mapping[str, Any], families: Mapping[str, _Settings]
) -> Iterable[Pattern]:
    words = with_pieces(table.get("words", {}), load_words())
    for fields in table["pattern"]:
        settings = families.get(fields.get("family", ""))
        if settings is None:
            raise ValueError(f"patterns/{name}: {fields.get('id')}: its family is not known")
        yield _parse_pattern(name, {"language": table["language"]} | fields, settings, words)


def _parse_pattern(
    name: str, fields: Mapping[str, Any], settings: _Settings, words: Mapping[str, str]
) -> Pattern:
    try:
        return build_pattern({**settings.inherited, **fields}, settings.family, words)
    except KeyError as error:
        raise ValueError(f"patterns/{name}: {fields.get('id')}: {error}") from error
