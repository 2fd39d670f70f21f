"""What one file says about another: every id that is named must exist, and both sides agree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from typing import Any

from daemon.config.explain import closest
from daemon.errors import Fault
from daemon.workspace.definitions import Agent, BacklogItem, KillCriterion, Playbook, Team
from daemon.workspace.entries import Parsed

_MOST_CYCLES = 20


@dataclass(frozen=True)
class Files:
    """Everything that the files of a workspace gave."""

    agents: Parsed[Agent]
    playbooks: Parsed[Playbook]
    teams: Parsed[Team]
    backlog: Parsed[BacklogItem]
    criteria: Parsed[KillCriterion]

    def own_faults(self) -> list[Fault]:
        """The faults that each file has by itself."""
        kinds = (self.agents, self.playbooks, self.teams, self.backlog, self.criteria)
        return [fault for parsed in kinds for fault in parsed.faults]


def reference_faults(files: Files) -> list[Fault]:
    """All broken references. What cannot be told, because a file is unreadable, is no fault."""
    found = (_agent_faults, _team_faults, _item_faults, _draft_faults, _cycles)
    return [fault for faults in found for fault in faults(files)]


def _agent_faults(files: Files) -> Iterator[Fault]:
    members = {team.id: set(team.members) for team in files.teams.nouns}
    for index, agent in enumerate(files.agents.nouns):
        for at, team in enumerate(agent.teams):
            place = (files.agents.file_of(index), files.agents.line_of(index, "teams", at))
            if not files.teams.knows(team):
                yield _unknown(place, f"teams[{at}]", "team", team, files.teams)
            elif team in members and agent.id not in members[team]:
                message = (
                    f"names the team {team}, whose members in agents/teams.yaml lack {agent.id}"
                )
                yield Fault(*place, f"teams[{at}]", message, "make the two files agree")


def _team_faults(files: Files) -> Iterator[Fault]:
    teams_of = {agent.id: set(agent.teams) for agent in files.agents.nouns}
    for index, team in enumerate(files.teams.nouns):
        seen: set[str] = set()
        for at, member in enumerate(team.members):
            key = f"teams[{files.teams.places[index][1][1]}].members[{at}]"
            place = (files.teams.file_of(index), files.teams.line_of(index, "members", at))
            if member in seen:
                yield Fault(*place, key, f"names {member} a second time", "delete it")
            elif not files.agents.knows(member):
                yield _unknown(place, key, "agent", member, files.agents)
            elif member in teams_of and team.id not in teams_of[member]:
                message = f"names {member}, whose own file does not list the team {team.id}"
                yield Fault(*place, key, message, "make the two files agree")
            seen.add(member)


def _item_faults(files: Files) -> Iterator[Fault]:
    serving = {member for team in files.teams.nouns for member in team.members}
    every_team_read = files.teams.known_ids is not None and not files.teams.faults
    for index, item in enumerate(files.backlog.nouns):
        yield from _named(files, index, "agent", item.agent, files.agents)
        yield from _named(files, index, "criterion", item.criterion, files.criteria)
        yield from _named(files, index, "playbook", item.playbook, files.playbooks)
        for at, other in enumerate(item.depends_on):
            yield from _named(files, index, "depends_on", other, files.backlog, at)
        if every_team_read and item.agent not in serving and files.agents.knows(item.agent):
            message = f"{item.agent} is in no team, so no sprint can work on this item"
            cure = "add the agent to a team in agents/teams.yaml"
            yield Fault(*_place(files, index, "agent"), _key(files, index, "agent"), message, cure)


def _draft_faults(files: Files) -> Iterator[Fault]:
    """What items with other faults name, so that one repair does not bring up the next."""
    kinds: tuple[tuple[str, str, Parsed[Any]], ...] = (
        ("agent", "agent", files.agents),
        ("criterion", "criterion", files.criteria),
        ("playbook", "playbook", files.playbooks),
        ("depends_on", "item", files.backlog),
    )
    for draft in files.backlog.drafts:
        for field, word, kind in kinds:
            for inner, value in draft.names(field):
                if value and not kind.knows(value):
                    file, line, key = draft.place(inner)
                    yield _unknown((file, line), key, word, value, kind)


def _named(
    files: Files, index: int, field: str, value: str, kind: Parsed[Any], at: int | None = None
) -> Iterator[Fault]:
    if kind.knows(value):
        return
    steps = (field,) if at is None else (field, at)
    word = "item" if field == "depends_on" else field
    yield _unknown(_place(files, index, *steps), _key(files, index, *steps), word, value, kind)


def _unknown(place: tuple[str, int], key: str, word: str, value: str, kind: Parsed[Any]) -> Fault:
    if not value:
        return Fault(*place, key, "is empty", f"name the {word}")
    near = closest(value, sorted(kind.known_ids or ()))
    cure = f"did you mean {near}?" if near else ""
    return Fault(*place, key, f"there is no {word} {value}", cure)


def _place(files: Files, index: int, *steps: str | int) -> tuple[str, int]:
    return files.backlog.file_of(index), files.backlog.line_of(index, *steps)


def _key(files: Files, index: int, *steps: str | int) -> str:
    """items[3].depends_on[0], counted as the file counts."""
    position = files.backlog.places[index][1][1]
    name, *rest = steps
    return f"items[{position}].{name}" + "".join(f"[{at}]" for at in rest)


def _cycles(files: Files) -> Iterator[Fault]:
    """Each circle of items that wait for one another, named in full; at most 20 of them."""
    known = {item.id: index for index, item in enumerate(files.backlog.nouns)}
    waits = {
        item.id: {other for other in item.depends_on if other in known}
        for item in files.backlog.nouns
    }
    for _round in range(_MOST_CYCLES):
        try:
            TopologicalSorter(waits).prepare()
        except CycleError as error:
            circle: list[str] = list(reversed(error.args[1]))
        else:
            return
        start = min(circle[:-1], key=known.__getitem__)
        turn = circle.index(start)
        circle = [*circle[turn:-1], *circle[: turn + 1]]
        message = "items wait for one another in a circle: " + " -> ".join(circle)
        place = _place(files, known[start], "depends_on")
        yield Fault(*place, _key(files, known[start], "depends_on"), message, "remove one of them")
        waits[circle[0]].discard(circle[1])
