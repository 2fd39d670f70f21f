"""notify test as a person runs it: what arrives, what does not, and that no button has an effect."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from daemon.bootstrap import build_services
from daemon.clock import SystemClock
from daemon.notify.slack_events import Sent
from daemon.scheduling.inbox import build_inbox
from daemon.store import approvals, outbox
from daemon.store.database import open_database
from daemon.store.owner_lock import OwnerLock
from tests.standins.notion_api import NotionApi
from tests.standins.slack_api import SlackApi, not_ok
from tests.unit.cli.small import as_json, sprintd

NAMES = ["digest", "daily", "review", "alert", "diagnosis", "question", "file", "thread",
         "edit_before", "edit"]  # fmt: skip


@pytest.fixture
def slack() -> Iterator[SlackApi]:
    with SlackApi() as found:
        yield found


def put_secret(root: Path, name: str, value: str) -> None:
    place = root / "state" / "secrets" / name
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    place.write_text(value + "\n")
    place.chmod(0o600)


def with_slack(root: Path, slack: SlackApi, *, token: str = "") -> Path:
    with (root / "config.toml").open("a") as config:
        config.write(
            f'\n[slack]\nchannel = "{slack.channel}"\nbase_url = "{slack.base_url}"\n'
            'deciders = ["U0FOUNDER"]\n'
        )
    put_secret(root, "slack_bot_token", token or slack.token)
    return root


def buttons_of(slack: SlackApi) -> list[dict[str, Any]]:
    return [
        element
        for message in slack.posted
        for block in message.body.get("blocks") or ()
        if block["type"] == "actions"
        for element in block["elements"]
    ]


def test_one_of_each_arrives_before_the_first_run(small: Path, slack: SlackApi) -> None:
    """Marked as a test, in order; the file and the answer stand in threads, the edit in its place."""
    found = as_json(with_slack(small, slack), "notify", "test")
    assert found["ok"]
    assert [one["name"] for one in found["messages"]] == NAMES
    assert all(one["arrived"] for one in found["messages"])
    assert [key.rpartition("/")[2] for key in slack.keys] == NAMES[:-1]
    whole = [message for message in slack.posted if message.key]
    assert all("TEST" in message.text for message in whole)
    assert not [message for message in whole if "TEST: TEST" in message.body["text"]]
    assert whole[7].thread == whole[0].ts
    assert "took the place" in whole[8].text
    assert "Line 400 of" in slack.file_text(
        next(iter(upload.name for upload in slack.uploads.values()))
    )


def test_no_button_of_a_test_does_anything(small: Path, slack: SlackApi) -> None:
    """Neither that of a digest nor that of the question: each leads to the same answer."""
    as_json(with_slack(small, slack), "notify", "test")
    actions = {one["action_id"].partition("#")[0] for one in buttons_of(slack)}
    assert actions == {"test.press"}
    assert len(buttons_of(slack)) >= 4
    with closing(open_database(small / "state" / "sprintd.db")) as db:
        assert approvals.list_newest(db, 10) == []


def test_a_press_is_answered_in_the_messages_thread(small: Path, slack: SlackApi) -> None:
    """By somebody who may decide; anybody else is refused as always."""
    as_json(with_slack(small, slack), "notify", "test")
    question = next(one for one in buttons_of(slack) if "question" in one["value"])
    environ = {"SLACK_APP_TOKEN": "xapp-1-A0123456789-1-test"}
    services = build_services(small, environ=environ, say=lambda _line: None)
    work = build_inbox(services, lambda: None)
    presses = [
        Sent("press", user, user, "test.press", question["value"], channel=slack.channel)
        for user in ("U0FOUNDER", "U0STRANGER")
    ]
    services.inbound.receive("slack.socket", presses)
    work.turn()
    services.outbox.deliver_due(services.clock.now())
    asked = next(one for one in slack.posted if one.key.partition("#")[0] == question["value"])
    (answer,) = slack.answers(asked.ts)
    assert "This was a test: U0FOUNDER may decide" in answer.text
    services.close()


def test_what_does_not_arrive_is_told_and_left_nowhere(small: Path, slack: SlackApi) -> None:
    """Exit 1 with Slack's word and its cure; a later retry posts no old test."""
    slack.script(*[not_ok("not_in_channel")] * 12)
    found = as_json(with_slack(small, slack), "notify", "test", code=1)
    refused = [one for one in found["messages"] if not one["arrived"]]
    assert len(refused) >= 5
    assert "/invite" in refused[0]["error"]
    with closing(open_database(small / "state" / "sprintd.db")) as db:
        assert outbox.list_set_aside(db) == []


def test_what_waited_before_leaves_first(worked: Path, slack: SlackApi) -> None:
    """The order of a channel holds for a test too."""
    with closing(open_database(worked / "state" / "sprintd.db")) as db:
        payload = {"title": "Earlier", "text": "Earlier"}
        outbox.enqueue(db, key="old", channel="slack", payload=payload, now=SystemClock().now())
    assert as_json(with_slack(worked, slack), "notify", "test")["ok"]
    assert slack.keys[0] == "old"


def test_a_channel_that_is_not_set_up_says_what_is_missing(small: Path) -> None:
    """The setting, the secret, the setup in Notion; exit 1."""
    for channel, words in (("slack", "docs/slack.md"), ("notion", "sprintd notion setup PAGE")):
        done = sprintd(small, "notify", "test", "--channel", channel)
        assert done.returncode == 1
        assert words in done.stderr


def test_without_slack_the_console_shows_them(small: Path) -> None:
    """All texts, on standard output; nothing is enqueued."""
    done = sprintd(small, "notify", "test")
    assert done.returncode == 0
    assert done.stdout.count("TEST. ") >= 9
    assert "docs/slack.md" in done.stdout
    with closing(open_database(small / "state" / "sprintd.db")) as db:
        assert outbox.list_open(db) == []


class Answering(BaseHTTPRequestHandler):
    """Says what a daemon that delivers to Slack says of itself."""

    def do_GET(self) -> None:
        body = json.dumps({"delivery": {"channels": ["slack"]}}).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing."""


def test_while_a_daemon_runs_it_delivers_and_this_waits(small: Path, slack: SlackApi) -> None:
    """The one that owns the workspace sends; the command sees them arrive."""
    services = build_services(with_slack(small, slack), environ={}, say=lambda _line: None)
    stop, lock = threading.Event(), OwnerLock(small / "state")

    def deliver() -> None:
        while not stop.wait(0.05):
            services.outbox.deliver_due(services.clock.now())

    lock.acquire(SystemClock().now())
    threads = [threading.Thread(target=deliver)]
    with HTTPServer(("127.0.0.1", 0), Answering) as server:
        threads.append(threading.Thread(target=server.serve_forever, args=(0.01,)))
        (small / "state" / "address").write_text(f"http://127.0.0.1:{server.server_port}")
        for thread in threads:
            thread.start()
        try:
            found = as_json(small, "notify", "test")
        finally:
            stop.set()
            server.shutdown()
            for thread in threads:
                thread.join()
            lock.release()
            services.close()
    assert (found["ok"], found["daemon_runs"]) == (True, True)
    assert len(slack.keys) == len(NAMES) - 1


def test_a_daemon_that_does_not_answer_is_an_error(small: Path, slack: SlackApi) -> None:
    """Nothing is delivered beside it."""
    with_slack(small, slack)
    lock = OwnerLock(small / "state")
    lock.acquire(SystemClock().now())
    try:
        done = sprintd(small, "notify", "test")
    finally:
        lock.release()
    assert done.returncode == 1
    assert "does not answer" in done.stderr
    assert slack.posted == []


def test_in_notion_a_page_in_each_database_comes_and_goes(small: Path) -> None:
    """They are in the trash afterwards, and nothing of them is kept here."""
    with NotionApi() as notion:
        with (small / "config.toml").open("a") as config:
            config.write(f'\n[notion]\nbase_url = "{notion.base_url}"\n')
        put_secret(small, "notion_token", notion.token)
        missing = sprintd(small, "notify", "test", "--channel", "notion")
        assert "sprintd notion setup PAGE" in missing.stderr
        as_json(small, "notion", "setup", notion.page)
        assert as_json(small, "notify", "test", "--channel", "notion")["ok"]
        tests = [page for page in notion.pages if page.key.startswith("test/")]
        assert len(tests) == 4
        assert all(page.in_trash for page in tests)
        others = [page for page in notion.pages if page not in tests]
        assert not any(page.in_trash for page in others)
        assert as_json(small, "notion", "status")["places"][0]["pages"] == 4
        notion.rights = {"read", "insert"}
        refused = as_json(small, "notify", "test", "--channel", "notion", code=1)
        assert "right to read, insert and update" in str(refused["messages"])


def test_pages_that_people_outside_can_read_get_no_test(small: Path) -> None:
    """Each page would need a person first."""
    with (small / "config.toml").open("a") as config:
        config.write("\n[notion]\npublic = true\n")
    done = sprintd(small, "notify", "test", "--channel", "notion")
    assert done.returncode == 1
    assert "notion.public" in done.stderr
