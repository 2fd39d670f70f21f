"""The action gate: no action without a durable decision, no decision without an outcome.

One action goes like this:
1. The policy in force judges it (knowledge.scope). Refused: the refusal is written, nothing happens.
2. An action that only a person may allow looks for a grant of exactly this action, and uses it up.
3. The decision is in the ledger, on the disk. Where it cannot be written, nothing happens.
4. What reaches out to another host is signed for first: the end of the log is anchored.
5. What is about to be executed is compared with what was approved, by its digest.
6. The action, and then its outcome in the ledger, also where the action fails.
A refusal is a value. What a crash leaves between 3 and 6 gets a `recovery` entry in the next life.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

from daemon.clock import Clock
from daemon.errors import LedgerError, StoreError
from daemon.governance.budget import Refusal
from daemon.governance.ledger_in_use import LedgerInUse
from daemon.governance.ledger_words import (
    action_facts,
    as_verdict,
    outcome_words,
    policy_facts,
    recovery_facts,
)
from daemon.governance.limits_in_use import LimitsInUse
from daemon.governance.proven import proven_grants
from daemon.knowledge.action import Action, Grant, Policy, Ruling
from daemon.knowledge.scope import check_conformance
from daemon.knowledge.tools import TOOLS, build_action
from daemon.ledger.entry import digest_of
from daemon.store import grants
from daemon.store.database import Database

T = TypeVar("T")
RefusedBy = Literal["policy", "ledger", "action"]


@dataclass(frozen=True)
class Refused:
    """Why an action did not happen. `by` the policy (it has a fault), the ledger, or the ruling on
    this one action."""

    ruling: Ruling
    by: RefusedBy = "action"

    @property
    def message(self) -> str:
        return self.ruling.reason

    def as_refusal(self) -> Refusal:
        """The same for whoever asked for money: it holds the work up and is no failure."""
        return Refusal("ledger" if self.by == "ledger" else "policy", self.message)


@dataclass(frozen=True)
class Call:
    """What somebody wants to do. `arguments` gives the arguments as they will be executed: what it
    gives is judged, and compared by its digest before and after."""

    actor: str
    tool: str
    arguments: Callable[[], Mapping[str, object]]

    def action(self, policy: Policy) -> Action | Ruling:
        """A Ruling (DENY) where it is no sound call of a tool that the policy knows."""
        return build_action(self.actor, self.tool, self.arguments(), policy.tools or TOOLS)

    def args_sha256(self) -> str:
        """Empty where the arguments are no JSON, which are never approved."""
        try:
            return digest_of(self.arguments())
        except LedgerError:
            return ""


class ActionGate:
    """Stands before everything that the daemon does to the outside of its own database.

    `policy` gives the one in force; `powers` those of an agent, by its id. `books` is its ledger.
    `on_escalation` hears what only a person could allow; it raises nothing."""

    on_escalation: Callable[[Call, Action, Ruling], None] = staticmethod(lambda *_it: None)

    def __init__(
        self,
        books: LedgerInUse,
        policy: Callable[[], Policy],
        db: Database,
        clock: Clock,
        *,
        powers: Callable[[str], frozenset[str]] = lambda _actor: frozenset(),
    ) -> None:
        self.books, self._policy, self.db, self._clock = books, policy, db, clock
        self._powers = powers
        self._limits = LimitsInUse(clock)

    def perform(
        self,
        call: Call,
        do: Callable[[], T],
        *,
        sprint: int | None = None,
        further: Callable[[], Ruling | None] | None = None,
        not_done: Callable[[T], str] = lambda _result: "",
    ) -> T | Refused:
        """What `do` gives, or why it was not done. Raises what `do` raises.

        `further` is asked about an action that the policy allows. `not_done` says of a result why
        nothing happened after all, empty where it did.
        """
        policy = self._policy()
        action = call.action(policy)
        try:
            if isinstance(action, Ruling):
                return self._refuse(policy, call, action, sprint)
            ruling, seq = self._decide(policy, action, sprint, further)
            if ruling.effect == "ALLOW" and _reaches_out(action):
                self._sign_first(action, sprint, seq)
        except LedgerError as error:
            return _by_ledger(error)
        if ruling.effect == "ESCALATE":
            self.on_escalation(call, action, ruling)
        if ruling.effect != "ALLOW":
            return Refused(ruling, "policy" if policy.faults else "action")
        return self._carry_out(action, call, do, not_done, sprint, seq)

    def allows(self, call: Call) -> bool:
        """Whether the policy would let it through now; writes nothing and counts nothing."""
        policy = self._policy()
        action = call.action(policy)
        return isinstance(action, Action) and self._judge(policy, action, None).effect == "ALLOW"

    def rule_on(self, action: Action, given: Sequence[Grant]) -> Ruling:
        """What the policy would say of it with these grants; writes nothing and counts nothing."""
        return self._judge(self._policy(), action, None, given)

    def tools_of(self, actor: str) -> frozenset[str]:
        """The tools that some scope of the actor names; whether a call passes is for `perform`."""
        scopes = self._policy().scopes_of(actor)
        return frozenset(tool for scope in scopes if not scope.held for tool in scope.tools)

    def trouble(self) -> Refusal | None:
        """Why no action at all can happen now: a policy with a fault, or a ledger that cannot be
        written or was cut. None where actions can."""
        policy = self._policy()
        if policy.faults:
            reason = f"the map cannot govern, so nothing is done: {policy.faults[0]}"
            return Refusal("policy", reason)
        fault = self.books.fault()
        return _by_ledger(fault).as_refusal() if fault else None

    def recover(self) -> list[str]:
        """Close the decisions that earlier lives left open; what was closed, as lines.

        Only for the holder of the workspace's lock. Doing it twice changes nothing.
        """
        said: list[str] = []
        try:
            for seq, facts in self.books.unfinished():
                self.books.append("recovery", actor="recovery", ref=seq, **recovery_facts(facts))
                said.append(f"entry {seq} of the ledger had no outcome: it is closed as unknown")
            self.books.all_closed()
        except StoreError as error:
            said.append(f"the ledger's open decisions stay open: {error}")
        return said

    def checkpoint(self) -> LedgerError | None:
        """Sign and anchor what was decided so far; what went wrong, or None."""
        try:
            self.books.checkpoint()
        except LedgerError as error:
            return error
        return None

    def close(self) -> None:
        self.books.close()

    def _refuse(self, policy: Policy, call: Call, ruling: Ruling, sprint: int | None) -> Refused:
        action = Action(call.actor, call.tool, (), call.args_sha256())
        self._write_decision(policy, action, ruling, sprint)
        return Refused(ruling)

    def _decide(
        self,
        policy: Policy,
        action: Action,
        sprint: int | None,
        further: Callable[[], Ruling | None] | None,
    ) -> tuple[Ruling, int]:
        """The ruling and where it stands in the ledger. Raises LedgerError."""
        ruling = self._judge(policy, action, sprint)
        if ruling.effect == "ALLOW" and further is not None:
            ruling = further() or ruling
        if ruling.effect == "ESCALATE":
            return self._decide_with_grants(policy, action, ruling, sprint)
        return ruling, self._write_decision(policy, action, ruling, sprint)

    def _decide_with_grants(
        self, policy: Policy, action: Action, ruling: Ruling, sprint: int | None
    ) -> tuple[Ruling, int]:
        """Grants are used up in the transaction that the decision is written in: both or neither."""
        try:
            with self.books.hold(), self.db.immediate():
                found = proven_grants(self.db, self.books, action)
                given = [Grant(row.source, row.level, row.action_sha256) for row in found]
                if given:
                    ruling = self._judge(policy, action, sprint, given)
                if ruling.effect == "ALLOW":
                    grants.spend(self.db, [row.id for row in found], self._clock.now())
                return ruling, self._write_decision(policy, action, ruling, sprint)
        except StoreError as error:
            raise error if isinstance(error, LedgerError) else LedgerError(str(error)) from error

    def _judge(
        self, policy: Policy, action: Action, sprint: int | None, given: Sequence[Grant] = ()
    ) -> Ruling:
        return check_conformance(
            policy,
            action,
            ceilings={},
            powers=self._powers(action.actor),
            grants=given,
            used=self._limits.used(action.actor, sprint),
        )

    def _write_decision(
        self, policy: Policy, action: Action, ruling: Ruling, sprint: int | None
    ) -> int:
        receipt = self.books.append(
            "decision",
            **action_facts(action),
            verdict=as_verdict(ruling),
            policy=policy_facts(policy),
            sprint=sprint,
        )
        if ruling.effect == "ALLOW":
            self._limits.count(action, sprint)
        return receipt.seq

    def _sign_first(self, action: Action, sprint: int | None, seq: int) -> None:
        """Raises LedgerError: then what was decided does not happen, which is its outcome."""
        try:
            self.books.checkpoint()
        except LedgerError:
            self._limits.count(action, sprint, -1)
            self._settle(action, "NOT DONE", "the log could not be signed first", sprint, seq)
            raise

    def _carry_out(
        self,
        action: Action,
        call: Call,
        do: Callable[[], T],
        not_done: Callable[[T], str],
        sprint: int | None,
        seq: int,
    ) -> T | Refused:
        found = call.args_sha256()
        if found != action.args_sha256:
            return self._changed(action, found, sprint, seq)
        try:
            result = do()
        except BaseException as error:
            self._limits.count(action, sprint, -1)
            self._settle(action, "FAILED", f"{type(error).__name__} was raised", sprint, seq)
            raise
        found = call.args_sha256()
        if found != action.args_sha256:
            return self._changed(action, found, sprint, seq)
        why = not_done(result)
        if why:
            self._limits.count(action, sprint, -1)
        self._settle(action, "NOT DONE" if why else "DONE", why, sprint, seq)
        return result

    def _changed(self, action: Action, found: str, sprint: int | None, seq: int) -> Refused:
        reason = "what was to be executed is not what was approved: its arguments were changed"
        self._settle(replace(action, args_sha256=found), "REFUSED", reason, sprint, seq)
        return Refused(Ruling("DENY", "digest", reason, final=True))

    def _settle(
        self, action: Action, effect: str, reason: str, sprint: int | None, seq: int
    ) -> None:
        verdict = outcome_words(effect, reason)
        facts = action_facts(action)
        self.books.settle("outcome", **facts, verdict=verdict, sprint=sprint, ref=seq)


def _reaches_out(action: Action) -> bool:
    return any(target.kind == "host" for target in action.targets)


def _by_ledger(error: LedgerError) -> Refused:
    reason = f"nothing is done without an entry in the ledger: {error}"
    return Refused(Ruling("DENY", "ledger", reason, final=False), "ledger")
