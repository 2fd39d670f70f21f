"""Commands that put things right, also while the daemon runs: unblock, reset-failures, backup."""

from __future__ import annotations

from pathlib import Path

import click

from daemon.bootstrap import database_of
from daemon.cli.group import Command
from daemon.cli.opening import find_entry, find_root, look_at, open_existing
from daemon.cli.options import json_option
from daemon.cli.output import say, say_json
from daemon.clock import SystemClock
from daemon.errors import StoreError
from daemon.governance.recovery import Reset
from daemon.governance.recovery import reset_failures as put_back
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
    with look_at(workspace) as look:
        before = find_entry(look.board(), item)
    if before.standing == "blocked":
        with open_existing(workspace) as (_root, db):
            reset = put_back(db, SystemClock().now(), item=item)
    else:
        reset = Reset(0, was_halted=False, unblocked=())
    if as_json:
        say_json(_as_json(reset))
    elif reset.unblocked:
        say(f"{item} is put back; it was rejected {before.rejections} times.")
    else:
        say(f"{item} was not blocked ({before.standing}); nothing was changed.")


def _as_json(reset: Reset) -> dict[str, object]:
    return {
        "failures": reset.failures,
        "was_halted": reset.was_halted,
        "unblocked": list(reset.unblocked),
    }
