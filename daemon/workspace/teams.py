"""agents/teams.yaml: who works under which sprint focus."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import Field

from daemon.workspace.definitions import Team
from daemon.workspace.entries import Entry, Id, Parsed, Text, Words
from daemon.workspace.list_file import load_list

TEAMS_FILE = "agents/teams.yaml"


class TeamEntry(Entry):
    """One entry below `teams:`; the first member leads."""

    id: Id
    title: Words
    purpose: Text
    members: Annotated[tuple[str, ...], Field(min_length=1)]


def load_teams(root: Path) -> Parsed[Team]:
    """All sound teams in the file's order, and the faults of the others."""
    return load_list(root, TEAMS_FILE, "teams", TeamEntry, build_team)


def build_team(entry: TeamEntry) -> Team:
    return Team(**dict(entry))
