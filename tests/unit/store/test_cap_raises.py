"""What a person added to a day's cap: once for each approval, for that day alone."""

from __future__ import annotations

from datetime import timedelta

from daemon.store.cap_raises import add_raise, list_raises, raised_micros
from daemon.store.database import Database
from tests.workspaces import NOON

DAY = NOON.date()


def test_each_approval_adds_once(db: Database) -> None:
    """Two approvals add both; the same one a second time adds nothing."""
    assert raised_micros(db, "venture", DAY) == 0
    for approval, added in (("A1", True), ("A1", False), ("A2", True)):
        found = add_raise(
            db, approval=approval, scope="venture", day=DAY, micros=5_000_000, now=NOON
        )
        assert found is added
    assert raised_micros(db, "venture", DAY) == 10_000_000


def test_it_counts_for_its_own_day_and_scope(db: Database) -> None:
    """The next day begins with the cap as configured."""
    add_raise(db, approval="A1", scope="venture", day=DAY, micros=1, now=NOON)
    assert raised_micros(db, "venture", DAY + timedelta(days=1)) == 0
    assert raised_micros(db, "other", DAY) == 0


def test_what_was_added_is_listed_with_its_approval(db: Database) -> None:
    """The oldest first, of that day alone."""
    for number, approval in enumerate(("A2", "A1")):
        at = NOON + timedelta(minutes=number)
        add_raise(db, approval=approval, scope="venture", day=DAY, micros=7, now=at)
    found = list_raises(db, "venture", DAY)
    assert [(row.approval, row.micros, row.at) for row in found] == [
        ("A2", 7, NOON),
        ("A1", 7, NOON + timedelta(minutes=1)),
    ]
    assert list_raises(db, "venture", DAY + timedelta(days=1)) == []
