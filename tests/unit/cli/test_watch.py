"""sprintd watch: looks without a terminal, drawing, and the loop, driven without waiting."""

from __future__ import annotations

import io
import json
import os
import pty
import re
import select
import signal
import subprocess
from collections.abc import Callable
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path

import pytest

from daemon.bootstrap import database_of
from daemon.cli.terminal import Screen
from daemon.cli.watch import Drawing, Eyes, LineByLine, Seen, Steady, watch_on
from daemon.clock import ManualClock
from daemon.errors import SprintdError, StoreError
from daemon.reports.watching import Watching
from daemon.reports.watching_text import Line, fit
from daemon.store import events
from daemon.store.database import open_database
from daemon.store.owner_lock import OwnerLock
from tests.unit.cli.small import as_json, clean_environ, command, edit, sprintd
from tests.unit.reports.money import NOON


def eyes(root: Path) -> tuple[Eyes, ManualClock]:
    clock = ManualClock(NOON)
    return Eyes(root, clock), clock


def happen(root: Path, reason: str) -> None:
    db = open_database(database_of(root))
    try:
        events.record(db, "alert", NOON, facts={"reason": reason})
    finally:
        db.close()


def beats(*between: Callable[[], object]) -> Callable[[], bool]:
    """A wait that does one thing a time, and then says that it is over."""
    left = list(between)

    def wait() -> bool:
        if left:
            left.pop(0)()
            return False
        return True

    return wait


def test_once_shows_it_whole_without_colours(worked: Path) -> None:
    """While no daemon runs; a fresh workspace is left as it is."""
    done = sprintd(worked, "watch", "--once")
    assert done.returncode == 0
    assert "idle (no daemon runs) since" in done.stdout
    assert "sprintd unblock B02  -  B02 The lighthouse is blocked" in done.stdout
    assert "learned: B01 Boats in the harbour" in done.stdout
    assert "\x1b" not in done.stdout


def test_a_look_leaves_no_trace(small: Path) -> None:
    """Nothing ran here; no database is made."""
    assert "Nothing ran here yet." in sprintd(small, "watch", "--once").stdout
    assert not (small / "state").exists()


def test_json_has_what_status_has_and_more(worked: Path) -> None:
    """One object."""
    seen, status = as_json(worked, "watch", "--once"), as_json(worked, "status")
    assert set(status) - set(seen) == {"workspace"}
    assert seen["waiting"][0]["command"] == "sprintd unblock B02"
    assert seen["fault"] is None


def test_it_shows_the_faults_and_the_size_that_status_shows(small: Path) -> None:
    """Also those of quality.toml and the map; a database that nobody has yet is no byte large."""
    (small / "quality.toml").write_text("threshold = 3\n")
    seen, status = as_json(small, "watch", "--once"), as_json(small, "status")
    assert "quality.toml" in str(status["workspace_faults"])
    for key in ("workspace_faults", "database_bytes"):
        assert seen[key] == status[key]
    assert seen["database_bytes"] == 0


def test_wrong_usage_and_a_folder_that_is_none_are_told(tmp_path: Path) -> None:
    """From the start, not on a screen that goes away."""
    assert sprintd(tmp_path, "watch", "--every", "0").returncode == 2
    assert sprintd(tmp_path / "no", "watch", "--once").returncode == 1


def test_line_by_line_only_news_are_written(worked: Path) -> None:
    """First all, then each event once, the oldest first; nothing where nothing happens."""
    look, _clock = eyes(worked)
    written: list[str] = []
    wait = beats(
        lambda: happen(worked, "one"),
        lambda: (happen(worked, "two"), happen(worked, "three")),
        dict,
    )
    watch_on(Steady(look), LineByLine(written.append), wait, once=False)
    assert written[0].startswith("sprintd ")
    assert written[1:] == ["11-30 12:00  one", "11-30 12:00  two", "11-30 12:00  three"]


def test_line_by_line_a_killed_daemon_is_told(worked: Path) -> None:
    """It cannot write its own end: the state in the database is what it was."""
    lock = OwnerLock(worked / "state")
    lock.acquire(NOON)
    look, _clock = eyes(worked)
    written: list[str] = []
    watch_on(Steady(look), LineByLine(written.append), beats(lock.release, dict), once=False)
    (told,) = written[1:]
    assert "idle (no daemon runs) since" in told


def test_a_look_that_fails_is_told_and_the_next_one_goes_on(worked: Path) -> None:
    """As while a backup is put back; the same fault is told once, and then how it stands now. Only
    the first look must go well."""
    look, _clock = eyes(worked)
    fails: list[SprintdError] = []

    def unsteady() -> Watching:
        if fails:
            raise fails.pop()
        return look()

    written: list[str] = []
    wait = beats(
        lambda: fails.append(StoreError("the disk is gone")),
        lambda: fails.append(StoreError("the disk is gone")),
        lambda: happen(worked, "back"),
    )
    watch_on(Steady(unsteady), LineByLine(written.append), wait, once=False)
    told, stands, event = written[1:]
    assert told == "2026-11-30 12:00 UTC  cannot look now: the disk is gone"
    assert "idle (no daemon runs) since" in stands
    assert event == "11-30 12:00  back"
    fails.append(StoreError("from the start"))
    with pytest.raises(StoreError):
        Steady(unsteady)()


def test_files_are_read_again_now_and_then_and_a_fault_is_shown(worked: Path) -> None:
    """Not with every look; the last good ones go on."""
    look, clock = eyes(worked)
    assert look().status.backlog["done"] == 1
    edit(worked, "backlog.yaml", "items:", "itemz:")
    assert look().status.faults == ()
    clock.advance(timedelta(seconds=31))
    broken = look()
    assert broken.waiting[-1].command == "sprintd check"
    assert broken.status.backlog["done"] == 1


def test_a_screen_is_drawn_in_place_and_given_back(worked: Path) -> None:
    """One write a look, no wiping, in today's size; colours only where they are wanted."""
    look, _clock = eyes(worked)
    sizes = [(80, 24), (40, 10)]
    for colours in (True, False):
        out = io.StringIO()
        screen = Screen(out, lambda: sizes[0], colours=colours)
        with ExitStack() as stack:
            drawing = Drawing(screen, stack)
            drawing(Seen(look()))
            first = out.getvalue()
            drawing(Seen(look(), "it went away"))
        whole = out.getvalue()
        assert first.startswith("\x1b[?1049h\x1b[?25l")
        assert whole.endswith("\x1b[?25h\x1b[?1049l")
        assert whole.count("\x1b[2J") == 1
        assert whole.count("\x1b[H") == 2
        assert "cannot look now: it went away" in whole
        assert bool(re.search(r"\x1b\[3[123]m", whole)) is colours
        for frame in whole.split("\x1b[H")[1:]:
            rows = re.sub(r"\x1b\[[?0-9;]*[a-zA-Z]", "", frame).split("\r\n")
            assert len(rows) <= sizes[0][1]
            assert max(map(len, rows)) <= sizes[0][0]
        sizes.reverse()


def test_lines_of_json_are_one_object_each(
    worked: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """For a program that reads along."""
    from daemon.cli.watch import say_line

    look, _clock = eyes(worked)
    watch_on(Steady(look), say_line, beats(dict), once=False)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2
    assert all(json.loads(line)["process"] is None for line in lines)


def test_in_a_terminal_ctrl_c_ends_it_in_order(worked: Path) -> None:
    """The real thing, over a pseudo terminal: drawn, ended with 0, and the screen given back."""
    ours, theirs = pty.openpty()
    environ = clean_environ({"TERM": "xterm", "NO_COLOR": "1"})
    child = subprocess.Popen(
        command(worked, "watch", "--every", "3600"),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=environ,
    )
    os.close(theirs)
    try:
        seen = b""
        while b"\x1b[?2026l" not in seen:
            assert select.select([ours], [], [], 60)[0], seen
            seen += os.read(ours, 65_536)
        child.send_signal(signal.SIGINT)
        assert child.wait(60) == 0
        while select.select([ours], [], [], 0)[0]:
            try:
                seen += os.read(ours, 65_536)
            except OSError:  # everything was read
                break
        assert b"Waits for a person (1)" in seen
        assert seen.endswith(b"\x1b[?25h\x1b[?1049l")
    finally:
        child.kill()
        os.close(ours)


def test_a_dumb_terminal_is_written_to_line_by_line(worked: Path) -> None:
    """As is a file or a pipe."""
    from daemon.cli.terminal import open_screen

    for environ in ({"TERM": "dumb"}, {"TERM": ""}, {}):
        assert open_screen(environ) is None


def test_no_text_moves_the_cursor_or_names_the_terminal() -> None:
    """Whatever a plan, a title or an item's id has in it; the width is that of what is shown."""
    line = fit(Line("  \x1b]0;owned\x07\x1b[2J\u202ex\r\n\u2028y  z"), 80)
    assert line.text.isprintable()
    assert line.text == ("  [U+001B]]0;owned[U+0007][U+001B][2J[U+202E]x  [U+2028]y  z")
