"""memory: the commands that merge notes into documents, and look at what there is."""

from __future__ import annotations

import click

from daemon.cli.group import CommandTable

_COMMANDS = {
    "consolidate": (
        "daemon.cli.memory_merging:consolidate",
        "Merge notes into documents, or show what would be merged.",
    ),
    "status": (
        "daemon.cli.memory_looking:status",
        "Show the documents, how full they are, and which notes wait.",
    ),
    "find": (
        "daemon.cli.memory_looking:find",
        "Find a text in notes, documents and the archive.",
    ),
}


@click.group(cls=CommandTable, commands_by_name=_COMMANDS)
def memory_group() -> None:
    """Merge notes into documents, show how large they are, find a text in them.

    \b
    Examples:
      sprintd memory status
      sprintd memory consolidate --dry-run
      sprintd memory find "37,650"
    """
