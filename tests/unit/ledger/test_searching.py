"""Looking for entries in a log: quick by place and day, bounded by what it reads."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from daemon.clock import ManualClock
from daemon.errors import LedgerError
from daemon.ledger.searching import Hits, LogEnd, Wanted, entry_bytes, log_end, search
from daemon.ledger.writer import open_ledger

NOON = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
ENTRIES = 40


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    """The key's entry, then one entry every six hours: by two actors, about T00 to T38."""
    clock = ManualClock(NOON)
    log = open_ledger(tmp_path, clock=clock)
    for number in range(1, ENTRIES):
        clock.advance(timedelta(hours=6))
        log.append(
            "decision",
            actor="ana" if number % 2 else 'bob "the" é',
            tool="memory.write",
            targets=[f"write:memory/findings/KC1/T{number:02d}-Cálculo.md"],
            verdict={
                "effect": "DENY" if number == 7 else "ALLOW",
                "gate": "x",
                "reason": "Because.",
            },
        )
    log.close()
    return tmp_path / "ledger"


def numbers(found: Hits) -> list[int]:
    return [entry["seq"] for entry in found.entries]


def test_every_entry_is_found_by_its_number(ledger: Path) -> None:
    """The bytes as they are stored; what is not there is None."""
    lines = (ledger / "log.jsonl").read_bytes().splitlines()
    assert [entry_bytes(ledger, seq) for seq in range(len(lines))] == lines
    assert entry_bytes(ledger, len(lines)) is None


def test_the_end_is_the_last_whole_line(ledger: Path) -> None:
    """A torn tail does not count."""
    path = ledger / "log.jsonl"
    size = path.stat().st_size
    assert log_end(ledger) == LogEnd(ENTRIES, size)
    with path.open("ab") as stream:
        stream.write(b'{"torn":')
    assert log_end(ledger) == LogEnd(ENTRIES, size)
    assert numbers(search(ledger, Wanted(), most=1)) == [ENTRIES - 1]


def test_pages_follow_each_other_without_a_gap(ledger: Path) -> None:
    """`next_before` of one is where the next begins; the last has none."""
    seen, before = [], None
    while True:
        found = search(ledger, Wanted(), most=7, before=before)
        seen += numbers(found)
        before = found.next_before
        if before is None:
            break
    assert seen == list(range(ENTRIES - 1, -1, -1))


def test_each_field_narrows(ledger: Path) -> None:
    """Alone and together; quotes and letters that are escaped in the log are found as people type them."""
    everything = {"most": ENTRIES}
    assert numbers(search(ledger, Wanted(effect="DENY"), **everything)) == [7]
    assert numbers(search(ledger, Wanted(text="t07"), **everything)) == [7]
    assert numbers(search(ledger, Wanted(text="t07-cálculo"), **everything)) == [7]
    assert numbers(search(ledger, Wanted(text="T07-CÁLCULO"), **everything)) == [7]
    assert numbers(search(ledger, Wanted(actor="ana", text="T08"), **everything)) == []
    assert len(numbers(search(ledger, Wanted(actor='bob "the" é'), **everything))) == 19
    assert numbers(search(ledger, Wanted(tool="memory.read"), **everything)) == []


def test_a_day_is_found_by_halving(ledger: Path) -> None:
    """Its entries and no others; a day without any has none."""
    assert numbers(search(ledger, Wanted(day=date(2026, 12, 1)), most=50)) == [5, 4, 3, 2]
    assert numbers(search(ledger, Wanted(day=date(2026, 12, 1)), most=3)) == [5, 4, 3]
    assert numbers(search(ledger, Wanted(day=date(2026, 11, 29)), most=3)) == []
    assert numbers(search(ledger, Wanted(day=date(2027, 6, 1)), most=3)) == []


def test_it_reads_no_more_than_it_may(ledger: Path) -> None:
    """It says that it stopped and where it would go on, so that no page waits for a long log."""
    found = search(ledger, Wanted(text="T01"), most=5, most_bytes=3_000)
    assert found.entries == ()
    assert not found.read_all
    assert found.next_before is not None
    assert 25 < found.next_before < ENTRIES
    rest = search(ledger, Wanted(text="T01"), most=5, before=found.next_before)
    assert numbers(rest) == [1]
    assert rest.read_all


@pytest.mark.parametrize("content", [b"nonsense\n", b'{"seq":0,}\n', b"x" * 70_000 + b"\n"])
def test_a_line_that_is_no_entry_is_an_error_with_its_cure(tmp_path: Path, content: bytes) -> None:
    """Never a crash, and never a page that shows it as an entry."""
    (tmp_path / "log.jsonl").write_bytes(content)
    with pytest.raises(LedgerError, match="sprintd ledger verify"):
        search(tmp_path, Wanted(), most=5)
    with pytest.raises(LedgerError):
        search(tmp_path, Wanted(day=date(2026, 12, 1)), most=5)


def test_no_log_and_an_empty_log(tmp_path: Path) -> None:
    """The first is said, the second has nothing in it."""
    with pytest.raises(LedgerError, match="there is no ledger yet"):
        log_end(tmp_path)
    (tmp_path / "log.jsonl").touch()
    assert log_end(tmp_path) == LogEnd(0, 0)
    assert search(tmp_path, Wanted(), most=5) == Hits((), None, read_all=True)
    assert entry_bytes(tmp_path, 0) is None
