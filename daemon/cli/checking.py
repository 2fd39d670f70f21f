"""Commands about the files: check and init."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import Any

import click

from daemon.cli.group import Command
from daemon.cli.inspection import Inspection, inspect
from daemon.cli.opening import find_root, start_logging
from daemon.cli.options import json_option
from daemon.cli.output import program_name, say, say_json
from daemon.clock import SystemClock, day_of
from daemon.config.phrases import Phrases
from daemon.reports.plain_text import counted
from daemon.workspace.scaffold import write_sample

_SAY = Phrases("en")


@click.command(cls=Command)
@json_option
@click.pass_obj
def check(workspace: Path, as_json: bool) -> None:  # noqa: FBT001
    """Check every file of the workspace; list all faults at once.

    config.toml, agents, playbooks, teams, backlog, kill criteria, the map and the notes it names,
    quality.toml, prices and the key file. Exits 1 where there is a fault; warnings do not fail.

    \b
    Examples:
      sprintd check
      sprintd check --json | jq -r '.faults[] | "\\(.file):\\(.line) \\(.message)"'
    """
    root = find_root(workspace)
    start_logging(root, level="WARNING")
    found = inspect(root, environ=os.environ, today=day_of(SystemClock().now()))
    if as_json:
        say_json(_as_json(found))
    else:
        say(render_inspection(found))
    click.get_current_context().exit(1 if found.faults else 0)


@click.command(cls=Command)
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@json_option
def init(folder: Path, as_json: bool) -> None:  # noqa: FBT001
    """Make a new workspace with a complete sample.

    DIR is made where it is missing. Nothing is overwritten. The sample runs offline and without a
    key; no sprint costs anything then.

    \b
    Examples:
      sprintd init ~/venture
    """
    folder = folder.expanduser()
    written = write_sample(folder)
    if as_json:
        say_json({"folder": str(folder.absolute()), "files": [str(path) for path in written]})
        return
    program = program_name()
    say(
        f"{_SAY.text('workspace.written', count=len(written), folder=folder.absolute())}\n"
        "Next (without a key all of it is offline and costs nothing):\n"
        f"  cd {shlex.quote(str(folder.absolute()))}\n"
        f"  {program} check     # after every edit: all faults of the files\n"
        f"  {program} plan      # what the next sprint would do\n"
        f"  {program} sprint    # one sprint\n"
        f"  {program} run       # the daemon and its page"
    )


def render_inspection(found: Inspection) -> str:
    """All faults, then all warnings, then one line that sums up."""
    lines = [str(fault) for fault in found.faults]
    lines += [f"warning: {warning}" for warning in found.warnings]
    if found.faults:
        lines.append(
            f"{counted(len(found.faults), 'fault')}, {counted(len(found.warnings), 'warning')}."
        )
    else:
        more = f" {counted(len(found.warnings), 'warning')}." if found.warnings else ""
        lines.append(_SAY.text("workspace.sound", **found.counts) + more)
    return "\n".join(lines)


def _as_json(found: Inspection) -> dict[str, Any]:
    return {
        "ok": not found.faults,
        "faults": [vars(fault) for fault in found.faults],
        "warnings": [vars(warning) for warning in found.warnings],
        "counts": dict(found.counts),
    }
