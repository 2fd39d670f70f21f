"""map: the commands that look at knowledge.yaml, and at what it gives."""

from __future__ import annotations

import click

from daemon.cli.group import CommandTable

_COMMANDS = {
    "check": (
        "daemon.cli.map_checking:check",
        "Check a map: its faults, what becomes of its fields, and its files.",
    ),
    "why": (
        "daemon.cli.map_asking:why",
        "Show unit by unit what the map gives for a question, and why not the rest.",
    ),
    "replay": (
        "daemon.cli.map_plans:replay",
        "Compute a saved plan again; the same bytes prove that nothing was changed.",
    ),
    "diff": (
        "daemon.cli.map_plans:diff",
        "Show what two saved plans decided otherwise, and why.",
    ),
}


@click.group(cls=CommandTable, commands_by_name=_COMMANDS)
def map_group() -> None:
    """Check the map, and ask it why a unit is given or not.

    \b
    Examples:
      sprintd map check
      sprintd map why "What do rivals charge?" --agent market-researcher
      sprintd map diff then.json now.json
    """
