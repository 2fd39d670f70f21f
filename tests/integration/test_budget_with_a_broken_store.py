"""Money that cannot be written down is not spent; a reply that cannot be is not given out."""

from __future__ import annotations

import contextlib
import resource
import threading
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from daemon.clock import ManualClock
from daemon.config.sections import BudgetSection
from daemon.errors import OutcomeUnknown, StoreError
from daemon.governance.budget import Budget, Caller, Refusal
from daemon.governance.metered import MeteredProvider
from daemon.llm.prices import load_prices
from daemon.llm.provider import Completion, Prompt
from daemon.store.database import Database, open_database
from tests.standins.paid_provider import PaidProvider, prompt, reply
from tests.unit.governance.test_metered import NOON

CALLER = Caller("attempt", item="prices")


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    database = open_database(tmp_path / "state" / "sprintd.db", busy_timeout_seconds=0.1)
    yield database
    database.close()


def metered(db: Database, provider: PaidProvider) -> MeteredProvider:
    clock = ManualClock(NOON)
    return MeteredProvider(
        provider,
        Budget(db, load_prices(None), BudgetSection(daily_cap_usd=Decimal(20)), clock),
        db,
        clock,
        max_tries=4,
        deadline_seconds=300,
        owner="this life",
        stop=threading.Event(),
        jitter=lambda: 0.0,
    )


@contextlib.contextmanager
def full_disk(db: Database) -> Iterator[None]:
    """No file of this process can grow beyond what the database's log has now."""
    fill_disk(db)
    try:
        yield
    finally:
        empty_disk()


def fill_disk(db: Database) -> None:
    size = db.path.with_name(db.path.name + "-wal").stat().st_size
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))


def empty_disk() -> None:
    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))


def refused(answer: Completion | Refusal, provider: PaidProvider) -> str:
    """The one line that is said, after a look that nothing went out."""
    assert isinstance(answer, Refusal)
    assert answer.reason == "store"
    assert provider.sent == []
    assert "\n" not in answer.message
    return answer.message


def test_a_full_disk_refuses_before_the_call(db: Database) -> None:
    """One line that says so; with space again, the same key works."""
    provider = PaidProvider()
    house = metered(db, provider)
    with full_disk(db):
        message = refused(house.complete("k", prompt(), CALLER), provider)
    assert message.startswith("nothing may be spent without the database: ")
    assert str(db.path) in message
    assert house.complete("k", prompt(), CALLER) == reply()


def test_a_disk_that_fills_during_the_call_keeps_its_money_held(db: Database) -> None:
    """The reply is paid for but not stored, so it is not given out, and not asked for again."""

    def fill(_: Prompt) -> Completion:
        fill_disk(db)
        return reply(request_id="req_42")

    provider = PaidProvider([fill])
    house = metered(db, provider)
    try:
        with pytest.raises(
            StoreError, match=r"reply req_42 came but could not be stored; 0\.40 USD"
        ):
            house.complete("k", prompt(), CALLER)
    finally:
        empty_disk()
    days = db.rows("SELECT used_micros, held_micros FROM budget_day")
    assert days == [{"used_micros": 400_000, "held_micros": 400_000}]
    with pytest.raises(OutcomeUnknown):
        house.complete("k", prompt(), CALLER)
    assert len(provider.sent) == 1


def test_a_damaged_file_refuses_before_the_call(db: Database) -> None:
    """Overwritten with something else: no call, and the line says what to do."""
    db.close()
    again = open_database(db.path)
    again.close()
    provider = PaidProvider()
    house_db = open_database(db.path, busy_timeout_seconds=0.1)
    db.path.with_name(db.path.name + "-wal").unlink(missing_ok=True)
    db.path.write_bytes(b"no database at all " * 5_000)
    told: list[str] = []

    def ask() -> None:
        told.append(refused(metered(house_db, provider).complete("k", prompt(), CALLER), provider))

    thread = threading.Thread(target=ask)
    thread.start()
    thread.join(60)
    house_db.close()
    assert len(told) == 1
    assert "put back the newest backup" in told[0]


@pytest.mark.parametrize("table", ["budget_day", "reservation", "api_calls", "effect"])
def test_a_missing_table_refuses_before_the_call(db: Database, table: str) -> None:
    """Whichever of the four it is, nothing goes out."""
    with db.immediate() as tx:
        tx.execute(f"ALTER TABLE {table} RENAME TO elsewhere")
    provider = PaidProvider()
    message = refused(metered(db, provider).complete("k", prompt(), CALLER), provider)
    assert table in message


def test_a_database_that_vanished_refuses_before_the_call(db: Database) -> None:
    """A file that comes back empty would have an unspent budget; it is not made again."""
    provider = PaidProvider()
    db.path.unlink()
    told: list[str] = []

    def ask() -> None:
        told.append(refused(metered(db, provider).complete("k", prompt(), CALLER), provider))

    thread = threading.Thread(target=ask)
    thread.start()
    thread.join(60)
    assert len(told) == 1
    assert not db.path.exists()
