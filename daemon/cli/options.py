"""Options that several commands share."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import click

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_YEARS = range(1970, 9999)  # of the last one the next day cannot be reckoned


def utc_day(text: str) -> datetime:
    """A day as people write it, 2026-11-30: its first moment, in UTC. Raises click.BadParameter."""
    if _DAY.fullmatch(text):
        with suppress(ValueError):
            day = datetime.fromisoformat(text).replace(tzinfo=UTC)
            if day.year in _YEARS:
                return day
    raise click.BadParameter(f"{text!r} is no day; write year-month-day, such as 2026-11-30")


workspace_option = click.option(
    "--workspace",
    metavar="DIR",
    type=click.Path(path_type=Path),
    default=".",
    envvar="SPRINTD_WORKSPACE",
    show_envvar=True,
    help="Folder of the workspace.  [default: the current folder]",
)
json_option = click.option(
    "--json", "as_json", is_flag=True, help="One JSON object on standard output, for machines."
)
