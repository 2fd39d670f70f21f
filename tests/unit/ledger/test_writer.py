"""What `append` promises: durable, in order, one chain, and never a silent gap."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import stat
import subprocess
import sys
import threading
from datetime import timedelta
from pathlib import Path

import pytest

from daemon.clock import ManualClock
from daemon.errors import LedgerError, StoreError
from daemon.ledger.entry import LONGEST_LINE, ZERO
from daemon.ledger.verify import verify
from daemon.ledger.writer import Anchor, open_ledger
from tests.unit.ledger.made import (
    NOON,
    ORIGIN,
    ROOT,
    decide,
    facts_of,
    forget_checkpoints,
    later,
    log_of,
    opened,
    small_log,
)


def sound(state: Path) -> bool:
    return verify(state / "ledger").kind == "intact"


def sizes(state: Path) -> list[int]:
    return sorted(int(path.stem) for path in (state / "ledger/checkpoints").iterdir())


def test_an_entry_holds_what_it_was_given_and_nothing_else(tmp_path: Path) -> None:
    """The closed schema, with every key, as governance describes it."""
    ledger = opened(tmp_path)
    decide(ledger)
    ledger.append("outcome", actor="analyst", ref=1)
    ledger.close()
    first, decision, outcome = facts_of(tmp_path)
    assert (first["type"], first["prev"], first["log"]) == ("key", ZERO, ORIGIN)
    lines = log_of(tmp_path).read_bytes().splitlines()
    assert decision == {
        "v": 1, "log": ORIGIN, "seq": 1, "ts": "2026-11-30T12:00:00.000000Z", "sprint": 0,
        "type": "decision", "actor": "analyst",
        "action": {"tool": "read_file", "args_sha256": "ab" * 32, "targets": ["memory/0.md"]},
        "verdict": {"effect": "ALLOW", "gate": "paths", "reason": "memory/ is granted", "final": 0},
        "policy": {"manifest_sha256": "cd" * 32, "scope_sha256": "ef" * 32},
        "ref": -1, "prev": hashlib.sha256(b"\0" + lines[0]).hexdigest(),
    }  # fmt: skip
    assert (outcome["ref"], outcome["sprint"]) == (1, -1)
    assert outcome["verdict"] == {"effect": "", "gate": "", "reason": "", "final": 0}


def test_a_receipt_names_the_entry_and_its_leaf(tmp_path: Path) -> None:
    ledger = opened(tmp_path)
    receipt = ledger.append("decision", actor="lead")
    line = log_of(tmp_path).read_bytes().splitlines()[1]
    assert (receipt.seq, receipt.leaf) == (1, hashlib.sha256(b"\0" + line).hexdigest())
    assert ledger.anchor() == Anchor(2, receipt.leaf)


@pytest.mark.parametrize(
    "name",
    [
        "a\u2028b\u2029",
        "line\nend",
        'quote"}',
        "\x00\x1b[2J",
        "Ñandú 灯台 🙂",
        "\ud800",
        "x" * 5_000,
        "",
    ],
)
def test_a_hostile_name_stays_one_value_of_one_line(tmp_path: Path, name: str) -> None:
    """No separator of lines, no quote and no half of a character breaks the log or the next entry."""
    ledger = opened(tmp_path)
    ledger.append("decision", actor=name, targets=[name], verdict={"reason": name})
    ledger.append("decision", actor="next")
    ledger.close()
    raw = log_of(tmp_path).read_bytes()
    assert raw.isascii()
    assert raw.count(b"\n") == len(raw.splitlines()) == 3
    assert facts_of(tmp_path)[1]["actor"] == name
    assert sound(tmp_path)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"type": "Decision"}, "type"),
        ({"type": "key"}, "ledger's own"),
        ({"type": "clock"}, "ledger's own"),
        ({"actor": 7}, "actor: int is not text"),
        ({"targets": "docs"}, "targets"),
        ({"targets": [1]}, "targets"),
        ({"args_sha256": "AB" * 32}, "args_sha256"),
        ({"verdict": {"efect": "ALLOW"}}, "has no 'efect'"),
        ({"verdict": {"final": 2}}, "verdict.final"),
        ({"policy": {"scope_sha256": "x"}}, "policy.scope_sha256"),
        ({"sprint": -1}, "sprint"),
        ({"sprint": True}, "sprint"),
        ({"ref": 1.5}, "ref"),
        ({"verdict": {"reason": "x" * LONGEST_LINE}}, "put its digest here"),
    ],
)
def test_what_the_schema_has_no_place_for_is_refused(
    tmp_path: Path, given: dict[str, object], said: str
) -> None:
    """The key is named, and the log is as it was."""
    ledger = opened(tmp_path)
    before = log_of(tmp_path).read_bytes()
    with pytest.raises(LedgerError, match=said):
        ledger.append(**{"type": "decision", "actor": "lead", **given})  # type: ignore[arg-type]
    assert log_of(tmp_path).read_bytes() == before


def test_every_64th_entry_is_signed(tmp_path: Path) -> None:
    """The first too, which makes the key known; and the last, at the end."""
    ledger = opened(tmp_path)
    decide(ledger, 130)
    assert sizes(tmp_path) == [1, 64, 128]
    ledger.close()
    assert sizes(tmp_path) == [1, 64, 128, 131]


def test_an_entry_after_60_seconds_is_signed(tmp_path: Path) -> None:
    """By the clock that was passed in."""
    clock = ManualClock(NOON)
    ledger = opened(tmp_path, clock)
    decide(ledger)
    later(clock, 59)
    decide(ledger)
    assert sizes(tmp_path) == [1]
    later(clock, 1)
    decide(ledger)
    assert sizes(tmp_path) == [1, 4]


def test_two_ledgers_over_one_log_make_one_chain(tmp_path: Path) -> None:
    """Each takes up what the other appended; a checkpoint stands for both."""
    one, two = opened(tmp_path), opened(tmp_path)
    for _ in range(10):
        decide(one)
        decide(two)
    made = one.checkpoint()
    assert made.size == 21
    assert [facts["seq"] for facts in facts_of(tmp_path)] == list(range(21))
    assert verify(tmp_path / "ledger", checkpoint=made.text).anchored == 21


def test_threads_make_one_chain(tmp_path: Path) -> None:
    ledger = opened(tmp_path)
    threads = [threading.Thread(target=decide, args=(ledger, 25)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    ledger.close()
    assert len(facts_of(tmp_path)) == 101
    assert sound(tmp_path)


def test_a_clock_that_was_set_back_is_an_entry_of_its_own(tmp_path: Path) -> None:
    """Work goes on, and nobody can take the older time for the truth unseen."""
    clock = ManualClock(NOON)
    ledger = opened(tmp_path, clock)
    decide(ledger)
    clock.advance(timedelta(hours=-5))
    receipt = ledger.append("decision", actor="lead")
    decide(ledger)
    told = facts_of(tmp_path)[2]
    assert (told["type"], told["actor"], receipt.seq) == ("clock", "ledger", 3)
    assert (
        "from 2026-11-30T12:00:00.000000Z to 2026-11-30T07:00:00.000000Z"
        in told["verdict"]["reason"]
    )
    assert [facts["type"] for facts in facts_of(tmp_path)].count("clock") == 1
    assert sound(tmp_path)


@pytest.mark.parametrize(
    "tail", [b'{"seq":2,"h":"b', b'{"actor":"\xc3', b"\0" * 700, b"\0\0\n", b"{"]
)
def test_an_unfinished_line_is_put_aside_and_recorded(tmp_path: Path, tail: bytes) -> None:
    """Also one cut inside a character of two bytes, and blocks that never reached the disk."""
    small_log(tmp_path, entries=2)
    with log_of(tmp_path).open("ab") as stream:
        stream.write(tail)
    ledger = opened(tmp_path)
    receipt = ledger.append("decision", actor="lead")
    ledger.close()
    told = facts_of(tmp_path)[3]
    (kept,) = (tmp_path / "ledger/quarantine").iterdir()
    assert (receipt.seq, told["type"], told["action"]["tool"]) == (4, "recovery", "quarantine")
    assert told["action"]["args_sha256"] == hashlib.sha256(tail).hexdigest()
    assert told["action"]["targets"] == [f"quarantine/{kept.name}"]
    assert kept.read_bytes() == tail
    assert sound(tmp_path)


def test_a_line_that_another_process_left_unfinished_is_put_aside_while_working(
    tmp_path: Path,
) -> None:
    """A process that was killed in the middle of a write does not stop the others."""
    ledger = opened(tmp_path)
    decide(ledger)
    with log_of(tmp_path).open("ab") as stream:
        stream.write(b'{"half":')
    assert ledger.append("decision", actor="lead").seq == 3
    ledger.close()
    assert sound(tmp_path)


def test_a_crash_while_a_tail_is_put_aside_loses_no_record_of_it(tmp_path: Path) -> None:
    """Cut from the log, and killed before the entry that tells of it: the next start tells."""
    small_log(tmp_path, entries=2)
    folder = tmp_path / "ledger/quarantine"
    folder.mkdir()
    (folder / f"000000000003-{hashlib.sha256(b'half').hexdigest()[:16]}.pending").write_bytes(
        b"half"
    )
    opened(tmp_path).close()
    assert facts_of(tmp_path)[3]["action"]["args_sha256"] == hashlib.sha256(b"half").hexdigest()
    (kept,) = folder.iterdir()
    kept.rename(kept.with_suffix(".pending"))  # and killed after the entry, before the last step
    opened(tmp_path).close()
    assert len(facts_of(tmp_path)) == 4
    assert kept.exists()


def test_a_crash_while_a_tail_is_copied_loses_none_of_it(tmp_path: Path) -> None:
    """What stands under the name already, and holds less, is not taken for the whole tail."""
    small_log(tmp_path, entries=2)
    folder = tmp_path / "ledger/quarantine"
    folder.mkdir()
    name = f"000000000003-{hashlib.sha256(b'half').hexdigest()[:16]}"
    (folder / f"{name}.pending").touch()
    with log_of(tmp_path).open("ab") as stream:
        stream.write(b"half")
    opened(tmp_path).close()
    assert (folder / f"{name}.bin").read_bytes() == b"half"
    assert facts_of(tmp_path)[3]["action"]["args_sha256"] == hashlib.sha256(b"half").hexdigest()
    assert sound(tmp_path)


@pytest.mark.parametrize("lines", [0, 1, 3, 5])
def test_a_log_that_lost_its_end_takes_no_more_entries(tmp_path: Path, lines: int) -> None:
    """The checkpoints beside it tell how many there were; the cure is named."""
    small_log(tmp_path, entries=5)
    kept = log_of(tmp_path).read_bytes().splitlines(keepends=True)[:lines]
    log_of(tmp_path).write_bytes(b"".join(kept))
    with pytest.raises(LedgerError, match=r"were signed|was emptied"):
        opened(tmp_path)
    assert log_of(tmp_path).read_bytes() == b"".join(kept)


def test_a_log_that_was_changed_before_its_checkpoint_is_found_by_the_next_start(
    tmp_path: Path,
) -> None:
    """Where the writer has to read it: without the frontier the root tells, and the chain the line."""
    small_log(tmp_path, entries=5)
    (tmp_path / "ledger/frontier.json").unlink()
    good = log_of(tmp_path).read_bytes()
    last = good.rindex(b"analyst")
    log_of(tmp_path).write_bytes(good[:last] + b"ANALYST" + good[last + 7 :])
    with pytest.raises(LedgerError, match="not the ones that were signed"):
        opened(tmp_path)
    log_of(tmp_path).write_bytes(good.replace(b"memory/1.md", b"memory/9.md"))
    with pytest.raises(LedgerError, match=r"log\.jsonl:4: does not follow"):
        opened(tmp_path)


@pytest.mark.parametrize(
    "changed",
    [
        {"more": 1}, {"v": 2}, {"ts": "zzzz"}, {"ts": "2026-11-29T12:00:00.000000Z"}, {"sprint": 1.0},
        {"sprint": True}, {"policy": {}}, {"actor": 7}, {"action": []}, {"type": "Decision"},
        {"verdict": {"effect": "", "final": False, "gate": "", "reason": ""}}, {"prev": "ab" * 32},
    ],
)  # fmt: skip
@pytest.mark.parametrize("spaces", [",", ", "])
def test_nothing_is_added_to_what_no_checker_would_take(
    tmp_path: Path, changed: dict[str, object], spaces: str
) -> None:
    """A line that somebody else put behind the last is damage at once, not only for the checker."""
    ledger = opened(tmp_path)
    decide(ledger)
    facts = {**facts_of(tmp_path)[1], "seq": 2, "prev": ledger.anchor().leaf, **changed}
    line = json.dumps(facts, sort_keys=True, separators=(spaces, ":")).encode()
    with log_of(tmp_path).open("ab") as stream:
        stream.write(line + b"\n")
    before = log_of(tmp_path).read_bytes()
    with pytest.raises(LedgerError, match=r"log\.jsonl:3: (is no|is older|does not follow)"):
        decide(ledger)
    assert log_of(tmp_path).read_bytes() == before


def test_a_log_that_is_cut_or_replaced_while_in_use_takes_no_more(tmp_path: Path) -> None:
    """Nothing is appended to what is not the log any more."""
    ledger = opened(tmp_path)
    decide(ledger, 3)
    good = log_of(tmp_path).read_bytes()
    log_of(tmp_path).write_bytes(good[: good[:-1].rindex(b"\n") + 1])
    with pytest.raises(LedgerError, match="shorter than it was"):
        decide(ledger)
    shutil.copy(log_of(tmp_path), tmp_path / "copy")
    (tmp_path / "copy").chmod(0o600)
    (tmp_path / "copy").replace(log_of(tmp_path))
    with pytest.raises(LedgerError, match="was replaced"):
        decide(ledger)
    log_of(tmp_path).unlink()
    with pytest.raises(LedgerError, match="the log is gone"):
        decide(ledger)
    with pytest.raises(LedgerError, match="is gone or was emptied"):
        opened(tmp_path)
    assert not log_of(tmp_path).exists()


def test_an_anchor_kept_elsewhere_finds_what_the_ledger_itself_cannot(tmp_path: Path) -> None:
    """The end cut off, or everything replaced, checkpoints and key included."""
    ledger = opened(tmp_path)
    decide(ledger, 3)
    ledger.checkpoint()
    early = ledger.anchor()
    shutil.copytree(tmp_path, tmp_path / "old")
    decide(ledger, 3)
    anchor = ledger.anchor()
    for sound_one in (Anchor(0, ZERO), early, anchor):
        ledger.check_anchor(sound_one)
    ledger.close()
    with pytest.raises(LedgerError, match="has 4 entries but had 7"):
        opened(tmp_path / "old").check_anchor(anchor)
    small_log(tmp_path / "new", entries=8)
    with pytest.raises(LedgerError, match="the log was rewritten"):
        opened(tmp_path / "new").check_anchor(anchor)


def test_a_start_reads_on_from_the_newest_checkpoint(tmp_path: Path) -> None:
    """A line before it may be anything: the checker reads those, a start does not."""
    small_log(tmp_path, entries=100)
    good = log_of(tmp_path).read_bytes()
    log_of(tmp_path).write_bytes(good.replace(b"memory/1.md", b"memory/X.md"))
    ledger = opened(tmp_path)
    assert ledger.append("decision", actor="lead").seq == 101
    assert verify(tmp_path / "ledger").line == 4


@pytest.mark.parametrize(
    "content", ["", "{}", "[]", '{"size":3,"offset":9,"hashes":["00"]}', "\xff"]
)
def test_a_frontier_that_does_not_fit_is_not_believed(tmp_path: Path, content: str) -> None:
    """The log is read instead."""
    small_log(tmp_path, entries=5)
    (tmp_path / "ledger/frontier.json").write_text(content, "latin-1")
    ledger = opened(tmp_path)
    assert ledger.append("decision", actor="lead").seq == 6
    ledger.close()
    assert sound(tmp_path)


def test_a_frontier_with_a_false_place_is_not_believed(tmp_path: Path) -> None:
    """The hashes are signed for; the place in the file is looked at."""
    small_log(tmp_path, entries=5)
    path = tmp_path / "ledger/frontier.json"
    for number, wrong in enumerate((-999_999, -17, -1, 1_000), 6):
        facts = json.loads(path.read_text())
        path.write_text(json.dumps({**facts, "offset": facts["offset"] + wrong}))
        ledger = opened(tmp_path)
        assert ledger.append("decision", actor="lead").seq == number
        ledger.close()
        assert sound(tmp_path)


@pytest.mark.parametrize(
    "changed",
    [
        {"size": float("inf")}, {"size": 2**2_000}, {"size": 2**14_000 % 10**4_000}, {"size": True},
        {"size": -1}, {"offset": 10**30}, {"offset": 2**62}, {"offset": 2**63}, {"offset": None},
        {"offset": 0}, {"hashes": [7]},
    ],
)  # fmt: skip
def test_a_frontier_of_senseless_numbers_is_not_believed(
    tmp_path: Path, changed: dict[str, object]
) -> None:
    """Neither an error nor a search without end: the log is read instead."""
    small_log(tmp_path, entries=5)
    path = tmp_path / "ledger/frontier.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changed}))
    opened(tmp_path).close()
    assert sound(tmp_path)


def test_a_frontier_nested_without_end_is_not_believed(tmp_path: Path) -> None:
    small_log(tmp_path, entries=5)
    (tmp_path / "ledger/frontier.json").write_text("[" * 100_000)
    opened(tmp_path).close()
    assert sound(tmp_path)


def test_a_frontier_whose_hashes_are_cut_elsewhere_is_not_believed(tmp_path: Path) -> None:
    """It has the signed root, and would give every later checkpoint a false one."""
    small_log(tmp_path, entries=2)
    path = tmp_path / "ledger/frontier.json"
    facts = json.loads(path.read_text())
    left, right = facts["hashes"]
    path.write_text(json.dumps({**facts, "hashes": [left + right[:2], right[2:]]}))
    ledger = opened(tmp_path)
    decide(ledger, 3)
    ledger.close()
    assert sound(tmp_path)


def test_a_frontier_that_points_into_the_next_line_is_not_believed(tmp_path: Path) -> None:
    ledger = opened(tmp_path)
    decide(ledger, 2)
    ledger.checkpoint()
    path = tmp_path / "ledger/frontier.json"
    facts = json.loads(path.read_text())
    decide(ledger, 2)
    path.write_text(json.dumps({**facts, "offset": facts["offset"] + 1}))
    assert opened(tmp_path).append("decision", actor="lead").seq == 5


def test_a_name_in_other_digits_hides_no_checkpoint(tmp_path: Path) -> None:
    """The log that was cut is still shorter than the newest of the true ones."""
    small_log(tmp_path, entries=5)
    folder = tmp_path / "ledger/checkpoints"
    (folder / ("\u0669" * 12 + ".txt")).write_text("not one of ours")
    (tmp_path / "ledger/frontier.json").unlink()
    log_of(tmp_path).write_bytes(b"".join(log_of(tmp_path).read_bytes().splitlines(True)[:3]))
    with pytest.raises(LedgerError, match="were signed"):
        opened(tmp_path)


@pytest.mark.parametrize(
    "name", ["frontier.json", "checkpoints/000000000006.txt", "quarantine/000000000006-ab.pending"]
)
def test_a_pipe_or_a_device_in_place_of_a_file_is_not_waited_for(tmp_path: Path, name: str) -> None:
    """A reader of a pipe waits for ever, and one of /dev/zero takes all memory."""
    small_log(tmp_path, entries=5)
    path = tmp_path / "ledger" / name
    for make in (os.mkfifo, lambda at: Path(at).symlink_to("/dev/zero")):
        path.parent.mkdir(exist_ok=True)
        path.unlink(missing_ok=True)
        make(path)
        if name == "frontier.json":
            opened(tmp_path).close()
            assert sound(tmp_path)
        else:
            with pytest.raises(LedgerError, match=r"is damaged|cannot be read"):
                opened(tmp_path)


def test_a_file_in_place_of_the_folder_of_checkpoints_is_refused(tmp_path: Path) -> None:
    small_log(tmp_path, entries=5)
    shutil.rmtree(tmp_path / "ledger/checkpoints")
    (tmp_path / "ledger/checkpoints").touch()
    with pytest.raises(LedgerError, match="checkpoints: cannot be read: Not a directory"):
        opened(tmp_path)


def test_a_folder_that_others_may_change_is_refused(tmp_path: Path) -> None:
    """They could take checkpoints away, or the log."""
    small_log(tmp_path, entries=1)
    for mode in (0o777, 0o770, 0o720):
        (tmp_path / "ledger").chmod(mode)
        with pytest.raises(LedgerError, match="others may change it; run: chmod 700"):
            opened(tmp_path)
    (tmp_path / "ledger").chmod(0o755)
    opened(tmp_path).close()


def test_lost_checkpoints_are_no_reason_to_stop(tmp_path: Path) -> None:
    """They are evidence, and the log is still one chain; the next one signs all of it."""
    small_log(tmp_path, entries=5)
    forget_checkpoints(tmp_path)
    ledger = opened(tmp_path)
    assert ledger.checkpoint().size == 6
    assert sound(tmp_path)


def test_a_disk_that_takes_no_more_refuses_the_entry_and_leaves_no_half(tmp_path: Path) -> None:
    """With a real limit, which cuts the write in the middle; then there is room again."""
    small_log(tmp_path, entries=2)
    size = log_of(tmp_path).stat().st_size
    code = f"""
import resource, signal, sys
from datetime import datetime, UTC
from pathlib import Path
from daemon.clock import ManualClock
from daemon.errors import LedgerError
from daemon.ledger.writer import open_ledger
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
ledger = open_ledger(Path({str(tmp_path)!r}), clock=ManualClock(datetime(2026, 12, 1, tzinfo=UTC)))
resource.setrlimit(resource.RLIMIT_FSIZE, ({size} + 100, resource.RLIM_INFINITY))
try:
    ledger.append("decision", actor="lead")
except LedgerError as error:
    print(error)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
print(Path({str(log_of(tmp_path))!r}).stat().st_size, ledger.append("decision", actor="lead").seq)
ledger.close()
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert "nothing may be decided; make room on the disk" in done.stdout
    assert done.stdout.splitlines()[1] == f"{size} 3"
    assert sound(tmp_path)


def test_a_checkpoint_that_cannot_be_written_does_not_undo_the_entry(tmp_path: Path) -> None:
    """The entry is durable and said to be; the checkpoint follows once there is room."""
    ledger = opened(tmp_path)
    decide(ledger, 62)
    folder = tmp_path / "ledger/checkpoints"
    folder.rename(tmp_path / "away")
    folder.write_text("in the way")
    assert ledger.append("decision", actor="lead").seq == 63
    with pytest.raises(LedgerError, match="a checkpoint cannot be written"):
        ledger.checkpoint()
    folder.unlink()
    (tmp_path / "away").rename(folder)
    assert ledger.append("decision", actor="lead").seq == 64
    assert sizes(tmp_path) == [1, 65]


def test_what_is_no_folder_is_no_place_for_a_ledger(tmp_path: Path) -> None:
    """An error with the cure, of the kind that stops every decision."""
    (tmp_path / "ledger").write_text("in the way")
    with pytest.raises(LedgerError) as caught:
        opened(tmp_path)
    assert isinstance(caught.value, StoreError)
    (tmp_path / "ledger").unlink()
    log_of(tmp_path).mkdir(parents=True)
    with pytest.raises(LedgerError, match="cannot be opened"):
        opened(tmp_path)


def test_a_link_in_place_of_the_log_is_refused(tmp_path: Path) -> None:
    """A log that lies elsewhere, or has two names, could be changed by somebody else."""
    small_log(tmp_path)
    os.link(log_of(tmp_path), tmp_path / "second")
    with pytest.raises(LedgerError, match="linked"):
        opened(tmp_path)
    log_of(tmp_path).unlink()
    log_of(tmp_path).symlink_to(tmp_path / "second")
    with pytest.raises(LedgerError, match="cannot be opened"):
        opened(tmp_path)


def test_nobody_else_can_read_or_write_it(tmp_path: Path) -> None:
    """Folders 0700, files 0600; a log that others may write is refused."""
    small_log(tmp_path)
    for path in [*tmp_path.rglob("*")]:
        wanted = 0o700 if path.is_dir() else 0o600
        assert stat.S_IMODE(path.stat().st_mode) == wanted, path
    log_of(tmp_path).chmod(0o620)
    with pytest.raises(LedgerError, match="chmod 600"):
        opened(tmp_path)


def test_a_log_keeps_its_name(tmp_path: Path) -> None:
    """One at random where none was given; another one later is an error."""
    ledger = open_ledger(tmp_path, clock=ManualClock(NOON))
    assert ledger.origin.startswith("sprintd/")
    ledger.close()
    assert open_ledger(tmp_path, clock=ManualClock(NOON)).origin == ledger.origin
    with pytest.raises(LedgerError, match="a log keeps its name"):
        opened(tmp_path)


def test_a_name_that_cannot_be_signed_with_is_refused(tmp_path: Path) -> None:
    for name in ("a b", "a+b", ""):
        with pytest.raises(LedgerError, match="cannot name a log"):
            open_ledger(tmp_path, clock=ManualClock(NOON), origin=name)


def test_a_closed_ledger_takes_no_entry(tmp_path: Path) -> None:
    ledger = opened(tmp_path)
    ledger.close()
    ledger.close()
    with pytest.raises(LedgerError, match="is closed"):
        decide(ledger)


def test_the_newest_checkpoint_is_the_one_that_was_made_last(tmp_path: Path) -> None:
    ledger = opened(tmp_path)
    decide(ledger, 3)
    made = ledger.checkpoint()
    assert ledger.latest() == made
    assert (made.size, len(made.root)) == (4, 64)
