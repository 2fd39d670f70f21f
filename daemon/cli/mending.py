"""Commands that put things right, also while the daemon runs: unblock, reopen, backup and so on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import click

from daemon.bootstrap import database_of
from daemon.cli.group import Command
from daemon.cli.opening import find_entry, find_root, look_despite_faults, open_existing
from daemon.cli.options import json_option
from daemon.cli.output import say, say_json, width
from daemon.clock import SystemClock
from daemon.errors import SprintdError, StoreError
from daemon.governance.recovery import Reset
from daemon.governance.recovery import reset_failures as put_back
from daemon.governance.reopening import found_by_model
from daemon.governance.reopening import reopen as reopen_items
from daemon.llm.provider import OFFLINE_MODEL
from daemon.reports.plain_text import counted, wrap
from daemon.store.database import open_read_only


@click.command(cls=Command)
@click.argument("item")
@json_option
@click.pass_obj
def unblock(workspace: Path, item: str, as_json: bool) -> None:  # noqa: FBT001
    """Put one blocked item back.

    Its rejections count from zero again. Mend the item, its playbook or its notes first: the same
    question over the same notes is answered the same way.

    \b
    Examples:
      sprintd show T07
      sprintd unblock T07
    """
    _put_back_one(workspace, item, as_json=as_json)


@click.command(cls=Command)
@click.argument("item", nargs=-1)
@click.option("--offline", is_flag=True, help="Every item whose finding is by the offline writer.")
@json_option
@click.pass_obj
def reopen(workspace: Path, item: tuple[str, ...], offline: bool, as_json: bool) -> None:  # noqa: FBT001
    """Put done items back, to be worked on again.

    Their findings stay, as files and on the page; a new one is added beside them. Use --offline
    once there is a key: what the offline writer quoted is then worked on by a model.

    \b
    Examples:
      sprintd reopen T01 T03
      sprintd reopen --offline
    """
    if bool(item) == offline:
        raise click.UsageError("Name items, or use --offline; one of the two.")
    with look_despite_faults(workspace) as look:
        board = look.board() if item else None
        standings = {name: find_entry(board, name).standing for name in item} if board else {}
    with open_existing(workspace) as (_root, db):
        wanted = found_by_model(db, OFFLINE_MODEL) if offline else tuple(dict.fromkeys(item))
        put_back = reopen_items(db, wanted, SystemClock().now())
    if as_json:
        say_json({"reopened": list(put_back)})
        return
    for line in _told_of_reopened(put_back, standings, offline=offline):
        say("\n".join(wrap(line, width())))


@click.command("reset-failures", cls=Command)
@click.option("--item", metavar="ITEM", help="Only put this item back; a halt stays.")
@json_option
@click.pass_obj
def reset_failures(workspace: Path, item: str | None, as_json: bool) -> None:  # noqa: FBT001
    """End a halt and put blocked items back.

    The count of failed sprints is set to zero, a halted daemon goes on with its next sprint, and
    every blocked item may be worked on again.

    \b
    Examples:
      sprintd reset-failures
      sprintd reset-failures --item T07
    """
    if item is not None:
        _put_back_one(workspace, item, as_json=as_json)
        return
    with open_existing(workspace) as (_root, db):
        reset = put_back(db, SystemClock().now())
    if as_json:
        say_json(_as_json(reset))
        return
    halted = "The halt is ended." if reset.was_halted else "It was not halted."
    say(
        f"{halted} Failed sprints in a row: {reset.failures} before, 0 now. "
        f"Items put back: {', '.join(reset.unblocked) or 'none'}."
    )


@click.command(cls=Command)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--overwrite", is_flag=True, help="Replace FILE if it is there.")
@json_option
@click.pass_obj
def backup(workspace: Path, file: Path, overwrite: bool, as_json: bool) -> None:  # noqa: FBT001
    """Copy the database, also while the daemon runs.

    The copy is one file, complete and checked. It has all states, attempts, verdicts and costs; the
    findings themselves are files in memory/ and are copied like any folder.

    \b
    Examples:
      sprintd backup /var/backups/sprintd.db
      sprintd backup /var/backups/sprintd.db --overwrite
    """
    path = database_of(find_root(workspace))
    if not path.exists():
        raise StoreError(f"{path}: there is no database, because nothing ran in this workspace yet")
    _check_target(file.expanduser(), overwrite=overwrite)
    db = open_read_only(path)
    try:
        db.backup(file.expanduser(), overwrite=overwrite)
    finally:
        db.close()
    size = file.expanduser().stat().st_size
    if as_json:
        say_json({"file": str(file.expanduser().absolute()), "bytes": size})
    else:
        say(f"Wrote {file} ({size:,} bytes, checked).")


def _put_back_one(workspace: Path, item: str, *, as_json: bool) -> None:
    with look_despite_faults(workspace) as look:
        before = find_entry(look.board(), item)
    if before.standing == "blocked":
        with open_existing(workspace) as (_root, db):
            reset = put_back(db, SystemClock().now(), item=item)
    else:
        reset = Reset(0, was_halted=False, unblocked=())
    if as_json:
        say_json(_as_json(reset))
    elif reset.unblocked:
        say(f"{item} is put back; it was rejected {counted(before.rejections, 'time')}.")
    else:
        cure = f" To work on it again: sprintd reopen {item}" if before.standing == "done" else ""
        say(f"{item} was not blocked ({before.standing}); nothing was changed.{cure}")


def _told_of_reopened(
    put_back: tuple[str, ...], standings: Mapping[str, str], *, offline: bool
) -> Iterator[str]:
    """What was put back, and why the rest was not."""
    if put_back:
        number = "1 item is" if len(put_back) == 1 else f"{len(put_back)} items are"
        yield f"{number} put back, the findings stay: {', '.join(put_back)}."
    elif offline:
        yield "No done item has a finding by the offline writer; nothing was changed."
    for name, standing in standings.items():
        if name not in put_back:
            cure = f" To put it back: sprintd unblock {name}" if standing == "blocked" else ""
            yield f"{name} was not done ({standing}); nothing was changed.{cure}"


def _check_target(file: Path, *, overwrite: bool) -> None:
    """Raises SprintdError where no copy can or may be written there."""
    if file.is_dir():
        raise SprintdError(f"{file} is a folder; name a file in it, such as {file / 'sprintd.db'}")
    if file.exists() and not file.is_file():
        raise SprintdError(
            f"{file} is not an ordinary file (a device or a pipe); name another file"
        )
    if file.exists() and not overwrite:
        raise SprintdError(f"{file} exists; name another file, or replace it with --overwrite")
    if not file.parent.is_dir():
        raise SprintdError(f"{file} cannot be written: there is no folder {file.parent}")


def _as_json(reset: Reset) -> dict[str, object]:
    return {
        "failures": reset.failures,
        "was_halted": reset.was_halted,
        "unblocked": list(reset.unblocked),
    }
