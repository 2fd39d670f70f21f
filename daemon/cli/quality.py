"""quality: the commands that judge texts, and that measure and teach the judge."""

from __future__ import annotations

import click

from daemon.cli.group import CommandTable

_COMMANDS = {
    "check": ("daemon.cli.quality_check:check", "Judge any text, and say why."),
    "eval": (
        "daemon.cli.quality_eval:evaluate",
        "Measure the quality gate on labelled texts.",
    ),
    "replay": (
        "daemon.cli.quality_replay:replay",
        "Judge all stored outputs again under other settings; changes nothing.",
    ),
    "learn": (
        "daemon.cli.quality_learn:learn",
        "Make a pattern of a defect that a person found in an accepted output.",
    ),
}


@click.group(cls=CommandTable, commands_by_name=_COMMANDS)
def quality() -> None:
    """Judge texts, and measure, calibrate and teach the quality gate.

    \b
    Examples:
      sprintd quality check report.md --task T07
      sprintd quality eval tests.jsonl
      sprintd quality replay --set threshold=0.5
      sprintd quality learn T07 --defect "It sells instead of answering." --text "Act now"
    """
