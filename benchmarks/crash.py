"""The power goes, again and again: the real daemon, killed at any moment, and what was lost.

    python benchmarks/crash.py --kills 300

The daemon runs as a process of its own, with the real SDKs, against stand-ins on loopback for
Claude, Slack and Notion that count what reaches them. Every life is ended by `kill -9` of all its
processes: at a random moment, or right after one of the steps of a sprint. After each life the books
are checked; after the last kill one life ends in order and everything is counted. The control run
forgets between its lives what had been begun, as a daemon without durable effects would.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.crash_workspace import forget_what_was_begun, make_workspace
from daemon.errors import SchemaTooOld
from daemon.governance.budget import usd_text
from daemon.store.budget import budget_faults
from daemon.store.database import Database, open_read_only
from tests.standins.far_side import Fault, Received, drops
from tests.standins.messages_api import MessagesApi
from tests.standins.notion_api import NotionApi
from tests.standins.researcher import write_reply
from tests.standins.slack_api import SlackApi

ROOT = Path(__file__).parents[1]
STEPS = ("open", "plan", "context", "attempt", "verdict", "commit", "close")
_LAST_LIFE_SECONDS = 60.0
_QUIET_LOOKS = 6  # half a second apart


@dataclass
class Account:
    """What was counted in one run; everything but the first four should be 0."""

    kills: int = 0
    served: int = 0
    done: int = 0
    delivered: int = 0
    over_the_cap: int = 0
    book_faults: int = 0
    unreserved: int = 0
    asked_again: int = 0
    posted_twice: int = 0
    messages_lost: int = 0
    sprints_open: int = 0
    items_lost: int = 0
    clean_stop: bool = False
    at: Counter[str] = field(default_factory=Counter)

    @property
    def sound(self) -> bool:
        wrong = (self.over_the_cap, self.book_faults, self.unreserved, self.asked_again,
                 self.posted_twice, self.messages_lost, self.sprints_open, self.items_lost)  # fmt: skip
        return self.clean_stop and not any(wrong)


class Crashes:
    """One workspace, three far sides, and many short lives."""

    def __init__(self, root: Path, seed: int, *, forgets: bool) -> None:
        self.root, self.forgets = root, forgets
        self.random = random.Random(seed)
        self.account = Account()
        self._stack = ExitStack()

    def __enter__(self) -> Crashes:
        enter = self._stack.enter_context
        self.claude = enter(MessagesApi(reply=self._reply))
        self.slack = enter(SlackApi(chance=self._chance))
        self.notion = enter(NotionApi(chance=self._chance))
        make_workspace(self.root, claude=self.claude, slack=self.slack, notion=self.notion)
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def run(self, kills: int) -> Account:
        for number in range(kills):
            step = STEPS[number // 2 % len(STEPS)] if number % 2 else ""
            self._live_and_die(step)
            self._check_books()
            if self.forgets:
                forget_what_was_begun(self.root)
            if number % 25 == 24:
                print(f"  {number + 1} kills, {len(self.claude.served)} replies served", flush=True)
        self._last_life()
        self._check_books()
        self._count()
        return self.account

    def _reply(self, request: dict[str, Any]) -> str:
        time.sleep(self.random.uniform(0.0, 0.15))  # so that a kill can hit a call under way
        return write_reply(request)

    def _chance(self, request: Received) -> Fault | None:
        """Now and then a far side takes a message and then hangs up without an answer."""
        writes = request.path.endswith(("chat.postMessage", "/pages"))
        return drops(after_acting=True) if writes and self.random.random() < 0.05 else None

    def _live_and_die(self, step: str) -> None:
        process = self._start("--die-at", step) if step else self._start()
        try:
            limit = 20.0 if step else self.random.uniform(0.8, 4.0)
            process.wait(timeout=limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            step = ""
        self.account.kills += 1
        self.account.at[step or "at random"] += 1

    def _start(self, *options: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "benchmarks.crash_daemon", str(self.root), *options]
        environ = {
            **os.environ,
            "ANTHROPIC_API_KEY": self.claude.api_key,
            "SLACK_BOT_TOKEN": self.slack.token,
            "NOTION_TOKEN": self.notion.token,
            "NO_PROXY": "127.0.0.1",
        }
        log = (self.root.parent / "daemon.log").open("ab")
        with log:
            return subprocess.Popen(
                command, cwd=ROOT, env=environ, stdout=log, stderr=log, start_new_session=True
            )

    def _last_life(self) -> None:
        """Undisturbed: until nothing waits to leave for some seconds (a digest is written a moment after
        its sprint ended), then stopped as systemd would."""
        process = self._start()
        end, quiet = time.monotonic() + _LAST_LIFE_SECONDS, 0
        while time.monotonic() < end and quiet < _QUIET_LOOKS:
            time.sleep(0.5)
            quiet = quiet + 1 if self._is_quiet() else 0
        os.kill(process.pid, signal.SIGTERM)
        try:
            self.account.clean_stop = process.wait(timeout=30) == 0
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def _is_quiet(self) -> bool:
        db = open_read_only(self.root / "state/sprintd.db")
        try:
            leaving = _number(
                db, "SELECT count(*) FROM outbox WHERE state IN ('waiting', 'sending')"
            )
            begun = _number(db, "SELECT count(*) FROM sprint WHERE state = 'running'")
            return not leaving and not begun
        finally:
            db.close()

    def _check_books(self) -> None:
        path = self.root / "state/sprintd.db"
        if not path.exists():
            return
        try:
            db = open_read_only(path)
        except SchemaTooOld:
            return  # killed while it was made: the next life goes on with it
        try:
            over = "SELECT count(*) FROM budget_day WHERE used_micros > cap_micros"
            self.account.over_the_cap += _number(db, over)
            self.account.book_faults += len(budget_faults(db))
        finally:
            db.close()

    def _count(self) -> None:
        account, db = self.account, open_read_only(self.root / "state/sprintd.db")
        try:
            account.served = len(self.claude.served)
            account.done = _number(db, "SELECT count(*) FROM item_state WHERE state = 'done'")
            calls = _number(db, "SELECT count(*) FROM api_calls")
            account.unreserved = max(0, account.served - calls)
            account.asked_again = _number(db, _ASKED_AGAIN)
            account.sprints_open = _number(
                db, "SELECT count(*) FROM sprint WHERE state = 'running'"
            )
            account.items_lost = _number(db, _ITEMS_LOST)
            pages = [key.partition("#")[0] for key in self.notion.keys]
            keys = Counter([*self.slack.keys, *pages])
            account.posted_twice = sum(number - 1 for number in keys.values())
            wanted = {row["name"] for row in db.rows(_WANTED)}
            account.delivered = len(keys)
            account.messages_lost = len(wanted - set(keys))
        finally:
            db.close()


# A page in Notion bears its external id; a change of a message takes that message's place.
_WANTED = """
SELECT coalesce(json_extract(payload, '$.external_id'), key) AS name
FROM outbox WHERE json_extract(payload, '$.edits') IS NULL"""
# Every reply that came must have been judged, once: what was paid for and not judged was in vain.
_ASKED_AGAIN = """
SELECT coalesce(sum(max(0, replies - judged)), 0) FROM (
    SELECT count(*) AS replies, (
        SELECT count(*) FROM attempt
        WHERE attempt.item = api_calls.item AND state IN ('accepted', 'rejected', 'answered')
    ) AS judged
    FROM api_calls WHERE outcome = 'replied' AND purpose = 'attempt' GROUP BY item)"""
# A finding without its item done, or an item that is done without one; or accepted twice.
_ITEMS_LOST = """
SELECT (SELECT count(*) FROM attempt WHERE state = 'accepted' AND item NOT IN (
            SELECT item FROM item_state WHERE state = 'done'))
     + (SELECT count(*) FROM item_state WHERE state = 'done' AND item NOT IN (
            SELECT item FROM finding))
     + (SELECT count(*) - count(DISTINCT item) FROM attempt WHERE state = 'accepted')"""


def _number(db: Database, sql: str) -> int:
    (row,) = db.rows(sql)
    (value,) = row.values()
    return int(value)


def measure(kills: int, seed: int, *, forgets: bool) -> Account:
    """Run it in a temporary folder; the daemon's log is kept only where something went wrong."""
    with tempfile.TemporaryDirectory(prefix="crash-") as folder:
        with Crashes(Path(folder) / "venture", seed, forgets=forgets) as crashes:
            account = crashes.run(kills)
        if not account.sound and not forgets:
            print((Path(folder) / "daemon.log").read_text(errors="replace")[-4000:])
    return account


def report(title: str, account: Account) -> None:
    print(f"\n{title}")
    rows = {
        "kill -9": account.kills,
        "model replies served": account.served,
        "items done": account.done,
        "messages delivered": account.delivered,
        "looks at the books with more than the cap": account.over_the_cap,
        "looks at the books with used != held + settled": account.book_faults,
        "calls without a reservation": account.unreserved,
        "paid replies asked for again": account.asked_again,
        "messages posted twice": account.posted_twice,
        "messages lost": account.messages_lost,
        "sprints left open": account.sprints_open,
        "items lost": account.items_lost,
        "last life stopped in order": "yes" if account.clean_stop else "NO",
    }
    for name, value in rows.items():
        print(f"  {name:<50}{value:>8}")
    print("  killed " + ", ".join(f"{where} {n}" for where, n in sorted(account.at.items())))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=300, help="lives that are ended (default 300)")
    parser.add_argument("--control-kills", type=int, default=40, help="in the control run; 0: none")
    parser.add_argument("--seed", type=int, default=20261130)
    given = parser.parse_args()
    began = time.monotonic()
    print(f"sprintd, killed {given.kills} times (cap {usd_text(20_000_000)} USD a day)")
    kept = measure(given.kills, given.seed, forgets=False)
    report("with durable effects", kept)
    if given.control_kills:
        report(
            "control: forgets what was begun",
            measure(given.control_kills, given.seed, forgets=True),
        )
    print(f"\n{time.monotonic() - began:.0f} s in all")
    sys.exit(0 if kept.sound else 1)


if __name__ == "__main__":
    main()
