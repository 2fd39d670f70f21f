"""Planning: which agent works which item in this sprint.

A model plans where the provider can answer in JSON and there is something to choose; its plan is
checked, sent back once with its faults, and replaced by the deterministic planner if it stays wrong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from daemon.errors import NotFound
from daemon.governance.budget import Caller, Refusal
from daemon.llm.json_reply import parse_json_reply
from daemon.llm.provider import Completion
from daemon.sprint.parts import SprintParts
from daemon.sprint.prompts import planning_prompt
from daemon.store import attempts, sprints
from daemon.workspace.definitions import BacklogItem, Team, Workspace

TURNS = (1, 2)
_CANDIDATES = 40  # as many items as a planner is shown; the ranking decides which
_LOOK_BACK = 10  # sprints


@dataclass(frozen=True)
class Assignment:
    """One agent for one backlog item, and why."""

    item: str
    agent: str
    reason: str


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


@dataclass(frozen=True)
class Backdrop:
    """What planning looks at: who could work on what, and how well each criterion is covered."""

    workspace: Workspace
    eligible: tuple[BacklogItem, ...]
    findings_by_criterion: Mapping[str, int]
    last_focus: str | None


def plan_by_rules(backdrop: Backdrop, *, tracks: int, focus: str | None, note: str) -> SprintPlan:
    """Priority, then the criterion with the fewest findings, then age, then id.

    Raises NotFound for a focus that no team has. The plan is empty where the team has nothing to do.
    """
    ranked = _ranked(backdrop)
    team = _choose_team(backdrop, ranked, focus)
    chosen: list[BacklogItem] = []
    for item in ranked:
        if item.agent in team.members and len(chosen) < tracks:
            chosen.append(item)
    assignments = tuple(Assignment(item.id, item.agent, _why(item, backdrop)) for item in chosen)
    return SprintPlan(team.id, assignments, "rules", note)


def plan_sprint(
    parts: SprintParts, backdrop: Backdrop, sprint_id: int, *, focus: str | None
) -> SprintPlan | Refusal:
    """The plan of this sprint, or the budget's refusal to pay for planning it."""
    tracks = parts.config.sprint.tracks
    by_rules = plan_by_rules(backdrop, tracks=tracks, focus=focus, note="")
    if not parts.metered.writes_json:
        return _with_note(by_rules, f"the {parts.metered.provider_name} provider does not plan")
    team = backdrop.workspace.team(by_rules.focus)
    candidates = [item for item in _ranked(backdrop) if item.agent in team.members]
    if len(candidates) <= tracks:
        return _with_note(by_rules, "no choice to make")
    return _plan_by_model(parts, backdrop, sprint_id, team, candidates[:_CANDIDATES], by_rules)


def _plan_by_model(
    parts: SprintParts,
    backdrop: Backdrop,
    sprint_id: int,
    team: Team,
    candidates: Sequence[BacklogItem],
    by_rules: SprintPlan,
) -> SprintPlan | Refusal:
    taken_over = _unused_plan(parts, sprint_id, team, candidates)
    if taken_over is not None:
        return taken_over
    faults: tuple[str, ...] = ()
    for turn in TURNS:
        prompt = planning_prompt(
            model=parts.metered.model_for("reasoning"),
            lead=backdrop.workspace.agent(team.members[0]),
            team=team,
            candidates=candidates,
            covered=backdrop.findings_by_criterion,
            tracks=parts.config.sprint.tracks,
            faults=faults,
        )
        caller = Caller("plan", sprint_id=sprint_id, agent=team.members[0])
        reply = parts.metered.complete(_plan_key(sprint_id, turn), prompt, caller)
        if isinstance(reply, Refusal):
            return reply
        assignments, faults = read_plan(reply, team, candidates, parts.config.sprint.tracks)
        if not faults:
            return SprintPlan(team.id, assignments, "model")
    return _with_note(by_rules, f"the model's plan was not usable: {'; '.join(faults)}")


def read_plan(
    reply: Completion, team: Team, candidates: Sequence[BacklogItem], tracks: int
) -> tuple[tuple[Assignment, ...], tuple[str, ...]]:
    """The reply as assignments, and every fault of it as a sentence (none: the plan is good)."""
    if reply.stop_reason != "end_turn":
        return (), (f"the reply ended with {reply.stop_reason}",)
    try:
        entries = parse_json_reply(reply.text)["assignments"]
        read = tuple(Assignment(str(e["item"]), str(e["agent"]), str(e["reason"])) for e in entries)
    except (ValueError, KeyError, TypeError) as error:
        return (), (f"the reply is not the JSON that was asked for ({error})",)
    return read, tuple(_plan_faults(read, team, candidates, tracks))


def _unused_plan(
    parts: SprintParts, sprint_id: int, team: Team, candidates: Sequence[BacklogItem]
) -> SprintPlan | None:
    """A plan that was paid for and that nothing came of, because its sprint was cut off.

    Only where it still fits, and of the sprints since the last one that began an attempt.
    """
    for before in sprints.list_sprints(parts.db, _LOOK_BACK, before_id=sprint_id):
        if before.kind != "REGULAR":
            continue
        if before.state not in ("interrupted", "failed") or attempts.list_for_sprint(
            parts.db, before.id
        ):
            return None
        for turn in reversed(TURNS):
            reply = parts.metered.stored_reply(_plan_key(before.id, turn))
            if reply is None:
                continue
            assignments, faults = read_plan(reply, team, candidates, parts.config.sprint.tracks)
            if not faults:
                note = parts.phrases.text("sprint.plan_taken_over", sprint=before.id)
                return SprintPlan(team.id, assignments, "model", note)
    return None


def _plan_key(sprint_id: int, turn: int) -> str:
    return f"sprint/{sprint_id}/plan/{turn}"


def _plan_faults(
    read: Sequence[Assignment], team: Team, candidates: Sequence[BacklogItem], tracks: int
) -> list[str]:
    known = {item.id for item in candidates}
    faults = [f"{a.item} is not among the items offered" for a in read if a.item not in known]
    faults += [
        f"{a.agent} is not in the team {team.id}" for a in read if a.agent not in team.members
    ]
    if len({assignment.item for assignment in read}) != len(read):
        faults.append("an item is named twice")
    wanted = min(tracks, len(candidates))
    if len(read) != wanted:
        faults.append(f"{wanted} assignments are wanted, {len(read)} were given")
    return faults


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


def _why(item: BacklogItem, backdrop: Backdrop) -> str:
    found = backdrop.findings_by_criterion.get(item.criterion, 0)
    return f"priority {item.priority}; {item.criterion} has {found} findings so far"


def _with_note(plan: SprintPlan, note: str) -> SprintPlan:
    return SprintPlan(plan.focus, plan.assignments, plan.planner, note)
