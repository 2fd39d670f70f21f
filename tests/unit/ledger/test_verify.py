"""Whatever is done to a log, its checker finds it."""

from __future__ import annotations

import base64
import hashlib
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from daemon.clock import ManualClock
from daemon.ledger.chain import Chain
from daemon.ledger.keys import Signer, load_signer, make_signer, sign_note
from daemon.ledger.merkle import Frontier, leaf_hash
from daemon.ledger.verify import EXIT_CODES, Report, _signed_in_meanwhile, verify
from daemon.ledger.verify_log import TEXT, Walk, walk_log
from tests.unit.ledger.made import (
    NOON,
    decide,
    facts_of,
    forget_checkpoints,
    from_base64,
    log_of,
    opened,
    small_log,
)

Change = Callable[[list[bytes]], list[bytes]]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The folder of a sound log of six entries, and its last checkpoint; never changed."""
    state = tmp_path_factory.mktemp("sound")
    return state, small_log(state)


@pytest.fixture
def copy(made: tuple[Path, str], tmp_path: Path) -> tuple[Path, str]:
    """The same, to be changed, without what would tell of it beside the log."""
    shutil.copytree(made[0], tmp_path / "state")
    forget_checkpoints(tmp_path / "state")
    return tmp_path / "state", made[1]


def check(state: Path, kept: str | None, key: str | None = None) -> Report:
    return verify(state / "ledger", checkpoint=kept, public_key=key)


def rehashed(lines: list[bytes]) -> list[bytes]:
    """The lines as somebody writes them who knows the format and has no key."""
    prev, out = "0" * 64, []
    for seq, line in enumerate(lines):
        facts = {**json.loads(line), "seq": seq, "prev": prev}
        out.append(json.dumps(facts, sort_keys=True, separators=(",", ":")).encode())
        prev = hashlib.sha256(b"\0" + out[-1]).hexdigest()
    return out


def root_of_lines(lines: list[bytes]) -> Frontier:
    frontier = Frontier()
    for line in lines:
        frontier.add(leaf_hash(line))
    return frontier


def change(state: Path, how: Change) -> list[bytes]:
    lines = how(log_of(state).read_bytes().splitlines())
    log_of(state).write_bytes(b"".join(line + b"\n" for line in lines))
    return lines


def test_a_sound_log_verifies(made: tuple[Path, str]) -> None:
    """Against itself, against a kept checkpoint, and with the key that is trusted."""
    state, kept = made
    key = facts_of(state)[0]["action"]["targets"][0]
    report = check(state, kept, key)
    assert (report.kind, report.exit_code, report.entries) == ("intact", 0, 6)
    assert (report.signed, report.anchored, report.warnings) == (6, 6, ())
    assert report.root == from_base64(kept.split("\n")[2]).hex()
    assert check(state, None).kind == "intact"


def test_the_window_that_nobody_else_can_vouch_for_is_told(made: tuple[Path, str]) -> None:
    """Its first entry and its moment; and that the key came from the log itself."""
    report = check(made[0], None)
    assert report.unanchored_since == "2026-11-30T12:00:00.000000Z"
    assert "6 of the entries, from 0 on" in report.warnings[0]
    assert "compare" in report.warnings[1]


def test_every_flipped_bit_is_found(tmp_path: Path) -> None:
    """Each bit of the file, one at a time; the good file verifies again afterwards."""
    state, kept = tmp_path, small_log(tmp_path, entries=2)
    forget_checkpoints(state)
    good = log_of(state).read_bytes()
    unfound = []
    with log_of(state).open("r+b", buffering=0) as stream:
        for place, bit in itertools.product(range(len(good)), range(8)):
            os.pwrite(stream.fileno(), bytes([good[place] ^ 1 << bit]), place)
            if check(state, kept).kind == "intact":
                unfound.append((place, bit))
            os.pwrite(stream.fileno(), good[place : place + 1], place)
    assert unfound == []
    assert check(state, kept).kind == "intact"


def test_every_cut_is_found(copy: tuple[Path, str]) -> None:
    """At every byte, the empty file included: fewer entries than were signed."""
    state, kept = copy
    good = log_of(state).read_bytes()
    for length in range(len(good)):
        log_of(state).write_bytes(good[:length])
        assert check(state, kept).kind == "cut", length


@pytest.mark.parametrize("at", range(6))
@pytest.mark.parametrize("rehash", [False, True])
def test_every_deleted_doubled_or_swapped_line_is_found(
    copy: tuple[Path, str], at: int, rehash: bool
) -> None:
    """With the chain left broken, and with the chain made good by somebody without the key."""
    state, kept = copy
    good = log_of(state).read_bytes().splitlines()
    other = (at + 1) % len(good)
    swapped = list(good)
    swapped[at], swapped[other] = good[other], good[at]
    for lines in (good[:at] + good[at + 1 :], good[: at + 1] + good[at:], swapped):
        change(state, lambda _, new=lines: rehashed(new) if rehash else new)  # type: ignore[misc]
        report = check(state, kept)
        if rehash and lines[:6] == good:  # nothing was changed; one more was added, by nobody known
            assert (report.kind, report.entries, report.anchored) == ("intact", 7, 6)
            assert "1 of the entries, from 6 on" in report.warnings[0]
        else:
            assert report.kind in ("damaged", "cut", "rewritten"), report


@pytest.mark.parametrize("at", range(1, 6))
def test_an_edited_entry_is_found_although_everything_was_hashed_again(
    copy: tuple[Path, str], at: int
) -> None:
    """Without the key the tree has another root than the one that was signed."""
    state, kept = copy
    change(
        state,
        lambda lines: rehashed(
            [*lines[:at], lines[at].replace(b"ALLOW", b"DENY"), *lines[at + 1 :]]
        ),
    )
    assert check(state, kept).kind == "rewritten"
    assert check(state, None).kind == "intact"  # what a checkpoint elsewhere is for


def test_a_broken_chain_names_its_line(copy: tuple[Path, str]) -> None:
    state, _ = copy
    change(state, lambda lines: [*lines[:2], lines[2].replace(b"granted", b"refused"), *lines[3:]])
    report = check(state, None)
    assert (report.kind, report.line, report.exit_code) == ("damaged", 4, 11)


def test_a_log_with_another_key_and_the_same_name_is_found(
    made: tuple[Path, str], tmp_path: Path
) -> None:
    """Log, checkpoints and key file replaced together: only what was kept elsewhere tells."""
    _, kept = made
    small_log(tmp_path, entries=8)
    assert check(tmp_path, None).kind == "intact"
    assert check(tmp_path, kept).kind == "rewritten"
    trusted = facts_of(made[0])[0]["action"]["targets"][0]
    assert check(tmp_path, None, trusted).kind == "unsigned"


def test_a_whole_log_written_anew_with_the_true_key_is_found(copy: tuple[Path, str]) -> None:
    """Whoever owns the machine can sign anything, but not take back what was kept elsewhere."""
    state, kept = copy
    lines = change(
        state, lambda old: rehashed([old[0], *(one.replace(b"ALLOW", b"DENY") for one in old[1:])])
    )
    signer = load_signer(state / "keys")
    assert signer is not None
    root = root_of_lines(lines).root()

    note = sign_note(f"{signer.name}\n6\n{base64.b64encode(root).decode()}\n", [signer])
    (state / "ledger/checkpoints/000000000006.txt").write_text(note, "utf-8")
    assert check(state, None).kind == "intact"
    assert check(state, kept).kind == "rewritten"


def test_an_old_copy_that_was_put_back_is_found(tmp_path: Path) -> None:
    """A prefix with its own true signature, against a newer checkpoint."""
    ledger = opened(tmp_path)
    decide(ledger, 3)
    ledger.checkpoint()
    shutil.copytree(tmp_path, tmp_path / "old")
    decide(ledger, 3)
    kept = ledger.checkpoint().text
    ledger.close()
    assert check(tmp_path / "old", None).kind == "intact"
    report = check(tmp_path / "old", kept)
    assert (report.kind, report.exit_code) == ("cut", 12)


def test_a_checkpoint_of_no_key_of_the_log_is_found(made: tuple[Path, str], tmp_path: Path) -> None:
    """The right root under a signature of somebody else."""
    state, kept = made
    stranger = make_signer(tmp_path / "keys", kept.split("\n")[0], b"s" * 32)
    forged = sign_note(kept.partition("\n\n")[0] + "\n", [stranger])
    assert check(state, forged).kind == "unsigned"
    falsified = kept[:-10] + ("A" if kept[-10] != "A" else "B") + kept[-9:]
    assert check(state, falsified).kind == "unsigned"


@pytest.mark.parametrize(
    "text", ["", "nothing", "a\nb\nc\n\n", "\ud83d", "a\n-1\nAAAA\n\n— a AAAA\n"]
)
def test_what_is_no_checkpoint_is_said_to_be_none(made: tuple[Path, str], text: str) -> None:
    report = check(made[0], text)
    assert (report.kind, report.exit_code) == ("unreadable", 16)


def test_a_folder_without_a_log_is_missing_one(tmp_path: Path) -> None:
    assert (check(tmp_path, None).kind, check(tmp_path, None).exit_code) == ("missing", 10)
    (tmp_path / "ledger").mkdir()
    log_of(tmp_path).write_bytes(b"")
    assert check(tmp_path, None).kind == "missing"


def test_an_unfinished_last_line_is_told_from_damage(copy: tuple[Path, str]) -> None:
    """Also one that was cut inside a character of two bytes, or that the disk gave back as NULs."""
    state, kept = copy
    good = log_of(state).read_bytes()
    for tail in (b'{"seq":6,"h":"b', b'{"actor":"\xc3', b"\0" * 300, b"\0\0\n"):
        log_of(state).write_bytes(good + tail)
        report = check(state, kept)
        assert (report.kind, report.line, report.entries) == ("torn", 7, 6)


@pytest.mark.parametrize(
    "line",
    [b"", b"{}", b"[]", b"null", b"{" * 100_000, b"9" * 70_000, b'{"v":1}', b"\xff", b'{"v":NaN}'],
)
def test_a_line_that_is_no_entry_is_damage(copy: tuple[Path, str], line: bytes) -> None:
    """Whatever it is, it is named and never makes the checker fail."""
    state, kept = copy
    change(state, lambda lines: [*lines[:3], line, *lines[3:]])
    report = check(state, kept)
    assert (report.kind, report.line) == ("damaged", 4)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"v":1,', b'"v":2,'),
        (b'"v":1,', b'"v":true,'),
        (b'"v":1,', b'"v":1,"x":1,'),
        (b'"final":0', b'"final":false'),
        (b'"final":0', b'"final":0.0'),
        (b'"sprint":0', b'"sprint":null'),
        (b'"sprint":0', b'"sprint": 0'),
        (b'"actor":"analyst"', b'"actor":"\\u0061nalyst"'),
        (b'"actor":"analyst"', b'"actor":"analyst","actor":"analyst"'),
        (b'"targets":["memory/0.md"]', b'"targets":"memory/0.md"'),
        (b'T12:00', b'T11:00'),
        (b'"log":"harbour', b'"log":"another'),
    ],
)  # fmt: skip
def test_an_entry_has_one_form_and_no_other(copy: tuple[Path, str], old: bytes, new: bytes) -> None:
    """Two readers could take another form for different things, so it is refused."""
    state, _ = copy
    lines = log_of(state).read_bytes().splitlines()
    assert old in lines[1]
    log_of(state).write_bytes(
        b"\n".join([lines[0], lines[1].replace(old, new), *lines[2:]]) + b"\n"
    )
    report = check(state, None)
    assert (report.kind, report.line) == ("damaged", 2)


def test_a_checkpoint_that_was_damaged_on_the_disk_is_named(tmp_path: Path) -> None:
    small_log(tmp_path)
    path = tmp_path / "ledger/checkpoints/000000000006.txt"
    path.write_bytes(path.read_bytes()[:20])
    report = check(tmp_path, None)
    assert report.kind == "unreadable"
    assert path.name in report.message


@pytest.mark.parametrize("name", ["log.jsonl", "checkpoints/000000000006.txt", "checkpoints"])
def test_a_pipe_in_place_of_a_file_is_told_at_once(tmp_path: Path, name: str) -> None:
    """Whoever sends evidence could let its checker wait for ever."""
    small_log(tmp_path)
    path = tmp_path / "ledger" / name
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    os.mkfifo(path)
    assert check(tmp_path, None).kind == ("missing" if name == "log.jsonl" else "unreadable")


def test_a_device_in_place_of_a_checkpoint_is_told_at_once(tmp_path: Path) -> None:
    """/dev/zero has no end."""
    small_log(tmp_path)
    path = tmp_path / "ledger/checkpoints/000000000006.txt"
    path.unlink()
    path.symlink_to("/dev/zero")
    assert check(tmp_path, None).kind == "unreadable"


class TestKeys:
    """A key is trusted because the one before it signed it in."""

    def rotated(self, state: Path) -> tuple[str, str, str]:
        """The old key, the new key, and a checkpoint of before."""
        ledger = opened(state)
        decide(ledger, 2)
        old, kept = ledger.vkey, ledger.checkpoint().text
        ledger.rotate_key(actor="operator")
        decide(ledger, 2)
        ledger.close()
        return old, ledger.vkey, kept

    def test_a_checker_follows_a_change_of_keys(self, tmp_path: Path) -> None:
        """From a checkpoint and a key of before, and with the new key."""
        old, new, kept = self.rotated(tmp_path)
        assert old != new
        for key in (old, new, None):
            assert check(tmp_path, kept, key).kind == "intact"
            assert check(tmp_path, None, key).kind == "intact"

    def test_a_key_that_the_old_one_did_not_sign_in_is_found(self, tmp_path: Path) -> None:
        """An entry alone makes nobody trusted, also where it is the newest."""
        small_log(tmp_path)
        stranger = make_signer(tmp_path / "theirs", "harbour.example/ledger", b"s" * 32)
        for more in (0, 1):
            self.append_key(tmp_path, stranger, more)
            report = check(tmp_path, None)
            assert (report.kind, report.line) == ("unsigned", 7)

    def append_key(self, state: Path, stranger: Signer, more: int) -> None:
        """As somebody who can write the log, and has a key of his own."""

        lines = log_of(state).read_bytes().splitlines()[:6]
        entry = {
            **json.loads(lines[0]),
            "action": {"args_sha256": "", "tool": "rotate", "targets": [stranger.vkey]},
        }
        lines = rehashed([*lines, json.dumps(entry).encode(), *([lines[5]] * more)])
        log_of(state).write_bytes(b"".join(line + b"\n" for line in lines))
        root = base64.b64encode(root_of_lines(lines).root()).decode()
        note = sign_note(f"{stranger.name}\n{len(lines)}\n{root}\n", [stranger])
        (state / f"ledger/checkpoints/{len(lines):012d}.txt").write_text(note, "utf-8")

    def test_a_trusted_key_that_signed_nothing_here_vouches_for_nothing(
        self, tmp_path: Path
    ) -> None:
        """A public key is public: a forger can write it into a log of his own, first or last."""
        small_log(tmp_path / "true")
        trusted = json.loads(log_of(tmp_path / "true").read_bytes().splitlines()[0])["action"]
        ledger = opened(tmp_path / "last")
        decide(ledger, 3)
        ledger.close()
        self.announce(tmp_path / "last", 4, trusted)
        ledger = opened(tmp_path / "first")
        decide(ledger, 3)
        self.announce(tmp_path / "first", 0, trusted)
        forget_checkpoints(tmp_path / "first")
        for forged in ("last", "first"):
            report = check(tmp_path / forged, None, trusted["targets"][0])
            assert (report.kind, forged) == ("unsigned", forged)
            assert check(tmp_path / forged, None).kind == "intact"  # and says whose key it took

    def announce(self, state: Path, at: int, action: dict[str, object]) -> None:
        lines = log_of(state).read_bytes().splitlines()
        lines[at : at + 1] = [json.dumps({**json.loads(lines[0]), "action": action}).encode()]
        log_of(state).write_bytes(b"".join(line + b"\n" for line in rehashed(lines)))

    def test_a_key_that_changes_while_the_checker_reads_is_followed(self, tmp_path: Path) -> None:
        """Its checkpoint was made after the others were read, and before the log was."""
        self.rotated(tmp_path)
        walk = Walk({0})
        walk_log(log_of(tmp_path), walk)
        found = _signed_in_meanwhile(tmp_path / "ledger/checkpoints", walk, [])
        assert [note.size for note in found] == [4]
        assert walk.roots[4] == found[0].root
        other = tmp_path / "ledger/checkpoints/000000000006.txt"
        shutil.copy(other, other.with_name("000000000004.txt"))
        assert _signed_in_meanwhile(tmp_path / "ledger/checkpoints", walk, []) == []
        assert check(tmp_path, None).kind == "unsigned"

    def test_the_old_key_signs_nothing_after_the_change(self, tmp_path: Path) -> None:
        """Whoever stole it cannot use it any more."""

        ledger = opened(tmp_path)
        old = load_signer(tmp_path / "keys")
        assert old is not None
        ledger.rotate_key(actor="operator")
        decide(ledger, 2)
        ledger.close()
        lines = log_of(tmp_path).read_bytes().splitlines()
        root = base64.b64encode(root_of_lines(lines).root()).decode()
        forged = sign_note(f"{old.name}\n{len(lines)}\n{root}\n", [old])
        assert check(tmp_path, forged).kind == "unsigned"


def test_the_checker_shares_nothing_with_the_writer() -> None:
    """Nothing of this program but the checker itself is loaded, and no library but PyNaCl."""
    code = (
        "import sys; import daemon.ledger.verify_main; "
        "print(*sorted(n for n in sys.modules if n.startswith(('daemon', 'rfc8785', 'click'))))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True,
        cwd=Path(__file__).parents[3],
    )  # fmt: skip
    parts = ("verify", "verify_log", "verify_main", "verify_proof")
    assert done.stdout.split() == [
        "daemon",
        "daemon.ledger",
        *(f"daemon.ledger.{p}" for p in parts),
    ]


def test_every_kind_has_an_exit_code_of_its_own() -> None:
    """None of them is one that a command ends with for another reason."""
    codes = list(EXIT_CODES.values())
    assert len(set(codes)) == len(codes)
    assert not {*range(1, 10), 70, 130} & set(codes)


def test_a_chain_that_was_never_written_is_at_its_beginning() -> None:
    """What the writer begins with is what the checker begins with."""
    assert Chain().leaf == bytes(32).hex()
    assert ManualClock(NOON).now() == NOON


def test_every_character_has_one_spelling_that_is_accepted() -> None:
    """The one that the writer uses: of all of Unicode, halves of pairs included."""
    text = re.compile(TEXT)
    assert not [code for code in range(0x110000) if not text.fullmatch(json.dumps(chr(code)))]
    escaped = (f'"\\u{code:04x}"' for code in range(0x10000))
    assert not [
        one for one in escaped if text.fullmatch(one) and json.dumps(json.loads(one)) != one
    ]
