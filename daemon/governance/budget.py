"""The budget gate: no money is set aside beyond the day's cap, and no call is made without money.

A price that is unknown, a database that cannot be written and a cap that is reached are refusals,
never exceptions and never zero. The day is the UTC day, whatever the machine's own zone is.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal, Self

from daemon.clock import Clock, day_of, end_of_day, utc_text
from daemon.config.sections import MICROS_PER_USD, BudgetSection
from daemon.errors import StoreError
from daemon.llm.prices import MAX_TOKENS, PriceTable, UnknownPrice
from daemon.llm.provider import Completion, Usage
from daemon.store import budget as rows
from daemon.store import events
from daemon.store.api_calls import CallEnd, CallFacts
from daemon.store.database import Database

SCOPE = "venture"
RefusalReason = Literal["cap", "no_price", "store", "gate", "policy", "ledger"]
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Caller:
    """What a call is for: `purpose` is plan, attempt, judge, diagnosis, consolidation or review."""

    purpose: str
    sprint_id: int | None = None
    item: str | None = None
    agent: str | None = None


@dataclass(frozen=True)
class Reservation:
    """Money set aside for one call; it counts for `day` even if the call ends after midnight."""

    key: str
    day: date
    held_micros: int
    model: str


@dataclass(frozen=True)
class Refusal:
    """Why a call was not made. `message` is one line for people.

    The figures are those that the decision was taken on; None where it did not look at them.
    """

    reason: RefusalReason
    message: str
    cap_micros: int | None = None
    spent_micros: int | None = None
    reserved_micros: int | None = None
    asked_micros: int | None = None
    day_ends_at: datetime | None = None

    @classmethod
    def by_gate(cls, message: str) -> Self:
        """The refusal of a daemon that is halted or stopping."""
        return cls("gate", message)

    @classmethod
    def by_store(cls, error: StoreError) -> Self:
        """The refusal where money cannot be written down."""
        return cls("store", f"nothing may be spent without the database: {error}")


@dataclass(frozen=True)
class BudgetDay:
    """One UTC day's money. `remaining_micros` is what may still be reserved, never below 0;
    `raised_micros` the part of the cap that a person added for this day."""

    day: date
    cap_micros: int
    spent_micros: int
    reserved_micros: int
    remaining_micros: int
    ends_at: datetime
    raised_micros: int = 0


class Budget:
    """Reserves before a call, and settles, releases or keeps the worst case after it.

    `raised` gives the micro-dollars that people added to a scope's cap on a day (see `proven.py`)."""

    def __init__(
        self,
        db: Database,
        prices: PriceTable,
        section: BudgetSection,
        clock: Clock,
        raised: Callable[[str, date], int] = lambda _scope, _day: 0,
    ) -> None:
        self._raised = raised
        self._db = db
        self._prices = prices
        self._section = section
        self._clock = clock

    def adopt(self, section: BudgetSection) -> None:
        """Go by other settings from the next decision on."""
        self._section = section

    def today(self) -> BudgetDay:
        """The money of the present UTC day, under the cap as configured and what a person added for
        this day. Raises StoreError."""
        now = self._clock.now()
        row = rows.find_day(self._db, SCOPE, day_of(now))
        raised = self._raised(SCOPE, day_of(now))
        cap, used = self._section.daily_cap_micros + raised, row.used_micros if row else 0
        return BudgetDay(
            day=day_of(now),
            cap_micros=cap,
            spent_micros=row.spent_micros if row else 0,
            reserved_micros=row.held_micros if row else 0,
            remaining_micros=max(0, cap - used),
            ends_at=end_of_day(now),
            raised_micros=raised,
        )

    def worst_case_micros(self, model: str, *, input_tokens: int, output_tokens: int) -> int:
        """The most that such a call can cost today. Raises UnknownPrice."""
        return self._prices.worst_case_micros(
            model,
            input_tokens=input_tokens,
            output_tokens=output_tokens,
            on=day_of(self._clock.now()),
        )

    def reserve(
        self,
        key: str,
        *,
        provider: str,
        model: str,
        input_tokens: int,
        output_tokens: int,
        caller: Caller,
    ) -> Reservation | Refusal:
        """Set the worst case aside under `key`, once. Only a Reservation allows the call."""
        now = self._clock.now()
        facts = CallFacts(provider=provider, model=model, **vars(caller))
        try:
            micros = self._prices.worst_case_micros(
                model, input_tokens=input_tokens, output_tokens=output_tokens, on=day_of(now)
            )
            limit = self._limit(day_of(now))
            answer = rows.reserve(self._db, key, limit, facts, micros=micros, now=now)
        except UnknownPrice as error:
            return Refusal("no_price", f"not called: {error}")
        except StoreError as error:
            return Refusal.by_store(error)
        if isinstance(answer, rows.Denied):
            return _refusal_by_cap(answer, end_of_day(now))
        if isinstance(answer, rows.KeyTaken):
            state = answer.hold.state
            return Refusal("store", f"not called: {key} was reserved before and is {state}")
        return Reservation(key, answer.day, answer.held_micros, model)

    def settle(self, reservation: Reservation, completion: Completion) -> int:
        """Book what the reply cost, priced by the model that answered; the micro-dollars booked.

        A reply that cannot be priced (a proxy answered with a model without a price, or the usage
        is impossible) is booked at its worst case and flagged: it is paid for, so it is kept.
        Raises StoreError, and then the reservation stays held.
        """
        actual, fault = self._price(reservation, completion)
        end = _end_of_reply(completion, fault)
        with self._db.immediate():
            if fault:
                facts = {"key": reservation.key, "model": completion.model, "reason": fault}
                events.record(self._db, "unpriced_reply", self._clock.now(), facts=facts)
                _log.warning("a reply could not be priced: %s", facts)
            return self._close(reservation.key, end, actual)

    def release(self, reservation: Reservation, *, error: str, request_id: str | None) -> None:
        """Give the money back for a call that was surely not billed. Raises StoreError."""
        end = CallEnd("not_billed", error=error, request_id=request_id)
        rows.release(self._db, reservation.key, end, now=self._clock.now())

    def keep_worst_case(
        self, reservation: Reservation, *, error: str, request_id: str | None = None
    ) -> None:
        """Count a call that may have been billed at all that was held. Raises StoreError."""
        end = CallEnd("unknown", error=error, request_id=request_id)
        self._close(reservation.key, end, reservation.held_micros)

    def keep_all_held(self, *, but_for: tuple[str, ...], error: str) -> list[str]:
        """Count every open reservation at its worst case; the keys that were closed.

        Those whose key begins with an entry of `but_for` are left alone. Doing it twice changes
        nothing. Raises StoreError.
        """
        with self._db.immediate():
            orphans = [
                hold for hold in rows.list_held(self._db) if not hold.key.startswith(but_for)
            ]
            for hold in orphans:
                self._close(hold.key, CallEnd("unknown", error=error), hold.held_micros)
        return [hold.key for hold in orphans]

    def _limit(self, day: date) -> rows.Limit:
        """What is added between this and the transaction that takes counts for the next call."""
        cap = self._section.daily_cap_micros + self._raised(SCOPE, day)
        return rows.Limit(SCOPE, day, cap)

    def _price(self, reservation: Reservation, completion: Completion) -> tuple[int, str]:
        """What to book, and why that is the worst case and not the bill (empty: it is the bill)."""
        try:
            cost = self._prices.cost_micros(completion.model, completion.usage, reservation.day)
            _check_plausible(completion, reservation)
        except UnknownPrice as error:
            return reservation.held_micros, f"booked at its worst case: {error}"
        return cost, ""

    def _close(self, key: str, end: CallEnd, actual_micros: int) -> int:
        closed = rows.settle(
            self._db,
            key,
            end,
            actual_micros=actual_micros,
            warn_at_percent=self._section.warn_at_percent,
            now=self._clock.now(),
        )
        return closed.actual_micros or 0


def usd_text(micros: int) -> str:
    """Micro-dollars as US dollars, exact, with two to six decimals: 19.50, 0.054399."""
    sign, rest = "-" if micros < 0 else "", abs(micros)
    cents, fine = divmod(rest % MICROS_PER_USD, 10_000)
    return f"{sign}{rest // MICROS_PER_USD}.{cents:02}" + f"{fine:04}".rstrip("0")


def _refusal_by_cap(denied: rows.Denied, ends_at: datetime) -> Refusal:
    limit = denied.limit
    message = (
        f"the daily cap of {usd_text(limit.cap_micros)} USD would be exceeded: "
        f"{usd_text(denied.spent_micros)} spent, {usd_text(denied.reserved_micros)} reserved, "
        f"{usd_text(denied.asked_micros)} asked for; the day ends at {utc_text(ends_at)} "
        "(budget.daily_cap_usd in config.toml)"
    )
    return Refusal(
        "cap",
        message,
        cap_micros=limit.cap_micros,
        spent_micros=denied.spent_micros,
        reserved_micros=denied.reserved_micros,
        asked_micros=denied.asked_micros,
        day_ends_at=ends_at,
    )


def _check_plausible(completion: Completion, reservation: Reservation) -> None:
    """A priced call whose usage says nothing was read or written cannot be taken at its word."""
    usage = completion.usage
    says_nothing = usage.prompt_tokens == 0 or (completion.text and usage.output_tokens == 0)
    if reservation.held_micros and says_nothing:
        raise UnknownPrice("the service reported no usage for a call that it answered")


def _end_of_reply(completion: Completion, fault: str) -> CallEnd:
    return CallEnd(
        outcome="replied",
        replied_model=completion.model,
        error=fault or None,
        request_id=completion.request_id,
        **_storable_counts(completion.usage),
    )


def _storable_counts(usage: Usage) -> dict[str, int | None]:
    """The token counts; None for one that is no number of tokens."""
    return {
        name: count if type(count) is int and 0 <= count <= MAX_TOKENS else None
        for name, count in vars(usage).items()
    }
