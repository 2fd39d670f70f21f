"""What comes of a press: for those who may, once, and with its entry in the ledger."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from daemon.errors import LedgerError
from daemon.governance.approvals import Question
from daemon.governance.interactions import LONGEST_DETAILS
from daemon.notify.slack_events import Sent
from daemon.store import control, inbox
from daemon.store.outbox import list_open
from tests.standins.slack_socket import pressed
from tests.unit.governance.approval_desk import POST, UNBLOCK
from tests.unit.governance.pressing import FOUNDER, OTHER, STRANGER, PressedDesk


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[PressedDesk]:
    made = PressedDesk(tmp_path)
    made.block()
    yield made
    made.close()


def test_a_press_on_approve_carries_out_what_was_asked(desk: PressedDesk) -> None:
    """Once; the message is edited, nothing more is said, and the work is woken."""
    desk.approvals.ask(UNBLOCK)
    assert desk.press("approval.approve", desk.value()).startswith("approved: ")
    assert not desk.is_blocked()
    assert desk.effects() == [("ASKED", "ana"), ("APPROVED", f"slack:{FOUNDER}")]
    assert desk.sent() == ["approval/A1/slack", "approval/A1/slack/decided"]
    assert desk.resumed == 1


def test_a_press_on_reject_is_a_no(desk: PressedDesk) -> None:
    """And the item stays where it is."""
    desk.approvals.ask(UNBLOCK)
    assert desk.press("approval.reject", desk.value()).startswith("rejected: ")
    assert desk.is_blocked()
    assert desk.row().decided_by == FOUNDER


def test_a_double_click_has_one_effect_and_says_so_once(desk: PressedDesk) -> None:
    """Three presses are three rows; two of them come too late, which the thread says once."""
    desk.approvals.ask(UNBLOCK)
    value = desk.value()
    desk.press("approval.approve", value)
    desk.block()
    late = [desk.press("approval.approve", value), desk.press("approval.reject", value, OTHER)]
    assert [outcome.partition(":")[0] for outcome in late] == ["already", "already"]
    assert desk.is_blocked()
    assert desk.outcomes() == ["DONE"]
    assert desk.effects()[2:] == [("REFUSED", f"slack:{FOUNDER}"), ("REFUSED", f"slack:{OTHER}")]
    assert desk.sent("approval/A1/slack/") == [
        "approval/A1/slack/decided", "approval/A1/slack/already",
    ]  # fmt: skip
    assert desk.message("approval/A1/slack/already").payload["thread"] == "approval/A1/slack"


def test_a_click_after_the_time_is_over_is_a_no(desk: PressedDesk) -> None:
    """Also where the job that ends questions has not run yet."""
    desk.approvals.ask(UNBLOCK)
    value = desk.value()
    desk.clock.advance(timedelta(hours=25))
    assert desk.press("approval.approve", value).startswith("expired: ")
    assert desk.is_blocked()
    assert [what for what, _ in desk.effects()] == ["ASKED", "EXPIRED", "REFUSED"]


def test_whoever_is_not_listed_decides_nothing(desk: PressedDesk) -> None:
    """Not even what costs nothing; and the ledger has each try."""
    desk.approvals.ask(UNBLOCK)
    value = desk.value()
    for action in ("approval.approve", "approval.reject", "approval.details", "item.unblock"):
        assert desk.press(action, value, STRANGER).startswith("refused")
    desk.interactions.work_off(desk.type("status", STRANGER))
    assert desk.row().state == "pending"
    assert desk.is_blocked()
    assert desk.sent() == ["approval/A1/slack"]
    assert desk.effects()[1:] == [("REFUSED", f"slack:{STRANGER}")] * 5
    assert desk.entries()[1]["action"]["targets"] == ["approval:A1"]


def test_a_press_in_another_channel_decides_nothing(desk: PressedDesk) -> None:
    """An id of a person is somebody else's in another workspace that has the app."""
    desk.approvals.ask(UNBLOCK)
    for action in ("approval.approve", "item.unblock", "daemon.resume"):
        sent = pressed(action, action=action, value=desk.value(), channel="C0ELSEWHERE",
                       user=FOUNDER, trigger=action)  # fmt: skip
        assert "another channel" in desk.interactions.work_off(desk.keep(sent))
    assert desk.row().state == "pending"
    assert desk.is_blocked()
    assert desk.effects()[1:] == [("REFUSED", f"slack:{FOUNDER}")] * 3


def test_an_empty_list_holds_nobody(desk: PressedDesk) -> None:
    """Who was taken off the list between the press and its effect is refused too."""
    desk.approvals.ask(UNBLOCK)
    desk.deciders = ()
    assert desk.press("approval.approve", desk.value()).startswith("refused")
    assert desk.row().state == "pending"


def test_a_forged_value_changes_nothing(desk: PressedDesk) -> None:
    """Another digest, none, an id that is none, a whole sentence: each has its entry."""
    desk.approvals.ask(UNBLOCK)
    forged = {
        "A1:" + "0" * 16: "changed",
        "A1:": "changed",
        "A1": "changed",
        "A99:" + "0" * 16: "unknown",
        "": "unknown",
        "; DROP TABLE approval;" * 50: "unknown",
    }
    for value, outcome in forged.items():
        assert desk.press("approval.approve", value).startswith(outcome)
    assert desk.row().state == "pending"
    assert [what for what, _ in desk.effects()] == ["ASKED"] + ["REFUSED"] * len(forged)


def test_a_payload_changed_after_the_question_is_not_carried_out(desk: PressedDesk) -> None:
    """The button has the digest of what was asked."""
    desk.approvals.ask(POST)
    value = desk.value()
    desk.tamper({"channel": "slack", "message": {"text": "Other words.", "to": "C0EVIL"}})
    assert desk.press("approval.approve", value).startswith("changed")
    assert desk.row().state == "refused"
    assert "approval/A1/message" not in desk.sent()


def test_a_button_that_this_program_does_not_have_is_refused(desk: PressedDesk) -> None:
    """With an entry, and without an effect."""
    assert desk.press("daemon.delete_everything", "x").startswith("refused")
    assert desk.effects() == [("REFUSED", f"slack:{FOUNDER}")]


def test_details_are_shown_once_in_the_thread(desk: PressedDesk) -> None:
    """All that would be carried out, and its digest; a long one is shortened, and says by how much."""
    desk.approvals.ask(POST)
    for _ in range(2):
        desk.press("approval.details", desk.value())
    assert desk.sent() == ["approval/A1/slack", "approval/A1/slack/details"]
    shown = desk.message("approval/A1/slack/details").payload
    assert shown["thread"] == "approval/A1/slack"
    assert "The register is found." in shown["text"]
    assert desk.row().payload_sha256 in shown["text"]

    long = {"channel": "slack", "message": {"text": "ñ" * 20_000}}
    desk.approvals.ask(Question("post", "Long", "why", "ana", long))
    desk.press("approval.details", desk.value("A2"))
    text = desk.message("approval/A2/slack/details").payload["text"]
    assert len(text) < LONGEST_DETAILS + 200
    assert "sprintd approvals A2" in text
    assert desk.press("approval.details", "A99:0").startswith("refused")


def test_a_blocked_item_is_put_back_at_once(desk: PressedDesk) -> None:
    """A second press finds it put back and says so; each is answered."""
    assert desk.press("item.unblock", "T1").startswith("approved")
    assert not desk.is_blocked()
    desk.press("item.unblock", "T1")
    answers = [row.payload["text"] for row in list_open(desk.db)]
    assert len(answers) == 2
    assert answers[0] != answers[1]
    assert [what for what, _ in desk.effects()] == ["ASKED", "APPROVED"] * 2


def test_a_press_without_an_item_is_refused(desk: PressedDesk) -> None:
    """There is nothing to put back."""
    assert desk.press("item.unblock", "").startswith("refused")
    assert desk.effects()[-1] == ("REFUSED", f"slack:{FOUNDER}")


def test_a_halted_daemon_goes_on(desk: PressedDesk) -> None:
    """As after `sprintd reset-failures`; the work is woken."""
    control.put(desk.db, "consecutive_failures", 3, desk.clock.now())
    assert desk.press("daemon.resume").startswith("approved")
    assert desk.resumed == 1
    assert desk.row().kind == "resume"


def test_status_is_answered_in_its_place(desk: PressedDesk) -> None:
    """A command in the channel, a mention in its thread; any other word with what there is."""
    typed, said, other = desk.type("status"), desk.mention("Estado"), desk.type("make coffee")
    for row in (typed, said, other):
        assert desk.interactions.work_off(row) == "answered"
    one, two, three = list_open(desk.db)
    assert "State: idle" in one.payload["text"]
    assert one.payload["parts"][1]["entries"][1]["words"] == "Money: 1.00 USD"
    assert "_thread_ts" not in one.payload
    assert two.payload["_thread_ts"] == "1796032900.000300"
    assert three.payload == {"text": "I know one word: status."}


def test_a_crash_between_effect_and_note_is_not_a_second_press(desk: PressedDesk) -> None:
    """The next life finds the row open and its own answer given: it says nothing and enters nothing."""
    desk.approvals.ask(UNBLOCK)
    row = desk.keep_sent(Sent("press", "k1", FOUNDER, "approval.approve", desk.value()))
    desk.interactions.work_off(row)
    again = desk.keep_sent(Sent("press", "k2", FOUNDER, "item.unblock", "T1"))
    desk.interactions.work_off(again)
    _reopen(desk)
    before = desk.effects(), desk.sent()
    desk.new_life()
    for open_row in inbox.list_open(desk.db):
        assert desk.interactions.work_off(open_row).endswith("before a crash")
    assert (desk.effects(), desk.sent()) == before
    assert inbox.list_open(desk.db) == []


def test_where_the_ledger_cannot_be_written_the_press_waits(desk: PressedDesk) -> None:
    """Nothing is decided; afterwards it is worked off, once."""
    desk.approvals.ask(UNBLOCK)
    row = desk.keep_sent(Sent("press", "k1", FOUNDER, "approval.approve", desk.value()))
    with desk.without_ledger(), pytest.raises(LedgerError):
        desk.interactions.work_off(row)
    assert desk.row().state == "pending"
    (waiting,) = inbox.list_open(desk.db)
    assert desk.interactions.work_off(waiting).startswith("approved")
    assert desk.row().state == "done"


def test_what_nobody_signed_is_one_entry(desk: PressedDesk) -> None:
    """With their number."""
    desk.interactions.turn_away(41, "not signed")
    (entry,) = desk.entries()
    assert entry["verdict"]["reason"] == "not signed (41 requests)"


def test_a_row_that_is_no_press_is_ended(desk: PressedDesk) -> None:
    """It would be open for ever."""
    inbox.receive(desk.db, "k", "slack.socket", {"of": "another program"}, desk.clock.now())
    assert "not kept by this program" in desk.interactions.work_off(desk.received("k"))
    assert inbox.list_open(desk.db) == []


def test_a_stranger_who_presses_on_and_on_fills_no_ledger(desk: PressedDesk) -> None:
    """Five entries, one that says how many more, and never an effect; a founder's press is not held up."""
    value = desk.value(desk.approvals.ask(UNBLOCK).id)
    for _ in range(60):
        desk.press("approval.approve", value, user=STRANGER)
    assert desk.interactions.tell_held_back() == 0
    desk.clock.advance(timedelta(hours=1))
    assert [desk.interactions.tell_held_back() for _ in range(2)] == [1, 0]
    told = [one for one in desk.entries() if one["actor"] == f"slack:{STRANGER}"]
    assert len(told) == 6
    assert told[-1]["verdict"]["reason"].startswith("55 more of the past hour were refused")
    assert desk.row().state == "pending"
    assert desk.press("approval.reject", value).startswith("rejected")


def test_whoever_pressed_before_a_secret_was_exchanged_is_told_to_press_again(
    desk: PressedDesk,
) -> None:
    """Below the question, once however many waited; nothing is decided by them."""
    value = desk.value(desk.approvals.ask(UNBLOCK).id)
    desk.is_genuine = False
    for _ in range(3):
        assert "exchanged since" in desk.press("approval.approve", value)
    assert desk.row().state == "pending"
    (key,) = desk.sent("approval/A1/slack/press_again")
    assert "Please press again" in desk.message(key).payload["text"]
    assert desk.message(key).payload["thread"] == "approval/A1/slack"
    desk.is_genuine = True
    desk.press("approval.approve", value)
    desk.is_genuine = False
    desk.press("approval.approve", value)
    assert len(desk.sent("approval/A1/slack/press_again")) == 1


def _reopen(desk: PressedDesk) -> None:
    """As a crash leaves it: begun, with its effect, and not noted as handled."""
    with desk.db.immediate() as tx:
        tx.execute("UPDATE inbox SET handled_at = NULL, outcome = 'begun'")
