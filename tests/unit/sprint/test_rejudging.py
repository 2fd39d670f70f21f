"""Stored outputs judged again meet what they met then."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from daemon.quality.rules import QualityRules
from daemon.sprint.rejudging import earlier_then, rejudge
from daemon.store import attempts, sprints, texts
from daemon.store.attempts import AttemptRow
from daemon.store.database import Database, open_database
from tests.unit.quality.judging import REPORT

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
REFUSAL = "I'm sorry, but I can't help with that request."


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    opened = open_database(tmp_path / "state" / "sprintd.db")
    yield opened
    opened.close()


def keep(db: Database, text: str, state: attempts.JudgedState, *, stop: str = "end_turn") -> int:
    """One judged attempt at the item T1, by a model that may not repeat itself."""
    sprint = sprints.open_sprint(db, "REGULAR", None, NOON)
    prompt = {
        "model": "claude", "question": "How many lawyers would pay?", "title": "Demand",
        "criterion": "KC1", "profile": "report", "language": "en",
        "system": texts.save_text(db, "You are an analyst."), "task": texts.save_text(db, "Task"),
        "sources": [],
    }  # fmt: skip
    row = attempts.save_asked(
        db, sprint_id=sprint, track=1, item="T1", agent="analyst", effect_key=f"sprint/{sprint}",
        prompt=prompt, context={}, now=NOON,
    )  # fmt: skip
    attempts.save_answer(db, row.id, text, stop, "claude")
    attempts.save_verdict(
        db, row.id, state=state, verdict={"defects": []}, score_hundredths=50,
        finding_path=None, now=NOON,
    )  # fmt: skip
    return row.id


def row_of(db: Database, attempt_id: int) -> AttemptRow:
    found = attempts.find_attempt(db, attempt_id)
    assert found is not None
    return found


def earlier(db: Database, attempt_id: int, max_rejections: int = 3) -> tuple[str, ...]:
    return earlier_then(db, row_of(db, attempt_id), max_rejections)


def test_an_output_flips_in_the_direction_of_its_new_verdict(db: Database) -> None:
    """Accepted garbage would be rejected, a rejected report accepted; the rest stays."""
    keep(db, REFUSAL, "accepted")
    keep(db, REPORT, "rejected")
    found = list(rejudge(db, QualityRules(), max_rejections=3))
    assert [one.flip for one in found] == ["rejects", "accepts"]
    assert found[0].reasons_now
    assert found[0].reasons_then == ()


def test_a_reply_that_was_cut_stays_rejected(db: Database) -> None:
    """The stop reason is part of what was judged."""
    keep(db, REPORT, "rejected", stop="max_tokens")
    keep(db, REPORT, "rejected", stop="refusal")
    assert [one.flip for one in rejudge(db, QualityRules(), max_rejections=3)] == ["", ""]


def test_only_what_came_before_counts_as_repeated(db: Database) -> None:
    """The first of two equal reports is no repeat, the second is."""
    keep(db, REPORT, "accepted")
    keep(db, REPORT, "rejected")
    assert [one.flip for one in rejudge(db, QualityRules(), max_rejections=3)] == ["", ""]


def test_rejected_outputs_of_an_earlier_round_are_not_held_against_it(db: Database) -> None:
    """A round ends with the item done or blocked; accepted outputs count for ever."""
    one, two = keep(db, "one", "rejected"), keep(db, "two", "rejected")
    assert earlier(db, two) == ("one",)
    done = keep(db, "done", "accepted")
    assert earlier(db, done) == ("two", "one")
    fresh = keep(db, "three", "rejected")
    assert earlier(db, fresh) == ("done",)
    assert earlier(db, one) == ()
    blocked = [keep(db, f"b{n}", "rejected") for n in range(3)]
    assert earlier(db, blocked[1]) == ("b0", "three", "done")
    assert earlier(db, blocked[2]) == ("done",)


def test_progress_is_told(db: Database) -> None:
    """Each one of how many."""
    keep(db, REPORT, "accepted")
    keep(db, REFUSAL, "rejected")
    told: list[tuple[int, int]] = []
    list(rejudge(db, QualityRules(), max_rejections=3, told=lambda n, of: told.append((n, of))))
    assert told == [(1, 2), (2, 2)]


def test_other_marks_are_told_of_accepted_outputs_only(db: Database) -> None:
    """A rejected output that is rejected for another reason now is no news."""
    keep(db, REFUSAL, "rejected")
    keep(db, REPORT.replace("21 March 2025", "31 February 2025"), "accepted")
    found = list(rejudge(db, QualityRules(), max_rejections=3))
    assert [(one.flip, one.marks_change) for one in found] == [("", False), ("", True)]


def test_what_a_judge_said_then_still_counts(db: Database) -> None:
    """It is not asked again, and its no does not turn into a yes of the rules."""
    kept = keep(db, REPORT, "rejected")
    said = {"check": "judge.unsound", "message": "The notes say the opposite.", "rejects": True}
    with db.immediate() as tx:
        tx.execute(
            "UPDATE attempt SET verdict = ? WHERE id = ?", (json.dumps({"defects": [said]}), kept)
        )
    (found,) = rejudge(db, QualityRules(), max_rejections=3)
    assert found.flip == ""
    assert "judge.unsound" in [defect.check for defect in found.reasons_now]
