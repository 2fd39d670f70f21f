"""ledger: the commands that check, prove, show and export what was decided."""

from __future__ import annotations

import click

from daemon.cli.group import CommandTable

_COMMANDS = {
    "verify": (
        "daemon.cli.ledger_checking:verify",
        "Check that nothing in the ledger was changed.",
    ),
    "prove": (
        "daemon.cli.ledger_checking:prove",
        "Prove that one entry stands in the ledger, or how it grew.",
    ),
    "tail": ("daemon.cli.ledger_reading:tail", "Show the newest entries."),
    "export": (
        "daemon.cli.ledger_reading:export",
        "Write a folder that an auditor can check on another machine.",
    ),
    "checkpoint": (
        "daemon.cli.ledger_signing:checkpoint",
        "Sign the ledger as it is now, and print what to keep elsewhere.",
    ),
    "accept": (
        "daemon.cli.ledger_accepting:accept",
        "Go on with the ledger as it is, after the true one was lost for good.",
    ),
    "rotate-key": (
        "daemon.cli.ledger_signing:rotate_key",
        "Let a new key sign from now on; the old one signs it in.",
    ),
}


@click.group(cls=CommandTable, commands_by_name=_COMMANDS)
def ledger() -> None:
    """Check, prove, show and export what was decided.

    The ledger is state/ledger; docs/ledger.md tells what it proves and what it cannot.

    \b
    Examples:
      sprintd ledger verify --checkpoint kept.txt
      sprintd ledger tail -n 20
      sprintd ledger export evidence/
    """
