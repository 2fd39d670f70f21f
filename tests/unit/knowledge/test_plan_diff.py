"""Two saved plans are compared unit by unit, whatever wrote them."""

from __future__ import annotations

from typing import Any

import pytest

from daemon.knowledge.plan_diff import Decision, compare, decisions_in


def test_what_was_loaded_and_is_not_now_stands_first() -> None:
    """Each change has the reason on either side; what is decided alike is left out."""
    was = {"a": Decision(True, "x"), "b": Decision(False, "y"), "c": Decision(True, "z"),
           "d": Decision(False, "old"), "same": Decision(True, "s")}  # fmt: skip
    now = {"a": Decision(False, "expired"), "b": Decision(True, "score 3"),
           "d": Decision(False, "new"), "e": Decision(True, "w"), "same": Decision(True, "s")}  # fmt: skip
    assert [(change.kind, change.id) for change in compare(was, now)] == [
        ("lost", "a"), ("gained", "b"), ("removed", "c"), ("added", "e"), ("reason", "d")
    ]  # fmt: skip
    assert compare(was, was) == ()


@pytest.mark.parametrize(
    ("facts", "decisions"),
    [
        (
            {"loaded": [{"id": "a", "reason": "x"}], "skipped": [{"id": "b", "reason": "y"}]},
            {"a": Decision(True, "x"), "b": Decision(False, "y")},
        ),
        (
            {"selected": [{"id": "a", "reasons": ["r"], "score": 3, "load_eligible": False}],
             "skipped": [], "beyond": [{"id": "b", "reason": "y"}]},
            {"a": Decision(False, "r (score 3)"), "b": Decision(False, "y")},
        ),
        (
            {"selected": [{"id": "a", "loadEligible": True, "reasons": []}], "skipped": []},
            {"a": Decision(True, "")},
        ),
        (
            {"units": [{"id": "a", "loaded": True, "reason": "x"}]},
            {"a": Decision(True, "x")},
        ),
        (
            {"assignments": [{"item": "T1", "context": {"loaded": [{"id": "a", "reason": "x"}]}}]},
            {"T1: a": Decision(True, "x")},
        ),
        ({"selected": [], "skipped": []}, {}),
    ],
)  # fmt: skip
def test_each_kind_of_saved_plan_is_read(facts: Any, decisions: dict[str, Decision]) -> None:
    """An attempt's, the protocol's, one of kcp-agent's, an answer of the map, a plan ahead."""
    assert decisions_in(facts) == decisions


@pytest.mark.parametrize("facts", [None, [], {}, "x", 3, {"loaded": "x"}, {"units": {}}])
def test_what_is_no_plan_is_refused(facts: Any) -> None:
    """Nothing is compared with a file of another kind."""
    with pytest.raises(ValueError, match="no saved plan"):
        decisions_in(facts)


@pytest.mark.parametrize("facts", [{"units": [None, 3, {}]}, {"loaded": [[]], "skipped": [{}]}])
def test_broken_entries_of_a_plan_raise_nothing(facts: Any) -> None:
    """What is no unit is passed over."""
    assert set(decisions_in(facts)) <= {"None"}
