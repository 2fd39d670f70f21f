"""Planning: which agent works which item in this sprint.

A model plans where the provider can answer in JSON and there is something to choose; its plan is
checked, sent back once with its faults, and replaced by the deterministic planner if it stays wrong.
Where the provider can use tools and the policy gives the orchestrator some, it may look around first
(`Conversation`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from daemon.config.phrases import Phrases
from daemon.errors import NotFound
from daemon.governance.budget import Refusal
from daemon.knowledge.unit import Manifest
from daemon.llm.provider import Completion
from daemon.sprint.offer import Assignment, Backdrop, Offer, Planned, plan_key, without_copies
from daemon.sprint.parts import SprintParts
from daemon.sprint.planning import CUT_OFF, MOST_TURNS, Conversation, may_use_tools
from daemon.store import attempts, sprints
from daemon.workspace.definitions import BacklogItem, Team

__all__ = ["Assignment", "Backdrop", "SprintPlan", "plan_by_rules", "plan_sprint"]

TURNS = tuple(range(1, MOST_TURNS + 1))  # of the calls that a plan may take
_TURNS_WITHOUT_TOOLS = (1, 2)
_CANDIDATES = 40  # as many items as a planner is shown; the ranking decides which
_LOOK_BACK = 10  # sprints


@dataclass(frozen=True)
class SprintPlan:
    """`planner` is "model" or "rules"; `note` says why the rules planned, or is empty."""

    focus: str
    assignments: tuple[Assignment, ...]
    planner: str
    note: str = ""

    def as_json(self) -> dict[str, Any]:
        return {
            "focus": self.focus,
            "planner": self.planner,
            "note": self.note,
            "assignments": [vars(assignment) for assignment in self.assignments],
        }


def plan_by_rules(
    backdrop: Backdrop, phrases: Phrases, *, tracks: int, focus: str | None
) -> SprintPlan:
    """Priority, then the criterion with the fewest findings, then age, then id.

    Raises NotFound for a focus that no team has. The plan is empty where the team has nothing to do.
    """
    ranked = _ranked(backdrop)
    team = _choose_team(backdrop, ranked, focus)
    chosen: list[BacklogItem] = []
    for item in ranked:
        if item.agent in team.members and len(chosen) < tracks:
            chosen.append(item)
    assignments = tuple(
        Assignment(item.id, item.agent, _why(item, backdrop, phrases)) for item in chosen
    )
    return SprintPlan(team.id, assignments, "rules")


def plan_sprint(
    parts: SprintParts,
    backdrop: Backdrop,
    sprint_id: int,
    *,
    focus: str | None,
    manifest: Manifest | None = None,
) -> SprintPlan | Refusal:
    """The plan of this sprint, or the refusal to pay for planning it, or to let it be asked for.

    `manifest` is what the planning may look at with tools; None: it gets none.
    """
    tracks = parts.config.sprint.tracks
    say = parts.phrases.text
    by_rules = plan_by_rules(backdrop, parts.phrases, tracks=tracks, focus=focus)
    if not parts.metered.writes_json:
        note = say("sprint.plan_never_by_model", provider=parts.metered.provider_name)
        return replace(by_rules, note=note)
    team = backdrop.workspace.team(by_rules.focus)
    candidates = [item for item in _ranked(backdrop) if item.agent in team.members]
    if len(candidates) <= tracks:
        return replace(by_rules, note=say("sprint.plan_no_choice"))
    offered = Offer(backdrop, team, tuple(candidates[:_CANDIDATES]), tracks)
    taken_over = _unused_plan(parts, sprint_id, offered)
    if taken_over is not None:
        return taken_over
    return _plan_by_model(parts, offered, sprint_id, manifest, by_rules)


def _plan_by_model(
    parts: SprintParts,
    offer: Offer,
    sprint_id: int,
    manifest: Manifest | None,
    by_rules: SprintPlan,
) -> SprintPlan | Refusal:
    found: Planned | Refusal | None = None
    if manifest is not None and may_use_tools(parts):
        begun = _begun_talk(parts, sprint_id)
        found = Conversation(parts, offer, sprint_id, manifest, begun).plan()
    if found is None:
        found = _plan_without_tools(parts, offer, sprint_id)
    if isinstance(found, Refusal):
        return found
    if not found.faults:
        return SprintPlan(offer.team.id, found.assignments, "model")
    note = parts.phrases.text("sprint.plan_unusable", faults="; ".join(found.faults))
    return replace(by_rules, note=note)


def _plan_without_tools(parts: SprintParts, offer: Offer, sprint_id: int) -> Planned | Refusal:
    """One call, and a second one with the faults of the first."""
    planned = Planned((), ())
    for turn in _TURNS_WITHOUT_TOOLS:
        reply = parts.metered.complete(
            plan_key(sprint_id, turn), offer.prompt(parts, planned.faults), offer.caller(sprint_id)
        )
        if isinstance(reply, Refusal):
            return reply
        planned = offer.read(reply)
        if not planned.faults:
            break
    return planned


def _unused_plan(parts: SprintParts, sprint_id: int, offer: Offer) -> SprintPlan | None:
    """A plan that was paid for and that nothing came of, if it still fits.

    Before a first turn no text was read; after it the reasons may hold words of one.
    """
    for before in _cut_off_before(parts, sprint_id):
        for turn in reversed(TURNS):
            reply = parts.metered.stored_reply(plan_key(before, turn))
            planned = offer.read(reply) if reply else None
            if planned is not None and not planned.faults:
                planned = without_copies(planned, CUT_OFF if turn > 1 else "")
                note = parts.phrases.text("sprint.plan_taken_over", sprint=before)
                return SprintPlan(offer.team.id, planned.assignments, "model", note)
    return None


def _begun_talk(parts: SprintParts, sprint_id: int) -> list[Completion]:
    """The replies of a talk that no plan came of, in their order: calls of tools, and a plan with
    faults. Of one model, because another one could not go on with them."""
    cut_off, model = list(_cut_off_before(parts, sprint_id)), parts.metered.model_for("reasoning")
    begun: list[Completion] = []
    for turn in TURNS[:-1]:
        stored = (parts.metered.stored_reply(plan_key(before, turn)) for before in cut_off)
        reply = next((one for one in stored if one is not None), None)
        if reply is None or not reply.echo or not _is_of(reply, model):
            break
        begun.append(reply)
    return begun


def _is_of(reply: Completion, model: str) -> bool:
    """A service may answer for an alias with the dated name of the model behind it."""
    return reply.model == model or reply.model.startswith(f"{model}-")


def _cut_off_before(parts: SprintParts, sprint_id: int) -> Iterator[int]:
    """The sprints since the last one that began an attempt, the newest first: of theirs nothing that
    was paid for was used."""
    for before in sprints.list_sprints(parts.db, _LOOK_BACK, before_id=sprint_id):
        if before.kind != "REGULAR":
            continue
        if before.state not in ("interrupted", "failed") or attempts.list_for_sprint(
            parts.db, before.id
        ):
            return
        yield before.id


def _ranked(backdrop: Backdrop) -> list[BacklogItem]:
    covered = backdrop.findings_by_criterion
    return sorted(
        backdrop.eligible,
        key=lambda item: (item.priority, covered.get(item.criterion, 0), item.added_on, item.id),
    )


def _choose_team(backdrop: Backdrop, ranked: Sequence[BacklogItem], focus: str | None) -> Team:
    teams = backdrop.workspace.teams
    if focus is not None:
        named = [team for team in teams if team.id == focus]
        if not named:
            names = ", ".join(team.id for team in teams)
            raise NotFound(f"no team is called {focus!r}; the teams are: {names}")
        return named[0]
    first = ranked[0].agent if ranked else ""
    able = [team for team in teams if first in team.members] or list(teams)
    # The smallest team that can work the first item; of equals, not the one that worked last.
    return min(able, key=lambda team: (len(team.members), team.id == backdrop.last_focus))


def _why(item: BacklogItem, backdrop: Backdrop, phrases: Phrases) -> str:
    return phrases.text(
        "sprint.plan_why",
        priority=item.priority,
        criterion=item.criterion,
        findings=backdrop.findings_by_criterion.get(item.criterion, 0),
    )
