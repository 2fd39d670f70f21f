"""A workspace's files to one checked `Workspace`, or every fault of every file at once."""

from __future__ import annotations

from pathlib import Path

from daemon.errors import Fault, WorkspaceInvalid
from daemon.workspace.agents import load_agents, load_playbooks
from daemon.workspace.backlog import load_backlog
from daemon.workspace.definitions import Workspace
from daemon.workspace.kill_criteria import load_criteria
from daemon.workspace.references import Files, reference_faults
from daemon.workspace.teams import load_teams


def load_workspace(root: Path) -> Workspace:
    """Reads agents, playbooks, teams, backlog and kill criteria. Raises WorkspaceInvalid.

    A file that cannot be read does not keep the others from being checked. That `needs` of an item
    exist in knowledge.yaml is not checked here.
    """
    if not root.is_dir():
        cure = "name the workspace's folder, or make one: sprintd init FOLDER"
        raise WorkspaceInvalid([Fault(str(root), 0, "", "is not a folder", cure)])
    files = Files(
        agents=load_agents(root),
        playbooks=load_playbooks(root),
        teams=load_teams(root),
        backlog=load_backlog(root),
        criteria=load_criteria(root),
    )
    faults = [*files.own_faults(), *reference_faults(files)]
    if faults:
        raise WorkspaceInvalid(faults)
    return Workspace(
        root=root,
        agents=files.agents.nouns,
        playbooks=files.playbooks.nouns,
        teams=files.teams.nouns,
        items=files.backlog.nouns,
        criteria=files.criteria.nouns,
    )
