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
from daemon.governance.ledger_in_use import accept_ledger, known_end
from daemon.ledger.writer import open_ledger


@click.command(cls=Command)
@json_option
@click.pass_obj
def accept(workspace: Path, as_json: bool) -> None:  # noqa: FBT001
    """Go on with the ledger as it is, after the true one was lost for good.

    The database remembers how the ledger ended; one that is shorter, or another one, stops all work.
    Put the true copy back if there is any. If there is none, this writes into the ledger what was
    known of the lost one, and forgets it. What was in it can never be proved again.

    \b
    Examples:
      sprintd ledger accept
    """
    with open_existing(workspace) as (root, db):
        known, ledger = known_end(db), open_ledger(state_dir_of(root), clock=SystemClock())
        try:
            if known is not None:
                reason = f"accepted as it is; {known.size} entries were known, root {known.root}"
                verdict = {"effect": "ACCEPTED", "reason": reason, "final": 1}
                ledger.append("recovery", actor="operator", verdict=verdict)
            accept_ledger(db)
        finally:
            ledger.close()
    if as_json:
        say_json({"forgotten": vars(known) if known else None})
    elif known is None:
        say("Nothing was changed: no end of a ledger is known here.")
    else:
        say(
            f"Work goes on. Forgotten: {known.size:,} entries, root {known.root}, signed {known.at}."
        )
