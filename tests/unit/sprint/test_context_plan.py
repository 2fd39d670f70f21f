"""The context plan as an attempt's row keeps it: small, whatever the size of the map."""

from __future__ import annotations

from datetime import date

from daemon.sprint.context_plan import (
    ContextPlan,
    SkippedUnit,
    context_plan_as_json,
    context_plan_for_store,
)


def plan_that_skips(*skipped: SkippedUnit) -> ContextPlan:
    return ContextPlan((), skipped, 0, 12_000, "0" * 64, date(2026, 11, 30))


def skips(number: int, reason: str) -> list[SkippedUnit]:
    return [SkippedUnit(f"{reason}-{n}", f"memory/{n}.md", reason) for n in range(number)]


def test_up_to_two_hundred_skipped_units_are_all_named() -> None:
    """What a person can still read is kept whole."""
    plan = plan_that_skips(*skips(200, "shares no word"))
    assert context_plan_for_store(plan) == context_plan_as_json(plan)


def test_of_a_large_map_every_reason_is_named_and_the_rest_is_counted() -> None:
    """A rare reason does not drown: the first ten of each are named, in order."""
    plan = plan_that_skips(
        *skips(9_000, "shares no word"), *skips(3, "out of date"), *skips(990, "private")
    )
    facts = context_plan_for_store(plan)
    assert len(facts["skipped"]) == 10 + 3 + 10
    assert facts["skipped"][0]["id"] == "shares no word-0"
    assert facts["skipped_more"] == [
        {"reason": "shares no word", "units": 8_990},
        {"reason": "private", "units": 980},
    ]


def test_a_thousand_reasons_do_not_make_a_large_row() -> None:
    """At most two hundred units and twenty-one counts, and nothing is left out of the sum."""
    plan = plan_that_skips(*(unit for n in range(1_000) for unit in skips(2, f"reason {n}")))
    facts = context_plan_for_store(plan)
    assert len(facts["skipped"]) == 200
    assert len(facts["skipped_more"]) == 21
    assert sum(more["units"] for more in facts["skipped_more"]) == 1_800
