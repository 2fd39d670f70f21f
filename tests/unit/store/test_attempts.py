"""Attempt rows: asked, answered, judged; each step once, none skipped."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Any

import pytest

from daemon.errors import NotFound, StoreError
from daemon.store import attempts, items
from daemon.store.attempts import AttemptRow
from daemon.store.database import Database
from daemon.store.sprints import open_sprint

PROMPT = {"model": "extractive-1", "question": "What does it cost?", "language": "en"}
CONTEXT = {"loaded": [{"id": "market", "reason": "score 7"}], "skipped": []}


@pytest.fixture
def sprint_id(db: Database, now: datetime) -> int:
    return open_sprint(db, "REGULAR", "market", now)


def _ask(db: Database, sprint_id: int, now: datetime, key: str, **changes: Any) -> AttemptRow:
    asked = {"track": 1, "item": "prices", "agent": "analyst", "prompt": PROMPT, "context": CONTEXT}
    asked.update(changes)
    return attempts.save_asked(db, sprint_id=sprint_id, effect_key=key, now=now, **asked)


def _answer(db: Database, row: AttemptRow, text: str = "It costs 5.") -> AttemptRow:
    return attempts.save_answer(db, row.id, text, "end_turn", "extractive-1")


def _judge(db: Database, row: AttemptRow, state: Any, now: datetime) -> AttemptRow:
    return attempts.save_verdict(
        db,
        row.id,
        state=state,
        verdict={"outcome": "accept" if state == "accepted" else "reject", "defects": []},
        score_hundredths=70,
        finding_path="memory/findings/price/prices.md" if state == "accepted" else None,
        now=now,
    )


def test_an_attempt_is_kept_from_question_to_verdict(
    db: Database, sprint_id: int, now: datetime
) -> None:
    """Every column is as it was given, JSON decoded, at every stage."""
    asked = _ask(db, sprint_id, now, "k1")
    assert (asked.state, asked.number, asked.output, asked.verdict) == ("asked", 1, None, None)
    assert (asked.prompt, asked.context) == (PROMPT, CONTEXT)
    answered = _answer(db, asked)
    assert (answered.state, answered.output, answered.ended_at) == ("answered", "It costs 5.", None)
    assert (answered.stop_reason, answered.model) == ("end_turn", "extractive-1")
    later = now + timedelta(seconds=9)
    accepted = _judge(db, answered, "accepted", later)
    assert (accepted.state, accepted.score_hundredths, accepted.ended_at) == ("accepted", 70, later)
    assert accepted.verdict == {"outcome": "accept", "defects": []}
    assert accepted.finding_path == "memory/findings/price/prices.md"
    assert attempts.find_attempt(db, asked.id) == accepted


def test_numbers_count_per_item(db: Database, sprint_id: int, now: datetime) -> None:
    """1, 2, 3 for one item whatever happens between; another item begins at 1."""
    items = ["prices", "prices", "rivals", "prices"]
    rows = [_ask(db, sprint_id, now, f"k{n}", item=item) for n, item in enumerate(items)]
    assert [row.number for row in rows] == [1, 2, 1, 3]
    assert [row.number for row in attempts.list_for_item(db, "prices")] == [1, 2, 3]


def test_eight_threads_never_share_a_number(db: Database, sprint_id: int, now: datetime) -> None:
    """24 attempts at one item at the same time are 1..24."""
    with ThreadPoolExecutor(8) as pool:
        rows = list(pool.map(lambda n: _ask(db, sprint_id, now, f"k{n}"), range(24)))
    assert sorted(row.number for row in rows) == list(range(1, 25))


def test_asking_twice_under_one_key_is_one_attempt(
    db: Database, sprint_id: int, now: datetime
) -> None:
    """A step that is repeated after a crash finds its row, with the answer that had arrived."""
    answered = _answer(db, _ask(db, sprint_id, now, "k1"))
    assert _ask(db, sprint_id, now + timedelta(hours=1), "k1") == answered
    assert len(attempts.list_for_sprint(db, sprint_id)) == 1


def test_every_step_done_twice_keeps_the_first(db: Database, sprint_id: int, now: datetime) -> None:
    """The second answer, verdict or failure changes nothing."""
    answered = _answer(db, _ask(db, sprint_id, now, "k1"))
    assert _answer(db, answered, "another text") == answered
    rejected = _judge(db, answered, "rejected", now)
    assert _judge(db, answered, "rejected", now + timedelta(hours=1)) == rejected
    failed = attempts.save_failure(
        db, _ask(db, sprint_id, now, "k2").id, state="failed", reason="busy", now=now
    )
    again = attempts.save_failure(db, failed.id, state="failed", reason="other", now=now)
    assert again == failed
    assert (failed.state, failed.reason, failed.ended_at) == ("failed", "busy", now)


def test_no_step_is_skipped_or_taken_back(db: Database, sprint_id: int, now: datetime) -> None:
    """No verdict without an answer, and an accepted attempt becomes nothing else."""
    asked = _ask(db, sprint_id, now, "k1")
    with pytest.raises(StoreError, match="is asked; it cannot become accepted"):
        _judge(db, asked, "accepted", now)
    accepted = _judge(db, _answer(db, asked), "accepted", now)
    with pytest.raises(StoreError, match="is accepted; it cannot become rejected"):
        _judge(db, asked, "rejected", now)
    with pytest.raises(StoreError, match="is accepted; it cannot become interrupted"):
        attempts.save_failure(db, asked.id, state="interrupted", reason="restart", now=now)
    with pytest.raises(StoreError, match="is accepted; it cannot become answered"):
        _answer(db, asked)
    assert attempts.find_attempt(db, asked.id) == accepted


def test_an_attempt_that_does_not_exist_is_named(db: Database) -> None:
    """Looking gives None; changing it is an error with its number."""
    assert attempts.find_attempt(db, 9) is None
    with pytest.raises(NotFound, match="no attempt 9"):
        attempts.save_answer(db, 9, "", "end_turn", "m")


def test_an_attempt_needs_its_sprint(db: Database, now: datetime) -> None:
    """A reference to nothing is refused by the table."""
    with pytest.raises(StoreError, match="FOREIGN KEY constraint failed"):
        _ask(db, 99, now, "k1")


def test_a_damaged_output_is_repaired_and_kept(db: Database, sprint_id: int, now: datetime) -> None:
    """The answer "hello \\ud83d" is stored, and the attempt goes on to its verdict."""
    answered = _answer(db, _ask(db, sprint_id, now, "k1"), "hello \ud83d")
    assert answered.output == "hello \ufffd"
    verdict = {"defects": [{"message": "ends in \ud83d"}]}
    judged = attempts.save_verdict(
        db,
        answered.id,
        state="rejected",
        verdict=verdict,
        score_hundredths=0,
        finding_path=None,
        now=now,
    )
    assert judged.verdict == {"defects": [{"message": "ends in \ufffd"}]}


def test_attempts_that_a_crash_cut_off_are_listed(
    db: Database, sprint_id: int, now: datetime
) -> None:
    """Asked and answered ones, oldest first; ended ones not."""
    asked = _ask(db, sprint_id, now, "k1")
    answered = _answer(db, _ask(db, sprint_id, now, "k2"))
    _judge(db, _answer(db, _ask(db, sprint_id, now, "k3")), "accepted", now)
    assert attempts.list_open(db) == [asked, answered]


def test_the_last_rejected_attempt_is_the_newest(
    db: Database, sprint_id: int, now: datetime
) -> None:
    """Failed attempts after it do not count: they say nothing about quality."""
    assert attempts.last_rejected(db, "prices") is None
    for key in ("k1", "k2"):
        _judge(db, _answer(db, _ask(db, sprint_id, now, key), key), "rejected", now)
    cut_off = _ask(db, sprint_id, now, "k3")
    attempts.save_failure(db, cut_off.id, state="interrupted", reason="restart", now=now)
    found = attempts.last_rejected(db, "prices")
    assert found is not None
    assert (found.effect_key, found.output) == ("k2", "k2")


def test_earlier_outputs_never_hold_the_one_in_hand(
    db: Database, sprint_id: int, now: datetime
) -> None:
    """Newest first, at most the limit; an answer that is not judged yet is not its own repeat."""
    for key in ("one", "two", "three"):
        _judge(db, _answer(db, _ask(db, sprint_id, now, key), key), "rejected", now)
        items.count_rejection(db, "prices", "r", 3, now)
    _answer(db, _ask(db, sprint_id, now, "four"), "in hand")
    assert attempts.earlier_outputs(db, "prices", 2) == ["three", "two"]
    assert attempts.earlier_outputs(db, "rivals", 2) == []


def test_what_was_rejected_before_an_item_was_put_back_is_forgotten(
    db: Database, sprint_id: int, now: datetime
) -> None:
    """A person who unblocks an item wants it tried again, also with the same words."""
    for key in ("one", "two"):
        _judge(db, _answer(db, _ask(db, sprint_id, now, key), key), "rejected", now)
        items.count_rejection(db, "prices", "r", 2, now)
    assert attempts.earlier_outputs(db, "prices", 9) == ["two", "one"]
    assert items.unblock(db, "prices", now)
    assert attempts.earlier_outputs(db, "prices", 9) == []
    _judge(db, _answer(db, _ask(db, sprint_id, now, "three"), "three"), "rejected", now)
    items.count_rejection(db, "prices", "r", 2, now)
    assert attempts.earlier_outputs(db, "prices", 9) == ["three"]


def test_attempts_are_counted_per_sprint_and_since(
    db: Database, sprint_id: int, now: datetime
) -> None:
    """Per sprint also the open ones; since a moment only those that ended then or later."""
    day_before = now - timedelta(days=1)
    _judge(db, _answer(db, _ask(db, sprint_id, day_before, "k1")), "rejected", day_before)
    _judge(db, _answer(db, _ask(db, sprint_id, now, "k2")), "accepted", now)
    _ask(db, sprint_id, now, "k3")
    expected = {"rejected": 1, "accepted": 1, "asked": 1}
    assert attempts.count_for_sprint(db, sprint_id) == expected
    assert attempts.count_ended_since(db, now) == {"accepted": 1}


@pytest.mark.parametrize(
    "question",
    [
        "SELECT COALESCE(MAX(number), 0) + 1 FROM attempt WHERE item = 'x'",
        "SELECT * FROM attempt WHERE item = 'x' AND state = 'rejected' ORDER BY id DESC LIMIT 1",
        "SELECT * FROM attempt WHERE sprint_id = 1 ORDER BY id",
        "SELECT * FROM attempt WHERE state IN ('asked', 'answered') ORDER BY id",
        "SELECT state, COUNT(*) AS n FROM attempt WHERE ended_at >= 'x' GROUP BY state",
        "SELECT * FROM attempt WHERE effect_key = 'x'",
    ],
)
def test_every_question_is_answered_from_an_index(db: Database, question: str) -> None:
    """No query of this module reads all attempts, however many years of them there are."""
    plan = [row["detail"] for row in db.rows(f"EXPLAIN QUERY PLAN {question}")]
    assert not [line for line in plan if line.startswith("SCAN attempt") and "INDEX" not in line]


def test_judged_attempts_are_listed_by_time_and_number(
    db: Database, sprint_id: int, now: datetime
) -> None:
    """Only what has a verdict, the oldest first; a limit keeps the newest."""
    hours = [now + timedelta(hours=n) for n in range(4)]
    rows = [_ask(db, sprint_id, at, f"k{n}") for n, at in enumerate(hours)]
    ends = [_judge(db, _answer(db, row), "rejected", now).id for row in rows[:2]]
    ends.append(_judge(db, _answer(db, rows[2]), "accepted", now).id)
    assert attempts.judged_ids(db) == ends
    assert attempts.judged_ids(db, since=hours[1]) == ends[1:]
    assert attempts.judged_ids(db, limit=1) == ends[2:]
    before = attempts.judged_before(db, rows[0].item, ends[2])
    assert before == [(ends[0], "rejected"), (ends[1], "rejected")]
    assert attempts.judged_before(db, "nothing", ends[2]) == []
