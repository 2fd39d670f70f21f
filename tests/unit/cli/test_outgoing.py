"""outbox: what it lists is what waits, and a retry changes only what was set aside."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from daemon.store import outbox, outbox_hold
from daemon.store.database import open_database
from tests.unit.cli.small import as_json, sprintd

NOON = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


@pytest.fixture
def posting(small: Path) -> Path:
    """One message waits, one was set aside, one was sent."""
    with closing(open_database(small / "state" / "sprintd.db")) as db:
        for key in ("finding/1", "finding/2", "finding/3"):
            outbox.enqueue(db, key=key, channel="notion", payload={"title": "secret"}, now=NOON)
        outbox.mark_sent(db, "finding/1", "p1", NOON)
        outbox.set_aside(db, "finding/2", error="the id is \x1b[31mwrong", now=NOON)
        outbox.put_back(
            db, "finding/3", next_try_at=NOON, error="asks to write less often", uncertain=False
        )
    return small


def test_it_lists_what_waits_and_why(posting: Path) -> None:
    """Not what was sent, not the text, and nothing that moves a cursor."""
    said = sprintd(posting, "outbox").stdout
    assert "finding/3 to notion: waiting since 2026-11-30 12:00 UTC" in said
    assert "asks to write less often" in said
    assert "finding/2 to notion: set aside" in said
    assert "finding/1" not in said
    assert "\x1b" not in said
    assert "finding/3" not in sprintd(posting, "outbox", "--set-aside").stdout


def test_as_json_it_says_the_same(posting: Path) -> None:
    """For machines, without the text of the message."""
    waiting, aside = as_json(posting, "outbox")["messages"]
    assert (waiting["key"], waiting["state"], waiting["in_doubt"]) == (
        "finding/3",
        "waiting",
        False,
    )
    assert (aside["key"], aside["state"], aside["next_try_at"]) == ("finding/2", "set_aside", None)
    assert "secret" not in sprintd(posting, "outbox", "--json").stdout
    assert len(as_json(posting, "outbox", "--set-aside")["messages"]) == 1


def test_a_retry_puts_back_what_was_set_aside_and_nothing_else(posting: Path) -> None:
    """By its key or all; what waits or was sent stays as it is."""
    assert as_json(posting, "outbox", "retry", "finding/3") == {"retried": [], "channels": []}
    assert "finding/1 is sent" in sprintd(posting, "outbox", "retry", "finding/1").stdout
    assert as_json(posting, "outbox", "retry", "finding/2") == {
        "retried": ["finding/2"], "channels": [],
    }  # fmt: skip
    assert as_json(posting, "outbox", "--set-aside")["messages"] == []
    assert "nothing was set aside" in sprintd(posting, "outbox", "retry", "--all").stdout


def test_a_channel_that_takes_nothing_stands_first_and_can_be_tried_at_once(posting: Path) -> None:
    """Since when, why, and that all of its messages wait."""
    with closing(open_database(posting / "state" / "sprintd.db")) as db:
        outbox_hold.hold(db, "notion", "unauthorized; copy the secret again", NOON)
        later = NOON.replace(year=2036)
        outbox.put_back(db, "finding/3", next_try_at=later, error="unauthorized", uncertain=False)
    said = sprintd(posting, "outbox").stdout
    assert said.startswith("notion takes no message since 2026-11-30 12:00 UTC; all of them wait:")
    assert "copy the secret again" in said
    assert as_json(posting, "outbox", "retry", "--all")["channels"] == ["notion"]
    found = as_json(posting, "outbox")
    assert found["messages"][1]["next_try_at"] < "2036"
    assert found["held"]["notion"]["since"].startswith("2026-11-30T12:00")


def test_status_tells_of_both(posting: Path) -> None:
    """How many, since when and what to do."""
    said = " ".join(sprintd(posting, "status").stdout.split())
    assert "1 wait since 2026-11-30 12:00 UTC (asks to write less often)" in said
    assert "1 set aside since 2026-11-30 12:00 UTC (sprintd outbox --set-aside)" in said
    found = as_json(posting, "status")["outbox"]
    assert (found["waiting"], found["set_aside"]) == (1, 1)


def test_a_retry_without_a_key_or_of_an_unknown_one_is_refused(posting: Path) -> None:
    """Usage is 2, an unknown key 1 with the one that was meant."""
    assert sprintd(posting, "outbox", "retry").returncode == 2
    assert sprintd(posting, "outbox", "retry", "finding/2", "--all").returncode == 2
    assert sprintd(posting, "outbox", "--all").returncode == 2
    done = sprintd(posting, "outbox", "retry", "finding/22")
    assert done.returncode == 1
    assert "did you mean finding/2?" in done.stderr


def test_where_nothing_waits_it_says_so(small: Path) -> None:
    """Also before anything ran here, without leaving a trace."""
    assert sprintd(small, "outbox").stdout == "No message waits or was set aside.\n"
    assert not (small / "state").exists()
