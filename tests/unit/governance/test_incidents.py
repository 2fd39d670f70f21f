"""Repeats of one error are told at their first and at their end."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from daemon.config.phrases import Phrases
from daemon.errors import ProviderBusy, ProviderPermanent, StoreError
from daemon.governance import incidents
from daemon.governance.incidents import Voice
from daemon.store import errors, events, outbox
from daemon.store import incidents as rows
from daemon.store.database import Database, open_database

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
ENGLISH = Voice(Phrases("en"), ("slack",))


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    database = open_database(tmp_path / "state" / "sprintd.db")
    yield database
    database.close()


def note(db: Database, cause: str = "overloaded", minute: int = 0) -> incidents.Incident:
    return incidents.note(
        db, cause=cause, detail="the service is busy", cure="Wait.", place="provider",
        now=NOON + timedelta(minutes=minute), sprint_id=3, item="T01", channels=("slack",),
    )  # fmt: skip


def kinds(db: Database) -> list[str]:
    return [event.kind for event in events.list_after(db, 0)]


def test_fifty_repeats_are_one_alert_and_one_recovered(db: Database) -> None:
    """Two events, two messages, fifty errors on record, one row that counted them."""
    news = [note(db, minute=minute).is_new for minute in range(50)]
    assert news == [True] + [False] * 49
    assert kinds(db) == ["alert"]
    assert incidents.recovered(db, "overloaded", NOON + timedelta(hours=1), voice=ENGLISH)
    assert not incidents.recovered(db, "overloaded", NOON + timedelta(hours=1), voice=ENGLISH)
    assert kinds(db) == ["alert", "recovered"]
    (row,) = rows.list_newest(db, 10)
    assert (row.count, row.closed_at) == (50, NOON + timedelta(hours=1))
    assert len(errors.list_after(db, 0, 100)) == 50
    first, second = outbox.list_open(db)
    assert first.payload["text"] == "the service is busy. Wait."
    assert second.payload["text"] == (
        "Works again after errors (50 since 2026-11-30 12:00 UTC): the service is busy"
    )


def test_a_long_reason_is_cut_where_it_shows() -> None:
    """One that ends in the middle of a word without a sign reads as if it were whole."""
    facts = {"reason": "slow " * 90, "count": 1, "since": "2026-11-30T12:00:00.000000Z"}
    text = incidents.recovered_text(facts, Phrases("en"))
    assert text.startswith("Works again after an error (1 since 2026-11-30 12:00 UTC): slow")
    assert text.endswith("…")


def test_an_error_that_comes_back_after_its_end_is_told_again(db: Database) -> None:
    """It is a new incident."""
    note(db)
    incidents.recovered(db, "overloaded", NOON)
    assert note(db).is_new
    assert kinds(db) == ["alert", "recovered", "alert"]


def test_two_causes_are_two_alerts(db: Database) -> None:
    """Each has its own count and its own end."""
    note(db, "overloaded")
    note(db, "timeout")
    incidents.recovered(db, "timeout", NOON)
    assert [row.cause for row in rows.list_open(db)] == ["overloaded"]


def test_what_a_halt_tells_is_no_alert_besides(db: Database) -> None:
    """It is counted and on record, and the one alert is the halt's."""
    error = ProviderPermanent("the key is wrong", setting="ANTHROPIC_API_KEY", status=401)
    incident = incidents.note_error(
        db, error, ENGLISH, place="provider", now=NOON, told_by="halted"
    )
    assert incident.is_new
    assert kinds(db) == []
    assert outbox.list_open(db) == []
    (record,) = errors.list_after(db, 0, 10)
    assert (record.cause, record.message) == (
        "wrong_key",
        "the key is wrong (setting: ANTHROPIC_API_KEY)",
    )


def test_an_alert_and_its_message_are_one_transaction(db: Database) -> None:
    """Undone together: after a crash both are told or neither."""

    class Crash(Exception):
        pass

    def note_and_crash() -> None:
        with db.immediate():
            note(db)
            raise Crash

    with pytest.raises(Crash):
        note_and_crash()
    assert (kinds(db), outbox.list_open(db), rows.list_open(db)) == ([], [], [])


def test_a_success_ends_what_it_shows_to_be_over_and_nothing_else(db: Database) -> None:
    """A completed sprint says nothing about Notion, files or the database."""
    note(db, "overloaded")
    note(db, "unknown/0123456789ab")
    note(db, "workspace_faults")
    note(db, "store_full")
    note(db, "disk_full")
    note(db, "outbox/notion/refused")
    assert incidents.heal(db, "sprint", NOON) == ["overloaded", "unknown/0123456789ab"]
    assert incidents.heal(db, "files", NOON) == ["workspace_faults"]
    assert incidents.heal(db, "store", NOON) == ["store_full"]
    assert incidents.heal(db, "memory", NOON) == ["disk_full"]
    assert [row.cause for row in rows.list_open(db)] == ["outbox/notion/refused"]


def test_the_cure_is_in_the_language_of_the_workspace(db: Database) -> None:
    """Alert and message alike."""
    voice = Voice(Phrases("es"), ("slack",))
    error = StoreError("state/sprintd.db: the disk is full (SQLITE_FULL)")
    incidents.note_error(db, error, voice, place="store", now=NOON)
    (message,) = outbox.list_open(db)
    assert "Libere espacio en ese disco" in message.payload["text"]
    assert events.list_after(db, 0)[0].facts["reason"] == message.payload["text"]


def test_without_channels_only_events_tell(db: Database) -> None:
    """Digest and page read them."""
    incidents.note_error(
        db, ProviderBusy("busy", status=529), Voice(Phrases("en")), place="provider", now=NOON
    )
    assert kinds(db) == ["alert"]
    assert outbox.list_open(db) == []


def test_a_message_has_what_slack_and_notion_need(db: Database) -> None:
    """A short title, the text for one and the body for the other."""
    incidents.send(db, "k", "alert", "x" * 300, {"a": 1}, NOON, channels=("slack", "notion"))
    for message in outbox.list_open(db):
        assert len(message.payload["title"]) == 100
        assert message.payload["text"] == message.payload["body"] == "x" * 300
        assert message.key == f"k/{message.channel}"


def test_what_works_again_takes_the_place_of_its_alert(db: Database) -> None:
    """In each channel its own; the alert says what to do in small print."""
    voice = Voice(Phrases("en"), ("slack",))
    incidents.note(db, cause="x", detail="The disk is full", cure="Free some space.",
                   place="store", now=NOON, channels=voice.channels)  # fmt: skip
    assert incidents.recovered(db, "x", NOON, voice=voice)
    alert, over = outbox.list_open(db)
    assert over.payload["edits"] == alert.key
    assert [part["text"] for part in alert.payload["parts"]] == [
        "⚠️ The disk is full", "Free some space."
    ]  # fmt: skip
    assert over.payload["parts"][0]["text"].startswith("✅ Works again")
    assert "edits" not in alert.payload
