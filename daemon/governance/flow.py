"""Where texts can go in a workspace, as a value: nodes, and the edges that join them.

Drawn from what the program does: agents are given the units that their `reads` and the map's
audience both open, and findings; what an agent writes becomes a finding and arrives at every
channel. An edge that could be there is there: who may be given a backlog item follows from the
teams, and the gates that change with the day (time windows, deprecation) are not counted on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from daemon.knowledge.action import EVERY_AGENT, ActionScope, Policy
from daemon.knowledge.archive import hidden_part, is_archived, original_path
from daemon.knowledge.paths import covers, is_private
from daemon.knowledge.provenance import Provenance, declared_provenance
from daemon.knowledge.unit import Manifest, Unit
from daemon.notify.channels import Channel
from daemon.workspace.definitions import Agent, Workspace

MAP_FILE = "knowledge.yaml"
FINDINGS = "memory/findings/"
CONSOLIDATED = "memory/consolidated/"  # documents that are merged from notes and findings
_ARCHIVE = "memory/archive/"

NodeKind = Literal["unit", "file", "folder", "outside", "agent", "channel", "tool"]
Steps = tuple[str | int, ...]


@dataclass(frozen=True)
class Place:
    """Where something is written: a file, and the keys that lead to it (none: the whole file).

    ("scopes", ID) stands for the action scope that the policy has under that id.
    """

    file: str = ""
    steps: Steps = ()


@dataclass(frozen=True)
class Node:
    """Something that holds, handles or takes in text. `note` says in words what matters of it.

    `private` and `outside` are what it brings into the flow by itself; `way_out` says why what
    arrives at it has left the workspace, empty where it has not.
    """

    kind: NodeKind
    id: str
    place: Place = Place()
    note: str = ""
    private: bool = False
    outside: bool = False
    way_out: str = ""

    @property
    def key(self) -> str:
        return f"{self.kind}:{self.id}"


@dataclass(frozen=True)
class Edge:
    """Text can go from `source` to `target` (keys of nodes); `place` is the line that lets it."""

    source: str
    target: str
    place: Place = Place()


@dataclass(frozen=True)
class Flow:
    """Nodes by key, in the order they were found, and every edge."""

    nodes: Mapping[str, Node] = field(default_factory=dict)
    edges: tuple[Edge, ...] = ()


@dataclass(frozen=True)
class StoredText:
    """A file that an agent wrote earlier, perhaps when it could receive more than today.

    `parts` are the notes that whoever is given it may read, all of them; none: the file itself."""

    path: str
    provenance: Provenance
    parts: tuple[str, ...] = ()


def build_flow(
    workspace: Workspace,
    manifest: Manifest,
    policy: Policy,
    channels: Sequence[Channel],
    stored: Sequence[StoredText] = (),
) -> Flow:
    """The flow of a workspace whose files have no faults. Pure; the same values give the same."""
    builder, policy = _Builder(), _with_what_may_come(policy, manifest)
    for agent in workspace.agents:
        builder.add(Node("agent", agent.id, Place(agent.file, ("id",))))
    _add_units(builder, workspace, manifest, policy)
    _add_findings(builder, workspace, stored)
    _add_consolidation(builder, workspace, manifest)
    for agent in workspace.agents:
        _add_channels(builder, agent, channels)
        _add_tools(builder, agent, policy, channels)
    return Flow(builder.nodes, tuple(builder.edges))


def meeting_entry(entries: Sequence[str], folder: str) -> int | None:
    """The first entry of a scope that could cover a file right in `folder`; None for none."""
    return next((at for at, entry in enumerate(entries) if _can_meet(entry, folder)), None)


class _Builder:
    """Collects nodes and edges; each once."""

    def __init__(self) -> None:
        self.nodes: dict[str, Node] = {}
        self.edges: dict[Edge, None] = {}

    def add(self, node: Node) -> str:
        self.nodes.setdefault(node.key, node)
        return node.key

    def join(self, source: str, target: str, place: Place = Place()) -> None:
        self.edges.setdefault(Edge(source, target, place))


def _add_units(builder: _Builder, workspace: Workspace, manifest: Manifest, policy: Policy) -> None:
    """Only units that bring something in; the others change nothing for anybody."""
    for index, unit in enumerate(manifest.units):
        node = _unit_node(index, unit)
        if not (node.private or node.outside) or is_private(unit.path):
            continue
        for agent in workspace.agents:
            opened_by = _opened_by(agent, unit, policy)
            if opened_by is not None:
                builder.join(builder.add(node), f"agent:{agent.id}", opened_by)


def _unit_node(index: int, unit: Unit) -> Node:
    said = declared_provenance(unit)
    words = [said.sensitivity] if said.confidential else []
    words += ["from outside"] if said.outside else []
    place = Place(MAP_FILE, ("units", index))
    return Node("unit", unit.id, place, ", ".join(words), said.confidential, said.outside)


def _opened_by(agent: Agent, unit: Unit, policy: Policy) -> Place | None:
    """The line that lets an agent have a unit: one of its `reads`, or a tool's scope."""
    for_it = not unit.audience or agent.id in unit.audience or EVERY_AGENT in unit.audience
    for at, entry in enumerate(agent.reads):
        if for_it and covers((entry,), unit.path):
            return Place(agent.file, ("reads", at))
    for scope in policy.scopes_of(agent.id):
        if _parameters(scope, policy) & {"read"} and covers(scope.reads, unit.path):
            return _scope_place(scope)
    return None


def _add_findings(builder: _Builder, workspace: Workspace, stored: Sequence[StoredText]) -> None:
    """Who may be given an item writes into its criterion's folder; who may read that gets it."""
    for criterion in dict.fromkeys(item.criterion for item in workspace.items):
        folder = builder.add(Node("folder", f"{FINDINGS}{criterion}/"))
        for agent_id in _workers(workspace, criterion):
            builder.join(f"agent:{agent_id}", folder)
        for agent in workspace.agents:
            at = meeting_entry(agent.reads, f"{FINDINGS}{criterion}/")
            if at is not None:
                builder.join(folder, f"agent:{agent.id}", Place(agent.file, ("reads", at)))
    seen: set[tuple[str, Provenance]] = set()
    for text in stored:
        said = text.provenance
        words = ["written earlier"] + (["confidential"] if said.confidential else [])
        words += ["from outside"] if said.outside else []
        place, told = Place(text.path), ", ".join(words)
        node = Node("file", text.path, place, told, said.confidential, said.outside)
        for agent in workspace.agents:
            if is_archived(text.path) and (agent.id, said) in seen:
                continue  # one of a kind shows the way; the archive grows for years
            for at in _opening_entries(agent, text):
                seen.add((agent.id, said))
                builder.join(
                    builder.add(node), f"agent:{agent.id}", Place(agent.file, ("reads", at))
                )


def _opening_entries(agent: Agent, text: StoredText) -> Iterator[int]:
    """The entries of `reads` that let an agent have a stored text."""
    if not (text.parts and hidden_part(agent.reads, text.parts)):
        first = next((p for p in text.parts if not p.startswith(CONSOLIDATED)), text.path)
        was = original_path(first)
        yield from (at for at, entry in enumerate(agent.reads) if covers((entry,), was))


def _workers(workspace: Workspace, criterion: str) -> Iterator[str]:
    """Every agent that a plan could give an item of this criterion: the team-mates of its agent."""
    own = {item.agent for item in workspace.items if item.criterion == criterion}
    mates = {m for team in workspace.teams if own & set(team.members) for m in team.members}
    return (agent.id for agent in workspace.agents if agent.id in mates)


def _add_consolidation(builder: _Builder, workspace: Workspace, manifest: Manifest) -> None:
    """What is merged of memory stays what it was made of, for whoever the map gives it to."""
    merged = Node("folder", CONSOLIDATED, note="merged from memory/")
    readers = [
        (agent, opened)
        for unit in manifest.units
        if unit.path.startswith((CONSOLIDATED, _ARCHIVE))
        for agent in workspace.agents
        if (opened := _opened_by(agent, unit, Policy())) is not None
    ]
    if not readers:
        return
    key = builder.add(merged)
    for index, unit in enumerate(manifest.units):
        node = _unit_node(index, unit)
        if (node.private or node.outside) and unit.path.startswith("memory/"):
            builder.join(builder.add(node), key)
    for node in list(builder.nodes.values()):
        if node.kind == "file" or (node.kind == "folder" and node.key != key):
            builder.join(node.key, key)
    for agent, opened in readers:
        builder.join(key, f"agent:{agent.id}", opened)


def _add_channels(builder: _Builder, agent: Agent, channels: Sequence[Channel]) -> None:
    for channel in channels:
        steps = tuple(channel.setting.split(".")) if channel.setting else ()
        place = Place(channel.file, steps) if steps else Place()
        node = Node("channel", channel.name, place, channel.note, way_out=channel.way_out)
        builder.join(f"agent:{agent.id}", builder.add(node))


def _add_tools(
    builder: _Builder, agent: Agent, policy: Policy, channels: Sequence[Channel]
) -> None:
    """A tool that talks to a host which the agent names: a way out, and a way in for its answer."""
    quiet = {channel.name for channel in channels if not channel.way_out}
    for scope in policy.scopes_of(agent.id):
        if not scope.hosts or scope.asks & {"host", "tool"}:
            continue
        for name in sorted(scope.tools):
            tool = policy.tools.get(name)
            kinds = {one.kind for one in tool.parameters.values()} if tool else set()
            if "host" not in kinds:
                continue
            sends = "capability" in kinds  # to a channel by its name; it brings nothing back
            if sends and scope.capabilities and {_bare(c) for c in scope.capabilities} <= quiet:
                continue
            why = f"the agent chooses what is asked of {', '.join(sorted(scope.hosts)[:3])}"
            own = f"{name} of {agent.id}"  # one of its own: a tool carries nothing between agents
            node = Node("tool", own, _scope_place(scope), why, outside=not sends, way_out=why)
            builder.join(f"agent:{agent.id}", builder.add(node), _scope_place(scope))
            if not sends:
                builder.join(node.key, f"agent:{agent.id}", _scope_place(scope))


def _with_what_may_come(policy: Policy, manifest: Manifest) -> Policy:
    """Without the scopes that only an edit could let grant anything. One that merely waits for its
    day is held now and would open later, so it counts."""
    asleep = {
        u.id for u in manifest.units if u.kind != "skill" or not (u.load_eligible and u.audience)
    }
    scopes = {name: scope for name, scope in policy.scopes.items() if name not in asleep}
    return replace(policy, scopes=scopes)


def _parameters(scope: ActionScope, policy: Policy) -> set[str]:
    """The kinds of targets that the scope's tools have."""
    tools = [policy.tools[name] for name in scope.tools if name in policy.tools]
    return {one.kind for tool in tools for one in tool.parameters.values()}


def _scope_place(scope: ActionScope) -> Place:
    return Place(MAP_FILE, ("scopes", scope.id))


def _can_meet(entry: str, folder: str) -> bool:
    """Component by component; what covers a folder, or could cover a file in it, meets it."""
    parts, inside = entry.rstrip("/").split("/"), entry.endswith("/")
    for at, name in enumerate(folder.rstrip("/").split("/")):
        if at == len(parts):
            return inside or "*" not in parts[-1]
        if parts[at] == "**":
            return True
        if not re.fullmatch(".*".join(map(re.escape, re.split(r"\*+", parts[at]))), name):
            return False
    return len(parts) > folder.count("/") or inside or "*" not in parts[-1]


def _bare(capability: str) -> str:
    """The channel that a capability names: message.slack and slack are the same."""
    return capability.rpartition(".")[2].rpartition(":")[2]
