"""Which policy holds: that of the map, over what the program needs to work."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from daemon.governance.policy_in_force import NO_POLICY, PolicyInForce, policy_of
from daemon.knowledge.action import Action, Ruling
from daemon.knowledge.manifest import parse_manifest
from daemon.knowledge.scope import check_conformance
from daemon.knowledge.tools import build_action
from daemon.knowledge.unit import Manifest
from daemon.workspace.definitions import Workspace

DAY = date(2026, 11, 30)
HEAD = 'kcp_version: "0.32"\nproject: P\nversion: "1"\n'
NO_SCOPES = HEAD + "units: []\n"
CALL = {"provider": "claude", "max_cost_micros": 5}
WRITE = {"path": "memory/findings/a.md", "content_sha256": "c" * 64}
SEND = {"channel": "slack", "host": "slack.com", "key": "k", "content_sha256": "c" * 64}


def manifest_of(text: str) -> Manifest:
    return parse_manifest(text.encode(), "knowledge.yaml")


def ruling(text: str, actor: str, tool: str, arguments: dict[str, object]) -> Ruling:
    policy = policy_of(manifest_of(text), ["ana"], DAY)
    action = build_action(actor, tool, arguments)
    assert isinstance(action, Action)
    return check_conformance(policy, action, ceilings={})


@pytest.mark.parametrize(
    ("actor", "tool", "arguments", "effect"),
    [
        ("ana", "model.call", CALL, "ALLOW"),
        ("diagnosis", "model.call", CALL, "ALLOW"),
        ("sprint", "model.call", CALL, "ALLOW"),
        ("sprint", "memory.write", WRITE, "ALLOW"),
        ("diagnosis", "memory.write", {**WRITE, "path": "memory/diagnoses/a.md"}, "ALLOW"),
        ("reports", "message.send", SEND, "ALLOW"),
        ("ana", "memory.write", WRITE, "DENY"),
        ("ana", "read_unit", {"path": "memory/a.md"}, "DENY"),
        ("sprint", "memory.write", {**WRITE, "path": "memory/pricing/a.md"}, "DENY"),
        ("reports", "message.send", {**SEND, "host": "evil.example"}, "DENY"),
        ("reports", "model.call", CALL, "ALLOW"),
        ("reports", "memory.write", WRITE, "DENY"),
        ("bob", "model.call", CALL, "DENY"),
        ("ana", "model.call", {**CALL, "provider": "another"}, "DENY"),
        ("ana", "model.call", {**CALL, "max_cost_micros": 20_000_001}, "DENY"),
    ],
)
def test_a_map_without_scopes_gives_the_least_that_the_program_needs(
    actor: str, tool: str, arguments: dict[str, object], effect: str
) -> None:
    """Its parts do their own work and nothing else, and agents only call models."""
    assert ruling(NO_SCOPES, actor, tool, arguments).effect == effect


def test_what_the_map_says_of_an_actor_is_all_that_counts_for_it() -> None:
    """A scope without writing takes it away from the sprint; the others keep what they need."""
    text = HEAD + (
        "agents:\n  - id: sprint\n    authority_level: commit\n"
        "    action_scope: {tools: [memory.write], limits: {calls: 5, writes: 5}}\nunits: []\n"
    )
    assert ruling(text, "sprint", "memory.write", WRITE).effect == "DENY"
    assert ruling(text, "ana", "model.call", CALL).effect == "ALLOW"


def test_a_level_without_a_scope_names_an_actor_too() -> None:
    """Who is named with a level alone gets no scope from anywhere."""
    text = HEAD + "agents:\n  - id: sprint\n    authority_level: observe\nunits: []\n"
    assert ruling(text, "sprint", "memory.write", WRITE).gate == "eligibility"


def test_the_digest_of_the_scopes_covers_those_that_ship() -> None:
    """And is the same in every process: it depends on no order of sets."""
    one, two = (policy_of(manifest_of(NO_SCOPES), ["ana"], DAY) for _ in range(2))
    assert one.scope_sha256 == two.scope_sha256
    text = HEAD + (
        "agents:\n  - id: sprint\n    authority_level: commit\n"
        "    action_scope: {tools: [memory.write]}\nunits: []\n"
    )
    assert policy_of(manifest_of(text), ["ana"], DAY).scope_sha256 != one.scope_sha256


def test_a_fault_of_the_map_denies_everything() -> None:
    """Nothing that ships with the program mends it."""
    text = HEAD + "agents:\n  - id: sprint\n    action_scope: {toolz: [x]}\nunits: []\n"
    assert ruling(text, "sprint", "memory.write", WRITE).gate == "policy"


def test_without_a_map_nothing_is_allowed() -> None:
    """And no powers are known."""
    rules = PolicyInForce(lambda: None, lambda: None, lambda _w, _m: {}, lambda: DAY)
    assert rules.policy() is NO_POLICY
    assert rules.policy().faults
    assert rules.powers("ana") == frozenset()


def test_it_is_worked_out_once_for_each_pair_of_files_and_day() -> None:
    """An edit of either, or a new day, is another pair."""
    made: list[Manifest] = []

    def powers(_workspace: Workspace, manifest: Manifest) -> dict[str, frozenset[str]]:
        made.append(manifest)
        return {"ana": frozenset({"PRIVATE_DATA"})}

    workspace = Workspace(root=Path(), agents=(), teams=(), playbooks=(), items=(), criteria=())
    maps, days = [manifest_of(NO_SCOPES)], [DAY]
    rules = PolicyInForce(lambda: workspace, lambda: maps[-1], powers, lambda: days[-1])
    assert rules.policy() is rules.policy()
    assert rules.powers("ana") == {"PRIVATE_DATA"}
    assert rules.powers("bob") == frozenset()
    maps.append(manifest_of(NO_SCOPES + "language: en\n"))
    rules.policy()
    days.append(date(2026, 12, 1))
    rules.policy()
    assert len(made) == 3


def test_a_denial_for_everybody_leaves_the_shipped_scopes() -> None:
    """It names no audience, so it takes away from what agents may do and stands in place of nothing."""
    text = HEAD + (
        "units:\n- {id: hold, path: p.md, kind: playbook, steps: [{id: a, action: b}],\n"
        "   action_scope: {deny: {paths: [memory/legal/]}}}\n"
    )
    assert ruling(text, "ana", "model.call", CALL).effect == "ALLOW"
    read = ruling(text, "ana", "read_unit", {"path": "memory/legal/a.md"})
    assert (read.gate, read.final) == ("deny", True)
