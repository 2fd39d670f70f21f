"""Names in a manifest that lead nowhere, or round in a circle. Only the author should know: a name
that leads nowhere opens nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from daemon.knowledge.unit import Unit

Place = tuple[str | int, ...]

_HINTS = ("summary_unit", "summary_of", "chunk_of")


def loose_ends(raw: Mapping[str, Any], units: Sequence[Unit]) -> Iterator[tuple[Place, str]]:
    """The place of each, and what is wrong with it as words. Whatever is of another shape than the
    protocol's is passed over."""
    known = {unit.id for unit in units}
    for _, entry in _mappings(raw.get("units")):
        known.update(name for _, name in _texts(entry.get("aliases"), ()))
    for at, name in _names(raw):
        if name not in known:
            yield at, f"names {name!r}, which is no unit here"
    yield from _circles(raw)
    yield from _manifests(raw)


def merge_keys(value: Any, at: Place = ()) -> Iterator[Place]:
    """Where `<<` stands: other readers take its fields over, so that leaving them out could open a
    unit that they close."""
    entries = enumerate(value) if isinstance(value, list) else ()
    for key, inner in value.items() if isinstance(value, dict) else entries:
        if key == "<<":
            yield (*at, key)
        yield from merge_keys(inner, (*at, key))


def _names(raw: Mapping[str, Any]) -> Iterator[tuple[Place, str]]:
    """Every place where a unit of this manifest is named."""
    for index, unit in _mappings(raw.get("units")):
        at: Place = ("units", index)
        yield from _texts(unit.get("depends_on"), (*at, "depends_on"))
        yield from _texts(unit.get("supersedes"), (*at, "supersedes"))
        yield from _texts(_successor(unit), (*at, "temporal", "superseded_by"))
        hints = unit.get("hints")
        if isinstance(hints, dict):
            for name in _HINTS:
                yield from _texts(hints.get(name), (*at, "hints", name))
        for step, entry in _mappings(unit.get("steps")):
            yield from _texts(entry.get("uses"), (*at, "steps", step, "uses"))
    for index, relationship in _mappings(raw.get("relationships")):
        for end in ("from", "to"):
            yield from _texts(relationship.get(end), ("relationships", index, end))


def _circles(raw: Mapping[str, Any]) -> Iterator[tuple[Place, str]]:
    """Units that come after themselves: the chain of successors never ends in one that holds."""
    after: dict[str, str] = {}
    places: dict[str, Place] = {}
    for index, unit in _mappings(raw.get("units")):
        name, successor = unit.get("id"), _successor(unit)
        if isinstance(name, str) and isinstance(successor, str):
            after[name], places[name] = successor, ("units", index, "temporal", "superseded_by")
    settled: set[str] = set()
    for start in after:
        way: dict[str, None] = {}
        name = start
        while name in after and name not in settled and name not in way:
            way[name] = None
            name = after[name]
        if name in way:
            yield places[name], f"leads back to {name!r}: none of the circle holds"
        settled.update(way)


def _manifests(raw: Mapping[str, Any]) -> Iterator[tuple[Place, str]]:
    entries = list(_mappings(raw.get("manifests")))
    named = [entry.get("id") for _, entry in entries if isinstance(entry.get("id"), str)]
    counts = Counter(named)
    for index, entry in entries:
        name, url = entry.get("id"), entry.get("url")
        if isinstance(name, str) and counts[name] > 1:
            yield ("manifests", index, "id"), f"{name!r} is the id of {counts[name]} manifests"
        if isinstance(url, str) and url.lower().startswith("http:"):
            yield ("manifests", index, "url"), "is fetched without protection; write https"


def _successor(unit: Mapping[str, Any]) -> Any:
    temporal = unit.get("temporal")
    return temporal.get("superseded_by") if isinstance(temporal, dict) else None


def _texts(value: Any, at: Place) -> Iterator[tuple[Place, str]]:
    """A text or a list of texts; empty ones are none."""
    if isinstance(value, str) and value:
        yield at, value
    elif isinstance(value, list):
        for index, entry in enumerate(value):
            if isinstance(entry, str) and entry:
                yield (*at, index), entry


def _mappings(value: Any) -> Iterator[tuple[int, dict[str, Any]]]:
    for index, entry in enumerate(value if isinstance(value, list) else ()):
        if isinstance(entry, dict):
            yield index, entry
