"""What a person added to a day's cap: once for each approval, for that day alone."""

from __future__ import annotations

from datetime import timedelta

from daemon.store.cap_raises import add_raise, raised_micros
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
