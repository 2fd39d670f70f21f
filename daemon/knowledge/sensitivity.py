"""How secret a unit is where the manifest says so beside `sensitivity`: in `compliance` and in
`visibility`, of the unit or of the whole manifest. The strictest of all of them holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

Place = tuple[str | int, ...]

WORDS = ("public", "internal", "confidential", "restricted")


def declared_elsewhere(entry: Mapping[str, Any]) -> Iterator[tuple[Place, str]]:
    """Place within the entry, and word. A condition counts whatever it asks for, as nobody here
    evaluates it; what is no word of the protocol is given as it stands, what is no text as "?"."""
    compliance, visibility = _mapping(entry, "compliance"), _mapping(entry, "visibility")
    yield from _word(compliance, "sensitivity", ("compliance",))
    yield from _word(visibility, "default", ("visibility",))
    conditions = visibility.get("conditions")
    for index, one in enumerate(conditions if isinstance(conditions, list) else ()):
        if isinstance(one, dict):
            at: Place = ("visibility", "conditions", index, "then")
            yield from _word(_mapping(one, "then"), "sensitivity", at)


def has_conditions(entry: Mapping[str, Any]) -> bool:
    """Whether it says that who may see it depends on something that is not known here."""
    return bool(_mapping(entry, "visibility").get("conditions"))


def strictest(words: Iterable[str]) -> str:
    """Empty for none; a word that the protocol does not have counts as restricted."""
    known = ("", *WORDS)
    ranks = [known.index(word) if word in known else len(WORDS) for word in words]
    return known[max(ranks, default=0)]


def _word(mapping: Mapping[str, Any], name: str, at: Place) -> Iterator[tuple[Place, str]]:
    value = mapping.get(name)
    if value is not None:
        yield (*at, name), value if isinstance(value, str) else "?"


def _mapping(entry: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = entry.get(name)
    return value if isinstance(value, dict) else {}
