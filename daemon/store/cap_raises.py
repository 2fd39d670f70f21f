"""The rows of `cap_raise`: money that a person added to one UTC day's cap, each by one approval."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

from daemon.clock import from_text, to_text
from daemon.store.database import Database


@dataclass(frozen=True)
class RaiseRow:
    """What one approval added to the cap of a day."""

    approval: str
    micros: int
    at: datetime


def add_raise(
    db: Database, *, approval: str, scope: str, day: date, micros: int, now: datetime
) -> bool:
    """Add to a day's cap; False, and nothing changes, where this approval added to one before."""
    sql = """INSERT INTO cap_raise (approval, scope, day, micros, at)
             SELECT :approval, :scope, :day, :micros, :at
             WHERE NOT EXISTS (SELECT 1 FROM cap_raise WHERE approval = :approval)"""
    values = {"approval": approval, "scope": scope, "day": day.isoformat(), "micros": micros}
    with db.immediate() as tx:
        return tx.execute(sql, {**values, "at": to_text(now)}) == 1


def raised_micros(db: Database, scope: str, day: date) -> int:
    """All that was added to the cap of a day; 0 where nothing was."""
    sql = "SELECT coalesce(sum(micros), 0) AS micros FROM cap_raise WHERE scope = ? AND day = ?"
    return int(db.rows(sql, (scope, day.isoformat()))[0]["micros"])


def list_raises(db: Database, scope: str, day: date) -> list[RaiseRow]:
    """What was added to the cap of a day, the oldest first."""
    sql = "SELECT approval, micros, at FROM cap_raise WHERE scope = ? AND day = ? ORDER BY at"
    return [
        RaiseRow(row["approval"], row["micros"], from_text(row["at"]))
        for row in db.rows(sql, (scope, day.isoformat()))
    ]
