"""The rows of `notion_place` and `notion_page`: what Notion has of this workspace."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from daemon.clock import Clock, from_text, to_text
from daemon.store.database import Database

_UNKNOWN_TIME = datetime(2000, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class PlaceRow:
    """A database of ours; `name` is backlog, sprints, findings or criteria."""

    name: str
    database_id: str
    data_source_id: str
    made_at: datetime


@dataclass(frozen=True)
class PageRow:
    """A page of ours. `page_id` is None until it is known to be there and whole; `content_sha256`
    is of what was handed over last; `given_up` says why it is left alone, empty where it is not."""

    external_id: str
    place: str
    page_id: str | None
    content_sha256: str
    given_up: str
    changed_at: datetime


def list_places(db: Database) -> dict[str, PlaceRow]:
    """Every place that setup made or adopted, by its name."""
    found = db.rows("SELECT * FROM notion_place ORDER BY name")
    return {row["name"]: PlaceRow(**{**row, "made_at": _moment(row["made_at"])}) for row in found}


def save_place(db: Database, row: PlaceRow) -> bool:
    """Keep a place; whether its data source is another one than before.

    The pages of the old one are forgotten then: they are made anew in the new one.
    """
    with db.immediate() as tx:
        before = tx.row("SELECT data_source_id FROM notion_place WHERE name = ?", (row.name,))
        is_other = before is not None and before["data_source_id"] != row.data_source_id
        if is_other:
            tx.execute("DELETE FROM notion_page WHERE place = ?", (row.name,))
        tx.execute(
            """INSERT INTO notion_place (name, database_id, data_source_id, made_at)
               VALUES (?, ?, ?, ?) ON CONFLICT (name) DO UPDATE SET
               database_id = excluded.database_id, data_source_id = excluded.data_source_id,
               made_at = excluded.made_at""",
            (row.name, row.database_id, row.data_source_id, to_text(row.made_at)),
        )
        return is_other


def find_page(db: Database, external_id: str) -> PageRow | None:
    found = db.row("SELECT * FROM notion_page WHERE external_id = ?", (external_id,))
    return _page(found) if found else None


def list_pages(db: Database) -> dict[str, PageRow]:
    """Every page that was handed over, by its external id."""
    found = db.rows("SELECT * FROM notion_page ORDER BY external_id")
    return {row["external_id"]: _page(row) for row in found}


def list_given_up(db: Database) -> list[PageRow]:
    """The pages that are left alone."""
    found = db.rows("SELECT * FROM notion_page WHERE given_up <> '' ORDER BY external_id")
    return [_page(row) for row in found]


def count_pages(db: Database) -> dict[str, tuple[int, int]]:
    """For each place, how many pages were handed over, and how many are known to be there."""
    sql = "SELECT place, count(*) AS n, count(page_id) AS there FROM notion_page GROUP BY place"
    return {row["place"]: (row["n"], row["there"]) for row in db.rows(sql)}


def hand_over(
    db: Database, external_id: str, place: str, content_sha256: str, now: datetime
) -> None:
    """Write what is handed over; call it in the transaction that enqueues it."""
    with db.immediate() as tx:
        tx.execute(
            """INSERT INTO notion_page (external_id, place, content_sha256, changed_at)
               VALUES (?, ?, ?, ?) ON CONFLICT (external_id) DO UPDATE SET
               content_sha256 = excluded.content_sha256, changed_at = excluded.changed_at""",
            (external_id, place, content_sha256, to_text(now)),
        )


def remember_page(db: Database, external_id: str, place: str, page_id: str, now: datetime) -> None:
    """The page is there, and whole."""
    with db.immediate() as tx:
        tx.execute(
            """INSERT INTO notion_page (external_id, place, page_id, content_sha256, changed_at)
               VALUES (?, ?, ?, '', ?)
               ON CONFLICT (external_id) DO UPDATE SET page_id = excluded.page_id""",
            (external_id, place, page_id, to_text(now)),
        )


def give_up(db: Database, external_id: str, place: str, why: str, now: datetime) -> None:
    """Leave a page alone from now on."""
    with db.immediate() as tx:
        tx.execute(
            """INSERT INTO notion_page (external_id, place, content_sha256, given_up, changed_at)
               VALUES (?, ?, '', ?, ?) ON CONFLICT (external_id) DO UPDATE SET
               given_up = excluded.given_up, changed_at = excluded.changed_at""",
            (external_id, place, why, to_text(now)),
        )


def forget_contents(db: Database) -> int:
    """Let every page be handed over again, those that are left alone too; how many they are."""
    with db.immediate() as tx:
        return tx.execute("UPDATE notion_page SET content_sha256 = '', given_up = ''")


class NotionShelf:
    """What the sender asks and tells. `findings` is the data source that the configuration names for
    findings, empty for that of setup."""

    def __init__(self, db: Database, clock: Clock, *, findings: str = "") -> None:
        self._db, self._clock, self._findings = db, clock, findings

    def data_source(self, place: str) -> str:
        """Read each time, so that a setup works while the daemon runs."""
        if place == "findings" and self._findings:
            return self._findings
        row = list_places(self._db).get(place)
        return row.data_source_id if row else ""

    def page(self, external_id: str) -> tuple[str, str]:
        row = find_page(self._db, external_id)
        return (row.page_id or "", row.given_up) if row else ("", "")

    def remember(self, external_id: str, place: str, page_id: str) -> None:
        remember_page(self._db, external_id, place, page_id, self._clock.now())

    def give_up(self, external_id: str, place: str, why: str) -> None:
        give_up(self._db, external_id, place, why, self._clock.now())

    def forget(self, external_id: str) -> None:
        with self._db.immediate() as tx:
            tx.execute("DELETE FROM notion_page WHERE external_id = ?", (external_id,))


def _page(row: Mapping[str, Any]) -> PageRow:
    return PageRow(**{**row, "changed_at": _moment(row["changed_at"])})


def _moment(text: str) -> datetime:
    """Nothing hangs on it, so a damaged one must not stop the sync of all the pages."""
    try:
        return from_text(text)
    except ValueError:
        return _UNKNOWN_TIME
