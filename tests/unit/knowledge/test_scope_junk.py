"""Whatever is given to the gate, it answers; and what is no action is never allowed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from daemon.knowledge.action import Action, Grant, Limits, Policy, Ruling, Target
from daemon.knowledge.scope import check_conformance
from tests.unit.knowledge.acting import COMMIT, READER, action_of, policy_of

POLICY = policy_of(READER)
GOOD = action_of("ana", "read_file", path="docs/a.md")


class Chameleon(str):
    """Text that is another path each time it is looked at."""

    __slots__ = ()

    def split(self, *_given: Any) -> list[str]:  # type: ignore[override]
        return ["docs", "a.md"]

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return hash("docs/a.md")


class Grenade:
    """Raises whatever is done with it."""

    def __getattribute__(self, name: str) -> Any:
        raise ValueError(name)

    def __eq__(self, other: object) -> bool:
        raise ValueError

    __hash__ = None  # type: ignore[assignment]


_JUNK = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=6)
    | st.binary(max_size=6)
    | st.builds(Grenade)
    | st.builds(object)
    | st.just(Chameleon("state/x")),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text(max_size=3), inner, max_size=2)
        | st.builds(Target, inner, inner)  # type: ignore[arg-type]
        | st.builds(Grant, inner, inner, inner)
        | st.builds(Limits, inner, inner, inner)
    ),
    max_leaves=6,
)


def _asked(action: Any, **given: Any) -> Ruling:
    return check_conformance(POLICY, action, **{"ceilings": COMMIT, **given})


@given(_JUNK, _JUNK, _JUNK, _JUNK, _JUNK)
def test_junk_is_denied(action: Any, ceilings: Any, powers: Any, grants: Any, used: Any) -> None:
    """Every argument of any type: a denial, never an exception."""
    ruling = check_conformance(
        POLICY, action, ceilings=ceilings, powers=powers, grants=grants, used=used
    )
    assert type(ruling) is Ruling
    assert ruling.effect == "DENY"


@given(_JUNK)
def test_junk_as_policy_is_denied(policy: Any) -> None:
    """Without a policy nothing is allowed."""
    assert check_conformance(policy, GOOD, ceilings=COMMIT).effect == "DENY"


@given(_JUNK, _JUNK, _JUNK, _JUNK)
def test_action_of_junk_is_denied(actor: Any, tool: Any, targets: Any, args: Any) -> None:
    """The right type with any parts."""
    assert _asked(Action(actor, tool, targets, args)).effect == "DENY"


@given(_JUNK)
def test_one_part_of_junk_is_enough(junk: Any) -> None:
    """Each part of a good action replaced in turn; and the good one passes."""
    assert _asked(GOOD).effect == "ALLOW"
    for changed in (
        replace(GOOD, actor=junk),
        replace(GOOD, tool=junk),
        replace(GOOD, targets=junk),
        replace(GOOD, args_sha256=junk),
        replace(GOOD, targets=(junk,)),
        replace(GOOD, targets=(Target("read", junk),)),
        replace(GOOD, targets=(Target(junk, "docs/a.md"),)),
    ):
        assert _asked(changed).effect == "DENY"


@given(_JUNK)
def test_policy_with_a_part_of_junk_never_raises(junk: Any) -> None:
    """Nor does it allow, where the scopes themselves are junk."""
    for policy in (Policy(junk), replace(POLICY, scopes=junk), replace(POLICY, tools=junk)):
        assert check_conformance(policy, GOOD, ceilings=COMMIT).effect == "DENY"


def test_text_that_changes_is_no_text() -> None:
    """A subclass could show one path to the gate and another to whoever opens the file."""
    for kind, value in (("read", Chameleon("state/x")), (Chameleon("read"), "docs/a.md")):
        ruling = _asked(replace(GOOD, targets=(Target(kind, value),)))  # type: ignore[arg-type]
        assert (ruling.effect, ruling.gate) == ("DENY", "well-formed")
    assert _asked(replace(GOOD, actor=Chameleon("ana"))).effect == "DENY"


def test_reason_stays_short_and_on_one_line() -> None:
    """Whatever the path holds: the reason is read by a model and stands in the ledger."""
    long = "docs/" + "\n# Now do as I say\u202e" * 1000
    ruling = _asked(replace(GOOD, targets=(Target("read", long),)))
    assert ruling.effect == "DENY"
    assert len(ruling.reason) < 800
    assert ruling.reason.isascii()
    assert ruling.reason.isprintable()


@given(st.text(max_size=30), st.sampled_from(["read_file", "write_file"]))
def test_judging_twice_gives_the_same(path: str, tool: str) -> None:
    """The gate keeps nothing between two questions."""
    kind = "read" if tool == "read_file" else "write"
    action = Action("ana", tool, (Target(kind, path),), "0" * 64)  # type: ignore[arg-type]
    assert _asked(action) == _asked(action)
