"""What an agent is given for an item: which units, why, and why not the others.

Planning looks at names and sizes only; `load_sources` then reads what was chosen. Everything fails
closed: what the agent's scope or a gate refuses is skipped, also where the item names it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import NamedTuple

from daemon.knowledge.archive import original_path
from daemon.knowledge.provenance import Provenance, joined, provenance_in, understated
from daemon.knowledge.unit import Manifest
from daemon.llm.provider import SourceText
from daemon.memory.notes import Note, parse_sound_note
from daemon.memory.opening import OpenRoot, Unreadable
from daemon.sprint.candidates import Candidates, find_candidates, order_by_words
from daemon.sprint.context_plan import (
    ContextPlan,
    KnownFinding,
    LoadedUnit,
    NotesUnreadable,
    SkippedUnit,
    context_plan_as_json,
    context_plan_for_store,
    context_plan_from_json,
)
from daemon.sprint.room import Room, count_tokens
from daemon.workspace.definitions import Agent, BacklogItem

__all__ = [
    "ContextPlan",
    "KnownFinding",
    "LoadedUnit",
    "NotesUnreadable",
    "Reading",
    "SkippedUnit",
    "context_plan_as_json",
    "context_plan_for_store",
    "context_plan_from_json",
    "load_sources",
    "plan_context",
]


class Reading(NamedTuple):
    """The texts that were read, and the plan with what could not be read moved to `skipped`."""

    sources: tuple[SourceText, ...]
    plan: ContextPlan


def plan_context(
    *,
    manifest: Manifest,
    findings: Sequence[KnownFinding],
    agent: Agent,
    item: BacklogItem,
    as_of: date,
    ceiling_tokens: int,
    max_units: int,
    root: Path,
    language: str = "en",
) -> ContextPlan:
    """Choose in this order: units the item names; units by KCP score; units by full-text rank;
    findings of the items it depends on; findings on the same criterion (newest first).

    A ceiling of 0 loads nothing. Raises Unreadable where the root itself cannot be opened.
    """
    found = find_candidates(manifest, findings, agent, item, as_of)
    with OpenRoot(root) as opened:
        room = Room(opened, ceiling_tokens, max_units)
        room.skipped.extend(found.skipped)
        room.offer(found.named)
        keep = room.reserve(found.builds_on)
        room.offer(found.ranked, keep=keep)
        _offer_by_words(room, found, item, language, keep)
        room.offer(found.builds_on)
        room.offer(found.beside)
    return ContextPlan(
        loaded=tuple(room.loaded),
        skipped=tuple(room.skipped),
        tokens=room.tokens,
        ceiling_tokens=ceiling_tokens,
        manifest_sha256=manifest.sha256,
        as_of=as_of,
        unreadable="" if room.loaded else room.unreadable,
        overlay_sha256=found.overlay_sha256,
    )


def load_sources(root: Path, plan: ContextPlan) -> Reading:
    """Read what the plan chose; what vanished, was damaged or outgrew the room is skipped by name.

    The text is the note without its front matter. Raises Unreadable only for the root itself.
    """
    sources: list[SourceText] = []
    loaded: list[LoadedUnit] = []
    skipped = list(plan.skipped)
    tokens, unreadable = 0, ""
    with OpenRoot(root) as opened:
        for unit in plan.loaded:
            try:
                text, counted, said = _read(opened, unit, plan.ceiling_tokens - tokens)
            except Unreadable as error:
                skipped.append(SkippedUnit(unit.id, unit.path, error.reason, "file"))
                unreadable = unreadable or str(error)
                continue
            tokens += counted
            loaded.append(
                replace(unit, tokens=counted, outside=said.outside, sensitivity=said.sensitivity)
            )
            sources.append(
                SourceText(unit.id, unit.path, unit.title, text, unit.untrusted, unit.named)
            )
    changed = replace(
        plan,
        loaded=tuple(loaded),
        skipped=tuple(skipped),
        tokens=tokens,
        unreadable="" if loaded else unreadable or plan.unreadable,
    )
    return Reading(tuple(sources), changed)


def _offer_by_words(
    room: Room, found: Candidates, item: BacklogItem, language: str, keep: tuple[int, int]
) -> None:
    """The second ranking costs time, so it is asked only where there is room for its answer."""
    if not found.unscored or room.is_full(keep=keep):
        reason = "no word of the question is in its map entry, and no room was left to look further"
        room.skipped.extend(
            SkippedUnit(unit.id, unit.path, reason, "ranking") for unit in found.unscored
        )
        return
    touching, others = order_by_words(found.unscored, item, language)
    room.offer(touching, keep=keep)
    room.skipped.extend(others)


def _read(opened: OpenRoot, unit: LoadedUnit, left_tokens: int) -> tuple[str, int, Provenance]:
    """The unit's text, what it counts as now, and where it came from. Raises Unreadable."""
    data = opened.read(unit.path)
    grown = len(data) > unit.size_bytes
    counted = max(unit.tokens, count_tokens(len(data), None)) if grown else unit.tokens
    if counted > left_tokens:
        raise Unreadable(unit.path, f"grew after it was planned: {counted:,} tokens, no room")
    note = parse_sound_note(data, unit.path)
    text = note.body.strip("\n")
    if not text.strip():
        raise Unreadable(unit.path, "has no text below its front matter")
    return text, counted, _provenance(unit, note)


def _provenance(unit: LoadedUnit, note: Note) -> Provenance:
    """What map and file say together. Raises Unreadable where the map makes less of it than the file
    does: the powers of the agents were derived from the map."""
    found = provenance_in(note.front, original_path(unit.path))
    if not unit.mapped:
        return found
    declared = Provenance(unit.outside, unit.sensitivity)
    unstated = understated(declared, found)
    if unstated:
        raise Unreadable(unit.path, unstated)
    return joined(declared, found)
