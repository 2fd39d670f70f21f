"""Channels through which nothing leaves: found, and told in words."""

from __future__ import annotations

from daemon.config.phrases import Phrases
from daemon.config.sections import Config, NotionSection, SlackSection
from daemon.reports.mute import Mute, find_mute, mute_cure, mute_text
from daemon.reports.status import render_status, take_status
from daemon.store import outbox
from daemon.store.database import Database
from tests.unit.reports.money import NOON, Purse

SLACK = Config(slack=SlackSection(channel="C0123456789"))


def wait(db: Database, key: str, channel: str) -> None:
    outbox.enqueue(db, key=key, channel=channel, payload={"text": "x"}, now=NOON)


def test_a_configured_channel_without_a_way_out_is_mute(db: Database) -> None:
    """Also before anything was handed over; one with a way out, and one that nobody wants, are not."""
    assert find_mute(db, Config(), ()) == ()
    assert find_mute(db, SLACK, ("slack",)) == ()
    assert find_mute(db, SLACK, ()) == (Mute("slack", "slack_bot_token", 0),)
    both = Config(notion=NotionSection(findings_data_source="a" * 32))
    assert find_mute(db, both, ("slack",)) == (Mute("notion", "notion_token", 0),)


def test_messages_of_a_channel_that_was_switched_off_are_counted(db: Database) -> None:
    """The setting is what is missing then; messages that left wait for nothing."""
    for number in range(3):
        wait(db, f"report/{number}", "slack")
    assert outbox.begin_sending(db, "report/0", look_up_at=NOON)
    assert outbox.mark_sent(db, "report/0", "1.0", NOON)
    assert find_mute(db, Config(), ()) == (Mute("slack", "slack.channel", 2),)
    assert find_mute(db, SLACK, ()) == (Mute("slack", "slack_bot_token", 2),)


def test_it_is_said_what_is_missing_and_where_it_belongs() -> None:
    """In both languages, and one message waits while two wait."""
    english, spanish = Phrases("en"), Phrases("es")
    none, one, two = (Mute("slack", "slack_bot_token", count) for count in range(3))
    assert mute_text(none, english) == "Nothing leaves for Slack: there is no slack_bot_token."
    assert mute_text(one, english).endswith("slack_bot_token, and 1 message waits.")
    assert mute_text(two, english).endswith("slack_bot_token, and 2 messages wait.")
    assert mute_text(two, spanish).endswith("falta slack_bot_token, y esperan 2 mensajes.")
    assert "docs/slack.md" in mute_cure(one, english)
    assert "slack_bot_token" in mute_cure(one, spanish)


def test_the_status_tells_it(purse: Purse) -> None:
    """In words and for machines."""
    found = take_status(
        purse.db, purse.budget, provider="x", backlog={}, faults=(),
        mute=(Mute("slack", "slack_bot_token", 2),),
    )  # fmt: skip
    assert "Nothing leaves for Slack: there is no slack_bot_token, and 2 messages wait." in (
        " ".join(render_status(found, None, 100).split())
    )
    assert found.as_json()["mute"] == [
        {"channel": "slack", "missing": "slack_bot_token", "waiting": 2}
    ]
