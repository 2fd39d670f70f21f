"""One process that pays for calls, for tests that run several at once and kill them.

Prints `ready`, waits for a line, makes its calls, and prints one JSON line for each. A call costs
0.25 USD and reserves 0.40.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import threading
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from random import Random

from daemon.clock import SystemClock
from daemon.config.sections import BudgetSection
from daemon.errors import OutcomeUnknown, ProviderError
from daemon.governance.budget import Budget, Caller, Refusal
from daemon.governance.metered import MeteredProvider
from daemon.llm.prices import load_prices
from daemon.llm.provider import Completion, Prompt, Usage
from daemon.store.database import Database, open_database
from tests.standins.paid_provider import PaidProvider, prompt, reply

COST_MICROS = 250_000
HOLD_MICROS = 400_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("database", type=Path)
    parser.add_argument("sends", type=Path, help="file that gets a line for every request")
    parser.add_argument("--cap", type=Decimal, default=Decimal(20))
    parser.add_argument("--owner", required=True)
    parser.add_argument("--calls", type=int, default=1)
    parser.add_argument("--die-at", choices=("reserved", "sent", "never"), default="never")
    wanted = parser.parse_args()
    db = open_database(wanted.database, busy_timeout_seconds=60)
    metered = pay_with(db, wanted.sends, cap=wanted.cap, owner=wanted.owner, die_at=wanted.die_at)
    print("ready", flush=True)
    sys.stdin.readline()
    for number in range(wanted.calls):
        key = f"{wanted.owner}/{number}"
        print(json.dumps({"key": key, "end": one_call(metered, key)}), flush=True)


def pay_with(
    db: Database, sends: Path, *, cap: Decimal, owner: str, die_at: str = "never"
) -> MeteredProvider:
    """A metered provider on the real clock; `die_at` kills the process at that point of a call."""
    step = _step(die_at)
    clock = SystemClock()
    return MeteredProvider(
        PaidProvider([step] * 10_000, sends_file=sends),
        Budget(db, load_prices(None), BudgetSection(daily_cap_usd=cap), clock),
        db,
        clock,
        max_tries=4,
        deadline_seconds=60,
        owner=owner,
        stop=threading.Event(),
        jitter=Random(owner).random,
        busy=_die if die_at == "reserved" else lambda _seconds: None,
    )


def one_call(metered: MeteredProvider, key: str) -> str:
    """How the call ended: reply, a refusal's reason, unknown, or the name of an error."""
    try:
        answer = metered.complete(key, prompt(key), Caller("attempt", item=key))
    except OutcomeUnknown:
        return "unknown"
    except ProviderError as error:
        return type(error).__name__
    return answer.reason if isinstance(answer, Refusal) else "reply"


def _step(die_at: str) -> Callable[[Prompt], Completion]:
    def answer(_: Prompt) -> Completion:
        if die_at == "sent":
            _die(0)
        return reply(usage=Usage(0, 30_000, 80_000))

    return answer


def _die(_seconds: float) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    main()
