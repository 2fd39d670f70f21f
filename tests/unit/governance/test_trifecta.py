"""Powers are the fixed point of the flow, and every way that is shown is one of its ways."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.governance.flow import Edge, Flow, Node, Place
from daemon.governance.trifecta import (
    FAULT_KEY,
    POWERS,
    AgentPowers,
    derive_powers,
    render_way,
    trifecta_faults,
)

SECRET = Node("unit", "runway", Place("knowledge.yaml", ("units", 3)), "confidential", private=True)
LETTER = Node("unit", "letter", Place("knowledge.yaml", ("units", 5)), "from outside", outside=True)
WALL = Node("channel", "wall", Place("config.toml", ("slack", "public")), way_out="all can read it")
QUIET = Node("channel", "quiet", note="for the founders")
FOLDER = Node("folder", "memory/findings/K1/")


def agent(name: str) -> Node:
    return Node("agent", name, Place(f"agents/{name}.md", ("id",)))


def flow(nodes: list[Node], *pairs: tuple[Node, Node]) -> Flow:
    edges = tuple(
        Edge(
            a.key, b.key, Place(f"agents/{b.id}.md", ("reads", 0)) if b.kind == "agent" else Place()
        )
        for a, b in pairs
    )
    return Flow({node.key: node for node in nodes}, edges)


def powers_of(given_flow: Flow) -> dict[str, AgentPowers]:
    return {one.agent: one for one in derive_powers(given_flow)}


def lines(place: Place) -> int:
    return 10 + len(place.steps) if place.steps else 0


def test_an_agent_without_edges_holds_nothing() -> None:
    """Each power has to come from somewhere."""
    (only,) = derive_powers(flow([agent("ada")]))
    assert only.missing == POWERS


def test_all_three_at_one_agent_are_a_fault_that_shows_the_ways() -> None:
    """Agent, each power's nodes with file and line, and the cure stand in one sentence."""
    ada = agent("ada")
    found = derive_powers(
        flow([ada, SECRET, LETTER, WALL], (SECRET, ada), (LETTER, ada), (ada, WALL))
    )
    (fault,) = trifecta_faults(found, lines)
    assert (fault.file, fault.line, fault.key) == ("agents/ada.md", 11, FAULT_KEY)
    assert (
        "PRIVATE_DATA: unit runway (confidential; knowledge.yaml:12) -> agent ada (agents/ada.md:12)"
    ) in fault.message
    assert "UNTRUSTED_CONTENT: unit letter (from outside; knowledge.yaml:12) -> " in fault.message
    assert (
        "EXTERNAL_COMMUNICATION: agent ada (agents/ada.md:11) -> "
        "channel wall (all can read it; config.toml:12)"
    ) in fault.message
    assert "sprintd trifecta --why ada" in fault.cure


def test_any_two_of_the_three_are_no_fault() -> None:
    """The missing leg is named."""
    ada = agent("ada")
    pairs = {POWERS[0]: (SECRET, ada), POWERS[1]: (LETTER, ada), POWERS[2]: (ada, WALL)}
    for missing in POWERS:
        kept = [pair for power, pair in pairs.items() if power != missing]
        found = derive_powers(flow([ada, SECRET, LETTER, WALL], *kept))
        assert found[0].missing == (missing,)
        assert trifecta_faults(found, lines) == ()


def test_taint_goes_through_a_team_mate_two_hops_away() -> None:
    """What an agent writes carries everything that it could have read."""
    ada, ben, eve = agent("ada"), agent("ben"), agent("eve")
    other = Node("folder", "memory/findings/K2/")
    found = powers_of(
        flow([ada, ben, eve, LETTER, FOLDER, other], (LETTER, ada), (ada, FOLDER), (FOLDER, ben),
             (ben, other), (other, eve))
    )  # fmt: skip
    way = found["eve"].ways["UNTRUSTED_CONTENT"]
    assert [stop.node.id for stop in way] == ["letter", "ada", FOLDER.id, "ben", other.id, "eve"]
    assert render_way(way, lines).startswith(
        "unit letter (from outside; knowledge.yaml:12) -> agent"
    )


def test_a_circle_of_agents_comes_to_an_end() -> None:
    """Findings go round; the fixed point is reached all the same."""
    ada, ben = agent("ada"), agent("ben")
    found = powers_of(flow([ada, ben, SECRET], (SECRET, ada), (ada, ben), (ben, ada)))
    assert all("PRIVATE_DATA" in found[name].ways for name in ("ada", "ben"))


def test_a_way_out_counts_through_memory_but_not_through_another_agent() -> None:
    """The next agent has the power for itself, and the taint of the first."""
    ada, ben = agent("ada"), agent("ben")
    found = powers_of(flow([ada, ben, FOLDER, WALL, QUIET], (ada, FOLDER), (FOLDER, ben),
                           (ben, WALL), (ada, QUIET)))  # fmt: skip
    assert "EXTERNAL_COMMUNICATION" not in found["ada"].ways
    assert "EXTERNAL_COMMUNICATION" in found["ben"].ways
    through = powers_of(flow([ada, FOLDER, WALL], (ada, FOLDER), (FOLDER, WALL)))
    assert [s.node.id for s in through["ada"].ways["EXTERNAL_COMMUNICATION"]] == [
        "ada", FOLDER.id, "wall",
    ]  # fmt: skip


NODES = [
    *(agent(name) for name in "abcd"),
    *(Node("folder", f"f{n}") for n in range(3)),
    SECRET, LETTER, WALL, QUIET,
]  # fmt: skip
EDGES = st.lists(
    st.tuples(st.sampled_from(NODES), st.sampled_from(NODES)).filter(lambda p: p[0] != p[1]),
    max_size=30,
)


@settings(max_examples=300, deadline=None)
@given(pairs=EDGES)
def test_powers_are_those_of_a_closure_worked_out_the_slow_way(
    pairs: list[tuple[Node, Node]],
) -> None:
    """The oracle joins pairs until nothing new comes; and each way is made of edges of the flow."""
    drawn = flow(NODES, *pairs)
    joined = {(a.key, b.key) for a, b in pairs}
    reach = {node.key: {node.key} for node in NODES}
    for _ in NODES:
        for a, b in joined:
            for targets in reach.values():
                targets |= {b} if a in targets else set()
    for one in derive_powers(drawn):
        key = f"agent:{one.agent}"
        assert ("PRIVATE_DATA" in one.ways) == (key in reach[SECRET.key])
        assert ("UNTRUSTED_CONTENT" in one.ways) == (key in reach[LETTER.key])
        for power, way in one.ways.items():
            steps = [stop.node.key for stop in way]
            assert set(pairwise(steps)) <= joined
            ends = (steps[0], steps[-1])
            assert (
                ends
                == {
                    "PRIVATE_DATA": (SECRET.key, key),
                    "UNTRUSTED_CONTENT": (LETTER.key, key),
                    "EXTERNAL_COMMUNICATION": (key, WALL.key),
                }[power]
            )


@settings(max_examples=100, deadline=None)
@given(pairs=EDGES, more=EDGES)
def test_an_edge_more_takes_no_power_away(
    pairs: list[tuple[Node, Node]], more: list[tuple[Node, Node]]
) -> None:
    """What could flow before can still flow."""
    before, after = powers_of(flow(NODES, *pairs)), powers_of(flow(NODES, *pairs, *more))
    assert all(set(before[name].ways) <= set(after[name].ways) for name in before)
