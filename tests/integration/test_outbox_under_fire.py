"""Five hundred messages through real sockets and real processes that are killed: each arrives once."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from random import Random

from daemon.store import outbox
from daemon.store.database import Database, open_database
from tests.standins.far_side import FarSide, Fault, Received, drops, holds
from tests.standins.notion_api import NotionApi, overloaded
from tests.standins.notion_api import error as notion_error
from tests.standins.notion_api import rate_limited as notion_limits
from tests.standins.slack_api import SlackApi, fails, not_ok, rate_limited

ROOT = Path(__file__).parents[2]
PATIENCE = 120


def trouble(seed: int, gate: threading.Event, *own: Fault) -> Callable[[Received], Fault | None]:
    """About one request in four fails, in every way there is; the same ones for the same seed."""
    random = Random(seed)
    faults = [
        *(drops(after_acting=True),) * 3,
        *(drops(after_acting=False),) * 2,
        *(fails(502, after_acting=True),) * 2,
        *(fails(500),) * 2,
        holds(gate),
        *own,
    ]

    def choose(_: Received) -> Fault | None:
        return random.choice(faults) if random.random() < 0.25 else None

    return choose


def start(
    database: Path, slack: SlackApi, notion: NotionApi, began: datetime, *options: str
) -> subprocess.Popen[bytes]:
    command = [
        sys.executable, "-m", "tests.standins.sending_process", str(database),
        "--slack", slack.base_url, slack.token, slack.channel,
        "--notion", notion.base_url, notion.token, notion.data_source,
        "--began", began.isoformat(), *options,
    ]  # fmt: skip
    return subprocess.Popen(command, cwd=ROOT)


def kill_amid(
    times: int,
    begin: Callable[[], subprocess.Popen[bytes]],
    far_side: FarSide,
    requests: Callable[[], int],
    db: Database,
) -> int:
    """Begin and, after so many more requests, kill -9; how often that cut a message off."""
    cut_off = 0
    for _ in range(times):
        sending = begin()
        assert far_side.wait_for_requests(len(far_side.requests) + requests(), PATIENCE)
        sending.kill()
        sending.wait(PATIENCE)
        cut_off += any(row.state == "sending" for row in outbox.list_open(db))
    return cut_off


def slack_payload(n: int) -> dict[str, str]:
    """Of ten, one answers the one before it, and one takes the place of the second before it; and
    every twenty-fifth has a file."""
    words = "word " * (2_600 if n % 25 == 0 else n % 40)
    place = {3: {"thread": f"s{n - 1}"}, 7: {"edits": f"s{n - 2}"}}.get(n % 10, {})
    return {"text": f"message {n} {words}.", **place}


def fill(db: Database, slack: int, notion: int, began: datetime) -> None:
    """Every twentieth page takes three requests."""
    for n in range(slack):
        outbox.enqueue(db, key=f"s{n}", channel="slack", payload=slack_payload(n), now=began)
    for n in range(notion):
        body = "\n".join(f"- {line}" for line in range(250 if n % 20 == 0 else 3))
        payload = {"title": f"page {n}", "body": body}
        outbox.enqueue(db, key=f"n{n}", channel="notion", payload=payload, now=began)


def test_five_hundred_messages_arrive_once_and_in_order_through_faults_and_kills(
    tmp_path: Path,
) -> None:
    """Time-outs after delivery, 429, 5xx, dropped connections, and ten times kill -9.

    Answers stand in their threads, edits in their messages' places, and files once in their threads.
    """
    began, gate, path = datetime.now(UTC), threading.Event(), tmp_path / "sprintd.db"
    slack = SlackApi(chance=trouble(7, gate, rate_limited(30), not_ok("internal_error")))
    conflict = notion_error(409, "conflict_error", "Conflict occurred while saving.")
    notion = NotionApi(chance=trouble(8, gate, notion_limits(30), overloaded(), conflict))
    with closing(open_database(path)) as db, slack, notion:
        fill(db, 300, 200, began)
        random = Random(9)
        sending = partial(start, path, slack, notion, began)
        assert kill_amid(10, sending, slack, lambda: 10 + random.randrange(30), db) > 0
        assert start(path, slack, notion, began).wait(PATIENCE) == 0
        gate.set()
        assert outbox.list_set_aside(db) == []
        assert outbox.count_messages(db).waiting == 0
    assert slack.keys == [f"s{n}" for n in range(300) if n % 10 != 7]
    assert_slack_is_whole(slack)
    assert notion.keys == [f"n{n}" for n in range(200)]
    assert all(page.texts == [str(n) for n in range(len(page.texts))] for page in notion.pages)
    assert [len(page.texts) for page in notion.pages] == [
        250 if n % 20 == 0 else 3 for n in range(200)
    ]
    assert len(slack.calls("conversations.history")) > 20


def assert_slack_is_whole(slack: SlackApi) -> None:
    """Every message with the text that was last given for it, in its place and with its file."""
    posted = {message.key.partition("#")[0]: message for message in slack.posted if message.key}
    for n in (n for n in range(300) if n % 10 != 7):
        found = posted[f"s{n}"]
        assert found.text.startswith(f"message {n + 2 if n % 10 == 5 else n} ")
        assert found.thread == (posted[f"s{n - 1}"].ts if n % 10 == 3 else None)
        files = [file["name"] for answer in slack.answers(found.ts) for file in answer.files]
        wanted = [slack_payload(n)["text"]] if n % 25 == 0 else []
        assert list(map(slack.file_text, files)) == wanted


def test_without_looking_messages_would_arrive_twice(tmp_path: Path) -> None:
    """The control: the same faults with a sender that never finds anything."""
    began, gate, path = datetime.now(UTC), threading.Event(), tmp_path / "sprintd.db"
    slack, notion = SlackApi(chance=trouble(7, gate)), NotionApi(chance=trouble(8, gate))
    with closing(open_database(path)) as db, slack, notion:
        fill(db, 60, 0, began)
        assert start(path, slack, notion, began, "--blind").wait(PATIENCE) == 0
        gate.set()
    assert len(slack.keys) > len(set(slack.keys)) == 54
