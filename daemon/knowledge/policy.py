"""From a manifest to the policy that the action gate judges by.

Two places of a manifest give scopes: an entry of `agents` (what our own manifests use), and a unit of
the kind skill (the protocol's form). Our additions to `action_scope`: `writes`, for `paths` gives
reading only; `hosts`; `limits` (calls, writes, spend_usd).
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from daemon.config.document import Document
from daemon.errors import Fault
from daemon.knowledge.action import (
    EVERY_AGENT,
    LEVELS,
    ActionScope,
    Policy,
    Tool,
)
from daemon.knowledge.authority import rank_of
from daemon.knowledge.scope_fields import ScopeFields
from daemon.knowledge.tools import SYSTEM_ACTORS, TOOLS
from daemon.knowledge.typed import Place
from daemon.knowledge.unit import Manifest, Unit
from daemon.knowledge.well_formed import is_name

NO_AUDIENCE = "it names no audience"  # why a scope that holds for every agent grants nothing
# Roles of the protocol that are people: nobody acts under such a name.
_PEOPLE = frozenset({"human", "developer", "architect", "operator", "devops"})
_AGENT_FIELDS = frozenset({"id", "name", "authority_level", "authority", "action_scope"})
_CEILING_FIELDS = frozenset({"sources", "mandatory_sources"})
_SOURCE_KINDS = ("authority_level", "unit_ref", "task_type_ref", "agent_ref")


def parse_policy(
    manifest: Manifest,
    *,
    agents: Iterable[str] = (),
    as_of: str = "",
    tools: Mapping[str, Tool] = TOOLS,
) -> Policy:
    """The policy of the manifest; with a fault in either it denies everything. Never raises.

    `agents` are the ids of agents/*.md, for which the role "agent" stands. `as_of` is the ISO date
    by which a skill's time window is judged; without one a skill with a window grants nothing.
    """
    known = frozenset(agents)
    if manifest.errors or manifest.document is None:
        faults = manifest.errors or (Fault(manifest.file, 0, "", "is no manifest that was read"),)
        return Policy({}, tools, known, manifest_sha256=manifest.sha256, faults=faults)
    reader = _PolicyReader(manifest, manifest.document, known, as_of)
    policy = reader.policy(tools)
    return dataclasses.replace(policy, scope_sha256=_sha256_of(policy))


def _sha256_of(policy: Policy) -> str:
    """Over what was understood, so that a change of anything else in the manifest leaves it."""
    bound = dataclasses.replace(policy, manifest_sha256="", scope_sha256="")
    text = json.dumps(_plain(bound), default=_plain, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _plain(value: Any) -> Any:
    if isinstance(value, frozenset):
        return sorted(value)
    return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}


class _PolicyReader:
    """Reads scopes, levels and ceilings of a manifest that has no error of its own."""

    def __init__(
        self, manifest: Manifest, document: Document, agents: frozenset[str], as_of: str
    ) -> None:
        self._manifest, self._agents, self._as_of = manifest, agents, as_of
        self._raw = manifest.raw
        self._typed = ScopeFields(document, manifest.file)
        self._levels: dict[str, str] = {}
        self._scopes: dict[str, ActionScope] = {}

    def policy(self, tools: Mapping[str, Tool]) -> Policy:
        self._typed.tools = frozenset(tools)
        self._check_scale()
        self._check_agents()
        self._read_agents()
        self._read_units()
        ceilings = dict(self._ceilings())
        return Policy(
            scopes=self._scopes,
            tools=tools,
            agents=self._agents,
            agent_levels=self._agent_levels(),
            ceilings=ceilings,
            mandatory=self._mandatory(ceilings),
            manifest_sha256=self._manifest.sha256,
            faults=tuple(sorted(set(self._typed.errors))),
        )

    def _check_scale(self) -> None:
        scale = self._typed.texts(self._raw, ("authority_level_scale",))
        if scale and scale != LEVELS:
            self._typed.fail(
                ("authority_level_scale",),
                "is another scale than the one known here",
                f"write it as [{', '.join(LEVELS)}]",
            )

    def _check_agents(self) -> None:
        for name in sorted(self._agents & (SYSTEM_ACTORS | _PEOPLE | {EVERY_AGENT})):
            message = f"an agent has the id {name!r}, which names a part of the daemon or a role"
            self._typed.fail(("agents",), message, "give the agent another id")

    def _read_agents(self) -> None:
        for at, entry in self._typed.mappings(self._raw, ("agents",)):
            self._typed.check_close(entry, at, _AGENT_FIELDS)
            actor = self._typed.text(entry, (*at, "id"))
            if not is_name(actor) or actor in _PEOPLE:
                self._typed.fail((*at, "id"), f"{actor!r} is no actor's id", "name an agent")
            elif actor in self._levels:
                self._typed.fail((*at, "id"), f"{actor!r} stands here twice", "join the two")
            else:
                self._levels[actor] = self._typed.text(entry, (*at, "authority_level"))
                self._add(entry, at, f"agents.{actor}", frozenset({actor}), "")

    def _read_units(self) -> None:
        for index, (unit, entry) in enumerate(
            zip(self._manifest.units, self._raw.get("units", ()), strict=True)
        ):
            if entry.get("action_scope") is not None:
                # Without an audience it is meant for everybody: nobody gets a permission by it, and
                # every agent is held to what it denies.
                actors = frozenset(unit.audience or [EVERY_AGENT]) - _PEOPLE
                held = _held(unit, self._as_of) if unit.audience else NO_AUDIENCE
                self._add(entry, ("units", index), unit.id, actors, held)

    def _add(
        self, entry: Mapping[str, Any], at: Place, scope_id: str, actors: frozenset[str], held: str
    ) -> None:
        if entry.get("action_scope") is None:
            return
        if scope_id in self._scopes:
            self._typed.fail((*at, "id"), f"{scope_id!r} is the id of another scope")
        base = ActionScope(scope_id, actors, held=held)
        self._scopes[scope_id] = self._typed.action_scope(
            entry, at, base, self._typed.mapping(self._raw, ("authority",))
        )

    def _agent_levels(self) -> dict[str, str]:
        """The declared level of each actor; what is declared for every agent lowers each of them."""
        found = {actor: level for actor, level in self._levels.items() if level}
        for_all = found.pop(EVERY_AGENT, "")
        if for_all:
            for actor in sorted(self._agents):
                found[actor] = min(for_all, found.get(actor, for_all), key=rank_of)
        return found

    def _ceilings(self) -> Iterator[tuple[str, str]]:
        block = self._typed.mapping(self._raw, ("grant_ceiling",))
        self._typed.check_close(block, ("grant_ceiling",), _CEILING_FIELDS)
        for at, source in self._typed.mappings(block, ("grant_ceiling", "sources")):
            named = [kind for kind in _SOURCE_KINDS if source.get(kind) is not None]
            if len(named) != 1:
                self._typed.fail(at, f"needs exactly one of {', '.join(_SOURCE_KINDS)}")
                continue
            value = self._typed.text(source, (*at, named[0]))
            yield self._typed.text(source, (*at, "id")), self._resolved(named[0], value)

    def _resolved(self, kind: str, value: str) -> str:
        """The level that a source refers to; empty, so the lowest, where there is none."""
        if kind == "authority_level":
            return value
        if kind == "agent_ref":
            return self._levels.get(value, "")
        listed = self._raw.get("units" if kind == "unit_ref" else "task_types", ())
        found = (entry for entry in listed if isinstance(entry, dict) and entry.get("id") == value)
        level = next(found, {}).get("authority_level", "")
        return level if isinstance(level, str) else ""

    def _mandatory(self, ceilings: Mapping[str, str]) -> tuple[str, ...]:
        at = ("grant_ceiling", "mandatory_sources")
        names = self._typed.texts(self._typed.mapping(self._raw, at[:1]), at)
        for name in names:
            if name not in ceilings:
                self._typed.fail(at, f"{name!r} is mandatory and none of the sources", "add it")
        return names


def _held(unit: Unit, as_of: str) -> str:
    """Why a unit's scope grants nothing; empty where it does."""
    if unit.kind != "skill":
        return f"a unit of the kind {unit.kind} gives no permission"
    if not unit.load_eligible:
        return "nobody made it load_eligible"
    if unit.deprecated or unit.superseded_by:
        return "it is deprecated or superseded"
    if unit.access != "public" or unit.payment:
        return "it takes a credential or a payment"
    if not (unit.valid_from or unit.valid_until):
        return ""
    inside = unit.valid_from <= as_of and (not unit.valid_until or as_of <= unit.valid_until)
    return "" if as_of and inside else f"it holds from {unit.valid_from} to {unit.valid_until}"
