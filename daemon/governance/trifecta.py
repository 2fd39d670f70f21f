"""Which of the three dangerous powers each agent holds, derived over the whole flow. Pure.

PRIVATE_DATA: it can receive a text whose sensitivity is confidential or above, by whatever way.
UNTRUSTED_CONTENT: it can receive a text from outside, or what was made of one.
EXTERNAL_COMMUNICATION: what it writes can leave the workspace without a person.
An agent with all three could be told by a stranger's text to send private data away.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from daemon.errors import Fault
from daemon.governance.flow import Edge, Flow, Node, Place

Power = Literal["PRIVATE_DATA", "UNTRUSTED_CONTENT", "EXTERNAL_COMMUNICATION"]
POWERS: Final[tuple[Power, ...]] = ("PRIVATE_DATA", "UNTRUSTED_CONTENT", "EXTERNAL_COMMUNICATION")
FAULT_KEY: Final = "trifecta"  # what a fault of this kind names in place of a key
Locate = Callable[[Place], int]


@dataclass(frozen=True)
class Stop:
    """One node on a way, and the line that lets text get there (the node's own for the first)."""

    node: Node
    place: Place


Way = tuple[Stop, ...]


@dataclass(frozen=True)
class AgentPowers:
    """The powers that an agent holds, each with a shortest way that shows it."""

    agent: str
    ways: Mapping[Power, Way] = field(default_factory=dict)

    @property
    def missing(self) -> tuple[Power, ...]:
        """The legs that keep it from being dangerous; none for a violation."""
        return tuple(power for power in POWERS if power not in self.ways)


def derive_powers(flow: Flow) -> tuple[AgentPowers, ...]:
    """Every agent of the flow, in its order."""
    out = _by_source(flow.edges)
    private = _spread(flow, out, [n.key for n in flow.nodes.values() if n.private])
    outside = _spread(flow, out, [n.key for n in flow.nodes.values() if n.outside])
    found = []
    for node in flow.nodes.values():
        if node.kind == "agent":
            ways: dict[Power, Way] = {}
            if node.key in private:
                ways["PRIVATE_DATA"] = _way_to(flow, private, node.key)
            if node.key in outside:
                ways["UNTRUSTED_CONTENT"] = _way_to(flow, outside, node.key)
            leaving = _way_out(flow, out, node)
            if leaving:
                ways["EXTERNAL_COMMUNICATION"] = leaving
            found.append(AgentPowers(node.id, ways))
    return tuple(found)


def trifecta_faults(powers: Iterable[AgentPowers], locate: Locate) -> tuple[Fault, ...]:
    """A fault for each agent that holds all three, with the ways that join them and the cure.

    `locate` tells the line of a place, 0 where there is none.
    """
    return tuple(_fault(one, locate) for one in powers if not one.missing)


def render_way(way: Sequence[Stop], locate: Locate) -> str:
    """unit costs.runway (confidential; knowledge.yaml:40) -> agent ada (agents/ada.md:7)."""
    return " -> ".join(render_stop(stop, locate) for stop in way)


def render_stop(stop: Stop, locate: Locate) -> str:
    """unit costs.runway (confidential; knowledge.yaml:40)."""
    node, place = stop.node, stop.place
    line = locate(place) if place.file else 0
    where = f"{place.file}:{line}" if line else place.file
    words = [node.way_out or node.note, where if where != node.id else ""]
    told = "; ".join(filter(None, words))
    name = node.id if node.kind in ("folder", "file") else f"{node.kind} {node.id}"
    return f"{name} ({told})" if told else name


_Parents = Mapping[str, Edge | None]


def _by_source(edges: Iterable[Edge]) -> dict[str, list[Edge]]:
    found: dict[str, list[Edge]] = {}
    for edge in edges:
        found.setdefault(edge.source, []).append(edge)
    return found


def _spread(
    flow: Flow,
    out: Mapping[str, Sequence[Edge]],
    starts: Sequence[str],
    through: Callable[[Node], bool] = lambda _node: True,
) -> dict[str, Edge | None]:
    """Every node that text from `starts` can reach, with the edge it came by first.

    The fixed point: a node once reached stays so, and no further edge reaches a new one. What lies
    behind a node that nothing gets `through` is not looked at.
    """
    parents: dict[str, Edge | None] = dict.fromkeys(starts)
    waiting = deque(starts)
    while waiting:
        for edge in out.get(waiting.popleft(), ()):
            if edge.target not in parents:
                parents[edge.target] = edge
                if through(flow.nodes[edge.target]):
                    waiting.append(edge.target)
    return parents


def _way_to(flow: Flow, parents: _Parents, key: str) -> Way:
    stops: list[Stop] = []
    edge = parents[key]
    while edge is not None:
        stops.append(_stop(flow.nodes[key], edge.place))
        key = edge.source
        edge = parents[key]
    stops.append(_stop(flow.nodes[key], Place()))
    return tuple(reversed(stops))


def _way_out(flow: Flow, out: Mapping[str, Sequence[Edge]], agent: Node) -> Way:
    """Not through another agent: what that one makes of it is that one's to answer for."""
    reached = _spread(flow, out, [agent.key], lambda node: node.kind != "agent")
    for key in reached:
        if flow.nodes[key].way_out:
            return _way_to(flow, reached, key)
    return ()


def _stop(node: Node, place: Place) -> Stop:
    return Stop(node, place if place.file else node.place)


def _fault(one: AgentPowers, locate: Locate) -> Fault:
    ways = "; ".join(f"{power}: {render_way(one.ways[power], locate)}" for power in POWERS)
    place = one.ways["EXTERNAL_COMMUNICATION"][0].node.place
    message = (
        f"{one.agent} could receive private data and text from outside, and what it writes can leave "
        f"the workspace: {ways}"
    )
    cure = (
        f"take one of the three ways away (sprintd trifecta --why {one.agent}): narrow `reads` or an "
        "audience, or close the way out"
    )
    return Fault(place.file, locate(place), FAULT_KEY, message, cure)
