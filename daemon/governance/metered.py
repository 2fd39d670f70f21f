"""The only way to a model: money first, each reply paid for once, no outcome guessed.

A call goes like this, and its order is what makes the promises of the budget true:
1. A reply that is stored under the key is given back; nothing is asked or paid.
2. A key that was used before without a stored reply is refused: nobody knows whether it was billed.
3. One transaction writes the effect (`started`), the reservation and the call.
4. The provider is asked, once.
5. One transaction writes the bill, the call's end and the reply, before anybody sees it.
A crash between 3 and 5 leaves the reservation standing, which `recover` counts at its worst case.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime, timedelta
from functools import partial

from daemon.clock import Clock
from daemon.config.log_lines import log_ids
from daemon.config.sections import Tier
from daemon.errors import (
    OutcomeUnknown,
    ProviderBusy,
    ProviderError,
    ProviderPermanent,
    StoreError,
)
from daemon.governance.budget import Budget, Caller, Refusal, Reservation, usd_text
from daemon.governance.calls import (
    Act,
    Gate,
    LeaveAlone,
    PaidCall,
    at_once,
    open_gate,
    tell_nobody,
    unknown_and_refused,
)
from daemon.governance.replies import check_reply, read_reply
from daemon.governance.retries import NotAgain, RetryRule, StoppedWaiting, wait_told, with_time_told
from daemon.llm.prices import UnknownPrice
from daemon.llm.provider import Completion, Prompt, Provider
from daemon.store import effects
from daemon.store.budget import count_reservations
from daemon.store.database import Database

GRACE_SECONDS = 60.0
_log = logging.getLogger(__name__)


class MeteredProvider:
    """Stands before a provider, which nobody else may ask.

    `owner` names this life of the daemon (machine, boot and process). `gate` is asked before every
    reservation and may refuse, as a halted daemon does. `busy` is told how many seconds the next
    wait or call may last, `leave_alone` until when the service wants no call, and its words. `act`
    does a try, or refuses to.
    `deadline_seconds` is the provider's own limit on one call.
    """

    def __init__(
        self,
        provider: Provider,
        budget: Budget,
        db: Database,
        clock: Clock,
        *,
        max_tries: int,
        deadline_seconds: float,
        owner: str,
        stop: threading.Event,
        jitter: Callable[[], float],
        gate: Gate = open_gate,
        busy: Callable[[float], None] = tell_nobody,
        leave_alone: LeaveAlone = tell_nobody,
        act: Act = at_once,
    ) -> None:
        self._provider = provider
        self._budget = budget
        self._db = db
        self._clock = clock
        self._deadline_seconds = deadline_seconds
        self._owner = owner
        self._stop, self._gate, self._busy = stop, gate, busy
        self._leave_alone, self._act = leave_alone, act
        self._rule = RetryRule(clock, max_tries, deadline_seconds, stop, jitter, busy)

    @property
    def provider_name(self) -> str:
        return self._provider.name

    @property
    def writes_json(self) -> bool:
        return self._provider.writes_json

    @property
    def uses_tools(self) -> bool:
        return self._provider.uses_tools

    def model_for(self, tier: Tier) -> str:
        return self._provider.model_for(tier)

    def describe(self) -> str:
        return self._provider.describe()

    def close(self) -> None:
        """Give up the provider's connections; a call under way ends, counted at its worst case."""
        self._provider.close()

    def worst_case_micros(self, prompt: Prompt) -> int:
        """The most that one try can cost today. Raises UnknownPrice."""
        tokens = self._provider.bound_input_tokens(prompt)
        return self._budget.worst_case_micros(
            prompt.model, input_tokens=tokens, output_tokens=prompt.max_output_tokens
        )

    def complete(self, key: str, prompt: Prompt, caller: Caller) -> Completion | Refusal:
        """The reply to `prompt`, asked for at most once under `key`; or why it was not asked for.

        Raises ProviderError where no reply came, OutcomeUnknown also where the key was used before
        without one, and StoreError where a reply came that could not be stored. After a failure
        that was surely not billed, and after a refusal, the same key may be used again. Not to be
        called inside a transaction: the reservation would not be on the disk before the call.
        """
        call = PaidCall(key, prompt, caller)
        try:
            with log_ids(call=key, sprint=caller.sprint_id, item=caller.item):
                answer = self._rule.tries()(self._try, call)
        except StoppedWaiting:
            # A wait follows an error, and that error is the truth about the call.
            self._abandon(call)
            raise self._truth_of(call, call.last_error) from None
        except BaseException as error:
            self._abandon(call)
            truth = self._truth_of(call, error) if isinstance(error, ProviderBusy) else error
            if truth is error:
                raise
            raise truth from error
        if isinstance(answer, Refusal):
            self._abandon(call)
            if call.may_be_billed:
                raise unknown_and_refused(call, answer) from call.last_error
        return answer

    def stored_reply(self, key: str) -> Completion | None:
        """The reply that was paid for under `key`, or None. Raises StoreError."""
        effect = effects.find_effect(self._db, key)
        return read_reply(effect) if effect else None

    def recover(self, now: datetime) -> list[str]:
        """Close what earlier lives left open; the keys whose outcome will never be known.

        Their reservations are counted at the worst case and their keys are never used again. Only
        for the holder of the workspace's lock, who knows that nobody else is alive; calls of this
        life are left alone. Doing it twice changes nothing. Raises StoreError.
        """
        with self._db.immediate():
            started = effects.list_started(self._db)
            mine = tuple(_try_prefix(one.key) for one in started if one.owner == self._owner)
            lost = [one.key for one in started if one.owner != self._owner]
            for key in lost:
                effects.lose_effect(self._db, key, now)
            reason = "the daemon ended while the call was under way"
            closed = self._budget.keep_all_held(but_for=mine, error=reason)
        if closed:
            _log.warning("%d calls of an earlier life stay at their worst case", len(closed))
        return lost

    def _try(self, call: PaidCall) -> Completion | Refusal:
        try:
            worst_case = self.worst_case_micros(call.prompt)
            kept = None if call.started else effects.find_effect(self._db, call.key)
        except (StoreError, UnknownPrice):
            return self._once(call)  # which says it better, and asks nobody
        if kept is not None:
            return self._once(call)
        return self._act(call, self._provider.name, worst_case, partial(self._once, call))

    def _once(self, call: PaidCall) -> Completion | Refusal:
        answer = self._begin(call)
        if not isinstance(answer, Reservation):
            return answer
        completion = self._ask(call, answer)
        self._keep_reply(call, answer, completion)
        return completion

    def _begin(self, call: PaidCall) -> Completion | Refusal | Reservation:
        """Steps 1 to 3."""
        try:
            if self._db.in_transaction():
                raise StoreError(f"{call.key} was asked inside a transaction; this is a fault")
            with self._db.immediate():
                effect = None if call.started else effects.find_effect(self._db, call.key)
                reply = read_reply(effect) if effect else None
                if effect and not reply:
                    raise NotAgain(f"{call.key} was asked before and is {effect.state}")
                return reply or self._refusal() or self._reserve(call)
        except StoreError as error:
            return Refusal.by_store(error)

    def _refusal(self) -> Refusal | None:
        if self._stop.is_set():
            return Refusal.by_gate("the daemon is stopping, so nothing new is asked")
        return self._gate()

    def _reserve(self, call: PaidCall) -> Refusal | Reservation:
        now = self._clock.now()
        deadline_at = now + timedelta(seconds=self._deadline_seconds + GRACE_SECONDS)
        prefix = _try_prefix(call.key)
        answer = self._budget.reserve(
            f"{prefix}{count_reservations(self._db, prefix) + 1}",
            provider=self._provider.name,
            model=call.prompt.model,
            input_tokens=self._provider.bound_input_tokens(call.prompt),
            output_tokens=call.prompt.max_output_tokens,
            caller=call.caller,
        )
        if isinstance(answer, Refusal):
            return answer
        if call.started:
            effects.extend_effect(self._db, call.key, deadline_at=deadline_at)
        else:
            effects.start_effect(
                self._db, call.key, owner=self._owner, deadline_at=deadline_at, now=now
            )
        return answer

    def _ask(self, call: PaidCall, reservation: Reservation) -> Completion:
        """Step 4. Only an error that surely means "not billed" gives the money back."""
        call.started = True
        billed_before, call.may_be_billed = call.may_be_billed, True
        try:
            self._busy(self._deadline_seconds)
            return check_reply(self._provider.send(call.prompt))
        except (ProviderPermanent, ProviderBusy) as error:
            call.last_error = error
            self._budget.release(reservation, error=str(error), request_id=error.request_id)
            call.may_be_billed = billed_before
            now = self._clock.now()
            if isinstance(error, ProviderBusy) and (until := wait_told(error, now)):
                self._leave_alone(until, str(with_time_told(error, now)))
            raise
        except BaseException as error:
            self._keep_worst_case(reservation, error)
            if isinstance(error, OutcomeUnknown):
                call.last_error = error
            elif isinstance(error, Exception):
                raise NotAgain(f"{type(error).__name__}: {error}") from error
            raise

    def _keep_reply(self, call: PaidCall, reservation: Reservation, reply: Completion) -> None:
        """Step 5. A reply that could not be stored is not given out; its money stays held."""
        try:
            with self._db.immediate():
                self._budget.settle(reservation, reply)
                now = self._clock.now()
                if not effects.finish_effect(self._db, call.key, asdict(reply), now):
                    raise StoreError(f"{call.key} was given up while the call was under way")
        except StoreError as error:
            raise StoreError(
                f"the reply {reply.request_id or 'without an id'} came but could not be stored; "
                f"{usd_text(reservation.held_micros)} USD stay reserved for it: {error}"
            ) from error

    def _keep_worst_case(self, reservation: Reservation, error: BaseException) -> None:
        request_id = error.request_id if isinstance(error, ProviderError) else None
        said = f"{type(error).__name__}: {error}"
        try:
            self._budget.keep_worst_case(reservation, error=said, request_id=request_id)
        except StoreError as store_error:
            # It stays held, which counts as much; the first error matters more.
            _log.error("%s stays held: %s", reservation.key, store_error)

    def _abandon(self, call: PaidCall) -> None:
        """No reply came: the key is free again if nothing can have been billed, else lost."""
        if not call.started:
            return
        try:
            if call.may_be_billed:
                effects.lose_effect(self._db, call.key, self._clock.now())
            else:
                effects.forget_effect(self._db, call.key)
        except StoreError as error:
            _log.error("%s stays marked as under way: %s", call.key, error)

    def _truth_of(self, call: PaidCall, error: ProviderError | None) -> ProviderError:
        """What the last error says of the whole call, of which an earlier try may be billed."""
        if call.may_be_billed and not isinstance(error, OutcomeUnknown):
            return OutcomeUnknown(f"{error}; an earlier try may have been billed")
        if isinstance(error, ProviderBusy):
            return with_time_told(error, self._clock.now())
        return error or OutcomeUnknown(f"{call.key}: the daemon was asked to stop")


def _try_prefix(key: str) -> str:
    return f"{key}/try/"
