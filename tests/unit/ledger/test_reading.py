"""What people read of a log: the newest entries, one actor's, one sprint's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from daemon.errors import LedgerError
from daemon.ledger.reading import (
    announced_keys,
    entries_about,
    find_entry,
    newest_entries,
    read_raw,
)
from tests.unit.ledger.made import decide, log_of, opened, small_log


def test_the_newest_entries_come_oldest_first(tmp_path: Path) -> None:
    small_log(tmp_path, entries=5)
    found = newest_entries(tmp_path / "ledger", 2)
    assert [line["seq"] for line in found] == [4, 5]


def test_an_entry_is_found_by_its_place(tmp_path: Path) -> None:
    """The first, the last, and none beyond them."""
    small_log(tmp_path, entries=5)
    found = {seq: find_entry(tmp_path / "ledger", seq) for seq in range(-1, 8)}
    assert {seq for seq, entry in found.items() if entry} == set(range(6))
    assert all(entry["seq"] == seq for seq, entry in found.items() if entry)


def test_one_actor_or_sprint_is_chosen(tmp_path: Path) -> None:
    """Both together are narrower; nobody gives nothing."""
    ledger = opened(tmp_path)
    decide(ledger, 3)
    ledger.append("decision", actor="lead", sprint=2)
    chosen = newest_entries(tmp_path / "ledger", 9, actor="analyst", sprint=2)
    assert [line["seq"] for line in chosen] == [3]
    assert len(newest_entries(tmp_path / "ledger", 9, sprint=2)) == 2
    assert newest_entries(tmp_path / "ledger", 9, actor="nobody") == []


def test_an_unfinished_line_is_left_out_and_a_broken_one_is_told(tmp_path: Path) -> None:
    small_log(tmp_path, entries=2)
    good = log_of(tmp_path).read_bytes()
    log_of(tmp_path).write_bytes(good + b'{"half":')
    assert (
        len(newest_entries(tmp_path / "ledger", 9)) == len(list(read_raw(tmp_path / "ledger"))) == 3
    )
    log_of(tmp_path).write_bytes(good + b"not json\n")
    with pytest.raises(LedgerError, match="has a line that is no entry"):
        newest_entries(tmp_path / "ledger", 9)


def test_reading_backwards_gives_the_lines_of_reading_forwards(tmp_path: Path) -> None:
    """Also over several blocks, and with lines as long as they may be."""
    ledger = opened(tmp_path)
    for length in (10, 60_000, 3, 60_000, 60_000, 60_000, 60_000, 1):
        ledger.append("decision", actor="x" * length)
    ledger.close()
    found = newest_entries(tmp_path / "ledger", 99)
    assert found == [json.loads(line) for line in read_raw(tmp_path / "ledger")]
    assert len(found) == 9


def test_a_folder_without_a_log_says_so(tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match="there is no ledger yet"):
        newest_entries(tmp_path, 1)


def test_the_keys_are_those_that_the_log_announces(tmp_path: Path) -> None:
    """An actor who writes like one is none of them."""
    ledger = opened(tmp_path)
    first = ledger.vkey
    ledger.append("decision", actor='"type":"key"', targets=['"type":"key"'])
    ledger.rotate_key(actor="operator")
    assert announced_keys(tmp_path / "ledger") == [first, ledger.vkey]
    assert announced_keys(tmp_path / "ledger", first=2) == [first]


@pytest.mark.parametrize(
    "line",
    [
        b"[" * 60_000, b"7", b"{}", b'{"action":7}', b'{"action":{"targets":7},"verdict":{}}',
        b'{"action":{"targets":[]},"verdict":[]}', b"x" * 600_000,
    ],
)  # fmt: skip
def test_a_hostile_line_is_told_and_shown_to_nobody(tmp_path: Path, line: bytes) -> None:
    """Nested without end, of another form, or longer than any line is."""
    small_log(tmp_path, entries=2)
    with log_of(tmp_path).open("ab") as stream:
        stream.write(line + b"\n")
    with pytest.raises(LedgerError, match="is no entry; run: sprintd ledger verify"):
        newest_entries(tmp_path / "ledger", 3)


def test_entries_about_a_name_come_newest_first_and_stop_behind_a_place(tmp_path: Path) -> None:
    """A name is a whole value: one that only begins so, or that a reason quotes, is another."""
    ledger = opened(tmp_path)
    for target in ("approval:A1", "approval:A10", "approval:A1"):
        ledger.append("approval", actor="ana", targets=[target])
    told = {"effect": "", "gate": "", "reason": '"approval:A1" "seq":0,', "final": 0}
    ledger.append("approval", actor="ana", targets=["approval:A2"], verdict=told)
    folder = tmp_path / "ledger"
    found = [entry["seq"] for entry in entries_about(folder, "approval:A1")]
    assert found == [3, 1]
    assert [entry["seq"] for entry in entries_about(folder, "approval:A1", after=1)] == [3]
    assert list(entries_about(folder, "approval:A1", after=4)) == []
    assert list(entries_about(folder, "approval:A9")) == []
