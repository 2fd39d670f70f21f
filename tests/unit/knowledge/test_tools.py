"""Calls of tools become actions, or a refusal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.knowledge.action import LEVELS, Action, Ruling, Target
from daemon.knowledge.tools import TOOLS, build_action
from tests.unit.knowledge import acting

_JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.binary(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)  # fmt: skip


def _refused(tool: str, **arguments: object) -> str:
    ruling = build_action("ana", tool, arguments, acting.TOOLS)
    assert isinstance(ruling, Ruling)
    assert (ruling.effect, ruling.gate) == ("DENY", "well-formed")
    return ruling.reason


def test_targets_are_taken_from_the_arguments() -> None:
    """No caller can leave one out, and what opens nothing is in the digest only."""
    action = acting.action_of("ana", "write_file", path="out/a.md", text="Hello")
    assert action.targets == (Target("write", "out/a.md"),)
    other = acting.action_of("ana", "write_file", path="out/a.md", text="Bye")
    assert action.args_sha256 != other.args_sha256


def test_order_of_arguments_does_not_matter() -> None:
    """The digest is of canonical JSON: sorted keys, one way to write a letter."""
    one = build_action("ana", "write_file", {"path": "out/á.md", "text": "x"}, acting.TOOLS)
    two = build_action("ana", "write_file", {"text": "x", "path": "out/á.md"}, acting.TOOLS)
    assert one == two


def test_unknown_tool_and_unknown_parameter_are_refused_by_name() -> None:
    """The sentence says what there is, so that a model can correct itself."""
    assert "there is no tool 'shell'" in _refused("shell", command="ls")
    assert "read_file has no parameter 'mode'; it has path" in _refused(
        "read_file", path="docs/a", mode="w"
    )


def test_missing_path_is_refused() -> None:
    """A call without its path does not pass as a call that touches none."""
    assert _refused("read_file") == "read_file needs the parameter path"
    assert _refused("read_many", paths=[]) == "paths must be a list with at least one entry"


@pytest.mark.parametrize("value", [None, 1, 1.5, True, ["docs/a"], {"a": "b"}, b"docs/a"])
def test_target_that_is_not_text_is_refused(value: object) -> None:
    """A list is not read as its entries, a number not as text; nothing crashes."""
    assert _refused("read_file", path=value) == "path must be text"


def test_text_is_not_read_as_a_list_of_its_letters() -> None:
    """Where a list of paths is wanted, one path as text is a fault."""
    assert _refused("read_many", paths="docs/a") == "paths must be a list with at least one entry"


def test_amount_may_be_a_whole_number_only() -> None:
    """True is no amount, and neither is a fraction."""
    action = acting.action_of("ana", "buy", vendor="acme", micros=5)
    assert Target("spend", "5") in action.targets
    assert _refused("buy", vendor="acme", micros=True) == "micros must be text"
    assert _refused("buy", vendor="acme", micros=0.5) == "micros must be text"


def test_argument_that_is_no_json_is_refused() -> None:
    """What has no canonical form has no digest: nothing could be held to it later."""
    assert "cannot be read" in _refused("write_file", path="out/a", text=float("nan"))
    assert "cannot be read" in _refused("write_file", path="out/a", text="\ud800")
    assert "cannot be read" in _refused("write_file", path="out/a", text={1, 2})


@given(st.text(max_size=5), _JUNK, _JUNK)
def test_nothing_that_is_given_raises(actor: str, tool: object, arguments: object) -> None:
    """Any tool and any arguments: an action or a refusal."""
    built = build_action(actor, tool, arguments)  # type: ignore[arg-type]
    assert isinstance(built, Ruling)


@given(st.sampled_from(sorted(TOOLS)), st.data())
def test_shipped_tool_takes_or_refuses_any_values(tool: str, data: st.DataObject) -> None:
    """With the right names and any values."""
    arguments = {name: data.draw(_JUNK) for name in TOOLS[tool].parameters}
    built = build_action("ana", tool, arguments)
    assert isinstance(built, (Action, Ruling))


def test_shipped_tools_take_a_known_level() -> None:
    """And each stands under its own name."""
    for name, tool in TOOLS.items():
        assert tool.name == name
        assert tool.level in LEVELS
