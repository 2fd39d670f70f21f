"""Brings Notion up to date: hands over what changed since it was handed over last, and nothing else.

One way only: nothing is read from Notion. The store alone is compared, so that a value that people
change there stays until ours changes. The newest content of a page takes the place of one that still
waits. Where the pages are public, nothing leaves before a person agreed to it: one question holds all
pages that changed, frozen as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from daemon.config.phrases import Phrases
from daemon.governance.approvals import Question
from daemon.reports.notion_rows import Known, NotionRow, take_rows
from daemon.store import approvals, notion, outbox
from daemon.store.approvals import ApprovalRow
from daemon.store.database import Database

MOST_ASKED = 40  # pages in one question; the others are asked about after it is answered
MOST_REFUSED = 5  # set aside and waiting for a person: until then nothing more is handed over
_CHANNEL = "notion"
_QUESTION = "notion/publish"
_TITLES_SHOWN = 5

Ask = Callable[[Question], ApprovalRow]
How = Literal["handed_over", "asked", "waits_for_answer", "refused_before", "nothing"]


@dataclass(frozen=True)
class SyncPlan:
    """What a sync would do. `adopted` are pages that an earlier version wrote, with their ids."""

    changed: tuple[NotionRow, ...]
    unchanged: int
    left_alone: int
    adopted: dict[str, str]


@dataclass(frozen=True)
class SyncEnd:
    """What came of a sync; `pages` were handed over or asked about."""

    how: How
    pages: int
    approval: str = ""


def plan_sync(known: Known, places: Collection[str]) -> SyncPlan:
    """Compare all rows of these places with what was handed over last. Raises StoreError."""
    pages, changed, adopted = notion.list_pages(known.db), [], {}
    unchanged = left_alone = 0
    for row in take_rows(known):
        page = pages.get(row.external_id)
        if row.place not in places or (page is None and _is_on_its_way(known.db, row)):
            continue
        if page is not None and page.given_up:
            left_alone += 1
        elif page is not None and page.content_sha256 == row.sha256:
            unchanged += 1
        else:
            changed.append(row)
            earlier = outbox.find_message(known.db, row.external_id) if page is None else None
            if earlier is not None and earlier.state == "sent" and earlier.remote_id:
                adopted[row.external_id] = earlier.remote_id
    return SyncPlan(tuple(changed), unchanged, left_alone, adopted)


def carry_out(
    db: Database, root: Path, plan: SyncPlan, now: datetime, *, ask: Ask | None, phrases: Phrases
) -> SyncEnd:
    """Hand over what changed, or ask about it where `ask` is given. Raises StoreError, and LedgerError
    where a question cannot be written down."""
    earlier = approvals.find_open(db, _QUESTION) if ask is not None else None
    if earlier is not None and earlier.expires_at > now:
        return SyncEnd("waits_for_answer", 0, earlier.id)
    if not plan.changed:
        return SyncEnd("nothing", 0)
    if ask is not None:
        return _ask(db, root, plan, now, ask, phrases)
    if len(refused(db)) >= MOST_REFUSED:
        return SyncEnd("refused_before", 0)
    with db.immediate():
        _mark(db, plan, plan.changed, now)
        for row in plan.changed:
            _enqueue(db, row, row.payload(root), now)
    return SyncEnd("handed_over", len(plan.changed))


def refused(db: Database) -> list[outbox.OutboxRow]:
    """Pages that Notion refused, which wait for a person."""
    return [row for row in outbox.list_set_aside(db) if row.key.startswith("notion/")]


def places_of(db: Database, findings_data_source: str) -> tuple[str, ...]:
    """Where pages can go: what setup made, and the findings' own data source in the configuration."""
    configured = ("findings",) if findings_data_source else ()
    return tuple(sorted({*notion.list_places(db), *configured}))


def _ask(
    db: Database, root: Path, plan: SyncPlan, now: datetime, ask: Ask, phrases: Phrases
) -> SyncEnd:
    rows = plan.changed[:MOST_ASKED]
    payload = {
        "channel": _CHANNEL,
        "message": {
            "title": phrases.text("notion.ask_title", count=len(rows)),
            "pages": [row.payload(root) for row in rows],
        },
    }
    asked = ask(_question(rows, payload, phrases))
    if asked.payload != payload:
        return SyncEnd("waits_for_answer", 0, asked.id)
    # Whatever the answer is, the same content is not asked about a second time.
    with db.immediate():
        _mark(db, plan, rows, now)
    return SyncEnd("asked", len(rows), asked.id)


def _question(rows: Sequence[NotionRow], payload: dict[str, Any], phrases: Phrases) -> Question:
    titles = [" ".join(row.title.split())[:80] for row in rows[:_TITLES_SHOWN]]
    if len(rows) > _TITLES_SHOWN:
        titles.append(phrases.text("notion.more", count=len(rows) - _TITLES_SHOWN))
    return Question(
        kind="publish",
        title=payload["message"]["title"],
        why=phrases.text("notion.ask_why", titles="; ".join(titles)),
        asked_by="reports",
        payload=payload,
        if_unanswered=phrases.text("notion.if_unanswered"),
        dedupe=_QUESTION,
    )


def _mark(db: Database, plan: SyncPlan, rows: Sequence[NotionRow], now: datetime) -> None:
    for row in rows:
        if row.external_id in plan.adopted:
            notion.remember_page(db, row.external_id, row.place, plan.adopted[row.external_id], now)
        notion.hand_over(db, row.external_id, row.place, row.sha256, now)


def _enqueue(db: Database, row: NotionRow, payload: dict[str, Any], now: datetime) -> None:
    """One message a page waits at most; its newest content takes the place of the one before."""
    prefix = f"notion/{row.external_id}/"
    key = outbox.free_key(db, prefix + row.sha256[:16])
    if not outbox.replace_content(db, prefix, key=key, payload=payload):
        outbox.enqueue(db, key=key, channel=_CHANNEL, payload=payload, now=now)


def _is_on_its_way(db: Database, row: NotionRow) -> bool:
    """Whether an earlier version handed it over, and it has not left yet."""
    if row.place != "findings":
        return False
    message = outbox.find_message(db, row.external_id)
    return message is not None and message.state in ("waiting", "sending")
