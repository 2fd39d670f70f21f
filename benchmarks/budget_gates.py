"""The two gates of benchmarks/budget.py, and the service that they stand before."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Literal

from daemon.clock import SystemClock
from daemon.config.sections import BudgetSection, Tier
from daemon.governance.budget import Budget, Caller, Refusal
from daemon.governance.metered import MeteredProvider
from daemon.llm.prices import load_prices
from daemon.llm.provider import Completion, Prompt, Usage
from daemon.store.budget import budget_faults
from daemon.store.database import Database, open_database

MODEL = "claude-haiku-4-5"
HOLD_MICROS = 400_000  # 80,000 tokens as a cache write and 60,000 of output
COST_MICROS = 250_000  # the same with 30,000 of output
End = Literal["granted", "refused"]
Death = Literal["before the request", "after the request"]
Pay = Callable[[str], End]


@dataclass(frozen=True)
class Load:
    threads: int
    processes: int
    kills: int
    calls: int
    call_seconds: float
    cap_micros: int


class Service:
    """A provider that goes nowhere; each request is one line of a file."""

    name = "benchmark"
    writes_json = True

    def __init__(self, sends: Path, seconds: float, death: Death | None) -> None:
        self._sends, self._seconds, self._death = sends, seconds, death

    def model_for(self, tier: Tier) -> str:
        del tier
        return MODEL

    def bound_input_tokens(self, prompt: Prompt) -> int:
        del prompt
        return 80_000

    def send(self, prompt: Prompt) -> Completion:
        if self._death == "before the request":
            die()
        line = os.open(self._sends, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        os.write(line, f"{prompt.user}\n".encode())
        os.close(line)
        if self._death == "after the request":
            die()
        time.sleep(self._seconds)
        return Completion("An answer.", MODEL, Usage(0, 30_000, 80_000), "end_turn")

    def describe(self) -> str:
        return "a service that goes nowhere"

    def close(self) -> None:
        return None


class ReserveFirst:
    """sprintd's own gate, exactly as the daemon uses it."""

    title = "reserve first"

    def __init__(self, folder: Path, load: Load) -> None:
        self._load = load
        self.sends = folder / "sends"
        self.db = open_database(folder / "reserve.db", busy_timeout_seconds=120)
        watch_peak(self.db)

    def payer(self, owner: str, death: Death | None = None) -> Pay:
        clock = SystemClock()
        cap = Decimal(self._load.cap_micros) / 1_000_000
        metered = MeteredProvider(
            Service(self.sends, self._load.call_seconds, death),
            Budget(self.db, load_prices(None), BudgetSection(daily_cap_usd=cap), clock),
            self.db,
            clock,
            max_tries=1,
            deadline_seconds=60,
            owner=owner,
            stop=threading.Event(),
            jitter=Random(owner).random,
        )

        def pay(key: str) -> End:
            answer = metered.complete(key, ask(key), Caller("benchmark", item=key))
            return "refused" if isinstance(answer, Refusal) else "granted"

        return pay

    def booked(self) -> Counter[str]:
        sql = "SELECT item, coalesce(cost_micros, reserved_micros) AS micros FROM api_calls"
        return Counter({row["item"]: row["micros"] for row in self.db.rows(sql)})

    def reserved_keys(self) -> set[str]:
        return {row["item"] for row in self.db.rows("SELECT item FROM api_calls")}

    def faults(self) -> list[str]:
        return budget_faults(self.db) + self.db.integrity_faults()


class CheckThenRecord:
    """What is often built: look at what was spent, call, add the cost."""

    title = "check, then record"

    def __init__(self, folder: Path, load: Load) -> None:
        self._load = load
        self.sends = folder / "sends"
        self.db = open_database(folder / "check.db", busy_timeout_seconds=120)
        watch_peak(self.db)
        with self.db.immediate() as tx:
            tx.execute("CREATE TABLE recorded (key TEXT, micros INTEGER)")
            tx.execute("INSERT INTO budget_day VALUES ('v', 'today', 0, 0, 0, NULL)")

    def payer(self, owner: str, death: Death | None = None) -> Pay:
        del owner
        service = Service(self.sends, self._load.call_seconds, death)

        def pay(key: str) -> End:
            spent = self.db.rows("SELECT used_micros FROM budget_day")[0]["used_micros"]
            if spent + COST_MICROS > self._load.cap_micros:
                return "refused"
            service.send(ask(key))
            with self.db.immediate() as tx:
                tx.execute("INSERT INTO recorded VALUES (?, ?)", (key, COST_MICROS))
                tx.execute("UPDATE budget_day SET used_micros = used_micros + ?", (COST_MICROS,))
            return "granted"

        return pay

    def booked(self) -> Counter[str]:
        sql = "SELECT key, micros FROM recorded"
        return Counter({row["key"]: row["micros"] for row in self.db.rows(sql)})

    def reserved_keys(self) -> set[str]:
        return set()

    def faults(self) -> list[str]:
        return self.db.integrity_faults()


def watch_peak(db: Database) -> None:
    """Let the database itself keep the highest figure that it ever had."""
    with db.immediate() as tx:
        tx.execute("CREATE TABLE peak (micros INTEGER NOT NULL)")
        tx.execute("INSERT INTO peak VALUES (0)")
        tx.execute(
            "CREATE TRIGGER keep_peak AFTER UPDATE ON budget_day BEGIN "
            "UPDATE peak SET micros = max(micros, NEW.used_micros); END"
        )


def ask(key: str) -> Prompt:
    return Prompt(model=MODEL, system="", user=key, max_output_tokens=60_000)


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)
