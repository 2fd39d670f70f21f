"""Money by scope and UTC day, and the reservations against it. Every change is one transaction.

For each day `used = held + settled`: what is set aside for calls under way, and what calls have
cost. A reservation is taken from its day only once, by its key, and is closed only once; it counts
for its own day, also where it is closed after midnight.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Literal

from daemon.clock import to_text
from daemon.errors import StoreError
from daemon.store import events
from daemon.store.api_calls import CallEnd, CallFacts, close_call, save_call
from daemon.store.database import Database, Transaction

HoldState = Literal["held", "settled", "released"]
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Limit:
    """A cap on one scope's UTC day. A cap of 0 is zero, not unlimited."""

    scope: str
    day: date
    cap_micros: int


@dataclass(frozen=True)
class DayRow:
    """One scope's day. `warned_at` is when the warning was given, or None."""

    scope: str
    day: date
    cap_micros: int
    used_micros: int
    held_micros: int
    warned_at: str | None

    @property
    def spent_micros(self) -> int:
        return self.used_micros - self.held_micros


@dataclass(frozen=True)
class HoldRow:
    """One reservation; `actual_micros` is None while it is held."""

    key: str
    scope: str
    day: date
    held_micros: int
    actual_micros: int | None
    state: HoldState


@dataclass(frozen=True)
class Denied:
    """The cap's no, with the figures that it was decided on. Nothing was written."""

    limit: Limit
    spent_micros: int
    reserved_micros: int
    asked_micros: int


@dataclass(frozen=True)
class KeyTaken:
    """The key was reserved before, so whoever asks now must not call. Nothing was written."""

    hold: HoldRow


def reserve(
    db: Database, key: str, limit: Limit, facts: CallFacts, *, micros: int, now: datetime
) -> HoldRow | Denied | KeyTaken:
    """Set `micros` aside and write the call that they are for, or say why not.

    The write lock is held from the first look at the figures to the commit, so what was read stays
    true; the update repeats the condition all the same. Several limits on one call would be checked
    and then taken here, in the order of their scopes.
    """
    with db.immediate() as tx:
        earlier = _find_hold(tx, key)
        if earlier:
            return KeyTaken(earlier)
        denied = _check(tx, limit, micros)
        if denied:
            return denied
        _take(tx, limit, micros)
        sql = (
            "INSERT INTO reservation (key, scope, day, held_micros, state, created_at) "
            "VALUES (?, ?, ?, ?, 'held', ?)"
        )
        tx.execute(sql, (key, limit.scope, limit.day.isoformat(), micros, to_text(now)))
        save_call(db, key, facts, day=limit.day, micros=micros, now=now)
    return HoldRow(key, limit.scope, limit.day, micros, None, "held")


def settle(
    db: Database, key: str, end: CallEnd, *, actual_micros: int, warn_at_percent: int, now: datetime
) -> HoldRow:
    """Replace what was held by what the call cost, and write what came of it.

    A bill above its hold is written as it is, and told of. Closing a second time changes nothing.
    """
    with db.immediate() as tx:
        hold = _existing(tx, key)
        if hold.state != "held":
            return hold
        closed = _close(db, tx, hold, "settled", actual_micros, end, now)
        _tell_if_above_hold(db, closed, now)
        _warn_once(db, tx, closed, warn_at_percent, now)
    return closed


def release(db: Database, key: str, end: CallEnd, *, now: datetime) -> HoldRow:
    """Give back what was held for a call that was not billed. A second time changes nothing."""
    with db.immediate() as tx:
        hold = _existing(tx, key)
        if hold.state != "held":
            return hold
        return _close(db, tx, hold, "released", 0, end, now)


def find_day(db: Database, scope: str, day: date) -> DayRow | None:
    """The figures of one day in one look-up; None where nothing was ever reserved on it."""
    sql = "SELECT * FROM budget_day WHERE scope = ? AND day = ?"
    row = db.row(sql, (scope, day.isoformat()))
    return _day(row) if row else None


def list_days(db: Database, scope: str, since: date) -> list[DayRow]:
    """The days from `since` on that have figures, oldest first."""
    sql = "SELECT * FROM budget_day WHERE scope = ? AND day >= ? ORDER BY day"
    return [_day(row) for row in db.rows(sql, (scope, since.isoformat()))]


def find_hold(db: Database, key: str) -> HoldRow | None:
    """The reservation of a key."""
    row = db.row("SELECT * FROM reservation WHERE key = ?", (key,))
    return _hold(row) if row else None


def list_held(db: Database) -> list[HoldRow]:
    """Every reservation that is not closed, oldest day first."""
    sql = "SELECT * FROM reservation WHERE state = 'held' ORDER BY day, key"
    return [_hold(row) for row in db.rows(sql)]


def count_reservations(db: Database, prefix: str) -> int:
    """How many reservations have a key that begins with `prefix`, whatever became of them."""
    sql = "SELECT count(*) AS number FROM reservation WHERE key >= ? AND key < ?"
    after = prefix[:-1] + chr(ord(prefix[-1]) + 1)
    return int(db.rows(sql, (prefix, after))[0]["number"])


def budget_faults(db: Database) -> list[str]:
    """Where the day's figures and their reservations or calls disagree; empty: nowhere.

    Reads every reservation and call; for a doctor, not for the way of a call.
    """
    faults = [
        f"{row['day']} ({row['scope']}): the day counts {row['used_micros']} micro-dollars used, "
        f"{row['held_micros']} of them held; its reservations say {row['settled'] + row['held']}, "
        f"{row['held']} of them held"
        for row in db.rows(_DAY_FAULTS)
    ]
    faults += [
        f"{row['key']}: the reservation is {row['state']} at {row['actual_micros']} micro-dollars, "
        f"its call {row['outcome']} at {row['cost_micros']}"
        for row in db.rows(_CALL_FAULTS)
    ]
    return faults


_DAY_FAULTS = """
    WITH booked AS (
        SELECT scope, day,
            sum(CASE state WHEN 'held' THEN held_micros ELSE 0 END) AS held,
            sum(CASE state WHEN 'settled' THEN actual_micros ELSE 0 END) AS settled
        FROM reservation GROUP BY scope, day)
    SELECT scope, day, used_micros, held_micros,
        coalesce(held, 0) AS held, coalesce(settled, 0) AS settled
    FROM budget_day LEFT JOIN booked USING (scope, day)
    WHERE used_micros <> coalesce(held, 0) + coalesce(settled, 0)
        OR held_micros <> coalesce(held, 0)
    ORDER BY day, scope"""

_CALL_FAULTS = """
    SELECT key, state, actual_micros, outcome, cost_micros
    FROM reservation LEFT JOIN api_calls ON reservation_key = key
    WHERE outcome IS NULL OR actual_micros IS NOT cost_micros
        OR (state = 'held') <> (outcome = 'started')
    ORDER BY key LIMIT 100"""


def _check(tx: Transaction, limit: Limit, micros: int) -> Denied | None:
    sql = "SELECT used_micros, held_micros FROM budget_day WHERE scope = ? AND day = ?"
    row = tx.row(sql, (limit.scope, limit.day.isoformat())) or {"used_micros": 0, "held_micros": 0}
    if row["used_micros"] + micros <= limit.cap_micros:
        return None
    return Denied(limit, row["used_micros"] - row["held_micros"], row["held_micros"], micros)


def _take(tx: Transaction, limit: Limit, micros: int) -> None:
    place = {"scope": limit.scope, "day": limit.day.isoformat(), "cap": limit.cap_micros}
    tx.execute(
        "INSERT INTO budget_day (scope, day, cap_micros) VALUES (:scope, :day, :cap) "
        "ON CONFLICT (scope, day) DO UPDATE SET cap_micros = excluded.cap_micros",
        place,
    )
    taken = tx.execute(
        "UPDATE budget_day SET used_micros = used_micros + :x, held_micros = held_micros + :x "
        "WHERE scope = :scope AND day = :day AND used_micros + :x <= :cap",
        {**place, "x": micros},
    )
    if taken != 1:
        raise StoreError(f"the budget of {limit.day} changed under the write lock; nothing spent")


def _close(
    db: Database,
    tx: Transaction,
    hold: HoldRow,
    state: HoldState,
    actual: int,
    end: CallEnd,
    now: datetime,
) -> HoldRow:
    tx.execute(
        "UPDATE reservation SET state = ?, actual_micros = ?, closed_at = ? WHERE key = ?",
        (state, actual, to_text(now), hold.key),
    )
    tx.execute(
        "UPDATE budget_day SET used_micros = used_micros - ? + ?, held_micros = held_micros - ? "
        "WHERE scope = ? AND day = ?",
        (hold.held_micros, actual, hold.held_micros, hold.scope, hold.day.isoformat()),
    )
    close_call(db, hold.key, end, cost_micros=actual)
    return HoldRow(hold.key, hold.scope, hold.day, hold.held_micros, actual, state)


def _tell_if_above_hold(db: Database, hold: HoldRow, now: datetime) -> None:
    if (hold.actual_micros or 0) <= hold.held_micros:
        return
    facts = {"key": hold.key, "held_micros": hold.held_micros, "cost_micros": hold.actual_micros}
    events.record(db, "bill_above_hold", now, facts=facts)
    _log.warning("a bill is above its reservation and was booked as it is: %s", facts)


def _warn_once(db: Database, tx: Transaction, hold: HoldRow, percent: int, now: datetime) -> None:
    """Tell once a day that most of the cap is spent; money only set aside does not count here."""
    place = (hold.scope, hold.day.isoformat())
    crossed = tx.execute(
        "UPDATE budget_day SET warned_at = ? WHERE scope = ? AND day = ? AND warned_at IS NULL "
        "AND cap_micros > 0 AND (used_micros - held_micros) * 100 >= cap_micros * ?",
        (to_text(now), *place, percent),
    )
    if crossed:
        row = tx.rows("SELECT * FROM budget_day WHERE scope = ? AND day = ?", place)[0]
        day = _day(row)
        facts = {
            "day": place[1],
            "percent": percent,
            "spent_micros": day.spent_micros,
            "cap_micros": day.cap_micros,
        }
        events.record(db, "budget_warning", now, facts=facts)
        _log.warning("%s %% of the day's cap is spent: %s", percent, facts)


def _existing(tx: Transaction, key: str) -> HoldRow:
    hold = _find_hold(tx, key)
    if hold is None:
        raise StoreError(f"there is no reservation {key!r}")
    return hold


def _find_hold(tx: Transaction, key: str) -> HoldRow | None:
    row = tx.row("SELECT * FROM reservation WHERE key = ?", (key,))
    return _hold(row) if row else None


def _hold(row: dict[str, Any]) -> HoldRow:
    kept = {name: row[name] for name in HoldRow.__dataclass_fields__}
    return HoldRow(**{**kept, "day": date.fromisoformat(row["day"])})


def _day(row: dict[str, Any]) -> DayRow:
    return DayRow(**{**row, "day": date.fromisoformat(row["day"])})
