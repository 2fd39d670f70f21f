"""What each kind of approval does, and what it refuses."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from daemon.clock import end_of_day
from daemon.config.sections import BudgetSection
from daemon.errors import SprintdError
from daemon.governance import recovery
from daemon.governance.approvals import Question
from daemon.governance.approved import check_payload, why_not_permitted
from daemon.governance.budget import Budget, Caller, Refusal, Reservation
from daemon.governance.proven import proven_raises
from daemon.governance.states import current_state, enter_state
from daemon.llm.prices import load_prices
from daemon.store import outbox
from daemon.store.approvals import Kind
from daemon.store.outbox import OutboxRow
from tests.unit.governance.approval_desk import POST, Desk

FIVE = 5_000_000
RAISE = Question(
    "raise_cap", "Raise", "spent", "budget",
    {"scope": "venture", "day": "2026-11-30", "micros": FIVE},
)  # fmt: skip
MODEL = "claude-haiku-5-5"


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path, channels=())
    yield made
    made.close()


def budget_of(desk: Desk, tmp_path: Path, cap_usd: int = 1) -> Budget:
    section = BudgetSection.model_validate({"daily_cap_usd": cap_usd}, strict=False)
    return Budget(
        desk.db, load_prices(tmp_path), section, desk.clock, proven_raises(desk.db, desk.gate.books)
    )


def reserve(budget: Budget, key: str, tokens: int = 1_600_000) -> Reservation | Refusal:
    return budget.reserve(
        key, provider="claude", model=MODEL, input_tokens=1, output_tokens=tokens,
        caller=Caller("attempt"),
    )  # fmt: skip


def sent_row(desk: Desk, **changes: Any) -> OutboxRow:
    (row,) = [row for row in outbox.list_open(desk.db) if row.key == "approval/A1/message"]
    return replace(row, **changes)


def test_a_message_is_handed_over_with_its_permit(desk: Desk) -> None:
    """Exactly what was asked, and the approval's id."""
    desk.say(desk.approvals.ask(POST))
    row = sent_row(desk)
    assert row.channel == "slack"
    assert row.payload == {**POST.payload["message"], "approval": "A1"}
    assert why_not_permitted(desk.db, desk.gate.books, row) == ""


def test_a_message_leaves_only_as_it_was_approved(desk: Desk) -> None:
    """Asked again at the moment of sending: text, place, channel and permit must be those."""
    desk.say(desk.approvals.ask(POST))
    sound = sent_row(desk)
    changed = [
        replace(sound, payload={**sound.payload, "text": "Other."}),
        replace(sound, payload={**sound.payload, "to": "C9"}),
        replace(sound, channel="console"),
        replace(sound, payload={"text": "Free.", "to": "C9"}),
        replace(sound, payload={"text": "Free.", "to": "C9", "approval": "A2"}),
        replace(sound, payload={"text": "Free.", "approval": None, "to": "C9"}),
    ]
    assert all(why_not_permitted(desk.db, desk.gate.books, row) for row in changed)
    assert (
        why_not_permitted(
            desk.db, desk.gate.books, replace(sound, payload={"text": "To the founders."})
        )
        == ""
    )
    desk.tamper({**POST.payload, "message": {"text": "Other."}})
    assert "not what was approved" in why_not_permitted(desk.db, desk.gate.books, sound)


def test_a_permit_of_another_kind_or_not_decided_is_none(desk: Desk) -> None:
    """An approved unblock lets no message leave, nor does a question that waits."""
    desk.approvals.ask(POST)
    desk.say(desk.approvals.ask(Question("unblock", "t", "w", "ana", {"item": "T1"})))
    outbox.enqueue(desk.db, key="x", channel="slack", payload={"text": "t"}, now=desk.clock.now())
    row = outbox.find_message(desk.db, "x")
    assert row is not None
    for permit in ("A1", "A2"):
        payload = {**POST.payload["message"], "approval": permit}
        assert "has none" in why_not_permitted(
            desk.db, desk.gate.books, replace(row, payload=payload)
        )


def test_a_key_that_is_taken_is_refused(desk: Desk) -> None:
    """Another message has it, so what was approved cannot leave under it."""
    payload = {**POST.payload, "key": "finding/7"}
    outbox.enqueue(
        desk.db, key="finding/7", channel="slack", payload={"text": "t"}, now=desk.clock.now()
    )
    decision = desk.say(desk.approvals.ask(replace(POST, payload=payload)))
    assert desk.row().state == "refused"
    assert "finding/7" in decision.words
    assert desk.outcomes() == ["NOT DONE"]


def test_a_raise_lets_the_day_go_on_and_ends_the_pause(desk: Desk, tmp_path: Path) -> None:
    """Refused before; afterwards the same call is let through, and the state is idle."""
    budget = budget_of(desk, tmp_path)
    assert isinstance(reserve(budget, "k1"), Reservation)
    assert isinstance(reserve(budget, "k2"), Refusal)
    now = desk.clock.now()
    enter_state(desk.db, "working", "", now)
    enter_state(desk.db, "paused_budget", "the cap", now, until=end_of_day(now))
    decision = desk.say(desk.approvals.ask(RAISE))
    assert "5.00 USD were added" in decision.words
    state = current_state(desk.db)
    assert state is not None
    assert (state.name, state.until) == ("idle", None)
    assert isinstance(reserve(budget, "k2"), Reservation)
    day = budget.today()
    assert (day.cap_micros, day.raised_micros) == (6_000_000, FIVE)


def test_a_raise_is_for_its_day_alone(desk: Desk, tmp_path: Path) -> None:
    """Tomorrow has the cap as configured; an approved raise of yesterday does nothing."""
    desk.say(desk.approvals.ask(RAISE))
    late = desk.approvals.ask(RAISE)
    desk.clock.advance(timedelta(hours=11, minutes=59))
    assert budget_of(desk, tmp_path).today().raised_micros == FIVE
    desk.clock.advance(timedelta(minutes=1))
    assert budget_of(desk, tmp_path).today().raised_micros == 0
    assert desk.say(late).outcome == "expired"
    yesterday = replace(RAISE, payload={**RAISE.payload, "day": "2026-12-02"})
    decision = desk.say(desk.approvals.ask(yesterday))
    assert desk.row("A3").state == "refused"
    assert "2026-12-02" in decision.words


def test_spent_and_reserved_never_exceed_the_raised_cap(desk: Desk, tmp_path: Path) -> None:
    """Eight threads reserve while two raises are approved: the figures hold at every moment."""
    budget = budget_of(desk, tmp_path)
    raises = [desk.approvals.ask(RAISE) for _ in range(2)]
    ready = threading.Barrier(9)
    highest: list[int] = []

    def spend(name: int) -> None:
        ready.wait()
        for number in range(6):
            reserve(budget, f"k{name}/{number}")
            day = budget.today()
            highest.append(day.spent_micros + day.reserved_micros)

    threads = [threading.Thread(target=spend, args=(name,)) for name in range(8)]
    for thread in threads:
        thread.start()
    ready.wait()
    for row in raises:
        desk.say(row)
    for thread in threads:
        thread.join()
    day = budget.today()
    assert day.cap_micros == 11_000_000
    assert 800_000 <= max(highest) <= day.reserved_micros <= 11_000_000
    while isinstance(reserve(budget, f"more/{day.reserved_micros}"), Reservation):
        day = budget.today()
    assert 11_000_000 - day.reserved_micros < 900_000


def test_a_resume_ends_a_halt(desk: Desk) -> None:
    """As a reset does: what is blocked is put back; a second one finds nothing halted."""
    desk.block()
    recovery.halt(desk.db, "no credit", desk.clock.now())
    question = Question("resume", "Go on", "paid", "ana", {})
    first = desk.approvals.act_at_once(question, by="U1", through="slack")
    second = desk.approvals.act_at_once(question, by="U1", through="slack")
    assert "The halt is ended; 1 item was put back" in first.words
    assert "not halted" in second.words
    state = current_state(desk.db)
    assert state is not None
    assert state.name == "idle"


@pytest.mark.parametrize(
    ("kind", "payload", "fault"),
    [
        ("unblock", {}, "needs item"),
        ("unblock", {"item": ""}, "item cannot be"),
        ("unblock", {"item": "T1", "all": True}, "has no 'all'"),
        ("resume", {"now": 1}, "has no 'now'"),
        ("post", {"channel": "slack"}, "needs message"),
        ("post", {"channel": "Slack!", "message": {"text": "t"}}, "channel cannot be"),
        ("post", {"channel": "slack", "message": {"approval": "A1"}}, "message cannot be"),
        ("post", {"channel": "slack", "message": {"_edits_ts": "1.2"}}, "message cannot be"),
        ("post", {"channel": "slack", "message": {"to": "C1\n<!here>"}}, "message cannot be"),
        ("post", {"channel": "slack", "message": {"to": ["C1"]}}, "message cannot be"),
        ("post", {"channel": "slack", "message": {"to": "#general"}}, "message cannot be"),
        ("publish", {"channel": "slack", "message": {"to": "general"}}, "message cannot be"),
        ("raise_cap", {"scope": "v", "day": "30.11.2026", "micros": 1}, "day cannot be"),
        ("raise_cap", {"scope": "v", "day": "2026-11-30", "micros": 0}, "micros cannot be"),
        ("raise_cap", {"scope": "v", "day": "2026-11-30", "micros": True}, "micros cannot be"),
        ("raise_cap", {"scope": "v", "day": "2026-11-30", "micros": 1.5}, "micros cannot be"),
    ],
)
def test_a_payload_names_what_is_wrong_with_it(
    kind: Kind, payload: dict[str, Any], fault: str
) -> None:
    with pytest.raises(SprintdError, match=fault):
        check_payload(kind, payload)
