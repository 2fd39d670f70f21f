"""Entries of actions of any length."""

from __future__ import annotations

from daemon.governance.ledger_words import action_facts, as_verdict, recovery_facts
from daemon.knowledge.action import Action, Ruling, Target
from daemon.ledger.entry import LONGEST_LINE, draft_entry, render_entry


def test_whatever_is_asked_for_fits_into_an_entry() -> None:
    """Long texts are cut and keep a digest, so that two of them are told apart."""
    one, two = (
        Action(
            "a" * 10_000, "\ud800" * 10_000, (Target("read", f"{end}" * 90_000),) * 200, "c" * 64
        )
        for end in "xy"
    )
    ruling = Ruling("DENY", "paths", "😀" * 90_000, final=True)
    draft = draft_entry("decision", **action_facts(one), verdict=as_verdict(ruling))
    line = render_entry(draft, log="l", seq=1, ts="t", prev="0" * 64)
    assert len(line) < LONGEST_LINE
    assert action_facts(one)["targets"] != action_facts(two)["targets"]


def test_what_is_short_stands_as_it_is() -> None:
    """Kind and value of each target."""
    facts = action_facts(Action("ana", "read_unit", (Target("read", "memory/a.md"),), "c" * 64))
    assert facts["targets"] == ["read:memory/a.md"]
    assert facts["actor"] == "ana"


def test_a_recovery_says_that_the_outcome_is_unknown() -> None:
    """With the action of the decision; a decision outside of a sprint has none."""
    action = {"tool": "t", "args_sha256": "c" * 64, "targets": ["read:a"]}
    facts = recovery_facts({"action": action, "sprint": -1})
    assert facts["verdict"]["effect"] == "UNKNOWN"
    assert facts["sprint"] is None
    assert facts["tool"] == "t"
