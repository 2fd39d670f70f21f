"""The gate against an oracle that lists everything: a tiny world, and sets of what is allowed.

The oracle shares nothing with the gate: no patterns and no order of rules. It writes out, for each
scope, every single call that it opens, and takes away every single call that anybody denies.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

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
    found = set()
    for tool, targets in CALLS:
        touched = {value for kind, value in targets if kind != "host"}
        hosts = {value for kind, value in targets if kind == "host"}
        if touched & paths or hosts & scope.deny.hosts or tool in scope.deny.tools:
            found.add((tool, targets))
    return found


def effect_of(world: World, actor: str, call: Call) -> str:
    """ALLOW, ESCALATE or DENY, by sets alone."""
    names = {actor, "agent"} if actor in AGENTS else {actor}
    mine = [scope for scope in world.scopes if scope.actors & names]
    tool, targets = call
    if any(kind == "write" and value in UNWRITABLE for kind, value in targets):
        return "DENY"
    if any(kind == "read" and value in UNREADABLE for kind, value in targets):
        return "DENY"
    if any(call in closed(scope) for scope in mine):
        return "DENY"
    # A scope without a limit lets the call through as far as the limits, which then refuse it.
    unlimited = [_with_limits(scope) for scope in mine]
    fitting = [scope for scope, wide in zip(mine, unlimited, strict=True) if call in opened(wide)]
    if not fitting:
        return "DENY"
    if min(LEVELS.index(level) for level in world.levels) < NEEDS[tool]:
        return "ESCALATE"
    if len(world.powers) == len(POWERS) or not all(call in opened(scope) for scope in fitting):
        return "DENY"
    calls = [scope.limits.calls for scope in fitting if scope.limits.calls is not None]
    return "ALLOW" if all(world.used < limit for limit in calls) else "DENY"


def _with_limits(scope: ActionScope) -> ActionScope:
    return ActionScope(**{**vars(scope), "limits": Limits(9, 9, 9)})


def _some(values: tuple[str, ...], most: int = 3) -> st.SearchStrategy[tuple[str, ...]]:
    return st.lists(st.sampled_from(values), max_size=most).map(tuple)


def _scope(number: int) -> st.SearchStrategy[ActionScope]:
    return st.builds(
        ActionScope,
        id=st.just(f"s{number}"),
        actors=_some((*ACTORS, "agent")).map(frozenset),
        tools=_some(tuple(TOOLS), 4).map(frozenset),
        reads=_some(tuple(ENTRIES)),
        writes=_some(tuple(ENTRIES)),
        hosts=_some(HOSTS).map(frozenset),
        limits=st.sampled_from([Limits(), Limits(3, 9), Limits(9, 9), Limits(9), Limits(0, 0)]),
        deny=st.builds(
            Deny,
            tools=st.sampled_from([frozenset(), frozenset(), frozenset({"fetch"})]),
            paths=_some(tuple(DENIED), 1),
            hosts=_some(HOSTS, 1).map(frozenset),
        ),
        held=st.sampled_from(["", "", "", "held"]),
    )


_WORLDS = st.builds(
    World,
    scopes=st.integers(0, 3).flatmap(lambda count: st.tuples(*map(_scope, range(count)))),
    levels=st.lists(st.sampled_from(LEVELS), min_size=1, max_size=3).map(tuple),
    powers=st.sets(st.sampled_from(sorted(POWERS))).map(frozenset),
    used=st.integers(0, 4),
)


@settings(max_examples=150)
@given(_WORLDS, st.sampled_from(ACTORS))
def test_gate_and_oracle_agree_on_every_call(world: World, actor: str) -> None:
    """All calls of the tiny world, for any scopes, levels, powers and use."""
    policy = Policy(
        {scope.id: scope for scope in world.scopes}, tools=TOOLS, agents=frozenset(AGENTS)
    )
    ceilings = {str(at): level for at, level in enumerate(world.levels)}
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
        assert ruling.effect == effect_of(world, actor, call), (call, ruling)


def test_the_tables_of_the_oracle_are_complete() -> None:
    """The hand-counted tables speak of paths of this world only, and of more than a few calls."""
    for covered in (*ENTRIES.values(), *DENIED.values()):
        assert covered <= set(PATHS)
    assert len(CALLS) == 11 + 11 + 121 + 2
