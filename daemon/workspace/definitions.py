"""The nouns of a workspace, typed and frozen. Files are read by the modules beside this one."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from pathlib import Path

from daemon.config.sections import Tier
from daemon.quality.verdict import Profile
from daemon.workspace.criterion_tests import CriterionTest


@dataclass(frozen=True)
class Agent:
    """One agent: its front matter and, as `instructions`, the body of its file.

    `reads` are workspace paths it may be given: a folder with a trailing slash, or a file; `*`
    matches within one component and `**` across.
    """

    id: str
    name: str
    tier: Tier
    teams: tuple[str, ...]
    reads: tuple[str, ...]
    max_output_tokens: int
    instructions: str
    file: str


@dataclass(frozen=True)
class Playbook:
    """How a deliverable of one kind must look; `profile` chooses the quality checks.

    `judge`: a model is asked to judge what the checks accept; False: nobody is asked.
    """

    id: str
    title: str
    profile: Profile
    instructions: str
    file: str
    judge: bool = False


@dataclass(frozen=True)
class Team:
    """A sprint focus and the agents that serve it; the first member leads."""

    id: str
    title: str
    purpose: str
    members: tuple[str, ...]


@dataclass(frozen=True)
class BacklogItem:
    """One research task: intent only, its state lives in the database.

    `priority` runs from 1 (first) to 5. `needs` names knowledge units that must be loaded.
    `depends_on` names items that must be done before. `waiting_for` is an outside event that has
    not happened (empty: none); `not_before` a date before which it may not start (None: any time).
    """

    id: str
    title: str
    question: str
    agent: str
    criterion: str
    playbook: str
    priority: int
    added_on: date
    needs: tuple[str, ...] = ()
    depends_on: tuple[str, ...] = ()
    waiting_for: str = ""
    not_before: date | None = None


@dataclass(frozen=True)
class KillCriterion:
    """What must be true to go on: a question, what counts, a threshold, a deadline.

    `tests` say the threshold so that code can decide it; empty: nothing decides.
    """

    id: str
    name: str
    question: str
    evidence: str
    threshold: str
    deadline: date
    if_failed: str
    tests: tuple[CriterionTest, ...] = ()


@dataclass(frozen=True)
class Workspace:
    """Everything that people wrote, checked as a whole. Order is the files' own."""

    root: Path
    agents: tuple[Agent, ...]
    playbooks: tuple[Playbook, ...]
    teams: tuple[Team, ...]
    items: tuple[BacklogItem, ...]
    criteria: tuple[KillCriterion, ...]

    def agent(self, agent_id: str) -> Agent:
        """Raises KeyError for an id that no file defines."""
        return {agent.id: agent for agent in self.agents}[agent_id]

    def playbook(self, playbook_id: str) -> Playbook:
        """Raises KeyError for an id that no file defines."""
        return {playbook.id: playbook for playbook in self.playbooks}[playbook_id]

    def team(self, team_id: str) -> Team:
        """Raises KeyError for an id that no file defines."""
        return {team.id: team for team in self.teams}[team_id]

    def item(self, item_id: str) -> BacklogItem:
        """Raises KeyError for an id that no file defines."""
        return {item.id: item for item in self.items}[item_id]
