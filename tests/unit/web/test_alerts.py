"""The page of alerts: what is wrong now with its cure, and what is over."""

from __future__ import annotations

import re
from datetime import timedelta

from daemon.errors import Fault
from daemon.governance.recovery import halt
from daemon.store import incidents, outbox
from daemon.web.alerts import MOST_FAULTS, MOST_ON_PAGE
from tests.unit.web.lived import page_of
from tests.unit.web.watched import Watched, as_read
from tests.workspaces import NOON


def test_an_open_incident_stands_with_its_cure_and_how_often(watched: Watched) -> None:
    """Repeats are one alert; when it is over it moves into the history."""
    db = watched.services.db
    for minute in range(3):
        row = incidents.count(
            db, "disk_full", "No space left.", "Make room.", NOON + timedelta(minutes=minute)
        )
    page = page_of(watched, "/alerts")
    for words in ("Open (1)", "disk_full", "No space left.", "Make room.", "seen 3 times", "12:02"):
        assert words in page
    assert "Nothing is wrong now." not in page
    incidents.close(db, row.id, NOON + timedelta(hours=1))
    page = page_of(watched, "/alerts")
    assert "Nothing is wrong now." in page
    assert "2026-11-30 13:00 UTC" in page


def test_a_halt_is_the_first_thing_on_the_page(watched: Watched) -> None:
    """With its reason and the command that ends it."""
    halt(watched.services.db, "the key is wrong", NOON)
    page = page_of(watched, "/alerts")
    assert page.index("the key is wrong") < page.index("sprintd reset-failures")
    assert "Nothing is wrong now." not in page


def test_faults_of_files_have_place_and_cure(watched: Watched) -> None:
    """As `sprintd check` says them; of very many the rest is counted."""
    watched.faults = (Fault("backlog.yaml", 7, "items[0]", "is no item", "mend it"),) * (
        MOST_FAULTS + 4
    )
    page = page_of(watched, "/alerts")
    assert "<code>backlog.yaml:7</code> <code>items[0]</code>" in page
    assert "mend it" in page
    assert "4 more" in page


def test_messages_that_were_set_aside_are_told(watched: Watched) -> None:
    """Nobody was told of them: they need a person."""
    db = watched.services.db
    outbox.enqueue(db, key="a", channel="slack", payload={"text": "x"}, now=NOON)
    outbox.set_aside(db, "a", error="invalid_auth", now=NOON)
    page = as_read(page_of(watched, "/alerts"))
    assert "1 set aside since 2026-11-30 12:00 UTC; list them with: <code" in page


def test_the_history_goes_on_from_page_to_page(watched: Watched) -> None:
    """The newest first, each once."""
    db = watched.services.db
    for number in range(MOST_ON_PAGE + 2):
        row = incidents.count(db, f"cause/{number:03d}", "x", "", NOON)
        incidents.close(db, row.id, NOON)
    first = page_of(watched, "/alerts")
    older = re.search(r'rel="next" href="([^"]+)"', first)
    assert older is not None
    second = page_of(watched, older[1])
    seen = re.findall(r"<code>(cause/\d+)</code>", first) + re.findall(
        r"<code>(cause/\d+)</code>", second
    )
    assert seen == [f"cause/{number:03d}" for number in range(MOST_ON_PAGE + 1, -1, -1)]
