"""The key: made once, for its owner only, changed without losing a checker, never shown."""

from __future__ import annotations

import shutil
import stat
from pathlib import Path

import pytest

from daemon.errors import LedgerError
from daemon.ledger.keys import KEY_FILE, NEXT_KEY_FILE, load_signer, make_signer, promote, sign_note
from daemon.ledger.verify import signers_of, verify
from tests.unit.ledger.made import ORIGIN, decide, facts_of, log_of, opened, small_log

SEED = bytes(range(32))


def test_a_key_is_read_back_as_it_was_made(tmp_path: Path) -> None:
    """The next key first; in use once it was put in place."""
    made = make_signer(tmp_path / "keys", ORIGIN, SEED)
    assert load_signer(tmp_path / "keys") is None
    assert promote(tmp_path / "keys", made) == made
    found = load_signer(tmp_path / "keys")
    assert found is not None
    assert found.vkey == made.vkey
    assert stat.S_IMODE((tmp_path / "keys" / KEY_FILE).stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "keys").stat().st_mode) == 0o700


def test_no_key_is_made_in_place_of_another(tmp_path: Path) -> None:
    make_signer(tmp_path, ORIGIN, SEED)
    with pytest.raises(LedgerError, match="cannot be made: File exists"):
        make_signer(tmp_path, ORIGIN, SEED)


def test_what_a_crash_left_of_a_new_key_is_removed(tmp_path: Path) -> None:
    """A key stands under its name whole or not at all, so half of one never stops a start."""
    left = tmp_path / f".{NEXT_KEY_FILE}.17.part"
    left.write_bytes(b"PRIVATE+KEY+har")
    make_signer(tmp_path, ORIGIN, SEED)
    assert [path.name for path in tmp_path.iterdir()] == [NEXT_KEY_FILE]


@pytest.mark.parametrize(
    "name", ["a b", "a+b", "a\x00b", "a\x1bb", "a\x7f", "\ud800", "a\u2028", ""]
)
def test_a_name_that_no_checker_would_take_is_refused(tmp_path: Path, name: str) -> None:
    """A signed note has no control characters, and text that is no text cannot be signed."""
    with pytest.raises(LedgerError, match="cannot name a log"):
        make_signer(tmp_path, name, SEED)


def test_a_note_is_signed_as_its_checker_wants_it(tmp_path: Path) -> None:
    """By all keys that were given; the writer knows its own signature again."""
    one = make_signer(tmp_path / "one", ORIGIN, SEED)
    two = make_signer(tmp_path / "two", ORIGIN, SEED[::-1])
    note = sign_note(f"{ORIGIN}\n7\nAAAA\n", [one, two])
    assert signers_of(note, [one.vkey, two.vkey]) == {one.vkey, two.vkey}
    assert one.signed(note)
    assert two.signed(note)
    assert not two.signed(sign_note(f"{ORIGIN}\n7\nAAAA\n", [one]))
    assert not one.signed(note.replace("7", "8"))
    assert not one.signed("nothing")


def test_a_key_never_shows(tmp_path: Path) -> None:
    """Not where the object is printed, not in an error about its file."""
    made = make_signer(tmp_path / "keys", ORIGIN, SEED)
    secret = (tmp_path / "keys" / NEXT_KEY_FILE).read_text().rpartition("+")[2].strip()
    assert secret not in repr(made)
    path = promote(tmp_path / "keys", made) and tmp_path / "keys" / KEY_FILE
    path.write_text(path.read_text().replace("PRIVATE", "PUBLIC"))
    with pytest.raises(LedgerError) as caught:
        load_signer(tmp_path / "keys")
    assert secret not in str(caught.value)


@pytest.mark.parametrize(
    "content",
    ["", "x", "PRIVATE+KEY+a+b+c", "PRIVATE+KEY+a+00000000+AQ==", "\xff\xfe", "+" * 5_000],
)
def test_a_file_without_a_key_is_said_to_hold_none(tmp_path: Path, content: str) -> None:
    small_log(tmp_path)
    (tmp_path / "keys" / KEY_FILE).write_text(content, "latin-1")
    with pytest.raises(LedgerError, match="holds no key; put it back from a backup"):
        opened(tmp_path)


def test_a_key_that_others_may_read_is_refused(tmp_path: Path) -> None:
    """The file or its folder; the cure is the command."""
    small_log(tmp_path)
    path = tmp_path / "keys" / KEY_FILE
    path.chmod(0o640)
    with pytest.raises(LedgerError, match=r"chmod 600 .*rotate-key"):
        opened(tmp_path)
    path.chmod(0o600)
    (tmp_path / "keys").chmod(0o755)
    with pytest.raises(LedgerError, match="chmod 700"):
        opened(tmp_path)
    (tmp_path / "keys").chmod(0o700)
    opened(tmp_path)


def test_a_link_or_a_folder_in_place_of_the_key_is_refused(tmp_path: Path) -> None:
    small_log(tmp_path)
    path = tmp_path / "keys" / KEY_FILE
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(LedgerError, match="cannot be read"):
        opened(tmp_path)
    path.unlink()
    path.mkdir()
    with pytest.raises(LedgerError, match=r"no ordinary file|cannot be read"):
        opened(tmp_path)


def test_a_missing_key_stops_the_log_that_needs_it(tmp_path: Path) -> None:
    """No new one is made in its place; put back, everything goes on."""
    small_log(tmp_path)
    path = tmp_path / "keys" / KEY_FILE
    path.rename(tmp_path / "kept")
    with pytest.raises(LedgerError, match="the key of this log is missing"):
        opened(tmp_path)
    assert not list((tmp_path / "keys").iterdir())
    (tmp_path / "kept").rename(path)
    opened(tmp_path)


def test_a_key_of_another_log_is_refused(tmp_path: Path) -> None:
    small_log(tmp_path / "one")
    small_log(tmp_path / "two")
    shutil.copy(tmp_path / "one/keys" / KEY_FILE, tmp_path / "two/keys" / KEY_FILE)
    with pytest.raises(LedgerError, match="not signed with the key in use"):
        opened(tmp_path / "two")


def test_an_emptied_log_is_not_begun_anew(tmp_path: Path) -> None:
    """Its key shows that there was one, also where the checkpoints are gone."""
    small_log(tmp_path)
    shutil.rmtree(tmp_path / "ledger")
    with pytest.raises(LedgerError, match="is gone or was emptied"):
        opened(tmp_path)


def test_a_change_of_keys_is_announced_and_signed_with_both(tmp_path: Path) -> None:
    """An entry, a checkpoint with two signatures, one key file; then the new one alone."""
    ledger = opened(tmp_path)
    decide(ledger)
    old = ledger.vkey
    made = ledger.rotate_key(actor="operator")
    new = ledger.vkey
    assert signers_of(made.text, [old, new]) == {old, new}
    told = facts_of(tmp_path)[2]
    assert (told["type"], told["actor"], told["action"]["targets"]) == ("key", "operator", [new])
    decide(ledger)
    assert signers_of(ledger.checkpoint().text, [old, new]) == {new}
    assert [path.name for path in (tmp_path / "keys").iterdir()] == [KEY_FILE]
    ledger.close()
    assert opened(tmp_path).vkey == new


def test_a_process_that_runs_takes_up_the_new_key(tmp_path: Path) -> None:
    """The daemon goes on where the command changed the key."""
    daemon, command = opened(tmp_path), opened(tmp_path)
    decide(daemon)
    command.rotate_key(actor="operator")
    command.close()
    decide(daemon)
    assert daemon.vkey == command.vkey
    daemon.close()
    assert verify(tmp_path / "ledger").kind == "intact"


def test_the_signature_that_signs_a_new_key_in_is_never_written_over(tmp_path: Path) -> None:
    """Signing again at the same size, by the same process, the next, or one that runs beside."""
    ledger, beside = opened(tmp_path), opened(tmp_path)
    decide(beside, 2)
    both = ledger.rotate_key(actor="operator").text
    assert ledger.checkpoint().text == both
    ledger.close()
    beside.close()
    later = opened(tmp_path)
    assert later.checkpoint().text == both
    later.close()
    assert verify(tmp_path / "ledger").kind == "intact"


def test_a_process_two_keys_behind_finishes_a_change_with_the_keys_of_that_change(
    tmp_path: Path,
) -> None:
    """Another one changed the key once, and died in the middle of changing it again."""
    beside, other = opened(tmp_path), opened(tmp_path)
    decide(beside)
    other.rotate_key(actor="operator")
    before = (tmp_path / "keys" / KEY_FILE).read_bytes()
    other.rotate_key(actor="operator")
    (tmp_path / "keys" / KEY_FILE).rename(tmp_path / "keys" / NEXT_KEY_FILE)
    (tmp_path / "keys" / KEY_FILE).write_bytes(before)
    (tmp_path / "keys" / KEY_FILE).chmod(0o600)
    newest = max((tmp_path / "ledger/checkpoints").iterdir())
    newest.unlink()
    decide(beside)
    beside.close()
    assert newest.exists()
    assert verify(tmp_path / "ledger").kind == "intact"


class TestCutShort:
    """A crash at each step of a change of keys, or of the first start, is finished by the next."""

    def goes_on(self, state: Path) -> str:
        ledger = opened(state)
        decide(ledger)
        ledger.close()
        assert verify(state / "ledger").kind == "intact"
        assert [path.name for path in (state / "keys").iterdir()] == [KEY_FILE]
        return ledger.vkey

    def test_a_key_that_was_never_announced_is_not_used(self, tmp_path: Path) -> None:
        """Only its file was made; the next change makes another."""
        small_log(tmp_path)
        left = make_signer(tmp_path / "keys", ORIGIN, SEED)
        ledger = opened(tmp_path)
        decide(ledger)
        assert ledger.vkey != left.vkey
        ledger.rotate_key(actor="operator")
        ledger.close()
        assert self.goes_on(tmp_path) != left.vkey

    @pytest.mark.parametrize("checkpoint_was_written", [False, True])
    def test_an_announced_key_is_put_in_place(
        self, tmp_path: Path, checkpoint_was_written: bool
    ) -> None:
        """With the checkpoint of both already there, or not yet."""
        ledger = opened(tmp_path)
        decide(ledger)
        ledger.checkpoint()
        old_key = (tmp_path / "keys" / KEY_FILE).read_bytes()
        frontier = (tmp_path / "ledger/frontier.json").read_bytes()
        ledger.rotate_key(actor="operator")
        new = ledger.vkey
        (tmp_path / "keys" / KEY_FILE).rename(tmp_path / "keys" / NEXT_KEY_FILE)
        (tmp_path / "keys" / KEY_FILE).write_bytes(old_key)
        (tmp_path / "keys" / KEY_FILE).chmod(0o600)
        if not checkpoint_was_written:
            (tmp_path / "ledger/checkpoints/000000000003.txt").unlink()
            (tmp_path / "ledger/frontier.json").write_bytes(frontier)
        assert self.goes_on(tmp_path) == new

    def test_an_announced_key_is_put_in_place_by_a_process_that_runs(self, tmp_path: Path) -> None:
        """The command was killed; the daemon's next entry finishes what it began."""
        daemon, command = opened(tmp_path), opened(tmp_path)
        old_key = (tmp_path / "keys" / KEY_FILE).read_bytes()
        made = command.rotate_key(actor="operator")
        (tmp_path / "keys" / KEY_FILE).rename(tmp_path / "keys" / NEXT_KEY_FILE)
        (tmp_path / "keys" / KEY_FILE).write_bytes(old_key)
        (tmp_path / "keys" / KEY_FILE).chmod(0o600)
        (tmp_path / f"ledger/checkpoints/{made.size:012d}.txt").unlink()
        decide(daemon)
        daemon.close()
        assert daemon.vkey == command.vkey
        assert self.goes_on(tmp_path) == command.vkey

    @pytest.mark.parametrize("step", ["key", "entry", "half an entry", "checkpoint"])
    def test_a_first_start_that_was_cut_short_is_finished(self, tmp_path: Path, step: str) -> None:
        """After the key was made, after half an entry, after the entry, after the checkpoint."""
        opened(tmp_path)
        (tmp_path / "keys" / KEY_FILE).rename(tmp_path / "keys" / NEXT_KEY_FILE)
        if step != "checkpoint":
            (tmp_path / "ledger/checkpoints/000000000001.txt").unlink()
            (tmp_path / "ledger/frontier.json").unlink()
        if step == "key":
            log_of(tmp_path).write_bytes(b"")
        if step == "half an entry":
            log_of(tmp_path).write_bytes(log_of(tmp_path).read_bytes()[:100])
        self.goes_on(tmp_path)
        assert facts_of(tmp_path)[0]["type"] == "key"
