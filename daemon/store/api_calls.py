"""Every request to a model: who asked, what was set aside, what came of it, what it cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import date, datetime
from typing import Any, Literal

from daemon.clock import from_text, to_text
from daemon.errors import StoreError
from daemon.store.database import Database

Outcome = Literal["started", "replied", "not_billed", "unknown"]
Grouping = Literal["day", "agent", "model", "item"]

MAX_ERROR_CHARACTERS = 500
_COLUMNS: dict[Grouping, str] = {
    "day": "day",
    "agent": "agent",
    "model": "coalesce(replied_model, model)",
    "item": "item",
}
_PROMPT_TOKENS = (
    "coalesce(input_tokens, 0) + coalesce(cache_write_5m_tokens, 0) "
    "+ coalesce(cache_write_1h_tokens, 0) + coalesce(cache_read_tokens, 0)"
)


@dataclass(frozen=True)
class CallFacts:
    """What is known of a call before it is made. `purpose` is plan, attempt, judge or diagnosis."""

    purpose: str
    provider: str
    model: str
    sprint_id: int | None = None
    item: str | None = None
    agent: str | None = None


@dataclass(frozen=True)
class CallEnd:
    """What is known after it. Token counts are None where no usage came back."""

    outcome: Outcome
    replied_model: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_write_5m_tokens: int | None = None
    cache_write_1h_tokens: int | None = None
    cache_read_tokens: int | None = None
    error: str | None = None
    request_id: str | None = None


@dataclass(frozen=True)
class CallRow:
    """One row. `cost_micros` is None while under way, the worst case where the end is unknown."""

    id: int
    reservation_key: str
    called_at: datetime
    day: date
    reserved_micros: int
    cost_micros: int | None
    facts: CallFacts
    end: CallEnd


@dataclass(frozen=True)
class CostRow:
    """Calls of one day, agent, model or item; `name` is None where the calls had none.

    `open_micros` is what is still set aside for calls under way; it is not in `cost_micros`.
    """

    name: str | None
    calls: int
    cost_micros: int
    open_micros: int
    prompt_tokens: int
    output_tokens: int


def save_call(
    db: Database, reservation_key: str, facts: CallFacts, *, day: date, micros: int, now: datetime
) -> None:
    """Write that a call is about to be made, with `micros` set aside for it."""
    columns = {
        "reservation_key": reservation_key,
        "called_at": to_text(now),
        "day": day.isoformat(),
        "reserved_micros": micros,
        "outcome": "started",
        **asdict(facts),
    }
    names, places = ", ".join(columns), ", ".join(f":{name}" for name in columns)
    with db.immediate() as tx:
        tx.execute(f"INSERT INTO api_calls ({names}) VALUES ({places})", columns)  # noqa: S608


def close_call(db: Database, reservation_key: str, end: CallEnd, *, cost_micros: int) -> None:
    """Write what came of a call. A long error is cut to its beginning."""
    columns = {**asdict(end), "cost_micros": cost_micros}
    if end.error:
        columns["error"] = end.error[:MAX_ERROR_CHARACTERS]
    changes = ", ".join(f"{name} = :{name}" for name in columns)
    sql = f"UPDATE api_calls SET {changes} WHERE reservation_key = :key"  # noqa: S608
    with db.immediate() as tx:
        if tx.execute(sql, {**columns, "key": reservation_key}) != 1:
            raise StoreError(f"no call was written for the reservation {reservation_key!r}")


def find_call(db: Database, reservation_key: str) -> CallRow | None:
    """The call that a reservation was made for."""
    row = db.row("SELECT * FROM api_calls WHERE reservation_key = ?", (reservation_key,))
    return _call(row) if row else None


def list_recent(db: Database, limit: int = 50) -> list[CallRow]:
    """The newest calls, newest first."""
    sql = "SELECT * FROM api_calls ORDER BY id DESC LIMIT ?"
    return [_call(row) for row in db.rows(sql, (limit,))]


def list_for_sprint(db: Database, sprint_id: int) -> list[CallRow]:
    """The calls of one sprint, oldest first."""
    sql = "SELECT * FROM api_calls WHERE sprint_id = ? ORDER BY id"
    return [_call(row) for row in db.rows(sql, (sprint_id,))]


def list_for_item(db: Database, item: str) -> list[CallRow]:
    """The calls that were made for one backlog item, oldest first."""
    sql = "SELECT * FROM api_calls WHERE item = ? ORDER BY id"
    return [_call(row) for row in db.rows(sql, (item,))]


def costs_by(
    db: Database, grouping: Grouping, since: date, until: date | None = None
) -> list[CostRow]:
    """What was spent from the UTC day `since` on, `until` included (None: without end).

    Days come in order, everything else by cost, the dearest first.
    """
    order = "name" if grouping == "day" else "cost_micros DESC, name"
    sql = f"""
        SELECT {_COLUMNS[grouping]} AS name,
            count(*) AS calls,
            sum(coalesce(cost_micros, 0)) AS cost_micros,
            sum(CASE WHEN outcome = 'started' THEN reserved_micros ELSE 0 END) AS open_micros,
            sum({_PROMPT_TOKENS}) AS prompt_tokens,
            sum(coalesce(output_tokens, 0)) AS output_tokens
        FROM api_calls WHERE day BETWEEN ? AND ? GROUP BY 1 ORDER BY {order}"""  # noqa: S608
    days = (since.isoformat(), until.isoformat() if until else "9999-12-31")
    return [CostRow(**row) for row in db.rows(sql, days)]


def costs_of_item(db: Database, item: str) -> dict[int | None, int]:
    """Micro-dollars that the ended calls for an item have cost, by sprint (None: outside of one)."""
    sql = """SELECT sprint_id, sum(coalesce(cost_micros, 0)) AS micros FROM api_calls
             WHERE item = ? GROUP BY sprint_id"""
    return {row["sprint_id"]: int(row["micros"]) for row in db.rows(sql, (item,))}


def cost_of_sprint(db: Database, sprint_id: int) -> int:
    """Micro-dollars that a sprint's calls have cost so far; calls under way are not in it."""
    sql = "SELECT sum(coalesce(cost_micros, 0)) AS micros FROM api_calls WHERE sprint_id = ?"
    row = db.row(sql, (sprint_id,))
    return int(row["micros"] or 0) if row else 0


def cost_of_key(db: Database, key: str) -> int:
    """Micro-dollars that all ended tries of the call `key` have cost; 0 where none was made."""
    tries = f"{key}/try/"
    sql = """SELECT sum(coalesce(cost_micros, 0)) AS micros FROM api_calls
             WHERE reservation_key >= ? AND reservation_key < ?"""
    row = db.row(sql, (tries, f"{key}/try0"))  # 0 is the sign behind the slash
    return int(row["micros"] or 0) if row else 0


def costs_of_sprints(db: Database, sprint_ids: Sequence[int]) -> dict[int, int]:
    """Micro-dollars that the calls of each of these sprints have cost; one without calls is left out."""
    if not sprint_ids:
        return {}
    places = ", ".join("?" * len(sprint_ids))
    sql = f"""SELECT sprint_id, sum(coalesce(cost_micros, 0)) AS micros FROM api_calls
              WHERE sprint_id IN ({places}) GROUP BY sprint_id"""  # noqa: S608  only places
    return {row["sprint_id"]: int(row["micros"]) for row in db.rows(sql, tuple(sprint_ids))}


def _call(row: dict[str, Any]) -> CallRow:
    return CallRow(
        id=row["id"],
        reservation_key=row["reservation_key"],
        called_at=from_text(row["called_at"]),
        day=date.fromisoformat(row["day"]),
        reserved_micros=row["reserved_micros"],
        cost_micros=row["cost_micros"],
        facts=CallFacts(**_part(row, tuple(CallFacts.__dataclass_fields__))),
        end=CallEnd(**_part(row, tuple(CallEnd.__dataclass_fields__))),
    )


def _part(row: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
    return {name: row[name] for name in names}
