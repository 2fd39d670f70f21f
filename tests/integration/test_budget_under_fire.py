"""Spent plus reserved never exceeds the cap: with threads, with processes, and with kill -9."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from daemon.clock import ManualClock, SystemClock, day_of
from daemon.config.sections import BudgetSection
from daemon.governance.budget import SCOPE, Budget, Caller, Reservation
from daemon.llm.prices import load_prices
from daemon.llm.provider import Usage
from daemon.store.budget import budget_faults, list_days
from daemon.store.database import Database, open_database
from tests.standins.paid_provider import MODEL, reply
from tests.standins.paying_process import COST_MICROS, HOLD_MICROS, one_call, pay_with

CHECKOUT = Path(__file__).parents[2]
YEAR = datetime(2026, 1, 1, tzinfo=UTC).date()


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    database = open_database(tmp_path / "state" / "sprintd.db", busy_timeout_seconds=60)
    yield database
    database.close()


@pytest.fixture
def sends(tmp_path: Path) -> Path:
    return tmp_path / "sends"


Process = subprocess.Popen[str]


def launch(db: Database, sends: Path, owner: str, *more: str) -> Process:
    """A process that is ready to pay and waits for a word."""
    command = [sys.executable, "-m", "tests.standins.paying_process", str(db.path), str(sends)]
    return subprocess.Popen(
        [*command, "--owner", owner, *more],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=CHECKOUT,
    )


def let_go(processes: list[Process]) -> None:
    """Start them at one moment, as a barrier does."""
    for process in processes:
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin
        process.stdin.write("go\n")
        process.stdin.flush()


def ends(processes: list[Process]) -> Counter[str]:
    """How the calls ended; a killed call has no end."""
    counted: Counter[str] = Counter()
    for process in processes:
        out, _ = process.communicate(timeout=120)
        counted.update(json.loads(line)["end"] for line in out.splitlines())
    return counted


def used(db: Database) -> int:
    """Spent and reserved together, over all days (a test can run over midnight)."""
    return sum(day.used_micros for day in list_days(db, SCOPE, YEAR))


def highest(db: Database) -> int:
    """The most that any one day has used."""
    return max((day.used_micros for day in list_days(db, SCOPE, YEAR)), default=0)


def check_books(db: Database, sends: Path, cap_micros: int) -> None:
    """What must be true at every moment, from two accounts: the books, and what really went out."""
    assert highest(db) <= cap_micros
    assert budget_faults(db) == []
    went_out = Counter(sends.read_text().split()) if sends.exists() else Counter()
    booked: Counter[str] = Counter()
    written: Counter[str] = Counter()
    for row in db.rows("SELECT item, reserved_micros, cost_micros FROM api_calls"):
        booked[row["item"]] += (
            row["reserved_micros"] if row["cost_micros"] is None else row["cost_micros"]
        )
        written[row["item"]] += 1
    assert [key for key in went_out if went_out[key] > written[key]] == []
    assert [key for key in went_out if booked[key] < went_out[key] * COST_MICROS] == []


def spend_first(db: Database, micros: int) -> None:
    """Something was spent earlier today: tokens of a model that costs a micro-dollar each."""
    clock = SystemClock()
    budget = Budget(db, load_prices(None), BudgetSection(daily_cap_usd=Decimal(1_000)), clock)
    answer = budget.reserve(
        "earlier",
        provider="paid",
        model=MODEL,
        input_tokens=micros,
        output_tokens=0,
        caller=Caller("plan", item="earlier"),
    )
    assert isinstance(answer, Reservation)
    assert budget.settle(answer, reply("", usage=Usage(micros, 0))) == micros


def test_of_five_processes_at_a_barrier_one_gets_the_last_money(db: Database, sends: Path) -> None:
    """19.50 of 20 spent and 0.40 asked five times: one call goes out, four never do."""
    spend_first(db, 19_500_000)
    processes = [launch(db, sends, f"p{number}", "--cap", "20") for number in range(5)]
    let_go(processes)
    assert ends(processes) == {"reply": 1, "cap": 4}
    assert len(sends.read_text().split()) == 1
    calls = db.rows("SELECT reserved_micros, outcome FROM api_calls WHERE item <> 'earlier'")
    assert calls == [{"reserved_micros": 400_000, "outcome": "replied"}]
    assert used(db) == 19_500_000 + COST_MICROS
    check_books(db, sends, 20_000_000)


def test_of_five_reservations_at_a_barrier_one_is_granted(db: Database) -> None:
    """The published case to the cent: 19.50 spent, 0.40 each, ends at 19.90."""
    spend_first(db, 19_500_000)
    clock = SystemClock()
    budget = Budget(db, load_prices(None), BudgetSection(daily_cap_usd=Decimal(20)), clock)
    barrier, granted, refused = threading.Barrier(5), [], []

    def ask(number: int) -> None:
        barrier.wait()
        answer = budget.reserve(
            f"p{number}",
            provider="paid",
            model=MODEL,
            input_tokens=80_000,
            output_tokens=60_000,
            caller=Caller("attempt", item=str(number)),
        )
        if isinstance(answer, Reservation):
            granted.append(budget.settle(answer, reply()))
        else:
            refused.append(answer)

    in_threads(5, ask)
    assert granted == [400_000]
    assert {refusal.reason for refusal in refused} == {"cap"}
    assert len(refused) == 4
    assert budget.today().spent_micros == 19_900_000


def in_threads(number: int, act: object) -> None:
    threads = [threading.Thread(target=act, args=(n,)) for n in range(number)]  # type: ignore[arg-type]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)


def test_eight_threads_spend_the_cap_and_no_more(db: Database, sends: Path) -> None:
    """80 calls asked, each 0.25 after a hold of 0.40, cap 10: as many as fit, then none."""
    over: list[int] = []

    def work(number: int) -> None:
        metered = pay_with(db, sends, cap=Decimal(10), owner=f"t{number}")
        for call in range(10):
            one_call(metered, f"t{number}/{call}")
            if highest(db) > 10_000_000:
                over.append(highest(db))

    in_threads(8, work)
    assert over == []
    assert 10_000_000 - HOLD_MICROS < used(db) <= 10_000_000
    assert len(sends.read_text().split()) == used(db) // COST_MICROS
    check_books(db, sends, 10_000_000)


def test_four_processes_spend_the_cap_and_no_more(db: Database, sends: Path) -> None:
    """Looked at all the while from outside: never more than the cap, and in the end all of it."""
    processes = [
        launch(db, sends, f"p{number}", "--cap", "10", "--calls", "20") for number in range(4)
    ]
    let_go(processes)
    while any(process.poll() is None for process in processes):
        assert highest(db) <= 10_000_000
    counted = ends(processes)
    assert counted["reply"] * COST_MICROS == used(db)
    assert counted["reply"] + counted["cap"] == 80
    assert used(db) > 10_000_000 - HOLD_MICROS
    check_books(db, sends, 10_000_000)


def test_killed_calls_stay_counted_in_full(db: Database, sends: Path) -> None:
    """15 times kill -9 between reserving and settling, some before the request and some after it.

    Each keeps its whole hold; the sweep of the next life makes it spent, once, and frees nothing.
    """
    kills = 0
    for round_number in range(3):
        dying = [
            launch(db, sends, f"r{round_number}d{n}", "--die-at", ("reserved", "sent")[n % 2])
            for n in range(5)
        ]
        living = [launch(db, sends, f"r{round_number}l", "--calls", "3")]
        let_go([*dying, *living])
        assert ends(dying) == {}
        assert ends(living) == {"reply": 3}
        kills += sum(process.returncode == -9 for process in dying)
        check_books(db, sends, 20_000_000)
    assert kills == 15
    assert used(db) == 15 * HOLD_MICROS + 9 * COST_MICROS
    metered = pay_with(db, sends, cap=Decimal(20), owner="next life")
    lost = metered.recover(SystemClock().now())
    assert len(lost) == 15
    assert metered.recover(SystemClock().now()) == []
    assert used(db) == 15 * HOLD_MICROS + 9 * COST_MICROS
    assert {one_call(metered, key) for key in lost} == {"unknown"}
    check_books(db, sends, 20_000_000)
    assert db.integrity_faults() == []


def test_processes_killed_at_any_moment_leave_true_books(db: Database, sends: Path) -> None:
    """Wherever the kill falls, in a transaction or between two: nothing is half written."""
    for round_number in range(2):
        processes = [
            launch(db, sends, f"r{round_number}p{n}", "--cap", "100", "--calls", "1000")
            for n in range(2)
        ]
        let_go(processes)
        for process in processes:
            assert process.stdout
            for _ in range(3 + round_number):
                process.stdout.readline()
            process.kill()
            process.communicate()
        check_books(db, sends, 100_000_000)
    pay_with(db, sends, cap=Decimal(100), owner="next life").recover(SystemClock().now())
    check_books(db, sends, 100_000_000)
    assert [day.held_micros for day in list_days(db, SCOPE, YEAR)] == [0] * len(
        list_days(db, SCOPE, YEAR)
    )
    assert db.integrity_faults() == []


TWO_DAYS = """
import json, sys, time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from daemon.clock import ManualClock
from daemon.config.sections import BudgetSection
from daemon.governance.budget import Budget, Caller
from daemon.llm.prices import load_prices
from daemon.llm.provider import Completion, Usage
from daemon.store.budget import list_days
from daemon.store.database import open_database

db = open_database(Path(sys.argv[1]))
clock = ManualClock(datetime(2026, 11, 30, 23, 59, 59, tzinfo=UTC))
budget = Budget(db, load_prices(None), BudgetSection(), clock)
for key, tokens in (("late", 500_000), ("early", 250_000)):
    hold = budget.reserve(key, provider="paid", model="claude-haiku-4-5", input_tokens=tokens,
                          output_tokens=0, caller=Caller("attempt"))
    budget.settle(hold, Completion("", "claude-haiku-4-5", Usage(tokens, 0), "end_turn"))
    if key == "late":
        clock.advance(timedelta(seconds=2))
today = budget.today()
print(json.dumps({
    "zone": time.tzname[0],
    "today": [str(today.day), today.spent_micros, str(today.ends_at)],
    "days": {str(row.day): row.spent_micros for row in
             list_days(db, "venture", datetime(2026, 11, 1, tzinfo=UTC).date())},
}))
"""


@pytest.mark.parametrize("zone", ["Asia/Tokyo", "America/Los_Angeles", "UTC"])
def test_the_day_is_the_utc_day_in_every_zone(tmp_path: Path, zone: str) -> None:
    """0.50 one second before midnight UTC and 0.25 one after it: two days, whatever the zone."""
    done = subprocess.run(
        [sys.executable, "-c", TWO_DAYS, str(tmp_path / "state" / "sprintd.db")],
        env={**os.environ, "TZ": zone},
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        check=True,
    )
    told = json.loads(done.stdout)
    assert told["zone"] == {"Asia/Tokyo": "JST", "America/Los_Angeles": "PST", "UTC": "UTC"}[zone]
    assert told["today"] == ["2026-12-01", 250_000, "2026-12-02 00:00:00+00:00"]
    assert told["days"] == {"2026-11-30": 500_000, "2026-12-01": 250_000}


def test_a_clock_that_is_set_back_finds_the_older_days_money(db: Database) -> None:
    """Yesterday's spending is still there; going back does not give it a second time."""
    clock = ManualClock(datetime(2026, 12, 1, tzinfo=UTC))
    budget = Budget(db, load_prices(None), BudgetSection(), clock)
    assert budget.today().day == day_of(clock.now())
    assert budget.today().remaining_micros == 20_000_000
