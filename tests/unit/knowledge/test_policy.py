"""From a manifest to a policy: what is read, what is held, what is a fault."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon.knowledge.action import EVERY_AGENT, Limits
from daemon.knowledge.manifest import parse_manifest
from daemon.knowledge.path_scope import is_governance
from daemon.knowledge.policy import parse_policy
from daemon.knowledge.tools import SYSTEM_ACTORS, TOOLS
from tests.unit.knowledge.acting import READER, action_of, asked, judged, policy_of

ROOT = Path(__file__).parents[3]
VECTORS = ROOT.parent / "shared" / "vectors" / "kcp" / "manifests"
SKILL = """
units:
  - {id: s, path: skills/a.md, intent: i, scope: project, audience: [agent, human], kind: skill,
     load_eligible: true, action_scope: {tools: [read_file], paths: [docs/], limits: {calls: 5}}}
"""


def test_skill_unit_gives_its_audience_a_scope() -> None:
    """The protocol's own form; people in the audience are nobody who acts."""
    policy = policy_of(SKILL)
    assert policy.scopes["s"].actors == {EVERY_AGENT}
    assert asked(policy, "read_file", path="docs/a").effect == "ALLOW"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("load_eligible: true", "load_eligible: false"),
        ("kind: skill", "kind: playbook, steps: [{id: s, action: a}]"),
        ("kind: skill", "kind: skill, deprecated: true"),
        ("kind: skill", "kind: skill, access: restricted"),
        ("kind: skill", "kind: skill, temporal: {valid_until: '2026-01-31'}"),
        ("kind: skill", "kind: skill, temporal: {valid_from: '2026-12-01'}"),
        ("kind: skill", "kind: skill, temporal: {superseded_by: s}"),
        ("kind: skill", "kind: skill, payment: {methods: [{type: free}]}"),
    ],
)
def test_skill_that_does_not_hold_grants_nothing(old: str, new: str) -> None:
    """Not eligible, no skill, deprecated, gated, out of time: the reason is said."""
    assert old in SKILL
    policy = policy_of(SKILL.replace(old, new), as_of="2026-06-01")
    assert not policy.faults
    ruling = asked(policy, "read_file", path="docs/a")
    assert (ruling.effect, ruling.gate) == ("DENY", "eligibility")
    assert ruling.reason.startswith("s grants nothing: ")


def test_time_window_needs_a_date() -> None:
    """Inside it grants; without a day to judge by it does not."""
    timed = SKILL.replace(
        "kind: skill",
        "kind: skill, temporal: {valid_from: '2026-01-01', valid_until: '2026-01-31'}",
    )
    for as_of, effect in (("2026-01-31", "ALLOW"), ("2026-02-01", "DENY"), ("", "DENY")):
        assert asked(policy_of(timed, as_of=as_of), "read_file", path="docs/a").effect == effect


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("tools: [read_file, read_many, write_file]", "tools: read_file", "is not a list of texts"),
        ("paths: [docs/]", "paths: docs/", "is not a list of texts"),
        ("paths: [docs/]", 'paths: ["docs/", ""]', "has an empty entry"),
        ("paths: [docs/]", "paths: [./docs/]", "has a '.' component"),
        ("paths: [docs/]", "paths: [.]", "has a '.' component"),
        ("paths: [docs/]", "paths: [docs/../x]", "leaves its folder"),
        ("paths: [docs/]", "path: [docs/]", "is no field known here"),
        ("limits:", "denied: {}\n      limits:", "is no field known here"),
        ("limits:", "deny: {path: [x]}\n      limits:", "is no field known here"),
        ("limits:", "deny: {tools: ['*']}\n      limits:", "cannot be matched"),
        ("limits:", "hosts: ['*.org']\n      limits:", "cannot be matched"),
        ("limits:", "hosts: [API.org]\n      limits:", "cannot be matched"),
        ("calls: 10", "calls: -1", "is no whole number"),
        ("calls: 10", "spend_usd: 1_0", "is no amount in dollars"),
        ("calls: 10", "spend_usd: .inf", "is no amount in dollars"),
        ("calls: 10", "spend_usd: 0.0000001", "is no amount in dollars"),
        ("limits:", "spend: {max_spend: 5}\n      limits:", "is not USD"),
        ("limits:", "spend: {max_spend: 5, currency: USDC}\n      limits:", "is not USD"),
        ("- id: ana", "- id: ana\n    authority_levle: observe", "did you mean authority_level"),
        ("- id: ana", "- id: ana\n    authority: {modify: perhaps}", "is none of initiative"),
        ("- id: ana", "- id: ana\n    authority: {modfy: denied}", "did you mean modify"),
        ("- id: ana", "- {id: ana}\n  - id: ana", "stands here twice"),
        ("- id: ana", "- id: human", "is no actor's id"),
        ("agents:", "authority_level_scale: [observe, root]\nagents:", "is another scale"),
        ("agents:", "grant_ceiling: {sources: [{id: a}]}\nagents:", "needs exactly one of"),
        ("agents:", "grant_ceiling: {sources: [], mandatory_sources: [a]}\nagents:", "is mandatory"),
    ],
)  # fmt: skip
def test_unsound_scope_is_a_fault_with_its_line(old: str, new: str, told: str) -> None:
    """Nothing is read as something else or left out quietly: the policy then denies everything."""
    assert old in READER
    policy = policy_of(READER.replace(old, new))
    assert policy.faults
    assert told in " ".join(map(str, policy.faults))
    assert all(fault.line > 2 and fault.file == "knowledge.yaml" for fault in policy.faults)
    assert asked(policy, "file").gate == "policy"


def test_duplicate_key_is_a_fault() -> None:
    """The last one does not win without a word."""
    policy = policy_of(READER.replace("paths:", "tools: [file]\n      paths:"))
    assert "tools" in str(policy.faults[0])
    assert asked(policy, "file").gate == "policy"


def test_agent_may_not_have_the_name_of_a_part() -> None:
    """It would have the scope of that part."""
    for name in (*SYSTEM_ACTORS, "agent", "human"):
        assert policy_of(READER, agents=("ana", name)).faults


def test_hash_of_the_scopes_changes_with_them_only() -> None:
    """Another note in the map leaves it; any dimension of a scope changes it."""
    policy = policy_of(READER)
    other = policy_of(READER + "\nunits:\n  - {id: n, path: n.md, intent: i, scope: project}\n")
    assert policy.scope_sha256 == other.scope_sha256
    assert policy.manifest_sha256 != other.manifest_sha256
    for old, new in (
        ("docs/", "docs2/"), ("out/", "out2/"), ("calls: 10", "calls: 11"), ("read_many", "copy"),
        ("limits", "deny: {tools: [file]}\n      limits"),
    ):  # fmt: skip
        assert policy_of(READER.replace(old, new)).scope_sha256 != policy.scope_sha256


def test_policy_is_of_the_bytes_that_were_read() -> None:
    """A manifest changed later is another policy with another hash; the one in hand stays."""
    policy = policy_of(READER)
    wider = policy_of(READER.replace("[docs/]", "['**']"))
    assert asked(policy, "read_file", path="private/a").effect == "DENY"
    assert asked(wider, "read_file", path="private/a").effect == "ALLOW"
    assert policy.manifest_sha256 != wider.manifest_sha256


def test_broken_manifest_or_none_denies_all() -> None:
    """With the manifest's own faults as the reason."""
    for text in (
        "a: [",
        "",
        "units: 5",
        "kcp_version: '0.32'\nproject: p\nunits: [{id: a, path: /x}]",
    ):
        policy = parse_policy(parse_manifest(text, "knowledge.yaml"), agents=["ana"])
        assert policy.faults
        assert judged(policy, action_of("ana", "file")).gate == "policy"


@pytest.mark.skipif(not VECTORS.is_dir(), reason="the public manifests are not on this machine")
def test_public_manifests_give_a_policy_or_faults() -> None:
    """None raises, and none of their scopes reaches what governs."""
    read = 0
    for file in sorted(VECTORS.glob("*.yaml")):
        policy = parse_policy(parse_manifest(file.read_bytes(), file.name), as_of="2026-07-30")
        read += len(policy.scopes)
        for path in ("knowledge.yaml", "state/x", "agents/a.md"):
            action = action_of("agent", "write_file", path=path, text="")
            assert judged(policy, action).effect == "DENY"
    assert read >= 10


@pytest.mark.skipif(not VECTORS.is_dir(), reason="the public manifests are not on this machine")
def test_public_skills_are_understood() -> None:
    """The scopes of the protocol's own test harness, deny lists and quoted amounts included."""
    file = VECTORS / "kcp_harness_test_fixtures_skills_knowledge.yaml"
    policy = parse_policy(parse_manifest(file.read_bytes(), file.name), agents=["ana"])
    assert not policy.faults
    guarded = policy.scopes["guarded-docs-skill"]
    assert guarded.deny.paths == ("docs/secrets/**",)
    assert guarded.deny.tools == {"Grep"}
    for name in ("procurement-skill", "procurement-quoted-spend-skill"):
        assert policy.scopes[name].max_spend_micros == 500_000_000
    assert policy.scopes["rotate-secrets-skill"].held == "nobody made it load_eligible"


def test_sample_lets_the_program_work_and_nothing_more() -> None:
    """Each part of the daemon has what it does today; no scope opens what governs."""
    manifest = parse_manifest((ROOT / "knowledge.yaml").read_bytes(), "knowledge.yaml")
    agents = [path.stem for path in (ROOT / "agents").glob("*.md")]
    policy = parse_policy(manifest, agents=agents)
    assert not policy.faults
    assert not manifest.errors
    uses = {tool for scope in policy.scopes.values() for tool in scope.tools}
    assert uses == set(TOOLS)
    for scope in policy.scopes.values():
        assert scope.limits != Limits()
        assert all(entry.startswith("memory/") for entry in (*scope.reads, *scope.writes))
        assert not any(is_governance(entry) for entry in scope.writes)
    for agent in agents:
        writers = [scope.id for scope in policy.scopes_of(agent) if scope.writes]
        assert writers == []
        assert policy.agent_levels[agent] == "suggest"


def test_example_of_the_documentation_is_sound() -> None:
    """What a reader copies from the page governs, and every field in it is understood."""
    page = (ROOT / "docs" / "governance.md").read_text("utf-8")
    section = page[page.index("## Action scopes") :]
    example = section.partition("```yaml")[2].partition("```")[0]
    policy = policy_of(example, agents=(), tools=TOOLS)
    assert not policy.faults
    scope = policy.scopes["agents.diagnosis"]
    assert (scope.reads, scope.writes) == (("memory/",), ("memory/diagnoses/",))
    assert scope.limits == Limits(20, 5, 10_000_000)
    assert scope.max_spend_micros == 500_000
    assert scope.asks == {"write"}


def test_without_an_audience_a_scope_denies_to_every_agent_and_grants_nothing() -> None:
    """Left out, the denial of a playbook for everybody would hold for nobody."""
    text = SKILL + (
        "  - {id: hold, path: p.md, kind: playbook, steps: [{id: a, action: b}],\n"
        "     action_scope: {deny: {paths: [docs/legal/]}}}\n"
        "  - {id: all, path: q.md, kind: skill, load_eligible: true,\n"
        "     action_scope: {tools: [read_file], paths: [keys/], limits: {calls: 5}}}\n"
    )
    policy = policy_of(text)
    assert asked(policy, "read_file", path="docs/a").effect == "ALLOW"
    denied = asked(policy, "read_file", path="docs/legal/a")
    assert (denied.effect, denied.gate, denied.final) == ("DENY", "deny", True)
    assert asked(policy, "read_file", path="keys/a").effect == "DENY"
    people = policy_of(SKILL.replace("[agent, human]", "[human]"))
    assert people.scopes["s"].actors == frozenset()


@pytest.mark.parametrize(("name", "told"), [("fil", "did you mean file"), ("browse", "use buy, ")])
def test_a_tool_that_is_none_is_a_fault_of_an_agents_scope(name: str, told: str) -> None:
    """Misspelt it would give, or deny, nothing without a word."""
    for scope in (f"tools: [{name}]", f"deny: {{tools: [{name}]}}"):
        found = policy_of(f"agents:\n  - id: ana\n    action_scope:\n      {scope}")
        (fault,) = found.faults
        assert f"{name!r} is no tool known here" in str(fault)
        assert told in str(fault)
        assert fault.line == 6


def test_a_skill_may_name_the_tools_of_another_program() -> None:
    """The protocol's skills do; one that looks misspelt is a fault there too."""
    assert not policy_of(SKILL.replace("read_file", "Grep")).faults
    assert policy_of(SKILL.replace("read_file", "read_fil")).faults
