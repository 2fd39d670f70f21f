"""An action's digest, and who has which scopes."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from daemon.knowledge.action import Action, ActionScope, Policy, Target, digest

_ACTION = Action("ana", "write_file", (Target("write", "out/a.md"),), "0" * 64)


def test_digest_binds_actor_tool_targets_and_arguments() -> None:
    """A change of any of the four after the check is another action."""
    others = [
        replace(_ACTION, actor="bea"),
        replace(_ACTION, tool="copy"),
        replace(_ACTION, targets=()),
        replace(_ACTION, targets=(Target("read", "out/a.md"),)),
        replace(_ACTION, targets=(Target("write", "out/b.md"),)),
        replace(_ACTION, args_sha256="1" * 64),
    ]
    digests = {digest(action) for action in [_ACTION, *others]}
    assert len(digests) == 7
    assert digest(replace(_ACTION)) == digest(_ACTION)


@given(st.lists(st.text(max_size=4), min_size=4, max_size=4), st.data())
def test_digest_cannot_be_met_by_moving_letters(parts: list[str], data: st.DataObject) -> None:
    """No letter of one part can be counted as one of the next: parts are told apart."""
    cut = data.draw(st.permutations(parts))
    actor, tool, path, args = parts
    one = Action(actor, tool, (Target("read", path),), args)
    two = Action(cut[0], cut[1], (Target("read", cut[2]),), cut[3])
    assert (digest(one) == digest(two)) is (one == two)


def test_role_agent_stands_for_the_files_in_agents_only() -> None:
    """A part of the daemon or a stranger does not get what every agent may do."""
    everybody = ActionScope("all", frozenset({"agent"}))
    own = ActionScope("own", frozenset({"ana", "sprint"}))
    policy = Policy({"all": everybody, "own": own}, agents=frozenset({"ana", "bea"}))
    assert policy.scopes_of("ana") == (everybody, own)
    assert policy.scopes_of("bea") == (everybody,)
    assert policy.scopes_of("sprint") == (own,)
    assert policy.scopes_of("stranger") == ()
    assert policy.scopes_of("agent") == ()
