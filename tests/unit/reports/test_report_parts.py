"""Each report says in its parts what its text says."""

from __future__ import annotations

from daemon.config.phrases import Phrases
from daemon.governance.recovery import halt
from daemon.notify.message import Part
from daemon.reports.daily import write_daily
from daemon.reports.day_close import write_day_close
from daemon.reports.day_figures import take_daily
from daemon.reports.post import post_report
from daemon.reports.silence import write_silence
from daemon.store import outbox
from daemon.store.database import Database
from daemon.workspace.board import Board
from tests.unit.reports.money import NOON

EN = Phrases("en")


def types(parts: tuple[Part, ...]) -> list[str]:
    return [str(part["type"]) for part in parts]


def test_a_quiet_day_has_its_report(db: Database) -> None:
    """A title and what there was nothing of."""
    written = write_daily(take_daily(db, NOON, NOON, Board(())), EN)
    assert types(written.parts) == ["heading", "text", "text", *["small"] * 5]
    assert written.parts[0]["text"] == "sprintd, the UTC day 2026-11-29"
    assert written.parts[1]["text"] == (
        "2026-11-29: learned 0, rejected 0, spent 0.00 USD. 2026-11-30 until 12:00 UTC: learned 0, "
        "rejected 0, spent 0.00 USD. Blocked items: 0."
    )
    assert written.parts[2]["text"] == "Nothing was learned."


def test_a_halt_that_was_silent_for_a_day_can_be_ended_from_its_alarm(db: Database) -> None:
    """The button is there only where it is halted."""
    idle = write_silence(db, NOON, NOON, {}, EN)
    assert idle
    assert types(idle.parts) == ["text"]
    halt(db, "the key is wrong", NOON)
    halted = write_silence(db, NOON, NOON, {}, EN)
    assert halted
    assert types(halted.parts) == ["text", "buttons"]
    assert halted.parts[1]["entries"][0]["action"] == "daemon.resume"


def test_a_day_without_a_call_has_no_parts(db: Database) -> None:
    """It stays in the store."""
    assert write_day_close(db, NOON, EN).parts == ()


def test_parts_and_title_go_along_with_the_text(db: Database) -> None:
    """In the message of each channel; a report without parts has neither."""
    written = write_daily(take_daily(db, NOON, NOON, None), EN)
    post_report(db, kind="daily", slot=NOON, written=written, now=NOON, channels=("slack",))
    (row,) = outbox.list_open(db)
    assert row.payload["parts"] == [dict(part) for part in written.parts]
    assert (row.payload["title"], row.payload["text"]) == (written.title, written.body)
