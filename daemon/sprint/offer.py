"""What a planner chooses from, and whether what it chose can be done."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice

from daemon.governance.budget import Caller
from daemon.llm.json_reply import parse_json_reply
from daemon.llm.provider import Completion, Prompt, ToolSpec, Turn
from daemon.sprint.parts import SprintParts
from daemon.sprint.prompts import planning_prompt
from daemon.workspace.definitions import Agent, BacklogItem, Team, Workspace

_LONGEST_REASON = 300
_LONGEST_NAME = 60
_MOST_FAULTS = 10


@dataclass(frozen=True)
class Assignment:
    """One agent for one backlog item, and why."""

    item: str
    agent: str
    reason: str


@dataclass(frozen=True)
class Backdrop:
    """What planning looks at: who could work on what, and how well each criterion is covered."""

    workspace: Workspace
    eligible: tuple[BacklogItem, ...]
    findings_by_criterion: Mapping[str, int]
    last_focus: str | None


@dataclass(frozen=True)
class Planned:
    """A model's plan, and every fault of it as a sentence (none: it is good)."""

    assignments: tuple[Assignment, ...]
    faults: tuple[str, ...]


@dataclass(frozen=True)
class Offer:
    """The items that a planner may choose from, for a team."""

    backdrop: Backdrop
    team: Team
    candidates: tuple[BacklogItem, ...]
    tracks: int

    @property
    def lead(self) -> Agent:
        """Who plans: the first of the team."""
        return self.backdrop.workspace.agent(self.team.members[0])

    def caller(self, sprint_id: int) -> Caller:
        return Caller("plan", sprint_id=sprint_id, agent=self.lead.id)

    def prompt(
        self,
        parts: SprintParts,
        faults: tuple[str, ...] = (),
        *,
        tools: tuple[ToolSpec, ...] = (),
        turns: tuple[Turn, ...] = (),
        may_call: bool = True,
    ) -> Prompt:
        return planning_prompt(
            model=parts.metered.model_for("reasoning"),
            lead=self.lead,
            team=self.team,
            candidates=self.candidates,
            covered=self.backdrop.findings_by_criterion,
            tracks=self.tracks,
            faults=faults,
            tools=tools,
            turns=turns,
            may_call=may_call,
        )

    def read(self, reply: Completion) -> Planned:
        """The reply as assignments."""
        if reply.stop_reason != "end_turn":
            return Planned((), (f"the reply ended with {reply.stop_reason}",))
        try:
            entries = parse_json_reply(reply.text)["assignments"]
            read = tuple(
                Assignment(str(e["item"]), str(e["agent"]), str(e["reason"])) for e in entries
            )
        except (ValueError, KeyError, TypeError) as error:
            return Planned((), (f"the reply is not the JSON that was asked for ({error})",))
        return Planned(read, tuple(islice(self._faults(read), _MOST_FAULTS)))

    def _faults(self, read: tuple[Assignment, ...]) -> Iterator[str]:
        known, members = {item.id for item in self.candidates}, self.team.members
        wanted = min(self.tracks, len(self.candidates))
        if len(read) != wanted:
            yield f"{wanted} assignments are wanted, {len(read)} were given"
        yield from (
            f"{_name(a.item)} is not among the items offered" for a in read if a.item not in known
        )
        yield from (
            f"{_name(a.agent)} is not in the team {self.team.id}"
            for a in read
            if a.agent not in members
        )
        if len({assignment.item for assignment in read}) != len(read):
            yield "an item is named twice"


def plan_key(sprint_id: int, turn: int) -> str:
    """Under which each call of a planning is paid for once; turns count from 1."""
    return f"sprint/{sprint_id}/plan/{turn}"


def without_copies(planned: Planned, instead: str = "") -> Planned:
    """The plan as it may be kept and shown. `instead` (empty: nothing is hidden) stands where a word
    of the model's own could be one of a confidential text, in reasons and in faults."""
    reasons = (instead or a.reason[:_LONGEST_REASON] for a in planned.assignments)
    kept = tuple(
        replace(a, reason=reason) for a, reason in zip(planned.assignments, reasons, strict=True)
    )
    hidden = instead and planned.faults
    return Planned(
        kept, (f"it had faults that are not shown; {instead}",) if hidden else planned.faults
    )


def _name(text: str) -> str:
    """What a model took for a name, short and on one line."""
    flat = " ".join(text.split())
    return flat if len(flat) <= _LONGEST_NAME else f"{flat[:_LONGEST_NAME]}..."
