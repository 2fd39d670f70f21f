"""Planning with tools: the orchestrator looks around, is refused or answered, and then plans."""

from __future__ import annotations

from collections.abc import Sequence

from daemon.errors import ProviderPermanent
from daemon.governance.budget import Refusal
from daemon.knowledge.unit import Manifest
from daemon.llm.provider import Completion, ToolResult, Turn
from daemon.llm.service_errors import BILLING_SETTING
from daemon.sprint.offer import Offer, Planned, plan_key, without_copies
from daemon.sprint.parts import SprintParts
from daemon.sprint.planning_tools import PlanningTool, Toolbox, unit_tools
from daemon.sprint.planning_units import PlanningUnits
from daemon.store import control

MOST_TURNS = 10
CUT_OFF = "chosen by the model in a talk that was cut off"
_WITHOUT = "planning.without_tools"
_REJECTED = (400, 422)
_TALK_REJECTED = (*_REJECTED, 413)


def may_use_tools(parts: SprintParts) -> bool:
    """Whether the provider takes tools. One that rejected them is not asked with tools again, as
    long as the configuration names the same."""
    metered = parts.metered
    return metered.uses_tools and control.get(parts.db, _WITHOUT) != metered.describe()


class Conversation:
    """The planning of one sprint: at most MOST_TURNS calls, each with its own key and paid for.

    A plan with faults is sent back once. `begun` are the replies of a talk that a crash cut off: they
    are paid for, so it goes on after them. What a model said may be such that the service does not take
    it back: the talk ends then, and the daemon is not to blame. `more_tools` are those of other rooms.
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
        units = self._units
        self._box = Toolbox(
            parts, offer.lead.id, sprint_id, tools, private=lambda: units.read_confidential
        )
        self._turns: list[Turn] = []
        self._begun = begun

    def plan(self) -> Planned | Refusal | None:
        """The plan, with its faults where it stayed wrong; None where there are no tools for it, or
        the service takes none."""
        if not self._box.specs:
            return None
        planned, sent_back = Planned((), ("no plan came",)), False
        for number in range(1, MOST_TURNS + 1):
            answer = self._begun[number - 1] if number <= len(self._begun) else self._ask(number)
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
        return without_copies(planned, self._who_read_what())

    def _ask(self, number: int) -> Completion | Refusal | Planned | None:
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
            if number > 1 and error.status in _TALK_REJECTED and error.setting != BILLING_SETTING:
                self._parts.say(f"planning: the service rejected the talk ({error.status})")
                return Planned((), (f"the service rejected the talk ({error.status})",))
            if number > 1 or error.status not in _REJECTED or "tool" not in str(error).lower():
                raise
            metered, now = self._parts.metered, self._parts.clock.now()
            control.put(self._parts.db, _WITHOUT, metered.describe(), now)
            self._parts.say(f"planning without tools: {error}")
            return None

    def _who_read_what(self) -> str:
        """After a confidential text was read, its id and the others' instead of the model's words.

        The one who began a talk that was cut off may have read what cannot be read any more.
        """
        read = ", ".join(dict.fromkeys(self._units.read_ids))
        if self._units.read_confidential:
            return f"chosen by the model, which read {read}"
        return CUT_OFF if any(reply.calls for reply in self._begun) else ""


def _sent_back(reply: Completion, planned: Planned) -> Turn:
    """The faults, for one repair. A call that came besides is not done, but needs its answer."""
    results = tuple(
        ToolResult(call.id, "not done: plan now", is_error=True) for call in reply.calls
    )
    faults = "\n".join(f"- {fault}" for fault in planned.faults)
    said = f"Your plan had these faults; mend them and answer with JSON only:\n{faults}"
    return Turn(reply.echo, results, said)
