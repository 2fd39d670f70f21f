"""watch: how it stands, live in a terminal, or line by line where there is none."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import click

from daemon.bootstrap import state_dir_of
from daemon.cli.group import Command
from daemon.cli.looking import as_it_was, mute_now, provider_of, read_files
from daemon.cli.opening import look_despite_faults
from daemon.cli.options import json_option
from daemon.cli.output import say, say_json
from daemon.cli.terminal import Screen, open_screen, told_by_signals
from daemon.clock import Clock, SystemClock, utc_text
from daemon.errors import Fault, SprintdError
from daemon.reports.plain_text import one_line
from daemon.reports.serving import find_serving
from daemon.reports.watching import Watching, take_watching
from daemon.reports.watching_text import (
    Line,
    event_line,
    fit,
    join_lines,
    render_watching,
    state_line,
)
from daemon.store.owner_lock import OwnerLock
from daemon.workspace.definitions import Workspace

_FILES_EVERY_SECONDS = 30.0
_LINES_WITHOUT_A_TERMINAL = (200, 40)

Show = Callable[["Seen"], None]


@click.command(cls=Command)
@click.option("--once", is_flag=True, help="Show it once and end.")
@click.option(
    "--every",
    type=click.FloatRange(0.2, 3600),
    default=2.0,
    show_default=True,
    help="Seconds between two looks.",
)
@json_option
@click.pass_obj
def watch(workspace: Path, once: bool, every: float, as_json: bool) -> None:  # noqa: FBT001
    """Watch it work: state, steps, events, money, what waits.

    Looks on only, with and without a running daemon. In a terminal it is drawn anew in place; Ctrl-C
    ends it. Elsewhere, what changes and happens is written line by line. NO_COLOR takes the colours
    away. With --json one object a line and look; with --once a single one.

    \b
    Examples:
      sprintd watch
      sprintd watch --every 10 | tee watch.log
      sprintd watch --once --json | jq .running
    """
    clock, stop, wake = SystemClock(), threading.Event(), threading.Event()
    look = Steady(Eyes(workspace, clock))
    screen = None if as_json or once else open_screen(os.environ)
    with told_by_signals(stop, wake), ExitStack() as stack:
        if as_json:
            show: Show = say_once if once else say_line
        else:
            show = Drawing(screen, stack) if screen else LineByLine(say)
        watch_on(look, show, partial(_wait, clock, every, stop, wake), once=once)


def watch_on(look: Callable[[], Seen], show: Show, wait: Callable[[], bool], *, once: bool) -> None:
    """Look, show and wait, until `wait` says that it is over."""
    while True:
        show(look())
        if once or wait():
            return


def say_once(seen: Seen) -> None:
    say_json(seen.as_json())


def say_line(seen: Seen) -> None:
    click.echo(json.dumps(seen.as_json()))


@dataclass(frozen=True)
class Seen:
    """The last look that went well; `fault` says why there is no newer one, empty where it is new."""

    view: Watching
    fault: str = ""

    def as_json(self) -> dict[str, object]:
        return {**self.view.as_json(), "fault": self.fault or None}


@dataclass
class Eyes:
    """One look at a workspace each time. The database is opened anew, for it may have been made,
    moved or restored since; the files are read again now and then."""

    folder: Path
    clock: Clock
    _workspace: Workspace | None = None
    _faults: tuple[Fault, ...] = ()
    _read_at: float | None = None

    def __call__(self) -> Watching:
        """Raises SprintdError."""
        with look_despite_faults(self.folder) as look:
            self._read_files(look.root)
            holder = OwnerLock(state_dir_of(look.root)).holder()
            serving = find_serving(look.db, (holder or {}).get("pid"))
            view = take_watching(
                look.db,
                look.budget,
                at=self.clock.now(),
                provider=provider_of(look),
                workspace=self._workspace,
                faults=(*look.faults, *self._faults),
                holder=holder,
                serving=serving,
                mute=mute_now(look, serving),
            )
            return replace(view, status=as_it_was(look, view.status))

    def _read_files(self, root: Path) -> None:
        now = self.clock.monotonic()
        if self._read_at is not None and now - self._read_at < _FILES_EVERY_SECONDS:
            return
        self._read_at = now
        workspace, self._faults = read_files(root)
        self._workspace = workspace or self._workspace


@dataclass
class Steady:
    """A look that goes on where one fails, as while a backup is put back; the first one must go well."""

    look: Callable[[], Watching]
    _last: Watching | None = None

    def __call__(self) -> Seen:
        """Raises SprintdError and OSError the first time."""
        try:
            self._last = self.look()
        except (SprintdError, OSError) as error:
            if self._last is None:
                raise
            return Seen(self._last, str(error))
        return Seen(self._last)


@dataclass
class Drawing:
    """Each look in place of the one before, in the size that the terminal has now. The terminal is
    taken with the first one, so that a fault from the start stands on the usual screen."""

    screen: Screen
    stack: ExitStack
    _taken: bool = False

    def __call__(self, seen: Seen) -> None:
        if not self._taken:
            self.stack.enter_context(self.screen.held())
            self._taken = True
        width, height = self.screen.size()
        top = [fit(Line(_cannot(seen), "bad"), width)] if seen.fault else []
        self.screen.draw([*top, *render_watching(seen.view, width, height - len(top))])


@dataclass
class LineByLine:
    """The first look whole, then only what is new: another state, whether a daemon runs, why it cannot
    be looked at, and events, the oldest first."""

    write: Callable[[str], None]
    _last_event: int | None = None
    _state: Mapping[str, object] = field(default_factory=dict)
    _fault: str = ""

    def __call__(self, seen: Seen) -> None:
        view = seen.view
        state = {"runs": view.holder is not None}
        state |= view.status.state.as_json() if view.status.state else {}
        if seen.fault:
            if seen.fault != self._fault:
                self.write(f"{utc_text(view.at)}  {_cannot(seen)}")
            self._fault = seen.fault
            return
        if self._last_event is None:
            self.write(join_lines(render_watching(view, *_LINES_WITHOUT_A_TERMINAL)))
        else:
            if state != self._state or self._fault:
                self.write(f"{utc_text(view.at)}  {state_line(view).text}")
            for event in reversed(view.events):
                if event.id > self._last_event:
                    self.write(event_line(event).text)
        self._last_event = max((one.id for one in view.events), default=0)
        self._state, self._fault = state, ""


def _cannot(seen: Seen) -> str:
    return f"cannot look now: {one_line(seen.fault, 500)}"


def _wait(clock: Clock, every: float, stop: threading.Event, wake: threading.Event) -> bool:
    clock.sleep(every, wake)
    wake.clear()
    return stop.is_set()
