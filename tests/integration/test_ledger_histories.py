"""Whatever a log lived through, it verifies: many handles, changes of keys, crashes, a clock that jumps."""

from __future__ import annotations

import shutil
import tempfile
from datetime import timedelta
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from daemon.clock import ManualClock
from daemon.ledger.merkle import leaf_hash
from daemon.ledger.reading import read_raw
from daemon.ledger.verify import verify
from daemon.ledger.writer import Ledger, open_ledger
from tests.unit.ledger.made import NOON, ORIGIN

TEXTS = st.text(max_size=40) | st.sampled_from(["\u2028", "\0", "\ud83d", '{"a":[1]}', "\\u0041"])
HANDLES = st.integers(0, 2)


class Histories(RuleBasedStateMachine):
    """Three handles that share a log; each is opened anew at its first use after it was dropped."""

    def __init__(self) -> None:
        super().__init__()
        self.state = Path(tempfile.mkdtemp())
        self.clock = ManualClock(NOON)
        self.handles: dict[int, Ledger] = {}
        self.told: dict[int, str] = {}
        self.kept: list[str] = []
        self.keys: set[str] = set()

    def handle(self, number: int) -> Ledger:
        if number not in self.handles:
            self.handles[number] = open_ledger(self.state, clock=self.clock, origin=ORIGIN)
        return self.handles[number]

    @rule(number=HANDLES, count=st.integers(1, 70), actor=TEXTS, name=TEXTS)
    def append(self, number: int, count: int, actor: str, name: str) -> None:
        for _ in range(count):
            receipt = self.handle(number).append("decision", actor=actor, targets=[name])
            assert receipt.seq not in self.told
            self.told[receipt.seq] = receipt.leaf

    @rule(number=HANDLES)
    def checkpoint(self, number: int) -> None:
        ledger = self.handle(number)
        self.kept.append(ledger.checkpoint().text)
        self.keys.add(ledger.vkey)

    @rule(number=HANDLES)
    def rotate(self, number: int) -> None:
        ledger = self.handle(number)
        ledger.rotate_key(actor="operator")
        self.keys.add(ledger.vkey)

    @rule(number=HANDLES)
    def close(self, number: int) -> None:
        if number in self.handles:
            self.handles.pop(number).close()

    @rule(number=HANDLES)
    def drop(self, number: int) -> None:
        """As `kill -9` between two entries."""
        self.handles.pop(number, None)

    @precondition(lambda self: self.told)
    @rule(share=st.floats(0.01, 0.99))
    def tear(self, share: float) -> None:
        """As `kill -9` in the middle of a write: half a line, which nobody was told of."""
        log = self.state / "ledger/log.jsonl"
        whole = log.read_bytes()
        if whole.endswith(b"\n"):
            last = whole.splitlines()[-1]
            log.write_bytes(whole + last[: max(1, int(len(last) * share))])

    @rule(seconds=st.integers(-100_000, 100_000))
    def jump(self, seconds: int) -> None:
        self.clock.advance(timedelta(seconds=seconds))

    @rule()
    def lose_the_frontier(self) -> None:
        (self.state / "ledger/frontier.json").unlink(missing_ok=True)

    @invariant()
    def it_verifies_from_everything_that_was_kept(self) -> None:
        """With every key it ever had, against checkpoints kept elsewhere; nothing acknowledged is lost."""
        if not (self.state / "ledger/log.jsonl").exists():
            return
        for kept in [None, *self.kept[:1], *self.kept[-1:]]:
            for key in [None, *self.keys]:
                report = verify(self.state / "ledger", checkpoint=kept, public_key=key)
                assert report.kind in ("intact", "torn"), report
        leaves = [leaf_hash(line).hex() for line in read_raw(self.state / "ledger")]
        assert {seq: leaves[seq] for seq in self.told} == self.told

    def teardown(self) -> None:
        shutil.rmtree(self.state)


TestHistories = Histories.TestCase
TestHistories.settings = settings(
    max_examples=15,
    stateful_step_count=25,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
