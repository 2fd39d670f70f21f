"""The circuit breaker: what it counts, when it opens, and what closes it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from daemon.config.phrases import Phrases
from daemon.governance import gate, recovery
from daemon.governance.incidents import Voice
from daemon.governance.states import current_state, enter_state
from daemon.store import events, items, outbox, sprints
from daemon.store.database import Database, open_database
from daemon.store.sprints import SprintState

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
ROOT = Path(__file__).parents[3]
NEUTRAL: tuple[SprintState, ...] = ("no_work", "paused_budget", "interrupted")


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    database = open_database(tmp_path / "state" / "sprintd.db")
    yield database
    database.close()


def end(db: Database, *states: SprintState, limit: int = 3) -> recovery.Phase:
    for state in states:
        phase = recovery.record_outcome(db, state, f"it ended {state}", NOON, limit=limit)
    return phase


def opened(db: Database) -> Database:
    end(db, "failed", "failed", "failed")
    return db


def half_opened(db: Database) -> Database:
    opened(db)
    row = recovery.begin_diagnosis(db, NOON, "three failed")
    assert row
    recovery.end_diagnosis(db, row.id, "", NOON)
    enter_state(db, "idle", "written", NOON)
    return db


def state_name(db: Database) -> str:
    found = current_state(db)
    return found.name if found else ""


def told(db: Database, kind: str) -> list[str]:
    return [e.facts["reason"] for e in events.list_after(db, 0) if e.kind == kind]


def test_the_third_failure_in_a_row_opens_the_breaker(db: Database) -> None:
    """Not the second one, and nothing is halted by it."""
    assert end(db, "failed", "failed") == "closed"
    assert end(db, "failed") == "open"
    assert recovery.consecutive_failures(db) == 3
    assert state_name(db) != "halted"


@pytest.mark.parametrize("neutral", NEUTRAL)
def test_what_is_no_failure_neither_counts_nor_forgives(db: Database, neutral: SprintState) -> None:
    """A hundred of them open nothing; between failures they change nothing."""
    assert end(db, *[neutral] * 100) == "closed"
    assert recovery.consecutive_failures(db) == 0
    end(db, "failed", neutral, "failed", neutral)
    assert recovery.consecutive_failures(db) == 2
    assert end(db, "failed") == "open"


def test_a_completed_sprint_sets_the_count_to_zero(db: Database) -> None:
    """Two failures, a good one, two failures: closed, and counted 2."""
    assert end(db, "failed", "failed", "completed", "failed", "failed") == "closed"
    assert recovery.consecutive_failures(db) == 2


@pytest.mark.parametrize("limit", [1, 2, 5, 20])
def test_the_setting_says_how_many_failures_open_it(db: Database, limit: int) -> None:
    """sprint.failures_before_diagnosis, exactly."""
    if limit > 1:
        assert end(db, *["failed"] * (limit - 1), limit=limit) == "closed"  # type: ignore[list-item]
    assert end(db, "failed", limit=limit) == "open"


def test_the_count_and_the_phase_outlive_restarts(tmp_path: Path) -> None:
    """One failure in each of three lives is three in a row."""
    for expected in ("closed", "closed", "open"):
        db = open_database(tmp_path / "sprintd.db")
        assert end(db, "failed") == expected
        db.close()
    db = open_database(tmp_path / "sprintd.db")
    assert (recovery.breaker_phase(db), recovery.consecutive_failures(db)) == ("open", 3)
    db.close()


def test_a_closed_breaker_has_no_diagnosis(db: Database) -> None:
    """Nor a half-open one, nor a halted daemon."""
    assert recovery.begin_diagnosis(db, NOON, "") is None
    half_opened(db)
    assert recovery.begin_diagnosis(db, NOON, "") is None
    end(db, "failed")
    assert state_name(db) == "halted"
    assert recovery.begin_diagnosis(db, NOON, "") is None


def test_there_is_one_diagnosis_whoever_asks(db: Database) -> None:
    """While it runs a second is refused, and no second row is there."""
    opened(db)
    first = recovery.begin_diagnosis(db, NOON, "three failed")
    assert first
    assert first.kind == "DIAGNOSTIC"
    assert state_name(db) == "diagnosing"
    assert recovery.begin_diagnosis(db, NOON, "three failed") is None
    assert [row.id for row in sprints.list_running(db)] == [first.id]


def test_of_four_processes_one_begins_the_diagnosis(db: Database) -> None:
    """All at once, on one database."""
    opened(db)
    script = (
        "import sys; from pathlib import Path; from datetime import UTC, datetime\n"
        "from daemon.store.database import open_database\n"
        "from daemon.governance.recovery import begin_diagnosis\n"
        "db = open_database(Path(sys.argv[1])); print('ready', flush=True); sys.stdin.readline()\n"
        "row = begin_diagnosis(db, datetime(2026, 11, 30, tzinfo=UTC), 'x')\n"
        "print('began' if row else 'none', flush=True)\n"
    )
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    command = [sys.executable, "-c", script, str(db.path)]
    several = [subprocess.Popen(command, cwd=ROOT, text=True, **pipes) for _ in range(4)]
    for process in several:
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
    for process in several:
        assert process.stdin
        process.stdin.write("go\n")
        process.stdin.flush()
    said = sorted(process.communicate()[0].strip() for process in several)
    assert said == ["began", "none", "none", "none"]


def test_a_written_diagnosis_lets_one_trial_follow(db: Database) -> None:
    """Half-open; completed it closes, and three more failures are needed."""
    half_opened(db)
    assert recovery.breaker_phase(db) == "half_open"
    assert end(db, "completed") == "closed"
    assert end(db, "failed", "failed") == "closed"


def test_a_failed_trial_halts_with_one_alert(db: Database) -> None:
    """One failure is enough; more of them tell nothing more."""
    half_opened(db)
    end(db, "failed")
    assert state_name(db) == "halted"
    end(db, "failed", "failed")
    (alert,) = told(db, "halted")
    assert "it ended failed" in alert


@pytest.mark.parametrize("neutral", NEUTRAL)
def test_a_trial_without_a_result_leaves_another_one(db: Database, neutral: SprintState) -> None:
    """Out of money or stopped says nothing: still half-open."""
    half_opened(db)
    assert end(db, neutral) == "half_open"
    assert state_name(db) == "idle"


def test_a_diagnosis_that_failed_halts(db: Database) -> None:
    """With its reason, once; ending it twice changes nothing."""
    opened(db)
    row = recovery.begin_diagnosis(db, NOON, "three failed")
    assert row
    assert recovery.end_diagnosis(db, row.id, "the disk is full", NOON)
    assert not recovery.end_diagnosis(db, row.id, "", NOON)
    assert state_name(db) == "halted"
    assert told(db, "halted") == ["the diagnosis failed: the disk is full"]
    found = sprints.find_sprint(db, row.id)
    assert found
    assert found.state == "failed"


def test_a_diagnosis_that_was_cut_off_goes_on_in_the_next_life(db: Database) -> None:
    """The same sprint, and only after the holder of the lock has said so; once."""
    opened(db)
    first = recovery.begin_diagnosis(db, NOON, "three failed")
    assert first
    assert recovery.take_up_diagnosis(db, NOON, "cut off") is not None
    assert recovery.take_up_diagnosis(db, NOON, "cut off") is None
    enter_state(db, "idle", "ready", NOON)
    assert recovery.begin_diagnosis(db, NOON, "three failed") == first
    assert recovery.begin_diagnosis(db, NOON, "three failed") is None


def test_a_diagnosis_that_nobody_needs_any_more_ends_at_the_next_start(db: Database) -> None:
    """A person reset in the meantime."""
    opened(db)
    row = recovery.begin_diagnosis(db, NOON, "three failed")
    assert row
    recovery.reset_failures(db, NOON)
    recovery.take_up_diagnosis(db, NOON, "cut off")
    found = sprints.find_sprint(db, row.id)
    assert found
    assert (found.state, found.reason) == ("interrupted", "cut off")


def test_a_reset_during_the_diagnosis_is_not_undone_by_its_end(db: Database) -> None:
    """Written or failed: the breaker stays closed and nothing halts."""
    for failure in ("", "the disk is full"):
        opened(db)
        row = recovery.begin_diagnosis(db, NOON, "three failed")
        assert row
        recovery.reset_failures(db, NOON)
        recovery.end_diagnosis(db, row.id, failure, NOON)
        assert recovery.breaker_phase(db) == "closed"
        assert state_name(db) == "diagnosing"
        enter_state(db, "idle", "", NOON)


def test_halting_twice_is_one_alert_with_the_first_reason(db: Database) -> None:
    """The first error is the one to mend."""
    assert recovery.halt(db, "the key is wrong", NOON, cause="wrong_key")
    assert not recovery.halt(db, "something else", NOON)
    assert told(db, "halted") == ["the key is wrong"]
    state = current_state(db)
    assert state
    assert state.reason == "the key is wrong"


def test_a_halt_leaves_for_every_channel_once(db: Database) -> None:
    """In the language of the workspace, in the transaction that halts."""
    voice = Voice(Phrases("es"), ("slack",))
    recovery.halt(db, "la clave", NOON, voice=voice)
    recovery.halt(db, "la clave", NOON, voice=voice)
    (message,) = outbox.list_open(db)
    assert message.channel == "slack"
    assert message.payload["text"].startswith("Detenido, no se gasta nada: la clave.")


def test_a_reset_closes_the_breaker_the_halt_and_the_limit(db: Database) -> None:
    """And puts blocked items back; after it nothing is counted."""
    half_opened(db)
    end(db, "failed")
    gate.leave_alone(db, NOON + timedelta(hours=1), "slow down", NOON)
    items.count_rejection(db, "T01", "too short", 1, NOON)
    reset = recovery.reset_failures(db, NOON)
    assert (reset.failures, reset.was_halted, reset.unblocked) == (4, True, ("T01",))
    assert (state_name(db), recovery.breaker_phase(db)) == ("idle", "closed")
    assert gate.refusal_now(db, NOON) is None
    assert end(db, "failed", "failed") == "closed"


def test_a_reset_of_one_item_leaves_the_breaker_alone(db: Database) -> None:
    """The halt stays too."""
    half_opened(db)
    end(db, "failed")
    items.count_rejection(db, "T01", "too short", 1, NOON)
    reset = recovery.reset_failures(db, NOON, item="T01")
    assert reset.unblocked == ("T01",)
    assert (state_name(db), recovery.breaker_phase(db)) == ("halted", "open")


def test_a_halt_has_a_button_until_a_person_resumes(db: Database) -> None:
    """The message of the halt is edited then; a reset of nothing tells nobody."""
    voice = Voice(Phrases("en"), ("slack",))
    recovery.reset_failures(db, NOON, voice=voice)
    assert outbox.list_open(db) == []
    recovery.halt(db, "the key is wrong.", NOON, voice=voice)
    recovery.reset_failures(db, NOON, voice=voice)
    halted, resumed = outbox.list_open(db)
    assert halted.payload["parts"][1]["entries"][0]["action"] == "daemon.resume"
    assert resumed.payload["edits"] == halted.key
    assert resumed.payload["text"] == "Resumed by a person. Was halted: the key is wrong"
    assert "parts" not in resumed.payload
