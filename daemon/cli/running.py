"""Commands that work: run (the daemon) and sprint (one, in this process)."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType

import click

from daemon.bootstrap import Services, build_services, state_dir_of
from daemon.cli.group import Command
from daemon.cli.opening import check_focus, find_root, start_logging
from daemon.cli.options import json_option
from daemon.cli.output import progress, say, say_json
from daemon.clock import SystemClock, end_of_day
from daemon.config.toml_file import load_config
from daemon.errors import AlreadyRunning, SprintdError
from daemon.governance.budget import usd_text
from daemon.governance.gate import refusal_now
from daemon.governance.questions import ask_for_money
from daemon.governance.states import enter_state
from daemon.reports.status import since_utc
from daemon.scheduling.syncing import sync_notion
from daemon.sprint.runner import SprintEnd, recover, run_sprint
from daemon.store.api_calls import cost_of_sprint
from daemon.store.owner_lock import OwnerLock, ways_to_stop

# What `sprintd sprint` exits with; docs/cli.md explains them.
EXIT_CODES = {"completed": 0, "no_work": 0, "failed": 5, "paused_budget": 6, "interrupted": 7}
_STOPPING = "stopping after the call under way; once more gives the call up (it stays paid for)"


class HeldBack(SprintdError):
    """No sprint may begin now: halted, or the service asked to be left alone."""

    exit_code = EXIT_CODES["interrupted"]


@click.command(cls=Command)
@click.option("--host", help="Address to listen on, in place of web.host.")
@click.option(
    "--port", type=click.IntRange(0, 65535), help="TCP port, in place of web.port; 0: any free one."
)
@click.pass_obj
def run(workspace: Path, host: str | None, port: int | None) -> None:
    """Run the daemon until it is told to stop.

    Sprints run at their interval; the page and /health are served. SIGTERM or Ctrl-C ends it in
    order. Refuses where another process owns this workspace (exit 4).

    \b
    Examples:
      sprintd run
      sprintd --workspace /srv/venture run --port 8700
    """
    # Imported here because the web server takes long to load, which `sprint` need not wait for.
    from daemon.server.start import run_server

    run_server(find_root(workspace), host=host, port=port)


@click.command(cls=Command)
@click.option("--focus", metavar="TEAM", help="The team that the sprint is for.")
@json_option
@click.pass_obj
def sprint(workspace: Path, focus: str | None, as_json: bool) -> None:  # noqa: FBT001
    """Run one sprint now, in this process.

    Progress goes to standard error, line by line; the result to standard output. Refuses where a
    daemon runs on this workspace (exit 4). Ctrl-C stops after the call under way.

    \b
    Exits 0 for completed and no_work, 5 for failed, 6 for paused_budget, 7 for interrupted.
    While halted, or told by the service to wait, it opens no sprint and exits 7 with the reason.

    \b
    Examples:
      sprintd sprint
      sprintd sprint --focus funding
      sprintd sprint --json 2>/dev/null | jq .state
    """
    with at_work(workspace) as services:
        end = _sprint(services, focus)
        cost = cost_of_sprint(services.db, end.sprint_id)
    if as_json:
        say_json(_end_as_json(end, cost))
    else:
        say(f"sprint {end.sprint_id} {end.state}: {end.reason.rstrip('.')}; {usd_text(cost)} USD")
    click.get_current_context().exit(EXIT_CODES[end.state])


def _sprint(services: Services, focus: str | None) -> SprintEnd:
    parts, clock = services.sprint_parts, services.clock
    check_focus(parts.source.load(), focus)
    finish_what_was_open(services)
    held = refusal_now(services.db, clock.now())
    if held is not None:
        raise HeldBack(f"no sprint was begun: {held.message}")
    with _stopping(services.stop):
        say_why = services.phrases.text
        enter_state(services.db, "idle", say_why("tick.ready"), clock.now())
        enter_state(services.db, "working", say_why("tick.sprint_runs"), clock.now())
        end = run_sprint(parts, focus=focus)
    sync_notion(services)
    now = clock.now()
    if end.state == "paused_budget":
        enter_state(services.db, end.state, end.reason, now, until=end_of_day(now))
        ask_for_money(
            services.db, services.approvals, services.budget.today(), end.reason, parts.voice
        )
    else:
        enter_state(services.db, "idle", end.reason, now)
    return end


@contextmanager
def at_work(
    folder: Path, *, cure: str = "wait for its next sprint, or stop it"
) -> Iterator[Services]:
    """Every part of a workspace, which this process owns meanwhile. Raises AlreadyRunning, whose message
    ends in the cure, and what `build_services` raises."""
    root = find_root(folder)
    config = load_config(root)
    start_logging(root, level=config.daemon.log_level)
    with _owned(root, cure) as lock:
        services = build_services(root, environ=os.environ, say=progress, config=config)
        services.db.let_only(lock.check)
        try:
            if lock.took_over:
                progress("the last process here did not end in order; finishing what it left open")
            yield services
        finally:
            services.close()


def finish_what_was_open(services: Services) -> None:
    """What an earlier process left, told line by line. Raises StoreError."""
    for line in recover(services.sprint_parts):
        progress(f"recovered: {line}")


@contextmanager
def _owned(root: Path, cure: str) -> Iterator[OwnerLock]:
    """Raises AlreadyRunning with the owner's pid, since when, and what to do instead."""
    lock = OwnerLock(state_dir_of(root))
    try:
        lock.acquire(SystemClock().now())
    except AlreadyRunning as error:
        holder = lock.holder()
        if holder is None or holder["pid"] is None:
            raise
        owner = f"process {holder['pid']} has owned this workspace since {since_utc(holder)}"
        raise AlreadyRunning(f"{owner}; {cure} ({ways_to_stop(holder)})") from error
    try:
        yield lock
    finally:
        lock.release()


@contextmanager
def _stopping(stop: threading.Event) -> Iterator[None]:
    """The first signal asks for an orderly end, the second one ends at once."""

    def ask(number: int, frame: FrameType | None) -> None:
        # Nothing but the flag and a line: the code that was interrupted may hold any lock.
        if stop.is_set():
            signal.default_int_handler(number, frame)
        stop.set()
        with suppress(OSError):
            os.write(2, f"{_STOPPING}\n".encode())

    before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _end_as_json(end: SprintEnd, cost_micros: int) -> dict[str, object]:
    return {
        "sprint": end.sprint_id,
        "state": end.state,
        "reason": end.reason,
        "cost_micros": cost_micros,
        "cost_usd": usd_text(cost_micros),
        "assignments": [
            {"item": one.item, "ending": one.ending, "reason": one.reason} for one in end.ends
        ],
    }
