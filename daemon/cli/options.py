"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path

import click

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
