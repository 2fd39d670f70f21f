"""Five hundred messages to Notion through faults and kills: each page once, whole, and the newest."""

from __future__ import annotations

import threading
from contextlib import closing
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest

from daemon.notify.notion_places import KINDS
from daemon.store import notion as rows
from daemon.store import outbox
from daemon.store.database import Database, open_database
from tests.integration.test_outbox_under_fire import PATIENCE, kill_amid, start, trouble
from tests.standins.far_side import Fault, Received, holds
from tests.standins.notion_api import NotionApi, error, overloaded, rate_limited
from tests.standins.slack_api import SlackApi

PAGES = 320
UPDATED = 180  # of them, once more
LONG = 191


def page(n: int, score: str) -> dict[str, Any]:
    body = "\n".join(f"- {line}" for line in range(LONG if n % 20 == 0 else 3))
    return {"place": "findings", "external_id": f"finding/{n}", "title": f"page {n}",
            "properties": {"Score": score, "Item": f"T{n}"}, "body": body}  # fmt: skip


def put(db: Database, n: int, score: str, now: datetime) -> None:
    key, payload = f"notion/finding/{n}/{score}", page(n, score)
    outbox.enqueue(db, key=key, channel="notion", payload=payload, now=now)


def with_place(notion: NotionApi, db: Database, now: datetime) -> None:
    columns = {"Name": "title", "External ID": "rich_text", **KINDS["findings"]}
    made = notion.make_database("Findings", columns)
    rows.save_place(db, rows.PlaceRow("findings", made.id, made.sources[0].id, now))


def test_five_hundred_pages_and_updates_are_each_there_once_and_as_last_said(
    tmp_path: Path,
) -> None:
    """Time-outs after delivery, 409, 429, 529, 5xx, dropped connections, and eight times kill -9."""
    began, gate, path = datetime.now(UTC), threading.Event(), tmp_path / "sprintd.db"
    conflict = error(409, "conflict_error", "Conflict occurred while saving.")
    faults = trouble(11, gate, rate_limited(30), overloaded(), conflict)
    with (
        closing(open_database(path)) as db,
        SlackApi() as slack,
        NotionApi(chance=faults) as notion,
    ):
        with_place(notion, db, began)
        for n in range(PAGES):
            put(db, n, "0.5", began)
        for n in range(UPDATED):
            put(db, n, "0.9", began)
        random = Random(12)
        sending = partial(start, path, slack, notion, began)
        assert kill_amid(8, sending, notion, lambda: 20 + random.randrange(60), db) > 0
        assert start(path, slack, notion, began).wait(PATIENCE) == 0
        gate.set()
        assert outbox.list_set_aside(db) == []
        known = {row.external_id: row.page_id for row in rows.list_pages(db).values()}
    assert notion.keys == [f"finding/{n}" for n in range(PAGES)]
    assert known == {found.key: found.id for found in notion.pages}
    for n, found in enumerate(notion.pages):
        assert found.texts == [str(line) for line in range(LONG if n % 20 == 0 else 3)]
        assert found.value("Score") == (0.9 if n < UPDATED else 0.5)


@pytest.mark.parametrize("number", [1, 2])
def test_a_kill_between_creation_and_the_last_blocks_is_made_good(
    tmp_path: Path, number: int
) -> None:
    """kill -9 while Notion answers the creation, or the first append: the next life goes on there."""
    began, path = datetime.now(UTC), tmp_path / "sprintd.db"
    gate, reached, writes = threading.Event(), threading.Event(), []

    def hold(request: Received) -> Fault | None:
        is_write = request.path == "/v1/pages" or request.method == "PATCH"
        writes.append(request) if is_write else None
        if not is_write or len(writes) != number:
            return None
        reached.set()
        return holds(gate)

    with closing(open_database(path)) as db, SlackApi() as slack, NotionApi(chance=hold) as notion:
        with_place(notion, db, began)
        put(db, 0, "0.5", began)
        sending = start(path, slack, notion, began)
        assert reached.wait(PATIENCE)
        sending.kill()
        sending.wait(PATIENCE)
        gate.set()
        assert start(path, slack, notion, began).wait(PATIENCE) == 0
    (found,) = notion.pages
    assert found.texts == [str(line) for line in range(LONG)]
