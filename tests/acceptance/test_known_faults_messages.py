"""Faults of sending messages, as they were reported in public, with their own figures."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from daemon.bootstrap import Services, build_services
from daemon.clock import ManualClock
from daemon.notify.slack_blocks import HEADER_LIMIT
from daemon.reports.post import post_report
from daemon.reports.written import Written
from daemon.scheduling.syncing import sync_notion
from daemon.sprint.runner import run_sprint
from daemon.store import events, outbox
from daemon.store.database import open_read_only
from tests.standins.daemon_process import DaemonProcess
from tests.standins.notion_api import NotionApi
from tests.standins.notion_api import error as notion_error
from tests.standins.slack_api import SlackApi, not_ok, rate_limited
from tests.workspaces import NOON, copy_sample

TOKENS = {"SLACK_BOT_TOKEN": "xoxb-0123456789-private", "NOTION_TOKEN": "ntn_0123456789private"}


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(NOON)


@pytest.fixture
def slack(clock: ManualClock) -> Iterator[SlackApi]:
    with SlackApi(token=TOKENS["SLACK_BOT_TOKEN"], clock=clock) as api:
        yield api


@pytest.fixture
def notion() -> Iterator[NotionApi]:
    with NotionApi(token=TOKENS["NOTION_TOKEN"]) as api:
        yield api


@pytest.fixture
def services(
    tmp_path: Path, clock: ManualClock, slack: SlackApi, notion: NotionApi
) -> Iterator[Services]:
    root = copy_sample(tmp_path / "venture", config_for(slack, notion))
    with closing(build_services(root, environ=TOKENS, say=lambda line: None, clock=clock)) as built:
        yield built


def config_for(slack: SlackApi, notion: NotionApi) -> str:
    return (
        f'[slack]\nchannel = "{slack.channel}"\nbase_url = "{slack.base_url}"\n'
        f'[notion]\nfindings_data_source = "{notion.data_source}"\n'
        f'base_url = "{notion.base_url}"\n'
    )


def post_digest(services: Services, body: str, hour: int = 0) -> None:
    post_report(
        services.db,
        kind="digest",
        slot=NOON + timedelta(hours=hour),
        written=Written(body, {}),
        now=services.clock.now(),
        channels=services.channels,
    )


def deliver(services: Services, seconds: float = 0) -> None:
    """A second at a time, as the delivery's thread does."""
    for _ in range(max(1, round(seconds))):
        services.outbox.deliver_due(services.clock.now())
        if seconds:
            services.clock.sleep(1, threading.Event())


def test_a_long_digest_arrives_within_every_limit(services: Services, slack: SlackApi) -> None:
    """A paragraph of 3,001 characters, 51 of them, a title of 151, four of 3,400: all posted.

    The stand-in counts as Slack does, the total of about 13,200 included. Reported as
    activepieces/activepieces#11171, slackapi/bolt-js#2509, HubSpot/slack-client#468,
    thedaviddias/publish-release-info-action#55.
    """
    bodies = ["x" * 3_001, "\n\n".join(f"paragraph {n}" for n in range(51)),
              "\n\n".join(["word " * 680] * 4)]  # fmt: skip
    for hour, body in enumerate(bodies):
        post_digest(services, body, hour)
    outbox.enqueue(services.db, key="titled", channel="slack", now=NOON,
                   payload={"title": "t" * (HEADER_LIMIT + 1), "text": "body"})  # fmt: skip
    deliver(services)
    assert [post.text for post in slack.posted[:2]] == bodies[:2]
    shown, left_out = slack.posted[2].text.split("… ")
    assert bodies[2].startswith(shown)
    told = f"{len(bodies[2].strip()) - len(shown):,} more characters are left out here."
    assert left_out == f"{told}This is shortened; the file in its thread has all of it."
    (file,) = slack.answers(slack.posted[2].ts)
    assert slack.file_text(file.files[0]["name"]) == bodies[2]
    assert (
        slack.posted[4].text == "t" * (HEADER_LIMIT - 1) + "…" + "t" * (HEADER_LIMIT + 1) + "body"
    )
    assert len(slack.posted) == 5


def test_blocks_that_are_refused_go_as_plain_text_once(services: Services, slack: SlackApi) -> None:
    """Something always arrives: after invalid_blocks the same words without blocks, one time.

    Reported as activepieces/activepieces#11171.
    """
    slack.script(not_ok("invalid_blocks"))
    post_digest(services, "# Learned\n\nsomething")
    deliver(services, 60)
    (posted,) = slack.posted
    assert "blocks" not in posted.body
    assert "something" in posted.body["text"]
    assert len(slack.requests) == 2


def test_a_slack_that_limits_is_waited_for_and_hears_nothing_of_it(
    services: Services, slack: SlackApi, notion: NotionApi
) -> None:
    """429 with Retry-After: 30 for two minutes: one request each 30 s, and sprints go on.

    The message stays; no word about Slack is sent to Slack. Reported as home-assistant/core#30665,
    prometheus/alertmanager#2128, SCPR/SCPRv4#239.
    """
    slack.script(*[rate_limited(30)] * 4)
    post_digest(services, "the digest")
    deliver(services, 1)
    assert run_sprint(services.sprint_parts).state == "completed"
    sync_notion(services)
    deliver(services, 125)
    assert len(slack.requests) == 5
    assert [post.text for post in slack.posted] == ["the digest"]
    assert len(notion.pages) == 2
    assert not [e for e in events.list_after(services.db, 0) if e.kind in ("alert", "recovered")]


def test_a_long_finding_is_whole_in_notion(services: Services, notion: NotionApi) -> None:
    """A paragraph of 4,218 characters and a page of 191 blocks: split, in order, nothing dropped.

    Also one of 3,375. Reported as withoneai/knowledge#3, Myastr0/mk-notes#8.
    """
    long, longer = "a" * 3_375, "b" * 4_218
    items = [f"item {n}" for n in range(189)]
    body = "\n\n".join([long, longer, *(f"- {item}" for item in items)])
    payload = {"title": "Report", "body": body}
    outbox.enqueue(services.db, key="finding/1", channel="notion", payload=payload, now=NOON)
    deliver(services)
    assert notion.pages[0].texts == [long, longer, *items]
    assert len(notion.pages[0].blocks) == 191
    assert len(notion.requests) == 2


@pytest.mark.parametrize(
    ("status", "code", "words"),
    [
        (400, "validation_error",
         "Databases with multiple data sources are not supported in this API version."),
        (404, "object_not_found", "Could not find data source with ID: 1f2e3d4c."),
    ],
)  # fmt: skip
def test_a_change_of_notions_version_is_one_alert_that_names_it(
    services: Services, slack: SlackApi, notion: NotionApi, status: int, code: str, words: str
) -> None:
    """The sprint goes on; no finding is lost; one alert with version and kind of id.

    Reported as langgenius/dify-official-plugins#2167, onyx-dot-app/onyx#8926,
    Grey-Iris/easy-notion-mcp#64.
    """
    notion.script(*[notion_error(status, code, words)] * 20)
    assert run_sprint(services.sprint_parts).state == "completed"
    sync_notion(services)
    deliver(services, 120)
    assert notion.pages == []
    assert services.outbox.set_aside() == []
    waiting = [row.key for row in services.outbox.pending() if row.channel == "notion"]
    assert [key.rpartition("/")[0] for key in waiting] == ["notion/finding/1", "notion/finding/2"]
    (alert,) = [e for e in events.list_after(services.db, 0) if e.kind == "alert"]
    assert "Notion-Version 2026-03-11" in alert.facts["reason"]
    assert "must be the id of a data source, not that of its database" in alert.facts["reason"]
    assert ["Notion-Version 2026-03-11" in post.text for post in slack.posted] == [True]


def test_a_message_that_is_always_refused_is_tried_once_also_after_restarts(
    tmp_path: Path, slack: SlackApi, notion: NotionApi, clock: ManualClock
) -> None:
    """Moved aside with its reason, kept for a person; the next ones go on.

    Reported as openclaw/openclaw#33403, ModelsLab/modelq#18.
    """
    root = copy_sample(tmp_path / "venture", config_for(slack, notion))
    slack.script(not_ok("no_such_error"))
    for life in range(3):
        services = build_services(root, environ=TOKENS, say=lambda line: None, clock=clock)
        with closing(services):
            post_digest(services, f"digest {life}", life)
            deliver(services, 1_000)
            assert [row.error for row in services.outbox.set_aside()] == [
                f"{slack.host} refuses the message (no_such_error)"
            ]
    assert [post.text for post in slack.posted] == ["digest 1", "digest 2"]
    assert len(slack.requests) == 3


def test_no_token_is_in_the_log_of_a_daemon_whose_slack_cannot_be_reached(
    tmp_path: Path, notion: NotionApi
) -> None:
    """A closed port: host kept, token nowhere, one line; the message waits and health says why.

    Reported as Shweta-Mishra-ai/github-autopilot#96, jo20ow/Obsyd#97, rmusser01/tldw_server#474.
    """
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        place = f"127.0.0.1:{closed.getsockname()[1]}"
        root = copy_sample(
            tmp_path / "venture",
            f'[daemon]\nlog_level = "DEBUG"\n[slack]\nchannel = "C0123456789"\n'
            f'base_url = "http://{place}/api/"\n[notion]\n'
            f'findings_data_source = "{notion.data_source}"\nbase_url = "{notion.base_url}"\n',
        )
        with DaemonProcess(root, environ=TOKENS) as daemon:
            daemon.wait_for_line("memory/findings/")
            assert notion.wait_for_requests(2)
            daemon.wait_until(
                lambda: daemon.health()["outbox"]["waiting_error"] and len(notion.pages) == 2,
                "a message that waits",
            )
            found = daemon.health()
            assert daemon.stop() == 0
    said = daemon.said()
    assert not [token for token in TOKENS.values() if token in said]
    assert said.count(f"slack: {place} cannot be reached (Connection refused)") == 1
    assert (found["ok"], found["delivery"]["channels"]) == (True, ["slack", "notion"])
    assert "cannot be reached" in found["outbox"]["waiting_error"]
    with closing(open_read_only(root / "state" / "sprintd.db")) as db:
        assert {row.channel for row in outbox.list_open(db)} == {"slack"}
