"""One item's history: each attempt with its own cost and its own reasons."""

from __future__ import annotations

from datetime import date

from daemon.reports.history import render_history, take_history
from daemon.store import attempts, sprints
from daemon.workspace.board import BoardEntry
from daemon.workspace.definitions import BacklogItem
from tests.unit.reports.money import NOON, Purse

ITEM = BacklogItem(
    "B01", "Boats", "How many boats?", "analyst", "KC1", "note", 1, date(2026, 11, 1)
)
ENTRY = BoardEntry(ITEM, "eligible", "", 1)
COST = 5_995
VERDICT = {
    "defects": [
        {"check": "score", "message": "Its score is too low.", "rejects": True, "span": None},
        {"check": "dates", "message": "It has few dates.", "rejects": False, "span": None},
    ],
    "parts": [
        {"name": "content", "hundredths": 30, "reason": "r"},
        {"name": "hedging", "hundredths": -5, "reason": "r"},
    ],
}


def ask(purse: Purse, key: str) -> int:
    sprint = sprints.open_sprint(purse.db, "REGULAR", None, NOON)
    context = {"loaded": [{"id": "harbour.boats"}], "skipped": [{"id": "x"}], "tokens": 1_211}
    row = attempts.save_asked(
        purse.db, sprint_id=sprint, track=1, item="B01", agent="analyst", effect_key=key,
        prompt={}, context=context, now=NOON,
    )  # fmt: skip
    return row.id


def rejected(purse: Purse, key: str) -> None:
    attempt = ask(purse, key)
    attempts.save_answer(purse.db, attempt, "text", "end_turn", "claude-haiku-4-5")
    attempts.save_verdict(
        purse.db, attempt, state="rejected", verdict=VERDICT, score_hundredths=25,
        finding_path=None, now=NOON,
    )  # fmt: skip


def test_an_item_without_attempts(purse: Purse) -> None:
    """Its question and standing, and that nothing was spent."""
    text = render_history(take_history(purse.db, ENTRY), 100)
    assert "Question: How many boats?" in text
    assert "Cost in all: 0.00 USD in 0 attempts" in text


def test_each_attempt_has_its_own_cost(purse: Purse) -> None:
    """Every try of an attempt's call counts for it, and for no attempt with a longer number."""
    rejected(purse, "sprint/1/track/1")
    rejected(purse, "sprint/1/track/10")
    purse.pay("sprint/1/track/1/try/1", item="B01")
    purse.pay("sprint/1/track/1/try/2", item="B01")
    purse.pay("sprint/1/track/10/try/1", item="B01")
    purse.pay("sprint/1/track/2/try/1", item="B02")
    history = take_history(purse.db, ENTRY)
    assert [attempt.cost_micros for attempt in history.attempts] == [2 * COST, COST]
    assert history.cost_micros == 3 * COST


def test_money_of_a_call_under_way_is_told_apart(purse: Purse) -> None:
    """It is set aside, not spent."""
    ask(purse, "sprint/1/track/1")
    held = purse.hold("sprint/1/track/1/try/1", item="B01").held_micros
    [attempt] = take_history(purse.db, ENTRY).attempts
    assert (attempt.cost_micros, attempt.open_micros) == (0, held)
    assert "more is set aside" in render_history(take_history(purse.db, ENTRY), 100)


def test_defects_are_sentences_and_score_parts_are_addends(purse: Purse) -> None:
    """What rejected it, what was only noted, and how the score came about."""
    rejected(purse, "sprint/1/track/1")
    text = render_history(take_history(purse.db, ENTRY), 100)
    assert "  - Its score is too low.\n" in text
    assert "  - It has few dates. (noted, no reason to reject)" in text
    assert "  Score: content 0.30, hedging -0.05" in text
    assert "Read (1,211 tokens): harbour.boats; skipped: 1" in text


def test_json_has_everything(purse: Purse) -> None:
    """Attempts with defects, context and exact money."""
    rejected(purse, "sprint/1/track/1")
    purse.pay("sprint/1/track/1/try/1", item="B01")
    found = take_history(purse.db, ENTRY).as_json()
    [attempt] = found["attempts"]
    assert attempt["defects"] == VERDICT["defects"]
    assert attempt["context"]["skipped"] == [{"id": "x"}]
    assert (attempt["cost_micros"], attempt["cost_usd"]) == (COST, "0.005995")
    assert attempt["started_at"] == "2026-11-30T12:00:00.000000Z"


def test_a_judges_call_is_on_its_attempts_bill(purse: Purse) -> None:
    """Its key stands below that of the attempt."""
    rejected(purse, "sprint/1/track/1")
    purse.pay("sprint/1/track/1/try/1", item="B01")
    purse.pay("sprint/1/track/1/judge/try/1", item="B01")
    purse.pay("sprint/1/track/1/judge/2/try/1", item="B01")
    [attempt] = take_history(purse.db, ENTRY).attempts
    assert attempt.cost_micros == 3 * COST
