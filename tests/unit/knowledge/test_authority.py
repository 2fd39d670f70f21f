"""Lowest-of: the effective level, the source that binds, and what a grant changes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.knowledge.action import APPROVAL, LEVELS, Grant, digest
from daemon.knowledge.authority import NO_SOURCE, effective_authority, raised, rank_of
from tests.unit.knowledge.acting import READER, action_of, judged, policy_of

_LEVEL = st.sampled_from(LEVELS)
_CEILINGS = st.dictionaries(st.sampled_from("abcd"), _LEVEL | st.text(max_size=3), min_size=1)
_WRITE = action_of("ana", "write_file", path="out/a.md", text="x")


@given(_CEILINGS)
def test_effective_level_is_the_lowest_of_all(ceilings: dict[str, str]) -> None:
    """An unknown level counts as the lowest, and the source that is named has the level."""
    ranks = [LEVELS.index(level) if level in LEVELS else 0 for level in ceilings.values()]
    authority = effective_authority(ceilings)
    assert LEVELS.index(authority.level) == min(ranks)
    assert rank_of(ceilings[authority.bound_by]) == min(ranks)


def test_without_any_source_it_is_the_lowest() -> None:
    """What nobody declares is not given."""
    assert effective_authority({}) == ("observe", NO_SOURCE)
    assert judged(policy_of(READER), _WRITE, ceilings={}).effect == "ESCALATE"


@given(_CEILINGS, st.sampled_from("abcd"), _LEVEL)
def test_another_source_never_raises_the_level(
    ceilings: dict[str, str], source: str, level: str
) -> None:
    """More sources can only bind closer."""
    before = rank_of(effective_authority(ceilings).level)
    if source not in ceilings:
        assert rank_of(effective_authority({**ceilings, source: level}).level) <= before


@pytest.mark.parametrize("source", ["agent", "team", "backlog item", "workspace"])
def test_binding_source_is_named(source: str) -> None:
    """Each of the four can be the one, and the sentence says which."""
    ceilings = dict.fromkeys(["agent", "team", "backlog item", "workspace"], "commit")
    ruling = judged(policy_of(READER), _WRITE, ceilings={**ceilings, source: "prepare"})
    assert (ruling.effect, ruling.gate) == ("ESCALATE", "authority")
    assert (ruling.level, ruling.bound_by, ruling.final) == ("prepare", source, False)
    assert ruling.reason == f"write_file takes the level commit; {source} allows prepare"


@pytest.mark.parametrize("level", ["", "Commit", "COMMIT ", "root", "commit\n"])
def test_unknown_level_binds_as_the_lowest(level: str) -> None:
    """A misspelt level never opens anything."""
    ruling = judged(policy_of(READER), _WRITE, ceilings={"team": level, "workspace": "commit"})
    assert (ruling.effect, ruling.level, ruling.bound_by) == ("ESCALATE", "observe", "team")


def test_grant_raises_one_source_for_one_action() -> None:
    """Two sources below: each needs its own grant, and another action is not covered."""
    policy, low = policy_of(READER), {"agent": "suggest", "team": "prepare"}
    this = digest(_WRITE)
    one, two = Grant("agent", "commit", this), Grant("team", "commit", this)
    assert judged(policy, _WRITE, ceilings=low, grants=[one]).bound_by == "team"
    assert judged(policy, _WRITE, ceilings=low, grants=[one, two]).effect == "ALLOW"
    other = action_of("ana", "write_file", path="out/a.md", text="changed after the check")
    assert judged(policy, other, ceilings=low, grants=[one, two]).effect == "ESCALATE"


def test_grant_lowers_nothing_and_adds_nothing() -> None:
    """It is no new source, and a level that is not known gives nothing."""
    grants = [Grant("a", "observe", "d"), Grant("b", "commit", "d"), Grant("a", "root", "d")]
    assert raised({"a": "prepare"}, grants, "d") == {"a": "prepare"}


def test_grant_lifts_no_denial() -> None:
    """Neither for its source nor as an approval: what is denied stays denied."""
    denying = READER.replace("limits:", "deny: {paths: [out/]}\n      limits:")
    grants = [Grant(source, "commit", digest(_WRITE)) for source in ("workspace", "deny", APPROVAL)]
    ruling = judged(policy_of(denying), _WRITE, grants=grants)
    assert (ruling.effect, ruling.gate, ruling.final) == ("DENY", "deny", True)


def test_levels_of_the_manifest_bind_too() -> None:
    """The agent's own, the scope's and those of the grant ceiling; the lower of two counts."""
    ceiling = """
authority_level_scale: [observe, explain, suggest, prepare, commit]
task_types: [{id: research, authority_level: explain}]
grant_ceiling:
  mandatory_sources: [house]
  sources:
    - {id: house, authority_level: commit}
    - {id: kind, task_type_ref: research}
    - {id: who, agent_ref: ana}
    - {id: gone, unit_ref: nothing.here}
"""
    policy = policy_of(READER.replace("- id: ana", "- id: ana\n    authority_level: prepare"))
    assert judged(policy, _WRITE).bound_by == "manifest:agent"
    policy = policy_of(READER + ceiling)
    assert policy.ceilings == {"house": "commit", "kind": "explain", "who": "", "gone": ""}
    assert judged(policy, _WRITE).bound_by == "manifest:gone"


def test_what_every_agent_has_lowers_each_agent() -> None:
    """The entry of the role and the agent's own entry are two sources; the lower one counts."""
    policy = policy_of(
        "agents:\n  - {id: agent, authority_level: suggest}\n  - {id: ana, authority_level: commit}\n"
        "  - {id: bea, authority_level: observe}\n  - {id: sprint, authority_level: commit}\n",
        agents=("ana", "bea", "eva"),
    )
    expected = {"ana": "suggest", "bea": "observe", "eva": "suggest", "sprint": "commit"}
    assert policy.agent_levels == expected
