"""What the next sprint would do, worked out without asking a model or writing anything."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from daemon.governance.gate import refusal_now
from daemon.llm.prices import UnknownPrice
from daemon.llm.provider import Prompt
from daemon.sprint.context import ContextPlan, context_plan_as_json
from daemon.sprint.orchestrator import Assignment, SprintPlan
from daemon.sprint.parts import SprintParts
from daemon.sprint.request import build_request
from daemon.sprint.runner import context_for, look_ahead


@dataclass(frozen=True)
class AssignmentAhead:
    """One assignment. `worst_case_micros` is for one try; None: no price, so it would be refused
    (`no_price` says why)."""

    assignment: Assignment
    title: str
    model: str
    context: ContextPlan
    worst_case_micros: int | None
    no_price: str = ""

    def as_json(self) -> dict[str, Any]:
        return {
            **vars(self.assignment),
            "title": self.title,
            "model": self.model,
            "context": context_plan_as_json(self.context),
            "worst_case_micros": self.worst_case_micros,
            "refusal": self.no_price or None,
        }


@dataclass(frozen=True)
class Ahead:
    """`model_plans` is True where a model may choose others of the `eligible` items than these.

    `refusal` is why no sprint may run at all now, or empty.
    """

    plan: SprintPlan
    assignments: tuple[AssignmentAhead, ...]
    eligible: int
    model_plans: bool
    refusal: str = ""

    def as_json(self) -> dict[str, Any]:
        return {
            "focus": self.plan.focus,
            "eligible": self.eligible,
            "model_plans": self.model_plans,
            "refusal": self.refusal or None,
            "assignments": [assignment.as_json() for assignment in self.assignments],
        }


def see_ahead(parts: SprintParts, *, focus: str | None = None) -> Ahead:
    """Plan by rules, choose each context and price each prompt.

    Raises WorkspaceInvalid, NotFound for an unknown focus, StoreError.
    """
    manifest = parts.map.load()
    backdrop, plan = look_ahead(parts, focus=focus)
    assignments: list[AssignmentAhead] = []
    for assignment in plan.assignments:
        context = context_for(parts, backdrop.workspace, manifest, assignment)
        request = build_request(parts, backdrop.workspace, assignment, context)
        worst_case, fault = _price(parts, request.prompt)
        title = backdrop.workspace.item(assignment.item).title
        assignments.append(
            AssignmentAhead(
                assignment, title, request.prompt.model, request.context, worst_case, fault
            )
        )
    members = backdrop.workspace.team(plan.focus).members
    able = sum(item.agent in members for item in backdrop.eligible)
    refusal = refusal_now(parts.db, parts.clock.now())
    return Ahead(
        plan=plan,
        assignments=tuple(assignments),
        eligible=len(backdrop.eligible),
        model_plans=parts.metered.writes_json and able > parts.config.sprint.tracks,
        refusal=refusal.message if refusal else "",
    )


def _price(parts: SprintParts, prompt: Prompt) -> tuple[int | None, str]:
    try:
        return parts.metered.worst_case_micros(prompt), ""
    except UnknownPrice as error:
        return None, str(error)
