"""The action gate: each rule, their order, and that what is not declared is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from daemon.knowledge.action import (
    APPROVAL,
    POWERS,
    Action,
    Grant,
    Limits,
    Policy,
    Ruling,
    Target,
    digest,
)
from daemon.knowledge.scope import check_conformance
from daemon.knowledge.scope_rules import GATES
from tests.unit.knowledge.acting import (
    COMMIT,
    READER,
    action_of,
    asked,
    judged,
    may_read,
    may_write,
    policy_of,
)
from tests.unit.knowledge.spellings import leaving, of_a_governance_file

FULL = """
agents:
  - id: ana
    authority: {share_externally: requires_approval}
    action_scope:
      tools: [read_file, write_file, copy, read_many, fetch, post, buy, file]
      paths: [docs/, out/]
      writes: [out/]
      hosts: [api.example.org]
      capabilities: [slack]
      spend: {max_spend: "0.50", currency: USD, allowed_vendors: [acme]}
      limits: {calls: 2, writes: 1, spend_usd: "0.60"}
      deny: {paths: [docs/secret/], tools: [read_many]}
"""
READ = action_of("ana", "read_file", path="docs/a.md")


def said(ruling: Ruling) -> tuple[str, str]:
    return ruling.effect, ruling.gate


def test_what_is_declared_is_allowed() -> None:
    """With the level and the source that bound it, and the scope that it is within."""
    ruling = judged(policy_of(FULL), READ)
    assert ruling == Ruling("ALLOW", "all", "within agents.ana", False, "commit", "workspace")


def test_rules_stand_in_the_order_of_the_design() -> None:
    """The first objection decides, so the order is part of what is promised."""
    assert list(GATES) == [
        "policy", "well-formed", "governance files", "deny", "eligibility", "tools", "paths", "hosts",
        "capabilities", "spend", "authority", "rule of two", "approval", "limits",
    ]  # fmt: skip


def test_policy_with_a_fault_denies_everything() -> None:
    """The reason names file, line and key of the first fault."""
    ruling = asked(policy_of(FULL.replace("docs/,", "./docs/,")), "read_file", path="out/a")
    assert said(ruling) == ("DENY", "policy")
    assert "knowledge.yaml" in ruling.reason
    assert "'./docs/' has a '.' component" in ruling.reason


@pytest.mark.parametrize("path", sorted(set(leaving())), ids=ascii)
def test_every_spelling_that_leads_elsewhere_is_refused(path: str) -> None:
    """For reading and writing, under a scope that allows everything."""
    policy = policy_of(READER.replace("docs/", "'**'").replace("out/", "'**'"))
    for kind, tool in (("read", "read_file"), ("write", "write_file")):
        action = Action("ana", tool, (Target(kind, path),), "0" * 64)  # type: ignore[arg-type]
        assert said(judged(policy, action)) == ("DENY", "well-formed")


@pytest.mark.parametrize("path", sorted(set(of_a_governance_file())), ids=ascii)
def test_what_governs_is_never_writable(path: str) -> None:
    """Whatever the scope says, in any case of letters; and no approval changes it."""
    policy = policy_of(READER.replace("out/", "'**'"))
    grants = [Grant(APPROVAL, "commit", "")]
    action = Action("ana", "write_file", (Target("write", path),), "0" * 64)
    ruling = judged(policy, action, grants=[replace(grants[0], action_sha256=digest(action))])
    assert ruling.effect == "DENY"
    assert ruling.gate in ("governance files", "well-formed")
    assert ruling.final is (ruling.gate == "governance files")


def test_keys_and_the_daemons_own_folder_are_never_readable() -> None:
    """Under a scope that opens everything."""
    policy = policy_of(READER.replace("docs/", "'**'"))
    for path in ("state/sprintd.db", "STATE/token", ".env", "docs/.ENV", ".git/config"):
        ruling = asked(policy, "read_file", path=path)
        assert (*said(ruling), ruling.final) == ("DENY", "governance files", True)


def test_denial_beats_what_is_allowed_and_is_final() -> None:
    """A path, a tool, whatever the case of their letters."""
    policy = policy_of(FULL)
    for path in ("docs/secret/a", "docs/Secret/a", "docs/SECRET"):
        ruling = asked(policy, "read_file", path=path)
        assert (*said(ruling), ruling.final) == ("DENY", "deny", True)
    assert said(asked(policy, "read_many", paths=["docs/a"])) == ("DENY", "deny")


def test_denials_of_all_scopes_are_united() -> None:
    """Also of a skill that grants nothing, and of a playbook."""
    units = """
units:
  - {id: held, path: skills/a.md, intent: i, scope: project, audience: [agent], kind: skill,
     action_scope: {deny: {paths: [docs/held/]}}}
  - {id: play, path: skills/b.md, intent: i, scope: project, audience: [ana], kind: playbook,
     steps: [{id: s, action: look}], action_scope: {deny: {paths: [docs/play/]}}}
  - {id: foreign, path: skills/c.md, intent: i, scope: project, audience: [bea], kind: skill,
     action_scope: {deny: {paths: [docs/foreign/]}}}
"""
    policy = policy_of(FULL + units)
    assert not policy.faults
    assert said(asked(policy, "read_file", path="docs/held/a")) == ("DENY", "deny")
    assert said(asked(policy, "read_file", path="docs/play/a")) == ("DENY", "deny")
    assert may_read(policy, "docs/foreign/a")


def test_stranger_has_no_scope() -> None:
    """Names are compared exactly; the role of all agents is not a name to act under."""
    policy = policy_of(FULL)
    for actor in ("bea", "Ana", "sprint"):
        ruling = judged(policy, replace(READ, actor=actor))
        assert said(ruling) == ("DENY", "eligibility")
    for actor in ("agent", "", "ana ", "a/b", "\uff41na"):
        assert said(judged(policy, replace(READ, actor=actor))) == ("DENY", "well-formed")


def test_tool_that_no_scope_lists_is_refused() -> None:
    """A known tool, and nobody gave it to ana."""
    assert said(asked(policy_of(READER), "file")) == ("DENY", "tools")


def test_reads_and_writes_are_told_apart() -> None:
    """What may be read may not be written, nor the other way round."""
    policy = policy_of(READER)
    assert may_read(policy, "docs/a.md")
    assert may_write(policy, "out/a.md")
    assert not may_read(policy, "out/a.md")
    assert not may_write(policy, "docs/a.md")
    assert said(asked(policy, "write_file", path="docs/a.md", text="")) == ("DENY", "paths")


def test_every_target_must_be_covered() -> None:
    """One of many outside refuses the whole call, and the sentence names it."""
    policy = policy_of(READER)
    assert asked(policy, "read_many", paths=["docs/a", "docs/b"]).effect == "ALLOW"
    ruling = asked(policy, "read_many", paths=["docs/a", "docs-secret/b"])
    assert said(ruling) == ("DENY", "paths")
    assert ruling.reason == "ana may not read docs-secret/b with read_many"


def test_two_scopes_are_never_put_together() -> None:
    """The tool of one with the path of the other, or the reading of one with the writing of another."""
    second = """
units:
  - {id: other, path: skills/a.md, intent: i, scope: project, audience: [ana], kind: skill,
     load_eligible: true, action_scope: {tools: [copy], writes: [out/], limits: {calls: 9, writes: 9}}}
"""
    policy = policy_of(READER + second)
    ruling = asked(policy, "copy", from_="docs/a", to="out/a")
    assert said(ruling) == ("DENY", "paths")


def test_host_capability_vendor_and_amount_must_be_declared() -> None:
    """Each by its own rule; what is declared passes."""
    policy = policy_of(FULL.replace("requires_approval", "initiative"))
    assert asked(policy, "fetch", host="api.example.org").effect == "ALLOW"
    assert said(asked(policy, "fetch", host="example.org")) == ("DENY", "hosts")
    assert asked(policy, "post", channel="slack").effect == "ALLOW"
    assert said(asked(policy, "post", channel="mail")) == ("DENY", "capabilities")
    assert asked(policy, "buy", vendor="acme", micros=500_000).effect == "ALLOW"
    assert said(asked(policy, "buy", vendor="acme", micros=500_001)) == ("DENY", "spend")
    assert said(asked(policy, "buy", vendor="globex", micros=1)) == ("DENY", "spend")


@pytest.mark.parametrize(
    "host", ["API.example.org", "api.example.org.", "api.example.org:80", "u@api.example.org", "127.0.0.1",
             "0x7f.1", "2130706433", "localhost", "a..b.org", "-a.org", "exämple.org", "[::1]", "a.org/x", "1.0x1"],
)  # fmt: skip
def test_host_is_a_plain_name(host: str) -> None:
    """No port, user, address, other case or final dot: one name, one spelling."""
    assert said(asked(policy_of(FULL), "fetch", host=host)) == ("DENY", "well-formed")


@pytest.mark.parametrize(
    "micros", ["", "-1", "+1", "1.5", "1e3", "01", " 1", "1_000", "١", "9" * 16]
)
def test_amount_is_whole_micro_dollars(micros: str) -> None:
    """One way to write a number, and none too large to add."""
    assert said(asked(policy_of(FULL), "buy", vendor="acme", micros=micros)) == (
        "DENY", "well-formed",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("field", "tool", "arguments", "gate"),
    [
        ("tools", "file", {}, "tools"),
        ("paths", "read_file", {"path": "docs/a"}, "paths"),
        ("writes", "write_file", {"path": "out/a", "text": ""}, "paths"),
        ("hosts", "fetch", {"host": "api.example.org"}, "hosts"),
        ("capabilities", "post", {"channel": "slack"}, "capabilities"),
        ("spend", "buy", {"vendor": "acme", "micros": 0}, "spend"),
        ("limits", "file", {}, "limits"),
    ],
)
def test_dimension_that_is_not_declared_denies(
    field: str, tool: str, arguments: dict[str, object], gate: str
) -> None:
    """Left out or empty: it allows nothing, where other readers let it pass."""
    full = policy_of(FULL.replace("requires_approval", "initiative"))
    assert asked(full, tool, **arguments).effect == "ALLOW"
    for other in ("", " []" if field not in ("spend", "limits") else " {}"):
        lines = [
            f"      {field}:{other}" if line.startswith(f"      {field}:") else line
            for line in FULL.splitlines()
        ]
        policy = policy_of("\n".join(lines).replace("requires_approval", "initiative"))
        assert not policy.faults
        assert said(asked(policy, tool, **arguments)) == ("DENY", gate)


def test_three_powers_together_refuse_for_good() -> None:
    """Two are fine, whichever; what is no power cannot be judged."""
    policy = policy_of(FULL)
    for missing in POWERS:
        assert judged(policy, READ, powers=POWERS - {missing}).effect == "ALLOW"
    ruling = judged(policy, READ, powers=POWERS)
    assert (*said(ruling), ruling.final) == ("DENY", "rule of two", True)
    assert said(judged(policy, READ, powers=frozenset({"FLY"}))) == ("DENY", "well-formed")


def test_scope_can_ask_for_a_person() -> None:
    """The grant must be for this very action; then the limits are still looked at."""
    policy = policy_of(FULL)
    action = action_of("ana", "post", channel="slack")
    ruling = judged(policy, action)
    assert said(ruling) == ("ESCALATE", "approval")
    assert (ruling.bound_by, ruling.final) == (APPROVAL, False)
    grant = Grant(APPROVAL, "commit", digest(action))
    assert judged(policy, action, grants=[grant]).effect == "ALLOW"
    assert said(judged(policy, action, grants=[replace(grant, action_sha256="x")])) == (
        "ESCALATE", "approval",
    )  # fmt: skip
    assert said(judged(policy, action, grants=[grant], used=Limits(2, 0, 0))) == ("DENY", "limits")


def test_authority_that_is_denied_refuses_for_good() -> None:
    """`modify: denied`, on the entry or at the root, closes writing whatever `writes` says."""
    own = READER.replace("- id: ana", "- id: ana\n    authority: {modify: denied}")
    for manifest in (own, READER + "authority: {modify: denied}\n"):
        ruling = asked(policy_of(manifest), "write_file", path="out/a", text="")
        assert (*said(ruling), ruling.final) == ("DENY", "deny", True)
        assert may_read(policy_of(manifest), "docs/a")


def test_limits_count_what_was_used_and_what_is_asked() -> None:
    """Calls, writes and money of one sprint: at the limit passes, beyond it does not."""
    policy = policy_of(FULL)
    assert judged(policy, READ, used=Limits(1, 0, 0)).effect == "ALLOW"
    assert said(judged(policy, READ, used=Limits(2, 0, 0))) == ("DENY", "limits")
    write = action_of("ana", "write_file", path="out/a", text="")
    assert said(judged(policy, write, used=Limits(0, 1, 0))) == ("DENY", "limits")
    buy = action_of("ana", "buy", vendor="acme", micros=400_000)
    assert judged(policy, buy, used=Limits(0, 0, 200_000)).effect == "ALLOW"
    ruling = judged(policy, buy, used=Limits(0, 0, 200_001))
    assert said(ruling) == ("DENY", "limits")
    assert ruling.reason == "600,001 spend_micros would pass the limit of 600,000"


def test_every_scope_that_fits_limits() -> None:
    """Of two scopes that open a call the lower limit counts, and an undeclared one refuses."""
    second = """
units:
  - {id: other, path: skills/a.md, intent: i, scope: project, audience: [ana], kind: skill,
     load_eligible: true, action_scope: {tools: [read_file], paths: [docs/], limits: {calls: 1}}}
"""
    policy = policy_of(READER + second)
    assert judged(policy, READ).effect == "ALLOW"
    assert said(judged(policy, READ, used=Limits(1, 0, 0))) == ("DENY", "limits")
    undeclared = policy_of(READER + second.replace("calls: 1", ""))
    assert said(judged(undeclared, READ)) == ("DENY", "limits")


def test_scope_that_is_held_grants_nothing_beside_one_that_does() -> None:
    """What the held one alone would open stays closed."""
    held = """
units:
  - {id: other, path: skills/a.md, intent: i, scope: project, audience: [ana], kind: skill,
     action_scope: {tools: [read_file], paths: [more/], limits: {calls: 9}}}
"""
    assert not may_read(policy_of(READER + held), "more/a")
    eligible = held.replace("kind: skill", "kind: skill, load_eligible: true")
    assert may_read(policy_of(READER + eligible), "more/a")


def test_amount_without_a_payee_is_refused() -> None:
    """Money cannot go to nobody: a call that was put together without its vendor is no sound call."""
    action = Action("ana", "buy", (Target("spend", "5"),), "0" * 64)
    assert said(judged(policy_of(FULL), action)) == ("DENY", "well-formed")


def test_targets_must_be_those_of_the_tool() -> None:
    """None missing, none besides: a read tool cannot carry a write, nor a path be left out."""
    policy = policy_of(FULL)
    for targets in ((), (Target("write", "out/a"),), (Target("read", "docs/a"),) * 2,
                    (Target("read", "docs/a"), Target("host", "api.example.org"))):  # fmt: skip
        assert said(judged(policy, replace(READ, targets=targets))) == ("DENY", "well-formed")


def test_error_inside_is_a_denial() -> None:
    """Whatever goes wrong while judging, nothing is allowed by it."""
    ruling = check_conformance(None, READ, ceilings=COMMIT)  # type: ignore[arg-type]
    assert said(ruling) == ("DENY", "error")
    broken = Policy({"a": 5}, agents=frozenset({"ana"}))  # type: ignore[dict-item]
    assert judged(broken, READ).effect == "DENY"
