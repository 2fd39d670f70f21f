"""ledger checkpoint and ledger rotate-key: both also while the daemon runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from daemon.bootstrap import state_dir_of
from daemon.cli.group import Command
from daemon.cli.opening import find_root, start_logging
from daemon.cli.options import json_option
from daemon.cli.output import progress, say, say_json
from daemon.clock import SystemClock
from daemon.errors import LedgerError
from daemon.ledger.log_file import LOG_FILE
from daemon.ledger.writer import Ledger, open_ledger


@click.command(cls=Command)
@json_option
@click.pass_obj
def checkpoint(workspace: Path, as_json: bool) -> None:  # noqa: FBT001
    """Sign the ledger as it is now, and print what to keep elsewhere.

    Keep the output where nobody who owns this machine can change it. With it, `ledger verify
    --checkpoint` finds whatever is changed later in the entries up to now.

    \b
    Examples:
      sprintd ledger checkpoint > kept.txt
      sprintd ledger checkpoint --json | jq -r .key > key.txt
    """
    with _existing(workspace) as ledger:
        made, key = ledger.checkpoint(), ledger.vkey
    if as_json:
        say_json({"checkpoint": made.text, "size": made.size, "root": made.root, "key": key})
    else:
        say(made.text.removesuffix("\n"))
        progress(f"{made.size:,} entries are signed; keep this elsewhere, with the key {key}")


@click.command(cls=Command)
@json_option
@click.pass_obj
def rotate_key(workspace: Path, as_json: bool) -> None:  # noqa: FBT001
    """Let a new key sign from now on; the old one signs it in.

    The new key is announced by an entry and by a checkpoint with both signatures, so that whoever
    trusts the old one can follow. The old private key is deleted. A daemon that runs takes the new
    one up by itself.

    \b
    Examples:
      sprintd ledger rotate-key > kept.txt
    """
    with _existing(workspace) as ledger:
        old = ledger.vkey
        made, new = ledger.rotate_key(actor="operator"), ledger.vkey
    if as_json:
        say_json({"checkpoint": made.text, "size": made.size, "old_key": old, "key": new})
    else:
        say(made.text.removesuffix("\n"))
        progress(f"the key is now {new}; tell it to whoever checks, and keep the text above")


@contextmanager
def _existing(workspace: Path) -> Iterator[Ledger]:
    """The ledger that is there; none is begun by a look."""
    root = find_root(workspace)
    start_logging(root, level="WARNING")
    state = state_dir_of(root)
    if not (state / "ledger" / LOG_FILE).exists():
        raise LedgerError(f"{state / 'ledger'}: there is no ledger yet: nothing was decided here")
    ledger = open_ledger(state, clock=SystemClock())
    try:
        yield ledger
    finally:
        ledger.close()
