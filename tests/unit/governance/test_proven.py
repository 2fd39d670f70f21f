"""What people gave counts as far as the ledger bears it out; a row in the database alone does not."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from daemon.governance.action_gate import Call, Refused
from daemon.governance.approvals import Question
from daemon.governance.policy_in_force import policy_of
from daemon.governance.proven import proven_grants, proven_raises
from daemon.knowledge.action import Action, digest
from daemon.knowledge.manifest import parse_manifest
from daemon.store import cap_raises, grants
from tests.unit.governance.approval_desk import Desk
from tests.unit.governance.test_questions import MAP
from tests.workspaces import NOON

FIVE = 5_000_000
RAISE = Question(
    "raise_cap", "Raise", "spent", "budget",
    {"scope": "venture", "day": "2026-11-30", "micros": FIVE},
)  # fmt: skip
FACTS = {"path": "memory/findings/a.md", "content_sha256": "c" * 64}
CALL = Call("sprint", "memory.write", lambda: FACTS)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path, channels=())
    manifest = parse_manifest(MAP.format(level="suggest").encode(), "knowledge.yaml")
    made.policy = policy_of(manifest, [], NOON.date())
    yield made
    made.close()


def change(desk: Desk, sql: str) -> None:
    """Somebody writes into the database."""
    with desk.db.immediate() as tx:
        assert tx.execute(sql) > 0


def raised(desk: Desk) -> int:
    return proven_raises(desk.db, desk.gate.books)("venture", NOON.date())


def write(desk: Desk) -> str | Refused:
    return desk.gate.perform(CALL, lambda: "wrote")


def granted(desk: Desk) -> Action:
    """An action that a person has just allowed once."""
    assert isinstance(write(desk), Refused)
    desk.say(desk.row())
    action = CALL.action(desk.policy)
    assert isinstance(action, Action)
    assert proven_grants(desk.db, desk.gate.books, action)
    return action


def test_money_that_a_person_added_counts_as_it_was_approved(desk: Desk) -> None:
    """Not another amount, nor for another approval, nor where nobody said yes."""
    desk.say(desk.approvals.ask(RAISE))
    assert raised(desk) == FIVE
    day = NOON.date()
    for approval in ("A2", "A9"):
        desk.approvals.ask(RAISE)
        cap_raises.add_raise(
            desk.db, approval=approval, scope="venture", day=day, micros=FIVE, now=NOON
        )
    assert raised(desk) == FIVE
    change(desk, "UPDATE approval SET state = 'done', decided_seq = 0 WHERE id = 'A2'")
    assert raised(desk) == FIVE
    change(desk, "UPDATE cap_raise SET micros = 900000000")
    assert raised(desk) == 0


def test_money_of_another_day_or_scope_is_not_counted(desk: Desk) -> None:
    """A raise is moved to today, or to another cap."""
    desk.say(desk.approvals.ask(RAISE))
    change(desk, "UPDATE cap_raise SET day = '2026-12-01'")
    gives = proven_raises(desk.db, desk.gate.books)
    assert gives("venture", NOON.date() + timedelta(days=1)) == 0


def test_money_is_not_counted_without_a_ledger(desk: Desk) -> None:
    """Nobody can say whether somebody gave it."""
    desk.say(desk.approvals.ask(RAISE))
    with desk.without_ledger():
        assert raised(desk) == 0
    assert raised(desk) == FIVE


def test_the_log_says_once_why_money_is_not_counted(
    desk: Desk, caplog: pytest.LogCaptureFixture
) -> None:
    """The cap is asked for with every look at the page; what clears and comes back is said again."""
    desk.say(desk.approvals.ask(RAISE))
    gives = proven_raises(desk.db, desk.gate.books)
    for _ in range(2):
        with desk.without_ledger():
            assert [gives("venture", NOON.date()) for _ in range(3)] == [0, 0, 0]
        assert gives("venture", NOON.date()) == FIVE
    assert [one.message[:30] for one in caplog.records] == ["the money of A1 is not counted"] * 2


def test_a_grant_that_was_used_is_not_made_good_again(desk: Desk) -> None:
    """The ledger has the action that it let through."""
    granted(desk)
    assert write(desk) == "wrote"
    change(desk, "UPDATE action_grant SET spent_at = NULL")
    assert isinstance(write(desk), Refused)


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE action_grant SET granted_by = 'slack:U1'",
        "UPDATE action_grant SET granted_by = 'slack:U1 (A9)'",
        "UPDATE action_grant SET level = 'observe'",
        "UPDATE action_grant SET source = 'agent'",
        "UPDATE approval SET payload = json_set(payload, '$.level', 'commit', '$.tool', 'x')",
        "UPDATE approval SET state = 'refused'",
    ],
)
def test_a_grant_that_was_changed_is_none(desk: Desk, sql: str) -> None:
    """Nor one whose approval was."""
    action = granted(desk)
    change(desk, sql)
    assert proven_grants(desk.db, desk.gate.books, action) == []
    assert isinstance(write(desk), Refused)


def test_a_grant_is_not_used_up_by_a_decision_that_could_not_be_written(desk: Desk) -> None:
    """Both stand in one transaction."""
    action = granted(desk)
    log = desk.state / "ledger/log.jsonl"
    log.rename(log.with_name("away"))
    assert isinstance(write(desk), Refused)
    assert len(grants.list_unspent(desk.db, digest(action))) == len(desk.row().payload["sources"])
    log.with_name("away").rename(log)
    assert write(desk) == "wrote"
    assert not grants.list_unspent(desk.db, digest(action))
