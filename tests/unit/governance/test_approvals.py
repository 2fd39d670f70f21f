"""A question is answered once, by who saw it; each answer has its entry in the ledger."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from daemon.errors import LedgerError, SprintdError
from daemon.governance.approvals import Decision, Question
from daemon.store import approvals as rows
from daemon.store.approvals import ApprovalRow
from tests.unit.governance.approval_desk import POST, UNBLOCK, Desk

HOUR = timedelta(hours=1)
ASKED, APPROVED = ("ASKED", "ana"), ("APPROVED", "slack:U1")


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path)
    made.block()
    yield made
    made.close()


def test_a_question_goes_to_every_channel_with_its_row_and_its_entry(desk: Desk) -> None:
    """All three or none; the payload's digest is in all of them."""
    row = desk.approvals.ask(UNBLOCK)
    assert (row.id, row.state, row.payload) == ("A1", "pending", {"item": "T1"})
    assert row.expires_at - row.asked_at == timedelta(hours=24)
    assert desk.waiting() == ["approval/A1/console", "approval/A1/slack"]
    (entry,) = desk.entries()
    assert (entry["verdict"]["effect"], entry["actor"]) == ASKED
    assert entry["action"]["args_sha256"] == row.payload_sha256
    assert entry["action"]["targets"] == ["approval:A1"]


def test_an_approved_question_is_carried_out_once(desk: Desk) -> None:
    """The item is put back; the ledger has the yes, the decision and its outcome."""
    decision = desk.say(desk.approvals.ask(UNBLOCK))
    assert decision.outcome == "approved"
    assert "T1 is put back" in decision.words
    assert desk.row().state == "done"
    assert not desk.is_blocked()
    assert desk.effects() == [ASKED, APPROVED]
    assert desk.outcomes() == ["DONE"]


def test_a_second_press_changes_nothing_and_is_written_down(desk: Desk) -> None:
    """A double click, and then somebody else who says no."""
    row = desk.approvals.ask(UNBLOCK)
    desk.say(row)
    desk.block()
    again, other = desk.say(row), desk.say(row, "U2", approve=False)
    assert [again.outcome, other.outcome] == ["already", "already"]
    assert "U1" in other.words
    assert desk.is_blocked()  # a second yes puts nothing back
    assert desk.effects()[2:] == [("REFUSED", "slack:U1"), ("REFUSED", "slack:U2")]
    assert desk.outcomes() == ["DONE"]


def test_a_rejected_question_has_no_effect(desk: Desk) -> None:
    """What the person said stands with it; a yes afterwards comes too late."""
    row = desk.approvals.ask(UNBLOCK)
    decision = desk.say(row, approve=False, why="not before Monday")
    assert (decision.outcome, desk.row().state) == ("rejected", "rejected")
    assert "not before Monday" in decision.words
    assert desk.say(row).outcome == "already"
    assert desk.is_blocked()
    assert desk.effects() == [ASKED, ("REJECTED", "slack:U1"), ("REFUSED", "slack:U1")]
    assert desk.outcomes() == []


def test_of_two_who_decide_at_once_exactly_one_does(desk: Desk) -> None:
    """Yes and no from two threads, many times over: one decision, and at most one effect."""
    found: list[Decision] = []
    ready = threading.Barrier(2)

    def press(row: ApprovalRow, yes: bool) -> None:
        ready.wait()
        found.append(desk.say(row, f"U{yes:d}", approve=yes))

    for round_ in range(10):
        desk.block()
        row = desk.approvals.ask(replace(UNBLOCK, title=f"Round {round_}"))
        found.clear()
        both = [threading.Thread(target=press, args=(row, yes)) for yes in (True, False)]
        for thread in both:
            thread.start()
        for thread in both:
            thread.join()
        outcomes = sorted(one.outcome for one in found)
        assert outcomes in (["already", "approved"], ["already", "rejected"])
        won = next(one for one in found if one.outcome != "already")
        after = desk.row(row.id)
        assert after.state == ("done" if won.outcome == "approved" else "rejected")
        assert desk.is_blocked() is (won.outcome == "rejected")
    effects = [effect for effect, _who in desk.effects()]
    assert effects.count("APPROVED") + effects.count("REJECTED") == 10
    assert effects.count("REFUSED") == 10


def test_nobodys_answer_is_a_no(desk: Desk) -> None:
    """Expired by the job, or by who presses too late; never by both."""
    first, second = desk.approvals.ask(UNBLOCK), desk.approvals.ask(UNBLOCK)
    desk.clock.advance(24 * HOUR)
    assert desk.say(first).outcome == "expired"
    assert [row.id for row in desk.approvals.expire_due()] == [second.id]
    assert desk.approvals.expire_due() == []
    assert {desk.row(row.id).state for row in (first, second)} == {"expired"}
    assert desk.say(second).outcome == "expired"
    assert desk.is_blocked()
    assert [effect for effect, _ in desk.effects()].count("EXPIRED") == 2
    assert desk.effects()[3] == ("REFUSED", "slack:U1")


def test_an_answer_to_something_else_is_refused(desk: Desk) -> None:
    """Another digest, or too few digits of the right one: the question stays open."""
    row = desk.approvals.ask(UNBLOCK)
    for digest in ("0" * 16, "", row.payload_sha256[:15], row.payload_sha256 + "0"):
        assert desk.say(row, digest=digest).outcome == "changed"
    assert desk.row().state == "pending"
    assert desk.effects()[1:] == [("REFUSED", "slack:U1")] * 4
    assert desk.say(row, digest=row.payload_sha256.upper()).outcome == "approved"


def test_a_payload_that_was_changed_is_never_carried_out(desk: Desk) -> None:
    """Before the answer: refused, written down, and told of as an alert."""
    row = desk.approvals.ask(UNBLOCK)
    desk.tamper({"item": "T2"})
    decision = desk.say(row)
    assert (decision.outcome, desk.row().state) == ("changed", "refused")
    assert desk.effects()[1:] == [("REFUSED", "slack:U1")]
    assert desk.outcomes() == []
    assert any(key.startswith("incident/") for key in desk.waiting())
    assert desk.is_blocked()


def test_an_id_that_is_not_there_is_refused_and_written_down(desk: Desk) -> None:
    """Whatever somebody sends as an id, cut to what an entry takes."""
    desk.approvals.ask(UNBLOCK)
    for name in ("A9", "", "x" * 100_000):
        decision = desk.approvals.decide(name, approve=True, by="U1", through="slack", digest="")
        assert (decision.outcome, decision.row) == ("unknown", None)
    assert desk.effects()[1:] == [("REFUSED", "slack:U1")] * 3
    assert desk.entries()[-1]["action"]["targets"] == ["approval:" + "x" * 40]


def test_who_may_not_decide_is_written_down_and_nothing_else(desk: Desk) -> None:
    """The question waits on for those who may."""
    row = desk.approvals.ask(UNBLOCK)
    before = desk.waiting()
    desk.approvals.refuse(row.id, by="U666", through="slack", why="is not in slack.deciders")
    assert desk.row() == row
    assert desk.waiting() == before
    assert desk.effects()[1:] == [("REFUSED", "slack:U666")]


def test_an_id_may_be_typed_in_small_letters(desk: Desk) -> None:
    row = desk.approvals.ask(UNBLOCK)
    given = {"by": "ana", "through": "cli", "digest": row.payload_sha256}
    decision = desk.approvals.decide(" a1 ", approve=True, **given)  # type: ignore[arg-type]
    assert decision.outcome == "approved"


def test_where_the_ledger_cannot_be_written_nothing_is_decided(desk: Desk) -> None:
    """No row, no message, no effect: the question is as open as before."""
    row = desk.approvals.ask(UNBLOCK)
    before = desk.waiting()
    with desk.without_ledger():
        for act in (
            lambda: desk.say(row),
            lambda: desk.say(row, approve=False),
            lambda: desk.approvals.ask(POST),
            lambda: desk.approvals.act_at_once(UNBLOCK, by="U1", through="slack"),
            lambda: desk.approvals.refuse("A1", by="U9", through="slack", why="x"),
        ):
            with pytest.raises(LedgerError):
                act()
        desk.clock.advance(25 * HOUR)
        with pytest.raises(LedgerError):
            desk.approvals.expire_due()
    assert rows.list_newest(desk.db, 10) == [row]
    assert desk.waiting() == before
    assert desk.is_blocked()


def test_the_same_open_question_is_asked_once(desk: Desk) -> None:
    """Until it is ended; one whose time is over is ended by the next that asks."""
    question = replace(UNBLOCK, dedupe="unblock/T1")
    first = desk.approvals.ask(question)
    assert desk.approvals.ask(question) == first
    desk.clock.advance(24 * HOUR)
    second = desk.approvals.ask(question)
    assert (second.id, desk.row("A1").state) == ("A2", "expired")


def test_a_press_on_unblock_is_asked_and_approved_in_one(desk: Desk) -> None:
    """No message asks; a second press finds nothing blocked and changes nothing."""
    first = desk.approvals.act_at_once(UNBLOCK, by="U1", through="slack")
    second = desk.approvals.act_at_once(UNBLOCK, by="U1", through="slack")
    assert "T1 is put back" in first.words
    assert "was not blocked" in second.words
    assert desk.waiting() == []
    assert desk.effects() == [ASKED, APPROVED] * 2
    decision = desk.approvals.act_at_once(POST, by="U1", through="slack")
    assert (decision.outcome, desk.waiting()) == ("not_allowed", [])
    assert desk.effects()[-1] == ("REFUSED", "slack:U1")


def test_a_reminder_is_given_once_at_half_time(desk: Desk) -> None:
    """Below the question, wherever that was asked; not after the answer."""
    desk.approvals.ask(UNBLOCK)
    answered = desk.approvals.ask(UNBLOCK)
    desk.say(answered, approve=False)
    desk.clock.advance(12 * HOUR - timedelta(seconds=1))
    assert desk.approvals.remind() == 0
    desk.clock.advance(timedelta(seconds=1))
    assert desk.approvals.remind() == 1
    assert desk.approvals.remind() == 0
    reminders = [key for key in desk.waiting() if key.endswith("/reminder")]
    assert reminders == ["approval/A1/console/reminder", "approval/A1/slack/reminder"]
    assert desk.message(reminders[1]).payload["thread"] == "approval/A1/slack"


def test_a_clock_that_was_set_back_gives_its_whole_time_and_no_second_reminder(
    desk: Desk,
) -> None:
    """Asked by a clock that was a year ahead: it is over a day after the clock was mended."""
    desk.clock.advance(365 * 24 * HOUR)
    desk.approvals.ask(UNBLOCK)
    desk.clock.advance(13 * HOUR)
    assert desk.approvals.remind() == 1
    desk.clock.advance(-365 * 24 * HOUR)
    assert desk.approvals.expire_due() == []
    assert desk.row().expires_at == desk.clock.now() + 24 * HOUR
    desk.clock.advance(13 * HOUR)
    assert desk.approvals.remind() == 0
    desk.clock.advance(11 * HOUR)
    assert [row.id for row in desk.approvals.expire_due()] == ["A1"]
    desk.clock.advance(-24 * HOUR)
    assert desk.say(desk.row()).outcome == "expired"


def test_what_was_decided_takes_the_place_of_the_question(desk: Desk) -> None:
    """In every channel that it was asked in, also where another is configured now."""
    row = desk.approvals.ask(UNBLOCK)
    desk.voice = replace(desk.voice, channels=("slack",))
    desk.say(row)
    for channel in ("slack", "console"):
        edit = desk.message(f"approval/A1/{channel}/decided").payload
        assert edit["edits"] == f"approval/A1/{channel}"
        assert "U1" in edit["text"]
        assert not [part for part in edit["parts"] if part["type"] == "buttons"]


def test_its_time_is_as_configured_or_as_asked_and_no_longer_than_a_month(desk: Desk) -> None:
    """A raise of a day's cap ends with that day."""
    desk.section = desk.section.model_copy(update={"expire_hours": 2})
    for hours, found in ((None, 2), (0.5, 0.5), (9_999, 720)):
        row = desk.approvals.ask(replace(UNBLOCK, hours=hours))
        assert row.expires_at - row.asked_at == timedelta(hours=found)
        assert row.remind_at == row.asked_at + timedelta(hours=found / 2)
    payload = {"scope": "venture", "day": "2026-11-30", "micros": 1}
    raised = desk.approvals.ask(Question("raise_cap", "t", "w", "ana", payload, hours=48))
    assert f"{raised.expires_at:%m-%d %H:%M}" == "12-01 00:00"


def test_a_payload_that_could_never_be_carried_out_is_not_asked(desk: Desk) -> None:
    """The words name the key; nothing is kept."""
    with pytest.raises(SprintdError, match="needs item"):
        desk.approvals.ask(replace(UNBLOCK, payload={}))
    with pytest.raises(SprintdError, match="no digest"):
        desk.approvals.ask(replace(POST, payload={"channel": "slack", "message": {"n": 2**60}}))
    assert rows.list_newest(desk.db, 10) == []
    assert desk.waiting() == []
