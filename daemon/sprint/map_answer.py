"""What the map gives for a question, unit by unit: as a sprint would decide it, with scores and gates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from daemon.config.sections import Config
from daemon.knowledge.action import EVERY_AGENT
from daemon.knowledge.plan import KnowledgePlan, PlannedUnit, PlanOptions
from daemon.knowledge.planner import plan, terms
from daemon.knowledge.replay import render_plan
from daemon.knowledge.unit import Manifest
from daemon.sprint.candidates import overlay_of
from daemon.sprint.context import ContextPlan, KnownFinding, plan_context
from daemon.workspace.definitions import Agent, BacklogItem

MAP, FINDING = "map", "finding"


@dataclass(frozen=True)
class UnitAnswer:
    """One unit: the gate by which it is skipped (empty: it would be loaded), and why.

    `origin` is MAP, or FINDING for what the daemon adds. `score` is None where the unit did not get
    as far as being scored; `score_parts` are its addends as words. `tokens` is None for a unit that
    is not loaded.
    """

    id: str
    path: str
    origin: str
    tokens: int | None
    score: int | None
    score_parts: tuple[str, ...]
    gate: str
    reason: str

    @property
    def loaded(self) -> bool:
        return not self.gate

    def as_json(self) -> dict[str, Any]:
        return {**vars(self), "loaded": self.loaded, "score_parts": list(self.score_parts)}


@dataclass(frozen=True)
class MapAnswer:
    """`plan` is the plan of the protocol over the author's map alone, as text that can be computed
    again; `context` is what a sprint would give, by our own rankings too."""

    question: str
    agent: str
    units: tuple[UnitAnswer, ...]
    context: ContextPlan
    plan: str

    def as_json(self) -> dict[str, Any]:
        return {
            "question": self.question,
            "agent": self.agent,
            "as_of": self.context.as_of.isoformat(),
            "manifest_sha256": self.context.manifest_sha256,
            "overlay_sha256": self.context.overlay_sha256,
            "tokens": self.context.tokens,
            "ceiling_tokens": self.context.ceiling_tokens,
            "units": [unit.as_json() for unit in self.units],
            "plan": self.plan,
        }


def anybody() -> Agent:
    """A reader whom no scope of `reads` keeps from anything but the daemon's own files."""
    return Agent(EVERY_AGENT, EVERY_AGENT, "reasoning", (), ("**",), 0, "", "")


def answer_from_map(
    *,
    question: str,
    manifest: Manifest,
    findings: Sequence[KnownFinding],
    agent: Agent,
    as_of: date,
    config: Config,
    root: Path,
    criterion: str = "",
) -> MapAnswer:
    """As if an item with this question were worked on by the agent. Reads sizes, opens no file.

    Findings are given for an item that builds on theirs, or on the same criterion: without a
    `criterion` none is. Raises Unreadable where the root cannot be opened.
    """
    item = BacklogItem("question", "", question, agent.id, criterion, "", 1, as_of)
    context = plan_context(
        manifest=manifest, findings=findings, agent=agent, item=item, as_of=as_of, root=root,
        ceiling_tokens=config.sprint.context_ceiling_tokens, max_units=config.sprint.max_units,
        language=config.daemon.language,
    )  # fmt: skip
    judged = plan(manifest, _words(question), _options(manifest, agent, as_of))
    saved = plan(
        manifest,
        question,
        PlanOptions(
            as_of=as_of,
            role=agent.id,
            also_as=(EVERY_AGENT,),
            max_units=config.sprint.max_units,
            context_budget=config.sprint.context_ceiling_tokens,
        ),
    )
    units = (*_units(context, judged, manifest), *_left_out(context, findings, manifest))
    return MapAnswer(question, agent.id, units, context, render_plan(saved))


def _words(question: str) -> str:
    return " ".join(dict.fromkeys(terms(question)))


def _options(manifest: Manifest, agent: Agent, as_of: date) -> PlanOptions:
    """Every unit counts as needed, so that each that passes the gates gets its score."""
    needed = tuple(unit.id for unit in manifest.units)
    return PlanOptions(
        as_of=as_of,
        role=agent.id,
        also_as=(EVERY_AGENT,),
        max_units=len(needed),
        needed=needed,
    )


def _units(context: ContextPlan, judged: KnowledgePlan, manifest: Manifest) -> Iterator[UnitAnswer]:
    scored = {planned.id: planned for planned in judged.selected}
    origins = {unit.id: MAP for unit in manifest.units}
    for unit in context.loaded:
        origin, score = origins.get(unit.id, FINDING), _score(scored, unit.id)
        yield UnitAnswer(unit.id, unit.path, origin, unit.tokens, *score, "", unit.reason)
    for skip in context.skipped:
        origin, score = origins.get(skip.id, FINDING), _score(scored, skip.id)
        yield UnitAnswer(skip.id, skip.path, origin, None, *score, skip.gate, skip.reason)


def _score(scored: Mapping[str, PlannedUnit], unit_id: str) -> tuple[int | None, tuple[str, ...]]:
    planned = scored.get(unit_id)
    if planned is None:
        return None, ()
    parts = tuple(reason for reason in planned.reasons if reason.endswith("term(s)"))
    return planned.score, parts


def _left_out(
    context: ContextPlan, findings: Sequence[KnownFinding], manifest: Manifest
) -> Iterator[UnitAnswer]:
    """Findings that a sprint would not even look at for such an item."""
    seen = {unit.path for unit in context.loaded} | {unit.path for unit in context.skipped}
    overlay = overlay_of(findings, manifest)
    for finding in findings:
        unit = overlay.units.get(finding.path)
        if unit is not None and unit.path not in seen:
            whose = f"finding of {finding.item} on {finding.criterion}"
            reason = f"{whose}: for items that build on it, or on the same criterion"
            yield UnitAnswer(unit.id, unit.path, FINDING, None, None, (), "relation", reason)
