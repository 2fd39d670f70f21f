"""What is asked by itself: once, never for what is forbidden, and never about itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from daemon.config.sections import BudgetSection
from daemon.errors import SendLater
from daemon.governance.acting import send_message
from daemon.governance.action_gate import Call, Refused
from daemon.governance.budget import Budget
from daemon.governance.policy_in_force import policy_of
from daemon.governance.proven import proven_raises
from daemon.governance.questions import MOST_ASKED, ask_for_money
from daemon.knowledge.manifest import parse_manifest
from daemon.llm.prices import load_prices
from daemon.store import grants, outbox
from daemon.store.approvals import ApprovalRow
from tests.unit.governance.approval_desk import Desk
from tests.workspaces import NOON

MAP = """\
kcp_version: "0.32"
project: P
version: "1"
authority_level_scale: [observe, explain, suggest, prepare, commit]
agents:
  - id: sprint
    authority_level: {level}
    action_scope:
      tools: [memory.write]
      writes: [memory/findings/]
      deny: {{paths: [memory/findings/held.md]}}
      limits: {{calls: 1000, writes: 1000}}
  - id: reports
    authority_level: suggest
    action_scope:
      tools: [message.send]
      capabilities: [slack]
      limits: {{calls: 1000}}
units: []
"""


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path, channels=("slack",))
    set_level(made, "suggest")
    yield made
    made.close()


def set_level(desk: Desk, level: str) -> None:
    text = MAP.format(level=level)
    desk.policy = policy_of(parse_manifest(text.encode(), "knowledge.yaml"), [], NOON.date())


def write(desk: Desk, name: str = "a.md") -> str | Refused:
    facts = {"path": f"memory/findings/{name}", "content_sha256": "c" * 64}
    return desk.gate.perform(Call("sprint", "memory.write", lambda: facts), lambda: "wrote")


def money(desk: Desk, tmp_path: Path, cap_usd: int = 20) -> Callable[[], ApprovalRow | None]:
    section = BudgetSection.model_validate({"daily_cap_usd": cap_usd}, strict=False)
    budget = Budget(
        desk.db, load_prices(tmp_path), section, desk.clock, proven_raises(desk.db, desk.gate.books)
    )
    return lambda: ask_for_money(desk.db, desk.approvals, budget.today(), "spent", desk.voice)


def test_an_action_that_a_person_may_allow_is_asked_once_and_granted_once(desk: Desk) -> None:
    """Refused, asked, approved, done; the next time it is asked anew."""
    assert isinstance(write(desk), Refused)
    assert isinstance(write(desk), Refused)
    (row,) = desk.approvals.list_waiting()
    assert (row.kind, row.asked_by) == ("grant", "sprint")
    assert "memory/findings/a.md" in row.why
    desk.say(row)
    assert isinstance(write(desk, "b.md"), Refused)  # the grant is for the other one
    assert write(desk) == "wrote"
    assert grants.list_unspent(desk.db, row.payload["action_sha256"]) == []
    assert isinstance(write(desk), Refused)
    assert [one.id for one in desk.approvals.list_waiting()] == ["A2", "A3"]


def test_what_was_answered_with_no_is_not_asked_again(desk: Desk) -> None:
    """Nor what nobody answered."""
    write(desk)
    desk.say(desk.row(), approve=False)
    write(desk)
    write(desk, "b.md")
    desk.clock.advance(timedelta(hours=24))
    desk.approvals.expire_due()
    write(desk, "b.md")
    assert desk.approvals.list_waiting() == []


def test_a_final_denial_is_never_asked_about(desk: Desk) -> None:
    """It is denied before anybody could grant it."""
    refused = write(desk, "held.md")
    assert isinstance(refused, Refused)
    assert refused.ruling.final
    assert desk.approvals.list_waiting() == []


def test_a_grant_of_what_is_forbidden_meanwhile_is_refused(desk: Desk) -> None:
    """Asked while it could be granted; the map forbids it before the answer comes."""
    write(desk)
    text = MAP.replace("held.md", "a.md").format(level="suggest")
    desk.policy = policy_of(parse_manifest(text.encode(), "knowledge.yaml"), [], NOON.date())
    decision = desk.say(desk.row())
    assert desk.row().state == "refused"
    assert "stays forbidden" in decision.words
    assert grants.list_unspent(desk.db, desk.row().payload["action_sha256"]) == []
    assert isinstance(write(desk), Refused)


def test_a_message_that_asks_does_not_ask_for_itself(desk: Desk) -> None:
    """Where messages take a person's yes too, the questions about them would never end."""
    outbox.enqueue(desk.db, key="digest", channel="slack", payload={"text": "t"}, now=NOON)
    for _ in range(2):
        for row in outbox.list_open(desk.db):
            with pytest.raises(SendLater):
                send_message(desk.gate, {}, row, f"{row.key}#1", lambda: "sent")
    (asked,) = desk.approvals.list_waiting()
    assert "message.send" in asked.title


def test_a_flood_of_questions_is_cut_off(desk: Desk) -> None:
    """An actor that tries everything does not bury what matters."""
    for number in range(MOST_ASKED + 5):
        write(desk, f"{number}.md")
    assert len(desk.approvals.list_waiting()) == MOST_ASKED


def test_more_money_is_asked_for_once_a_day(desk: Desk, tmp_path: Path) -> None:
    """Also after a no; the next day has its own question, which ends with that day."""
    ask = money(desk, tmp_path)
    row = ask()
    assert row is not None
    assert row.payload == {"scope": "venture", "day": "2026-11-30", "micros": 5_000_000}
    assert "5.00" in row.title
    assert ask() is None
    desk.say(row, approve=False)
    assert ask() is None
    desk.clock.advance(timedelta(hours=12))
    again = ask()
    assert again is not None
    assert again.payload["day"] == "2026-12-01"


def test_nobody_is_asked_for_money_where_the_settings_say_so(desk: Desk, tmp_path: Path) -> None:
    """A raise of 0 is none; a cap of 0 is a wish."""
    assert money(desk, tmp_path, cap_usd=0)() is None
    desk.section = desk.section.model_copy(update={"raise_cap_usd": Decimal(0)})
    assert money(desk, tmp_path)() is None
    assert desk.approvals.list_waiting() == []


def test_a_question_that_cannot_be_kept_breaks_nothing(desk: Desk) -> None:
    """Without a ledger the action is refused anyway, and nobody is asked."""
    write(desk)
    desk.say(desk.row(), approve=False)
    with desk.without_ledger():
        refused = write(desk)
    assert isinstance(refused, Refused)
    assert refused.by == "ledger"
    assert desk.approvals.list_waiting() == []


def test_the_same_person_level_needs_no_question(desk: Desk) -> None:
    """Where the level reaches, nothing is asked."""
    set_level(desk, "commit")
    assert write(desk) == "wrote"
    assert desk.approvals.list_waiting() == []
