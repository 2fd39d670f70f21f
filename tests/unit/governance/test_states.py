"""The state of the daemon: what follows what, as the table says and the documents show."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from daemon.governance.states import (
    STATE_NAMES,
    TRANSITIONS,
    DaemonState,
    Mover,
    StateName,
    current_state,
    enter_state,
    may_enter,
)
from daemon.store import control
from daemon.store.database import Database, open_database

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
LATER = NOON + timedelta(minutes=1)
DOCUMENT = (Path(__file__).parents[3] / "docs" / "architecture.md").read_text("utf-8")
PAIRS = list(itertools.product(STATE_NAMES, STATE_NAMES))
ALLOWED = {(line.before, line.after): line.by for line in TRANSITIONS}


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    database = open_database(tmp_path_factory.mktemp("states") / "state" / "sprintd.db")
    yield database
    database.close()


def put(db: Database, name: StateName) -> DaemonState:
    """As if the daemon had come there, whatever was before."""
    state = DaemonState(name, "as it was", NOON)
    control.put(db, "state", state.as_json(), NOON)
    return state


@pytest.mark.parametrize("by", ["daemon", "person"])
@pytest.mark.parametrize(("before", "after"), PAIRS)
def test_every_transition_is_entered_or_refused_as_the_table_says(
    db: Database, before: StateName, after: StateName, by: Mover
) -> None:
    """All 36 pairs, by the daemon and by a person; refused, the old state stays in every field."""
    old = put(db, before)
    allowed = ALLOWED.get((before, after)) == by or (before == after != "halted")
    assert may_enter(before, after, by=by) == allowed
    found = enter_state(db, after, "the new reason", LATER, by=by)
    assert found == current_state(db)
    assert found == (DaemonState(after, "the new reason", LATER) if allowed else old)


def test_the_documented_table_is_the_one_in_force() -> None:
    """Line by line: from, to, when and by whom."""
    rows = re.findall(r"^\| `(\w+)` \| `(\w+)` \| (.+) \| (\w+) \|$", DOCUMENT, re.MULTILINE)
    assert rows == [(line.before, line.after, line.when, line.by) for line in TRANSITIONS]


def test_every_state_is_explained_and_can_be_left_and_reached() -> None:
    """No dead end and no state that nobody enters."""
    for name in STATE_NAMES:
        assert re.search(rf"^\| `{name}` \| [^`|]+", DOCUMENT, re.MULTILINE), name
        assert any(line.before == name for line in TRANSITIONS)
        assert any(line.after == name for line in TRANSITIONS)
    assert len(ALLOWED) == len(TRANSITIONS)


def test_only_a_person_leaves_halted() -> None:
    """Neither a tick nor a stop nor a new life does."""
    assert [(line.after, line.by) for line in TRANSITIONS if line.before == "halted"] == [
        ("idle", "person")
    ]


def test_halted_outlives_a_stop_and_a_restart(tmp_path: Path) -> None:
    """Stopping does not overwrite it, and the next life finds reason and moment unchanged."""
    for _ in range(2):
        db = open_database(tmp_path / "sprintd.db")
        if current_state(db) is None:
            enter_state(db, "halted", "the key is wrong", NOON)
        enter_state(db, "idle", "ready", LATER)
        enter_state(db, "stopping", "asked to", LATER)
        assert current_state(db) == DaemonState("halted", "the key is wrong", NOON)
        db.close()


def test_a_new_life_leaves_stopping(tmp_path: Path) -> None:
    """What an orderly stop left behind is no state of the next life."""
    db = open_database(tmp_path / "sprintd.db")
    enter_state(db, "stopping", "asked to", NOON)
    db.close()
    db = open_database(tmp_path / "sprintd.db")
    assert enter_state(db, "idle", "ready", LATER).name == "idle"
    db.close()


def test_the_same_state_for_the_same_reason_keeps_its_beginning(tmp_path: Path) -> None:
    """Another reason or another end begins anew."""
    db = open_database(tmp_path / "sprintd.db")
    enter_state(db, "idle", "nothing eligible", NOON)
    assert enter_state(db, "idle", "nothing eligible", LATER).since == NOON
    assert enter_state(db, "idle", "nothing eligible", LATER, until=LATER).since == LATER
    assert enter_state(db, "idle", "mended", LATER + timedelta(1)).since == LATER + timedelta(1)
    db.close()


def test_a_new_database_counts_as_idle(tmp_path: Path) -> None:
    """A first refused transition gives idle back and writes nothing."""
    db = open_database(tmp_path / "sprintd.db")
    assert current_state(db) is None
    enter_state(db, "working", "a sprint runs", NOON)
    assert current_state(db) == DaemonState("working", "a sprint runs", NOON)
    db.close()
