"""Which units and findings may be given to an agent for an item, in which order. Opens no file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache

from daemon.knowledge.action import EVERY_AGENT
from daemon.knowledge.archive import (
    FINDINGS,
    hidden_finding,
    hidden_part,
    is_archived,
    original_path,
)
from daemon.knowledge.overlay import Overlay, make_overlay
from daemon.knowledge.paths import covers, is_private
from daemon.knowledge.plan import PlannedUnit, PlanOptions
from daemon.knowledge.planner import plan, terms
from daemon.knowledge.provenance import Provenance, declared_provenance, is_by_model
from daemon.knowledge.unit import Manifest
from daemon.sprint.context_plan import NAMED, KnownFinding, SkippedUnit
from daemon.store.search import rank
from daemon.workspace.definitions import Agent, BacklogItem

_MOST_RANKED = 2_000  # units that the full-text ranking looks at; beyond, only KCP's score counts
_MOST_BY_WORDS = 3  # of those that only the full-text ranking finds
_WEAKEST = 3  # a unit with less than a third of the best score costs more room than it is worth


@dataclass(frozen=True)
class Candidate:
    """Something that may be loaded. `words` are what the full-text ranking looks at.

    `declared_tokens` is None where the map does not say. `declared` is what the map says of where it
    came from; None for a finding, which says so itself.
    """

    id: str
    path: str
    title: str
    reason: str
    untrusted: bool
    declared_tokens: int | None = None
    words: str = ""
    declared: Provenance | None = None


@dataclass
class Candidates:
    """`named` by the item; `ranked` by KCP score, best first; `unscored`: passed every gate with
    score 0; findings that the item `builds_on`, and those `beside` it on the same criterion.

    `skipped` is decided already. `overlay_sha256` is of the findings as units of the map.
    """

    named: list[Candidate] = field(default_factory=list)
    ranked: list[Candidate] = field(default_factory=list)
    unscored: list[Candidate] = field(default_factory=list)
    builds_on: list[Candidate] = field(default_factory=list)
    beside: list[Candidate] = field(default_factory=list)
    skipped: list[SkippedUnit] = field(default_factory=list)
    overlay_sha256: str = ""


def find_candidates(
    manifest: Manifest,
    findings: Sequence[KnownFinding],
    agent: Agent,
    item: BacklogItem,
    as_of: date,
) -> Candidates:
    """Put every unit of the map, and every finding that could help, into exactly one list."""
    found = Candidates()
    found.skipped.extend(_unknown_needs(manifest, item))
    if manifest.governs:
        merged = {one.path: one for one in findings if one.parts}
        _take_units(found, manifest, agent, item, as_of, merged)
    else:
        reason = f"the map has an error, so nothing in it is used: {manifest.errors[0]}"
        found.skipped.extend(
            SkippedUnit(unit.id, unit.path, reason, "map") for unit in manifest.units
        )
    _take_findings(found, findings, manifest, agent, item)
    return found


def overlay_of(findings: Sequence[KnownFinding], manifest: Manifest) -> Overlay:
    """The findings and merged documents as units of the map."""
    said = {one.path: one.sensitivity for one in findings if one.parts}
    return make_overlay(findings, manifest, said)


def order_by_words(
    unscored: Sequence[Candidate], item: BacklogItem, language: str
) -> tuple[list[Candidate], list[SkippedUnit]]:
    """Our own second ranking, by stemmed words, of what KCP's score does not reach; best first.

    The rest is skipped: nothing in it touches the question.
    """
    looked_at = unscored[:_MOST_RANKED]
    scores = rank([unit.words for unit in looked_at], f"{item.title} {item.question}", language)
    pairs = sorted(zip(scores, looked_at, strict=True), key=lambda pair: (-pair[0], pair[1].id))
    touching = [unit for score, unit in pairs if score > 0][:_MOST_BY_WORDS]
    others = [unit for _, unit in pairs if unit not in touching] + list(unscored[_MOST_RANKED:])
    reason = "little or nothing in its map entry touches the question"
    return touching, [SkippedUnit(unit.id, unit.path, reason, "ranking") for unit in others]


def _unknown_needs(manifest: Manifest, item: BacklogItem) -> Iterator[SkippedUnit]:
    known = {unit.id for unit in manifest.units}
    for unit_id in dict.fromkeys(item.needs):
        if unit_id not in known:
            yield SkippedUnit(unit_id, "", f"{NAMED}, but the map has no such unit", "map")


def _take_units(
    found: Candidates,
    manifest: Manifest,
    agent: Agent,
    item: BacklogItem,
    as_of: date,
    merged: Mapping[str, KnownFinding],
) -> None:
    # With every unit "needed" the relevance gate lets all through, so that each gets its score and
    # every later gate is asked too; what scored 0 is told apart below.
    options = PlanOptions(
        as_of=as_of,
        role=agent.id,
        also_as=(EVERY_AGENT,),
        max_units=len(manifest.units),
        needed=tuple(unit.id for unit in manifest.units),
    )
    words = dict.fromkeys(terms(f"{item.question} {item.title}"))
    made = plan(manifest, " ".join(words), options)
    paths = {unit.id: unit.path for unit in manifest.units}
    for skip in made.skipped:
        fault = _scope_fault(agent.reads, agent.id, paths[skip.id])
        gate = "scope" if fault else skip.gate
        found.skipped.append(SkippedUnit(skip.id, paths[skip.id], fault or skip.reason, gate))
    named: dict[str, Candidate] = {}
    best = max((planned.score for planned in made.selected), default=0)
    for planned in made.selected:
        fault, gate = _refusal(agent, planned, merged)
        if fault:
            found.skipped.append(SkippedUnit(planned.id, planned.unit.path, fault, gate))
        elif planned.id in item.needs:
            named[planned.id] = _candidate(planned, NAMED)
        elif 0 < planned.score * _WEAKEST < best:
            fault = f"touches the question far less than others (score {planned.score} of {best})"
            found.skipped.append(SkippedUnit(planned.id, planned.unit.path, fault, "ranking"))
        elif planned.score > 0:
            reason = f"{', '.join(planned.reasons)} (score {planned.score})"
            found.ranked.append(_candidate(planned, reason))
        else:
            found.unscored.append(_unscored(manifest, planned))
    found.named.extend(named[need] for need in dict.fromkeys(item.needs) if need in named)


def _refusal(
    agent: Agent, planned: PlannedUnit, merged: Mapping[str, KnownFinding]
) -> tuple[str, str]:
    """Why a unit that passed the gates is not given all the same, and by which; both empty: it is."""
    fault = _scope_fault(agent.reads, agent.id, planned.unit.path)
    if not fault and planned.unit.path in merged:
        hidden = hidden_finding(agent.reads, merged[planned.unit.path].parts)
        fault = f"holds what {agent.id} may not read: {hidden}" if hidden else ""
    if fault:
        return fault, "scope"
    return ("", "") if planned.load_eligible else (planned.reasons[-1], "eligibility")


def _unscored(manifest: Manifest, planned: PlannedUnit) -> Candidate:
    """Most units of a large map are such, in every sprint, so they are made once."""
    known: dict[str, Candidate] = manifest.memory.setdefault("unscored", {})
    if planned.id not in known:
        known[planned.id] = _candidate(planned, "shares words with the question")
    return known[planned.id]


def _candidate(planned: PlannedUnit, reason: str) -> Candidate:
    unit = planned.unit
    words = f"{unit.intent} {' '.join(unit.triggers)}"
    title = unit.intent or unit.id
    declared = declared_provenance(unit)
    untrusted = declared.outside or is_by_model(unit.path)
    return Candidate(
        unit.id, unit.path, title, reason, untrusted, unit.size_tokens, words, declared
    )


def _take_findings(
    found: Candidates,
    findings: Sequence[KnownFinding],
    manifest: Manifest,
    agent: Agent,
    item: BacklogItem,
) -> None:
    """A finding that the map lists too is the map's to decide, so it is left out here."""
    overlay = overlay_of(findings, manifest)
    found.overlay_sha256 = overlay.sha256
    for finding in findings:
        builds_on = finding.item in item.depends_on
        unit = overlay.units.get(finding.path)
        if unit is None or not (builds_on or _is_beside(finding, item)):
            continue
        fault = _finding_fault(agent, finding)
        if fault:
            found.skipped.append(SkippedUnit(unit.id, unit.path, fault, "scope"))
            continue
        reason = f"finding on the same criterion, {finding.criterion}"
        if finding.parts:
            reason = f"merged of findings on the same criterion, {item.criterion}"
        if builds_on:
            reason = f"finding of {finding.item}, which the item builds on"
        # The words of a model are never more trusted than the least of what it read.
        candidate = Candidate(unit.id, unit.path, finding.title, reason, untrusted=True)
        (found.builds_on if builds_on else found.beside).append(candidate)


def _is_beside(finding: KnownFinding, item: BacklogItem) -> bool:
    """Whether it is on the item's criterion; what was archived is in a document for that."""
    if finding.parts:
        folder = f"{FINDINGS}{item.criterion}/"
        return any(original_path(part).startswith(folder) for part in finding.parts)
    return finding.criterion == item.criterion and not is_archived(finding.path)


def _finding_fault(agent: Agent, finding: KnownFinding) -> str:
    """Why the agent may not read it: scopes speak of the path that a finding had when it was written,
    and of every note that a document is merged of."""
    if not finding.parts:
        return _scope_fault(agent.reads, agent.id, original_path(finding.path))
    hidden = hidden_part(agent.reads, finding.parts)
    return f"holds what {agent.id} may not read: {hidden}" if hidden else ""


@lru_cache(maxsize=20_000)  # the paths of a large map, asked again in every sprint
def _scope_fault(reads: tuple[str, ...], agent_id: str, path: str) -> str:
    """Why the agent may not read it, or empty. The scope is asked before any gate is."""
    if is_private(path):
        return "belongs to the daemon alone"
    return "" if covers(reads, path) else f"outside what {agent_id} may read"
