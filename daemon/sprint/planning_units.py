"""What the orchestrator may look at while it plans: references, and the text of one unit at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from daemon.clock import day_of
from daemon.governance.action_gate import Call
from daemon.knowledge.action import EVERY_AGENT
from daemon.knowledge.archive import hidden_part
from daemon.knowledge.paths import covers
from daemon.knowledge.plan import PlanOptions
from daemon.knowledge.planner import plan
from daemon.knowledge.provenance import (
    UNKNOWN,
    Provenance,
    declared_provenance,
    is_by_model,
    joined,
    provenance_in,
    understated,
)
from daemon.knowledge.unit import Manifest
from daemon.llm.provider import SourceText
from daemon.memory.notes import parse_sound_note
from daemon.memory.opening import OpenRoot, Unreadable
from daemon.sprint.context_plan import KnownFinding
from daemon.sprint.parts import SprintParts
from daemon.sprint.reading import known_findings
from daemon.workspace.definitions import Agent

_MOST_CHARS = 12_000  # of one text; the rest is named, not sent


@dataclass(frozen=True)
class Reference:
    """A text by its names. `mapped`: it is a unit of the map, and no finding."""

    id: str
    path: str
    title: str
    words: str
    provenance: Provenance
    mapped: bool

    @property
    def untrusted(self) -> bool:
        return self.provenance.outside or is_by_model(self.path)


class PlanningUnits:
    """The units and findings that the map, the agent's `reads` and the action gate all give to it."""

    def __init__(self, parts: SprintParts, manifest: Manifest, agent: Agent) -> None:
        self._parts, self._manifest, self._agent = parts, manifest, agent
        self.read_ids: list[str] = []
        self._merged: set[str] = set()  # documents of which it may read every part
        self.read_confidential = False

    @cached_property
    def visible(self) -> Mapping[str, Reference]:
        """By path, in the order of the map, findings last."""
        found = [one for one in self._mapped if one.path not in self._skipped]
        mapped = {unit.path for unit in self._manifest.units}
        found += [one for one in self._findings() if one.path not in mapped]
        return {one.path: one for one in found if self._may_read(one.path)}

    def path_of(self, name: str) -> str:
        """The path of the unit with this id; what is no id is taken for a path."""
        by_id = {unit.id: unit.path for unit in self._manifest.units}
        by_id |= {one.id: one.path for one in self.visible.values()}
        return by_id.get(name, name)

    def is_known(self, path: str) -> bool:
        """Whether the path is one of the map or of a finding, so that naming it tells nothing."""
        return path in self.visible or any(unit.path == path for unit in self._manifest.units)

    def why_hidden(self, path: str) -> str:
        """Why a text is not given to this agent, as words; empty where it is."""
        if path in self.visible:
            return ""
        if path in self._skipped:
            return f"{path} is not for {self._agent.id}: {self._skipped[path]}"
        if not covers(self._agent.reads, path):
            return f"{path} is outside what {self._agent.id} may read"
        return f"no unit of the map and no finding has the path {path}"

    def read(self, path: str) -> SourceText:
        """The text of a visible path, without its front matter. Raises Unreadable."""
        one = self.visible[path]
        with OpenRoot(self._parts.root) as opened:
            note = parse_sound_note(opened.read(path), path)
        said = provenance_in(note.front, path)
        if one.mapped:
            unstated = understated(one.provenance, said)
            if unstated:
                raise Unreadable(path, unstated)
            said = joined(one.provenance, said)
        self.read_ids.append(one.id)
        self.read_confidential = self.read_confidential or said.confidential
        text = note.body.strip("\n")
        if len(text) > _MOST_CHARS:
            text = f"{text[:_MOST_CHARS]}\n[cut here: {len(text):,} characters in all]"
        return SourceText(one.id, path, one.title, text, one.untrusted or said.outside)

    @cached_property
    def _judged(self) -> tuple[tuple[Reference, ...], Mapping[str, str]]:
        """Every unit: those that the gates of the map pass, and why not the others, by path."""
        units = self._manifest.units
        options = PlanOptions(
            as_of=day_of(self._parts.clock.now()),
            role=self._agent.id,
            also_as=(EVERY_AGENT,),
            max_units=len(units),
            needed=tuple(unit.id for unit in units),
        )
        made = plan(self._manifest, "", options)
        paths = {unit.id: unit.path for unit in units}
        skipped = {paths[skip.id]: skip.reason for skip in (*made.skipped, *made.beyond)}
        for one in made.selected:
            if not one.load_eligible:
                skipped[one.unit.path] = one.reasons[-1]
        found = tuple(
            Reference(
                unit.id, unit.path, unit.intent or unit.id,
                f"{unit.intent} {' '.join(unit.triggers)}", declared_provenance(unit), mapped=True,
            )
            for unit in units
        )  # fmt: skip
        return found, skipped

    @property
    def _mapped(self) -> tuple[Reference, ...]:
        return self._judged[0]

    @property
    def _skipped(self) -> Mapping[str, str]:
        return self._judged[1]

    def _findings(self) -> list[Reference]:
        return [
            Reference(
                f"{'document' if one.parts else 'finding'}-{one.path.rpartition('/')[2].removesuffix('.md').lower()}",
                one.path, one.title, f"{one.title} {one.summary}", UNKNOWN, mapped=False,
            )
            for one in known_findings(self._parts)
            if not one.parts or self._opens(one)
        ]  # fmt: skip

    def _opens(self, document: KnownFinding) -> bool:
        """Whether the agent may read every note that a document is merged of."""
        if hidden_part(self._agent.reads, document.parts):
            return False
        self._merged.add(document.path)
        return True

    def _may_read(self, path: str) -> bool:
        arguments: dict[str, Any] = {"path": path}
        call = Call(self._agent.id, "read_unit", lambda: arguments)
        may = path in self._merged or covers(self._agent.reads, path)
        return may and self._parts.actions.allows(call)
