"""The gate against an oracle that lists everything: a tiny world, and sets of what is allowed.

The oracle shares nothing with the gate: no patterns and no order of rules. It writes out, for each
scope, every single call that it opens, and takes away every single call that anybody denies.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from daemon.knowledge.action import (
    LEVELS,
    POWERS,
    Action,
    ActionScope,
    Deny,
    Limits,
    Parameter,
    Policy,
    Target,
    Tool,
)
from daemon.knowledge.scope import check_conformance

PATHS = (
    "a",
    "a/x",
    "a/y",
    "a/b/x",
    "ab",
    "ab/x",
    "A/x",
    "c/x",
    "state/x",
    "agents/x",
    "knowledge.yaml",
)
HOSTS = ("one.org", "two.org")
# Each entry with the paths that it covers, counted by hand.
ENTRIES = {
    "a": {"a", "a/x", "a/y", "a/b/x"},
    "a/": {"a/x", "a/y", "a/b/x"},
    "a/*": {"a/x", "a/y"},
    "a/**": {"a/x", "a/y", "a/b/x"},
    "a*": {"a", "ab"},
    "*/x": {"a/x", "ab/x", "A/x", "c/x", "state/x", "agents/x"},
    "**": set(PATHS),
    "ab/": {"ab/x"},
    "c/x": {"c/x"},
    "state/": {"state/x"},
}
DENIED = {
    "a": {"a", "a/x", "a/y", "a/b/x", "A/x"},
    "a/": {"a", "a/x", "a/y", "a/b/x", "A/x"},
    "a/b/": {"a/b/x"},
    "a/*": {"a/x", "a/y", "a/b/x", "A/x"},
    "A/X": {"a/x", "A/x"},
    "AB": {"ab", "ab/x"},
    "c/**": {"c/x"},
}
UNWRITABLE = {"state/x", "agents/x", "knowledge.yaml"}
UNREADABLE = {"state/x"}
TOOLS = {
    "read": Tool("read", "observe", {"path": Parameter("read")}),
    "write": Tool("write", "commit", {"path": Parameter("write")}),
    "fetch": Tool("fetch", "suggest", {"host": Parameter("host")}),
    "copy": Tool("copy", "prepare", {"of": Parameter("read"), "to": Parameter("write")}),
}
NEEDS = {"read": 0, "fetch": 2, "copy": 3, "write": 4}
ACTORS = ("ana", "bea", "sprint")
AGENTS = {"ana", "bea"}
Call = tuple[str, tuple[tuple[str, str], ...]]


@dataclass(frozen=True)
class World:
    scopes: tuple[ActionScope, ...]
    levels: tuple[str, ...]
    powers: frozenset[str]
    used: int


def every_call() -> list[Call]:
    one = [(tool, ((tool, path),)) for tool, path in product(("read", "write"), PATHS)]
    two = [("copy", (("read", a), ("write", b))) for a, b in product(PATHS, PATHS)]
    return [*one, *two, *(("fetch", (("host", host),)) for host in HOSTS)]


CALLS = every_call()


def opened(scope: ActionScope) -> set[Call]:
    """Every call that the scope opens, written out."""
    if scope.held or scope.limits.calls is None:
        return set()
    reads = set[str]().union(*(ENTRIES[entry] for entry in scope.reads))
    writes = set[str]().union(*(ENTRIES[entry] for entry in scope.writes))
    calls = {("fetch", (("host", host),)) for host in scope.hosts}
    calls |= {("read", (("read", path),)) for path in reads}
    if scope.limits.writes is not None:
        calls |= {("write", (("write", path),)) for path in writes}
        calls |= {("copy", (("read", a), ("write", b))) for a in reads for b in writes}
    return {call for call in calls if call[0] in scope.tools}


def closed(scope: ActionScope) -> set[Call]:
    """Every call that the scope denies, written out."""
    paths = set[str]().union(*(DENIED[entry] for entry in scope.deny.paths))
    denied_tools = {tool.lower() for tool in scope.deny.tools}
    found = set()
    for tool, targets in CALLS:
        touched = {value for kind, value in targets if kind != "host"}
        hosts = {value for kind, value in targets if kind == "host"}
        if touched & paths or hosts & scope.deny.hosts or tool in denied_tools:
            found.add((tool, targets))
    return found


class Oracle:
    """ALLOW, ESCALATE or DENY for one actor, by sets alone."""

    def __init__(self, world: World, actor: str) -> None:
        names = {actor, "agent"} if actor in AGENTS else {actor}
        mine = [scope for scope in world.scopes if scope.actors & names]
        self.denied = set[Call]().union(*map(closed, mine))
        # A scope without a limit lets a call through as far as the limits, which then refuse it.
        self.opened = [(opened(_with_limits(scope)), opened(scope), scope) for scope in mine]
        self.level = min(LEVELS.index(level) for level in world.levels)
        self.world = world

    def effect_of(self, call: Call) -> str:
        tool, targets = call
        if any(kind == "write" and value in UNWRITABLE for kind, value in targets):
            return "DENY"
        if any(kind == "read" and value in UNREADABLE for kind, value in targets):
            return "DENY"
        fitting = [(really, scope) for wide, really, scope in self.opened if call in wide]
        if call in self.denied or not fitting:
            return "DENY"
        if self.level < NEEDS[tool]:
            return "ESCALATE"
        if len(self.world.powers) == len(POWERS):
            return "DENY"
        within = all(call in really and self._is_left(scope) for really, scope in fitting)
        return "ALLOW" if within else "DENY"

    def _is_left(self, scope: ActionScope) -> bool:
        return scope.limits.calls is not None and self.world.used < scope.limits.calls


def _with_limits(scope: ActionScope) -> ActionScope:
    return ActionScope(**{**vars(scope), "limits": Limits(9, 9, 9)})


def _some(values: tuple[str, ...], least: int, most: int) -> st.SearchStrategy[tuple[str, ...]]:
    return st.lists(st.sampled_from(values), min_size=least, max_size=most).map(tuple)


def _mostly(usual: object, *others: object) -> st.SearchStrategy[Any]:
    return st.sampled_from([usual] * 4 + [*others])


def _scope(number: int) -> st.SearchStrategy[ActionScope]:
    """Wide enough that several scopes open one call, so that their limits and denials meet."""
    return st.builds(
        ActionScope,
        id=st.just(f"s{number}"),
        actors=_some((*ACTORS, "agent", "agent"), 1, 3).map(frozenset),
        tools=_some(tuple(TOOLS), 2, 6).map(frozenset),
        reads=_some(tuple(ENTRIES), 1, 4),
        writes=_some(tuple(ENTRIES), 0, 4),
        hosts=_some(HOSTS, 0, 2).map(frozenset),
        limits=_mostly(Limits(9, 9), Limits(), Limits(3, 9), Limits(3, 9), Limits(9), Limits(0, 0)),
        deny=st.builds(
            Deny,
            tools=_mostly(frozenset(), frozenset({"fetch"}), frozenset({"READ"})),
            paths=_mostly((), *((entry,) for entry in DENIED)),
            hosts=_mostly(frozenset(), frozenset({"one.org"})),
        ),
        held=_mostly("", "held"),
    )


_WORLDS = st.builds(
    World,
    scopes=st.integers(1, 3).flatmap(lambda count: st.tuples(*map(_scope, range(count)))),
    levels=st.lists(_mostly("commit", *LEVELS), min_size=1, max_size=2).map(tuple),
    powers=_mostly(frozenset(), POWERS, frozenset({"PRIVATE_DATA"})),
    used=st.sampled_from([0, 0, 3, 4]),
)


@settings(max_examples=250, deadline=None)
@given(_WORLDS, st.sampled_from(ACTORS))
def test_gate_and_oracle_agree_on_every_call(world: World, actor: str) -> None:
    """All calls of the tiny world, for any scopes, levels, powers and use."""
    policy = Policy(
        {scope.id: scope for scope in world.scopes}, tools=TOOLS, agents=frozenset(AGENTS)
    )
    ceilings = {str(at): level for at, level in enumerate(world.levels)}
    oracle = Oracle(world, actor)
    for call in CALLS:
        tool, targets = call
        values = tuple(Target(kind, value) for kind, value in targets)  # type: ignore[arg-type]
        ruling = check_conformance(
            policy,
            Action(actor, tool, values, "0" * 64),
            ceilings=ceilings,
            powers=world.powers,
            used=Limits(world.used, 0, 0),
        )
        assert ruling.effect == oracle.effect_of(call), (call, ruling)


def test_the_tables_of_the_oracle_are_complete() -> None:
    """The hand-counted tables speak of paths of this world only, and of more than a few calls."""
    for covered in (*ENTRIES.values(), *DENIED.values()):
        assert covered <= set(PATHS)
    assert len(CALLS) == 11 + 11 + 121 + 2
