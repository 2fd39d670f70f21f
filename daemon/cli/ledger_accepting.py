"""ledger accept: go on after the ledger was lost."""

from __future__ import annotations

from pathlib import Path

import click

from daemon.bootstrap import state_dir_of
from daemon.cli.group import Command
from daemon.cli.opening import open_existing
from daemon.cli.options import json_option
from daemon.cli.output import say, say_json
from daemon.clock import SystemClock
from daemon.errors import LedgerError
from daemon.governance.ledger_in_use import KnownEnd, accept_ledger, known_end
from daemon.ledger.writer import Anchor, Ledger, open_ledger


@click.command(cls=Command)
@json_option
@click.pass_obj
def accept(workspace: Path, as_json: bool) -> None:  # noqa: FBT001
    """Go on with the ledger as it is, after the true one was lost for good.

    The database remembers how the ledger ended; one that is shorter, or another one, stops all work.
    Put the true copy back if there is any. If there is none, this writes into the ledger what was
    known of the lost one, and forgets it. What was in it can never be proved again. Where nothing is
    lost it changes nothing.

    \b
    Examples:
      sprintd ledger accept
    """
    with open_existing(workspace) as (root, db):
        ledger = open_ledger(state_dir_of(root), clock=SystemClock())
        try:
            known = known_end(db)
            lost = known if known and not _holds(ledger, known) else None
            if lost is not None:
                reason = f"accepted as it is; {lost.size} entries were known, root {lost.root}"
                verdict = {"effect": "ACCEPTED", "reason": reason, "final": 1}
                ledger.append("recovery", actor="operator", verdict=verdict)
                accept_ledger(db)
        finally:
            ledger.close()
    if as_json:
        say_json({"forgotten": vars(lost) if lost else None})
    elif known is None:
        say("Nothing was changed: no end of a ledger is known here.")
    elif lost is None:
        say(f"Nothing was changed: all {known.size:,} entries that are known stand in the ledger.")
    else:
        say(f"Work goes on. Forgotten: {lost.size:,} entries, root {lost.root}, signed {lost.at}.")


def _holds(ledger: Ledger, known: KnownEnd) -> bool:
    """Whether nothing is lost; a command typed in vain must not make the database forget."""
    try:
        ledger.check_anchor(Anchor(known.size, known.leaf))
    except LedgerError:
        return False
    return True
