"""Planning with tools: the orchestrator looks around, is refused or answered, and then plans."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from daemon.errors import ProviderPermanent
from daemon.governance.budget import Refusal
from daemon.knowledge.unit import Manifest
from daemon.llm.provider import Completion, ToolResult, Turn
from daemon.sprint.offer import Assignment, Offer, Planned, plan_key
from daemon.sprint.parts import SprintParts
from daemon.sprint.planning_tools import PlanningTool, Toolbox, unit_tools
from daemon.sprint.planning_units import PlanningUnits
from daemon.store import control

MOST_TURNS = 10
_WITHOUT = "planning.without_tools"
_REJECTED = (400, 422)
_LONGEST_REASON = 300


def may_use_tools(parts: SprintParts) -> bool:
    """Whether the provider takes tools. One that rejected them is not asked with tools again, as
    long as the configuration names the same."""
    metered = parts.metered
    return metered.uses_tools and control.get(parts.db, _WITHOUT) != metered.describe()


class Conversation:
    """The planning of one sprint: at most MOST_TURNS calls, each with its own key and paid for.

    A plan with faults is sent back once. `begun` are the replies of a talk that a crash cut off: they
    are paid for, so it goes on after them. `more_tools` are those of other rooms.
    """

    def __init__(
        self,
        parts: SprintParts,
        offer: Offer,
        sprint_id: int,
        manifest: Manifest,
        begun: Sequence[Completion] = (),
        more_tools: tuple[PlanningTool, ...] = (),
    ) -> None:
        self._parts, self._offer, self._sprint_id = parts, offer, sprint_id
        self._units = PlanningUnits(parts, manifest, offer.lead)
        tools = (*unit_tools(self._units, parts.config.daemon.language), *more_tools)
        self._box = Toolbox(parts, offer.lead.id, sprint_id, tools)
        self._turns: list[Turn] = []
        self._begun = begun

    def plan(self) -> Planned | Refusal | None:
        """The plan, with its faults where it stayed wrong; None where there are no tools for it, or
        the service takes none."""
        if not self._box.specs:
            return None
        planned, sent_back = Planned((), ("no plan came",)), False
        for reply in self._begun:
            self._turns.append(Turn(reply.echo, self._box.answer(reply.calls)))
        for number in range(len(self._turns) + 1, MOST_TURNS + 1):
            answer = self._ask(number)
            if not isinstance(answer, Completion):
                return answer
            reply = answer
            if reply.stop_reason == "tool_use" and reply.calls and number < MOST_TURNS:
                self._turns.append(Turn(reply.echo, self._box.answer(reply.calls)))
                continue
            planned = self._offer.read(reply)
            if not planned.faults or sent_back or not reply.echo:
                break
            sent_back = True
            self._turns.append(_sent_back(reply, planned))
        return replace(planned, assignments=self._without_copies(planned.assignments))

    def _ask(self, number: int) -> Completion | Refusal | None:
        prompt = self._offer.prompt(
            self._parts,
            tools=self._box.specs,
            turns=tuple(self._turns),
            may_call=number < MOST_TURNS,
        )
        try:
            return self._parts.metered.complete(
                plan_key(self._sprint_id, number), prompt, self._offer.caller(self._sprint_id)
            )
        except ProviderPermanent as error:
            if number > 1 or error.status not in _REJECTED or "tool" not in str(error).lower():
                raise
            metered, now = self._parts.metered, self._parts.clock.now()
            control.put(self._parts.db, _WITHOUT, metered.describe(), now)
            self._parts.say(f"planning without tools: {error}")
            return None

    def _without_copies(self, assignments: tuple[Assignment, ...]) -> tuple[Assignment, ...]:
        """Reasons are short; after a confidential text was read they are references only."""
        if not self._units.read_confidential:
            return tuple(replace(a, reason=a.reason[:_LONGEST_REASON]) for a in assignments)
        reason = f"chosen by the model, which read {', '.join(dict.fromkeys(self._units.read_ids))}"
        return tuple(replace(a, reason=reason) for a in assignments)


def _sent_back(reply: Completion, planned: Planned) -> Turn:
    """The faults, for one repair. A call that came besides is not done, but needs its answer."""
    results = tuple(
        ToolResult(call.id, "not done: plan now", is_error=True) for call in reply.calls
    )
    faults = "\n".join(f"- {fault}" for fault in planned.faults)
    said = f"Your plan had these faults; mend them and answer with JSON only:\n{faults}"
    return Turn(reply.echo, results, said)
