"""The findings as units of the map: what the daemon adds to the author's manifest, and never writes in.

The overlay is derived, each time it is needed, from what the database knows of the findings, so there
is no second truth beside it. Where a unit of the author names the same file, the author's holds.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from daemon.knowledge.action import EVERY_AGENT
from daemon.knowledge.archive import CONSOLIDATED
from daemon.knowledge.provenance import UNKNOWN, declared_provenance, highest
from daemon.knowledge.unit import Manifest, Unit

_LEAST = "internal"  # a finding was written for the founders


class Finding(Protocol):
    """What the overlay asks of a finding. `question` is its item's, empty where it is not known;
    `sources` are the ids of the units that it was made of."""

    @property
    def path(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def question(self) -> str: ...
    @property
    def sources(self) -> Sequence[str]: ...


@dataclass(frozen=True)
class Overlay:
    """`units` has the unit of each finding by its path, in the order of the findings.

    `shadowed` has the author's unit of each finding that the map names itself, by path. `sha256` is
    over all of `units`.
    """

    units: Mapping[str, Unit]
    shadowed: Mapping[str, str]
    sha256: str


def make_overlay(
    findings: Sequence[Finding], manifest: Manifest, merged: Mapping[str, str] | None = None
) -> Overlay:
    """Give the findings newest first, merged documents before them. Each is a unit for every agent whose
    scope covers it: its intent is the question that it answers, it is untrusted (a model wrote it),
    and as sensitive as the strictest of its sources; one that is not known counts as confidential.
    `merged` has the sensitivity of each document, by its path, for it has parts in place of sources."""
    said = merged or {}
    authors = {unit.path: unit.id for unit in manifest.units}
    own = [finding for finding in findings if finding.path not in authors]
    ids = _ids([finding.path for finding in own], {unit.id for unit in manifest.units})
    known = {unit.id: declared_provenance(unit).sensitivity for unit in manifest.units}
    known |= {ids[path]: highest((_LEAST, word)) for path, word in said.items() if path in ids}
    units: dict[str, Unit] = {}
    for finding in reversed(own):  # a finding can only be made of older ones
        sources = (known.get(source, UNKNOWN.sensitivity) for source in finding.sources)
        unit = Unit(
            id=ids[finding.path],
            path=finding.path,
            intent=finding.question or finding.title,
            scope="project",
            audience=(EVERY_AGENT,),
            sensitivity=highest((_LEAST, said.get(finding.path, ""), *sources)),
            untrusted=True,
        )
        units[unit.path] = unit
        known.setdefault(unit.id, unit.sensitivity)
    ordered = {finding.path: units[finding.path] for finding in own}
    shadowed = {f.path: authors[f.path] for f in findings if f.path in authors}
    return Overlay(ordered, shadowed, _sha256(ordered))


def _ids(paths: Sequence[str], taken: set[str]) -> dict[str, str]:
    """A short id that can be cited and is no other unit's; the path where the short one is taken."""
    found: dict[str, str] = {}
    for path in reversed(paths):  # the older one keeps the id that it was cited by
        kind = "document" if path.startswith(CONSOLIDATED) else "finding"
        name = f"{kind}-" + path.rpartition("/")[2].removesuffix(".md").lower()
        found[path] = path if name in taken else name
        taken.add(found[path])
    return found


def _sha256(units: Mapping[str, Unit]) -> str:
    facts = [
        [unit.id, unit.path, unit.intent, list(unit.audience), unit.sensitivity]
        for unit in units.values()
    ]
    return hashlib.sha256(json.dumps(facts, separators=(",", ":")).encode()).hexdigest()
