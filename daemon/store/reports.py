"""The rows of `report`: what jobs wrote for people, one for a kind and a slot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

from daemon.clock import from_text, to_text
from daemon.store.database import Database
from daemon.store.stored_text import from_json, to_json

ReportKind = Literal[
    "digest", "daily", "review", "consolidation", "day_close", "silence", "diagnosis"
]


@dataclass(frozen=True)
class ReportRow:
    """`body` is Markdown; `facts` are the figures it was made from."""

    kind: ReportKind
    slot: datetime
    body: str
    facts: Mapping[str, Any]
    created_at: datetime


def save_report(db: Database, row: ReportRow) -> bool:
    """Keep a report; False, and nothing changes, where its kind and slot have one."""
    sql = """INSERT INTO report (kind, slot, body, facts, created_at)
             VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"""
    times = (to_text(row.slot), to_text(row.created_at))
    with db.immediate() as tx:
        values = (row.kind, times[0], row.body, to_json(row.facts), times[1])
        return bool(tx.execute(sql, values))


def move_from_future(db: Database, now: datetime, beyond: datetime) -> int:
    """Give what a clock that was ahead wrote for slots after `beyond` the place where it belongs:
    behind the newest report of its kind, a microsecond each. How many were moved.

    Diagnoses stay; they have no slot of a timetable.
    """
    sql = "SELECT kind, slot FROM report WHERE slot > ? AND kind <> 'diagnosis' ORDER BY kind, slot"
    newest = "SELECT max(slot) AS slot FROM report WHERE kind = ? AND slot <= ?"
    move = """UPDATE report SET slot = :place, created_at = min(created_at, :now)
              WHERE kind = :kind AND slot = :slot"""
    with db.immediate() as tx:
        found = tx.rows(sql, (to_text(beyond),))
        for row in found:
            last = tx.rows(newest, (row["kind"], to_text(now)))[0]["slot"]
            before = from_text(last) if last else now - timedelta(seconds=1)
            place = before + timedelta(microseconds=1)
            tx.execute(move, {**row, "place": to_text(place), "now": to_text(now)})
        return len(found)


def find_report(db: Database, kind: ReportKind, slot: datetime) -> ReportRow | None:
    """The report of a kind and slot, or None where it was not written."""
    found = db.row("SELECT * FROM report WHERE kind = ? AND slot = ?", (kind, to_text(slot)))
    return None if found is None else _to_row(found)


def last_report(db: Database, kind: ReportKind) -> ReportRow | None:
    """The newest report of a kind by its slot; None before the first."""
    found = db.row("SELECT * FROM report WHERE kind = ? ORDER BY slot DESC LIMIT 1", (kind,))
    return None if found is None else _to_row(found)


def was_written(db: Database, kind: ReportKind, since: datetime, until: datetime) -> bool:
    """Whether a report of this kind has a slot from `since` on and before or at `until`."""
    sql = "SELECT 1 FROM report WHERE kind = ? AND slot BETWEEN ? AND ? LIMIT 1"
    return db.row(sql, (kind, to_text(since), to_text(until))) is not None


def list_reports(db: Database, limit: int, *, kind: ReportKind | None = None) -> list[ReportRow]:
    """The newest first, by when they were written; None does not narrow."""
    sql = """SELECT * FROM report WHERE :kind IS NULL OR kind = :kind
             ORDER BY created_at DESC, kind, slot DESC LIMIT :limit"""
    return [_to_row(row) for row in db.rows(sql, {"kind": kind, "limit": limit})]


def list_slots(
    db: Database, kinds: Sequence[ReportKind], since: datetime, limit: int
) -> list[tuple[ReportKind, datetime]]:
    """Kind and slot of the reports of these kinds whose slot is not before `since`, the newest first."""
    places = ", ".join("?" * len(kinds))
    sql = f"""SELECT kind, slot FROM report WHERE kind IN ({places}) AND slot >= ?
              ORDER BY slot DESC, kind LIMIT ?"""  # noqa: S608  only places
    rows = db.rows(sql, (*kinds, to_text(since), limit))
    return [(row["kind"], from_text(row["slot"])) for row in rows]


def list_of_day(
    db: Database, kind: ReportKind, since: datetime, until: datetime
) -> list[ReportRow]:
    """The reports of a kind with a slot from `since` on and before `until`, the oldest first."""
    sql = "SELECT * FROM report WHERE kind = ? AND slot >= ? AND slot < ? ORDER BY slot"
    return [_to_row(row) for row in db.rows(sql, (kind, to_text(since), to_text(until)))]


def list_heads(
    db: Database,
    limit: int,
    *,
    kind: ReportKind | None = None,
    before: tuple[datetime, str, datetime] | None = None,
) -> list[ReportRow]:
    """The newest first, each with only the beginning of its body and without its figures.

    `before` is (written at, kind, slot) of the last one of the page before.
    """
    conditions = ["TRUE"]
    params: dict[str, int | str | None] = {"limit": limit, "kind": kind}
    conditions += ["kind = :kind"] if kind else []
    if before is not None:
        conditions.append("(created_at, kind, slot) < (:at, :of, :slot)")
        params |= {"at": to_text(before[0]), "of": before[1], "slot": to_text(before[2])}
    sql = f"""SELECT kind, slot, substr(body, 1, 400) AS body, '{{}}' AS facts, created_at
              FROM report WHERE {" AND ".join(conditions)}
              ORDER BY created_at DESC, kind DESC, slot DESC LIMIT :limit"""  # noqa: S608  ours
    return [_to_row(row) for row in db.rows(sql, params)]


def _to_row(found: Mapping[str, Any]) -> ReportRow:
    return ReportRow(
        **{
            **found,
            "slot": from_text(found["slot"]),
            "facts": from_json(found["facts"]),
            "created_at": from_text(found["created_at"]),
        }
    )
