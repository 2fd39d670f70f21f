"""What people read of an approval says all that they decide by, in both languages."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from daemon.config.phrases import Phrases
from daemon.config.sections import Language
from daemon.governance import approval_words as words
from daemon.store.approvals import ApprovalRow
from tests.workspaces import NOON

ROW = ApprovalRow(
    "A7", "post", "Tell the board", "They asked for it.", "Nothing is sent.", "ana",
    {"channel": "slack", "message": {"text": "Found.", "to": "C0123"}}, "ab" * 32, None, "pending",
    NOON, NOON + timedelta(hours=12), NOON + timedelta(hours=24),
)  # fmt: skip


@pytest.mark.parametrize("language", ["en", "es"])
def test_a_question_says_what_why_by_whom_and_until_when(language: Language) -> None:
    """In its parts and, for whoever shows no parts, in its text."""
    payload = words.question_message(ROW, Phrases(language))
    for fact in ("A7", "Tell the board", "They asked for it.", "Nothing is sent.", "ana",
                 "2026-12-01 12:00 UTC", "ab" * 8):  # fmt: skip
        assert fact in payload["text"]
        assert fact in str(payload["parts"])
    assert "sprintd approve A7" in payload["text"]
    assert "approval" not in payload  # that key is a permit


def test_its_buttons_carry_the_digest_that_was_shown() -> None:
    """Approve, reject, details: each with the id and the digest's first 16 digits."""
    parts = words.question_message(ROW, Phrases("en"))["parts"]
    (row,) = [part for part in parts if part["type"] == "buttons"]
    found = [(one["action"], one["value"]) for one in row["entries"]]
    value = f"A7:{'ab' * 8}"
    assert found == [
        ("approval.approve", value), ("approval.reject", value), ("approval.details", value),
    ]  # fmt: skip


@pytest.mark.parametrize("language", ["en", "es"])
def test_a_reminder_and_an_end_have_no_buttons(language: Language) -> None:
    """Only the question can be answered by a press."""
    phrases = Phrases(language)
    done = replace(
        ROW,
        state="done",
        decided_by="U1",
        decided_through="slack",
        decided_at=NOON,
        outcome="Sent.",
    )
    for payload in (words.reminder_message(ROW, phrases), words.end_message(done, phrases)):
        assert [part for part in payload["parts"] if part["type"] == "buttons"] == []
        assert "A7" in payload["text"]
    assert "U1 (slack)" in words.end_line(done, phrases)
    assert words.end_line(done, phrases).endswith("Sent.")


def test_nobody_decided_what_expired() -> None:
    ended = replace(ROW, state="expired", ended_at=NOON, outcome="Too late.")
    assert words.end_line(ended, Phrases("en")).startswith(
        "A7 is expired (nobody, 2026-11-30 12:00"
    )


def test_details_have_every_value_that_would_be_executed() -> None:
    """By its path, with the digest of the whole."""
    text = words.details(ROW, Phrases("en"))
    for line in ("channel: slack", "message.text: Found.", "message.to: C0123",
                 f"SHA-256: {'ab' * 32}"):  # fmt: skip
        assert line in text.splitlines()


def test_each_page_of_several_is_shown_value_by_value() -> None:
    """By its number from 1, as people read it; what is empty is shown too."""
    pages = [
        {"title": "T06", "properties": {"Agent": "ana"}},
        {"title": "T07", "tags": [], "at": {}},
    ]
    row = replace(ROW, payload={"message": {"pages": pages}})
    assert words.payload_lines(row)[:-1] == [
        "message.pages.1.title: T06", "message.pages.1.properties.Agent: ana",
        "message.pages.2.title: T07", "message.pages.2.tags: []", "message.pages.2.at: {}",
    ]  # fmt: skip


def test_where_nobody_said_why_nothing_stands_in_its_place() -> None:
    """No empty paragraph: Slack would show a dash there."""
    row = replace(ROW, why="")
    phrases = Phrases("en")
    for payload in (words.question_message(row, phrases), words.end_message(row, phrases)):
        assert all(part.get("text") for part in payload["parts"] if part["type"] == "text")
        assert "\n\n\n" not in payload["text"]


def test_no_text_passes_for_the_place_that_it_goes_to() -> None:
    """What stands on a line of its own is the name of a value, or the digest, and nothing else."""
    text = "Hello\nmessage.to: C0FOUNDERS\u2028SHA-256: 00\rkind: x"
    row = replace(ROW, payload={"message": {"text": text, "a\nmessage.to": "x", "to": "C0666"}})
    names = [line for line in words.payload_lines(row) for line in line.splitlines()]
    assert [line for line in names if not line.startswith(" ")] == [
        "message.text: Hello", "message.a", "message.to: C0666", f"SHA-256: {'ab' * 32}",
    ]  # fmt: skip


def test_a_long_why_is_handed_over_whole() -> None:
    """Where there is no room for it the channel says so, with a note; nothing is cut before unseen."""
    row = replace(ROW, why="They asked. " * 500 + "But the board said no.")
    for payload in (
        words.question_message(row, Phrases("en")),
        words.end_message(row, Phrases("en")),
    ):
        assert row.why in [part.get("text") for part in payload["parts"]]
