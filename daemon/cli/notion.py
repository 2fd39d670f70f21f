"""notion: the commands that make its databases, bring them up to date and tell how they stand."""

from __future__ import annotations

import click

from daemon.cli.group import CommandTable

_COMMANDS = {
    "setup": ("daemon.cli.notion_making:setup", "Make or adopt the four databases below a page."),
    "sync": ("daemon.cli.notion_looking:sync", "Hand over what changed since the last time."),
    "status": (
        "daemon.cli.notion_looking:status",
        "Show the databases, what waits, and what is left alone.",
    ),
}


@click.group(cls=CommandTable, commands_by_name=_COMMANDS)
def notion() -> None:
    """Keep backlog, criteria, findings and sprints in Notion, one way.

    What people write into columns and pages of their own stays as it is. All three work while the
    daemon runs.

    \b
    Examples:
      sprintd notion setup https://www.notion.so/Venture-1f2e3d4c00004000800000000000abcd
      sprintd notion sync --dry-run
      sprintd notion status
    """
