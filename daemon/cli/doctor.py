"""doctor: everything that can be looked at when something is wrong, each fault with its cure."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict
from datetime import datetime
from pathlib import Path

import click

from daemon.bootstrap import database_of, state_dir_of
from daemon.cli.doctor_ledger import check_ledger
from daemon.cli.doctor_machine import (
    check_clock,
    check_disk,
    check_lock,
    check_private_files,
    is_synchronised,
)
from daemon.cli.doctor_reach import ask_health, check_endpoint, check_health, list_endpoints
from daemon.cli.doctor_result import Result, fault, ok
from daemon.cli.doctor_settings import (
    Place,
    check_files,
    check_hidden,
    check_mute,
    check_prices,
    check_provider,
    check_tokens,
    has_secret,
)
from daemon.cli.doctor_store import (
    check_database,
    check_outbox,
    check_schedule,
    check_state,
)
from daemon.cli.group import Command
from daemon.cli.inspection import inspect
from daemon.cli.opening import check_not_gone, find_root, start_logging
from daemon.cli.options import json_option
from daemon.cli.output import say, say_json, width
from daemon.clock import SystemClock, day_of
from daemon.config.redaction import redact
from daemon.config.sections import Config
from daemon.config.toml_file import load_config
from daemon.errors import StoreError, WorkspaceInvalid
from daemon.notify.senders import NOTION_TOKEN
from daemon.reports.plain_text import counted, one_line, wrap
from daemon.store.checkup import newest_moment
from daemon.store.database import Database, open_read_only
from daemon.store.owner_lock import OwnerLock

_SIGNS = {"ok": "ok    ", "warn": "warn  ", "fault": "FAULT "}
_BLANK = "      "
_LONGEST = 2_000


@click.command(cls=Command)
@click.option("--offline", is_flag=True, help="Ask no service anything, and open no connection.")
@json_option
@click.pass_obj
def doctor(workspace: Path, offline: bool, as_json: bool) -> None:  # noqa: FBT001
    """Look at everything that may be wrong, and say what to do.

    Lock, clock, disk, database, books, ledger, keys, prices, files, schedule, messages, whether the
    services can be reached (no model call, no cost), and what Slack and Notion say of the tokens that
    are seen from here: scopes, channel, people, databases. Works while the daemon runs, posts and
    changes nothing. Exits 1 where there is a fault; warnings do not fail.

    \b
    Examples:
      sprintd doctor
      sprintd doctor --offline
      sprintd doctor --json | jq -r '.checks[] | select(.grade == "fault") | .cure'
    """
    root = find_root(workspace)
    start_logging(root, level="ERROR")
    results = list(examine(root, offline=offline))
    if as_json:
        say_json(_as_json(results))
    else:
        say("\n".join(render_results(results, width())))
    click.get_current_context().exit(1 if _count(results, "fault") else 0)


def examine(root: Path, *, offline: bool = False) -> Iterator[Result]:
    """Every look, in the order in which faults cause each other: the machine, the store, settings,
    and the world outside."""
    now, state_dir = SystemClock().now(), state_dir_of(root)
    place = _find_place(root)
    yield check_lock(state_dir)
    db, broken = _open(root)
    try:
        newest = None
        with suppress(StoreError):
            newest = newest_moment(db) if db else None
        yield check_clock(now, newest, is_synchronised())
        yield check_disk(state_dir, db.size_bytes() if db else 0)
        yield from check_private_files(state_dir)
        if db:
            yield from _examine_store(db, state_dir, place, now)
        else:
            yield broken or ok("database", "there is none yet: nothing ran here")
            yield from check_schedule(None, place.config, now)
    finally:
        if db:
            db.close()
    yield check_files(inspect(root, environ=os.environ, today=day_of(now)))
    kind, key = check_provider(place)
    yield key
    yield from check_tokens(place)
    yield from check_prices(place, kind, day_of(now))
    if not offline:
        yield from _examine_services(place, kind)
    if place.health is not None:
        yield from check_health(place.health)


def render_results(results: Sequence[Result], columns: int) -> Iterator[str]:
    """What each look found, the cure below it, and one line that sums up."""
    for result in results:
        first, *others = wrap(_clean(f"{result.check}: {result.message}"), columns - len(_BLANK))
        yield _SIGNS[result.grade] + first
        yield from (_BLANK + line for line in others)
        if result.cure:
            yield from wrap(_clean(f"-> {result.cure}"), columns, indent=_BLANK)
    faults, warnings = _count(results, "fault"), _count(results, "warn")
    found = f"{counted(faults, 'fault')}, {counted(warnings, 'warning')}"
    yield f"{counted(len(results), 'look')}: {found}."


def _examine_store(db: Database, state_dir: Path, place: Place, now: datetime) -> Iterator[Result]:
    """A database that breaks under the look is a fault, not the end of it."""
    try:
        yield from check_database(db)
        yield check_ledger(state_dir, db)
        yield from check_state(db, runs=OwnerLock(state_dir).holder() is not None)
        yield check_outbox(db, now)
        yield from check_mute(db, place)
        yield from check_schedule(db, place.config, now)
    except StoreError as error:
        yield fault("database", str(error), 'docs/operations.md, "The database"')


def _examine_services(place: Place, provider: str) -> Iterator[Result]:
    """One that cannot be reached is asked nothing."""
    closed = set()
    for endpoint in list_endpoints(place.config, provider):
        result = check_endpoint(endpoint)
        closed |= {endpoint.name} if result.grade == "fault" else set()
        yield result
    yield from check_hidden(place)
    # The SDKs behind these two take a fifth of a second each to load.
    if place.config.slack.channel and "slack" not in closed:
        from daemon.cli.doctor_slack import check_slack

        yield from check_slack(place)
    if "notion" not in closed and has_secret(place, NOTION_TOKEN):
        from daemon.cli.doctor_notion import check_notion

        yield from check_notion(place)


def _open(root: Path) -> tuple[Database | None, Result | None]:
    """The database for looking on, or what stands in the way; neither where there is none yet."""
    path = database_of(root)
    try:
        check_not_gone(root)
        if not path.exists():
            return None, None
        return open_read_only(path), None
    except StoreError as error:
        return None, fault("database", str(error), 'docs/operations.md, "The database"')


def _find_place(root: Path) -> Place:
    """With the defaults where config.toml has faults, which `check_files` reports."""
    config, is_sound = Config(), False
    with suppress(WorkspaceInvalid):
        config, is_sound = load_config(root), True
    state_dir = state_dir_of(root)
    health = ask_health(state_dir) if OwnerLock(state_dir).holder() else None
    return Place(root, config, os.environ, health, is_sound)


def _count(results: Sequence[Result], grade: str) -> int:
    return sum(result.grade == grade for result in results)


def _as_json(results: Sequence[Result]) -> dict[str, object]:
    checks = [{name: redact(value) for name, value in asdict(one).items()} for one in results]
    faults, warnings = _count(results, "fault"), _count(results, "warn")
    return {"ok": not faults, "faults": faults, "warnings": warnings, "checks": checks}


def _clean(text: str) -> str:
    return one_line(redact(text), _LONGEST)
