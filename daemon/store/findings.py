"""The rows of `finding`: accepted outputs that became memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from daemon.clock import from_text, to_text
from daemon.errors import StoreError
from daemon.store.database import Database
from daemon.store.stored_text import from_json, to_json


@dataclass(frozen=True)
class FindingRow:
    """`path` is relative to the workspace; `sources` are ids of knowledge units."""

    path: str
    attempt_id: int
    item: str
    criterion: str
    agent: str
    title: str
    summary: str
    score_hundredths: int
    sources: tuple[str, ...]
    created_at: datetime


def save_finding(db: Database, row: FindingRow) -> None:
    """Keep a finding; the same attempt and path again changes nothing.

    Raises StoreError where the attempt has another finding, or the path belongs to another one.
    """
    sql = """INSERT INTO finding
                 (path, attempt_id, item, criterion, agent, title, summary, score_hundredths,
                  sources, created_at)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"""
    texts = (row.item, row.criterion, row.agent, row.title, row.summary)
    rest = (row.score_hundredths, to_json(row.sources), to_text(row.created_at))
    same = "SELECT path FROM finding WHERE path = ? AND attempt_id = ?"
    with db.immediate() as tx:
        tx.execute(sql, (row.path, row.attempt_id, *texts, *rest))
        if tx.row(same, (row.path, row.attempt_id)) is None:
            raise StoreError(
                f"attempt {row.attempt_id} or path {row.path} already has another finding"
            )


def move_finding(db: Database, path: str, to: str) -> bool:
    """Follow a file that has another name now; False where no finding has that path (any more)."""
    with db.immediate() as tx:
        of_it = "id = (SELECT attempt_id FROM finding WHERE path = ?)"
        tx.execute(f"UPDATE attempt SET finding_path = ? WHERE {of_it}", (to, path))  # noqa: S608
        return bool(tx.execute("UPDATE finding SET path = ? WHERE path = ?", (to, path)))


def list_findings(
    db: Database,
    *,
    since: datetime | None = None,
    until: datetime | None = None,
    limit: int | None = None,
) -> list[FindingRow]:
    """The newest first; `since` is inclusive, `until` is not; None does not narrow."""
    conditions: list[str] = ["TRUE"]
    params: dict[str, int | str] = {"limit": -1 if limit is None else limit}
    if since is not None:
        conditions.append("created_at >= :since")
        params["since"] = to_text(since)
    if until is not None:
        conditions.append("created_at < :until")
        params["until"] = to_text(until)
    sql = f"""SELECT * FROM finding WHERE {" AND ".join(conditions)}
              ORDER BY created_at DESC, attempt_id DESC LIMIT :limit"""  # noqa: S608  all ours
    return [_to_row(row) for row in db.rows(sql, params)]


def list_page(
    db: Database,
    limit: int,
    *,
    criterion: str = "",
    agent: str = "",
    before: tuple[datetime, int] | None = None,
) -> list[FindingRow]:
    """The newest first; `before` is moment and attempt of the last one of the page before. Empty
    texts do not narrow."""
    conditions, params = ["TRUE"], {"limit": limit, "criterion": criterion, "agent": agent}
    conditions += ["criterion = :criterion"] if criterion else []
    conditions += ["agent = :agent"] if agent else []
    if before is not None:
        conditions.append("(created_at, attempt_id) < (:at, :attempt)")
        params |= {"at": to_text(before[0]), "attempt": before[1]}
    sql = f"""SELECT * FROM finding WHERE {" AND ".join(conditions)}
              ORDER BY created_at DESC, attempt_id DESC LIMIT :limit"""  # noqa: S608  all ours
    return [_to_row(row) for row in db.rows(sql, params)]


def find_by_attempt(db: Database, attempt_id: int) -> FindingRow | None:
    """The finding of an attempt, or None where it has none."""
    found = db.row("SELECT * FROM finding WHERE attempt_id = ?", (attempt_id,))
    return None if found is None else _to_row(found)


def list_agents(db: Database) -> list[str]:
    """Everybody who has a finding, by id. One step in an index for each of them."""
    sql = """WITH RECURSIVE agents (agent) AS (
                 SELECT min(agent) FROM finding
                 UNION ALL
                 SELECT (SELECT min(agent) FROM finding WHERE finding.agent > agents.agent)
                 FROM agents WHERE agents.agent IS NOT NULL)
             SELECT agent FROM agents WHERE agent IS NOT NULL"""
    return [row["agent"] for row in db.rows(sql)]


def find_by_item(db: Database, item: str) -> FindingRow | None:
    """The newest finding of an item, or None where it has none yet."""
    sql = "SELECT * FROM finding WHERE item = ? ORDER BY attempt_id DESC LIMIT 1"
    found = db.row(sql, (item,))
    return None if found is None else _to_row(found)


def count_by_criterion(db: Database) -> dict[str, int]:
    """How many findings each criterion has; one without any is left out."""
    sql = "SELECT criterion, COUNT(*) AS n FROM finding GROUP BY criterion"
    return {row["criterion"]: row["n"] for row in db.rows(sql)}


def count_of_criterion(db: Database, criterion: str) -> int:
    """How many findings one criterion has."""
    row = db.row("SELECT COUNT(*) AS n FROM finding WHERE criterion = ?", (criterion,))
    return int(row["n"]) if row else 0


def models_by_item(db: Database) -> dict[str, str]:
    """The model that wrote the newest finding of each item that has one."""
    sql = """SELECT finding.item, attempt.model FROM finding JOIN attempt ON attempt.id = attempt_id
             ORDER BY attempt_id"""
    return {row["item"]: row["model"] or "" for row in db.rows(sql)}


def attempts_by(db: Database, rows: Sequence[FindingRow], model: str) -> frozenset[int]:
    """Of the attempts that these findings came from, those whose answer this model wrote."""
    ids = sorted({row.attempt_id for row in rows})
    marks = ", ".join("?" * len(ids))
    sql = f"SELECT id FROM attempt WHERE model = ? AND id IN ({marks})"  # noqa: S608
    return frozenset(row["id"] for row in db.rows(sql, (model, *ids))) if ids else frozenset()


def _to_row(found: Mapping[str, Any]) -> FindingRow:
    return FindingRow(
        **{
            **found,
            "sources": tuple(from_json(found["sources"])),
            "created_at": from_text(found["created_at"]),
        }
    )
