"""A small policy and the shortest way to ask the action gate about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from daemon.knowledge.action import (
    NOTHING_USED,
    Action,
    Grant,
    Limits,
    Parameter,
    Policy,
    Ruling,
    Tool,
)
from daemon.knowledge.manifest import parse_manifest
from daemon.knowledge.policy import parse_policy
from daemon.knowledge.scope import check_conformance
from daemon.knowledge.tools import build_action

COMMIT: Mapping[str, str] = {"workspace": "commit"}
TOOLS: Mapping[str, Tool] = {
    "read_file": Tool("read_file", "observe", {"path": Parameter("read")}),
    "write_file": Tool(
        "write_file", "commit", {"path": Parameter("write"), "text": Parameter("argument")}
    ),
    "copy": Tool("copy", "commit", {"from": Parameter("read"), "to": Parameter("write")}),
    "read_many": Tool("read_many", "observe", {"paths": Parameter("read", many=True)}),
    "fetch": Tool("fetch", "observe", {"host": Parameter("host")}),
    "post": Tool("post", "commit", {"channel": Parameter("capability")}),
    "buy": Tool("buy", "commit", {"vendor": Parameter("vendor"), "micros": Parameter("spend")}),
    "file": Tool("file", "observe", {}),
}
READER = """
agents:
  - id: ana
    action_scope:
      tools: [read_file, read_many, write_file]
      paths: [docs/]
      writes: [out/]
      limits: {calls: 10, writes: 10}
"""


def policy_of(
    manifest: str,
    *,
    agents: Sequence[str] = ("ana",),
    as_of: str = "",
    tools: Mapping[str, Tool] = TOOLS,
) -> Policy:
    """The policy of a manifest that is given from `agents` or `units` on."""
    text = f"kcp_version: '0.32'\nproject: p\n{manifest}"
    if "\nunits:" not in text:
        text += "\nunits: []\n"
    parsed = parse_manifest(text, "knowledge.yaml")
    return parse_policy(parsed, agents=agents, as_of=as_of, tools=tools)


def action_of(actor: str, tool: str, **arguments: object) -> Action:
    """Without the suffix of a name that Python keeps for itself: from_ is from."""
    named = {name.removesuffix("_"): value for name, value in arguments.items()}
    action = build_action(actor, tool, named, TOOLS)
    assert isinstance(action, Action), action
    return action


def judged(
    policy: Policy,
    action: Action,
    *,
    ceilings: Mapping[str, str] = COMMIT,
    powers: frozenset[str] = frozenset(),
    grants: Sequence[Grant] = (),
    used: Limits = NOTHING_USED,
) -> Ruling:
    return check_conformance(
        policy, action, ceilings=ceilings, powers=powers, grants=grants, used=used
    )


def asked(policy: Policy, tool: str, **arguments: object) -> Ruling:
    """What the gate answers to ana."""
    return judged(policy, action_of("ana", tool, **arguments))


def may_read(policy: Policy, path: str) -> bool:
    return asked(policy, "read_file", path=path).effect == "ALLOW"


def may_write(policy: Policy, path: str) -> bool:
    return asked(policy, "write_file", path=path, text="x").effect == "ALLOW"
