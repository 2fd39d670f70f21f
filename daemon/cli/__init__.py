"""The commands. Each is loaded when it is asked for, so that `sprintd --help` is quick."""

from __future__ import annotations

from pathlib import Path

import click

from daemon import __version__
from daemon.cli.group import CommandTable
from daemon.cli.options import workspace_option

_COMMANDS = {
    "run": ("daemon.cli.running", "Run the daemon until it is told to stop."),
    "sprint": ("daemon.cli.running", "Run one sprint now, in this process."),
    "plan": (
        "daemon.cli.planning",
        "Show what the next sprint would do; spends and writes nothing.",
    ),
    "status": ("daemon.cli.looking", "Show how it stands: state, money, backlog, faults."),
    "backlog": ("daemon.cli.looking", "List the backlog with where each item stands and why."),
    "show": (
        "daemon.cli.looking",
        "Show one item: attempts, verdicts, what their claims rest on, costs.",
    ),
    "criteria": (
        "daemon.cli.criteria",
        "Show the kill criteria; of one, all its tests, evidence and history.",
    ),
    "review": (
        "daemon.cli.review",
        "Judge the kill criteria now: GO, NO-GO or NOT YET KNOWN, and why.",
    ),
    "report": (
        "daemon.cli.report",
        "Show a report: the newest daily one, or of another kind or day.",
    ),
    "watch": ("daemon.cli.watch", "Watch it work: state, steps, events, money, what waits."),
    "costs": ("daemon.cli.looking", "Show what was spent, by day, agent, model or item."),
    "outbox": (
        "daemon.cli.outgoing",
        "List messages that have not left yet, or retry what was set aside.",
    ),
    "notify": ("daemon.cli.notifying", "Try how messages reach people."),
    "check": ("daemon.cli.checking", "Check every file of the workspace; list all faults at once."),
    "doctor": (
        "daemon.cli.doctor",
        "Look at everything that may be wrong, and say what to do.",
    ),
    "quality": (
        "daemon.cli.quality",
        "Judge texts, and measure, calibrate and teach the quality gate.",
    ),
    "map": (
        "daemon.cli.map:map_group",
        "Check the map, and ask it why a unit is given or not.",
    ),
    "memory": (
        "daemon.cli.memory:memory_group",
        "Merge notes into documents, show how large they are, find a text in them.",
    ),
    "trifecta": (
        "daemon.cli.trifecta",
        "Show which of the three dangerous powers each agent holds.",
    ),
    "ledger": ("daemon.cli.ledger", "Check, prove, show and export what was decided."),
    "notion": (
        "daemon.cli.notion",
        "Keep backlog, criteria, findings and sprints in Notion, one way.",
    ),
    "approvals": (
        "daemon.cli.approving",
        "List what waits for a person, or ask for something.",
    ),
    "approve": ("daemon.cli.approving", "Let what was asked for happen, once."),
    "reject": ("daemon.cli.approving", "Say no to what was asked for."),
    "unblock": ("daemon.cli.mending", "Put one blocked item back."),
    "reopen": ("daemon.cli.mending", "Put done items back, to be worked on again."),
    "reset-failures": ("daemon.cli.mending", "End a halt and put blocked items back."),
    "backup": ("daemon.cli.mending", "Copy the database, also while the daemon runs."),
    "init": ("daemon.cli.checking", "Make a new workspace with a complete sample."),
}


@click.group(
    cls=CommandTable,
    commands_by_name=_COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@workspace_option
@click.version_option(__version__, prog_name="sprintd", message="%(prog)s %(version)s")
@click.pass_context
def main(context: click.Context, workspace: Path) -> None:
    """Work a research backlog inside a hard daily budget, and judge every output.

    Every command works on one workspace: the folder given with --workspace (before or after the
    command), else $SPRINTD_WORKSPACE, else the current folder. All times are UTC.

    \b
    Examples:
      sprintd init ~/venture && cd ~/venture
      sprintd check
      sprintd plan
      sprintd sprint
      sprintd --workspace ~/venture status --json
    """
    context.obj = workspace
