"""The ledger keeps some refusals of each person, and the number of all the others."""

from __future__ import annotations

from daemon.governance.refusal_limit import (
    MOST_OF_ALL,
    MOST_OF_ONE,
    MOST_TOLD,
    OTHERS,
    WINDOW_SECONDS,
    HeldBack,
    RefusalLimit,
)


def test_one_person_has_five_entries_an_hour_and_one_that_says_how_many_more() -> None:
    """Told when the hour is over, until it is in the ledger; then another hour begins."""
    limit = RefusalLimit()
    assert [limit.admits("U1", 10.0 + n) for n in range(9)] == [True] * MOST_OF_ONE + [False] * 4
    assert limit.admits("U2", 20.0)
    assert limit.due(WINDOW_SECONDS) == ()
    for _ in range(2):
        assert limit.due(10.0 + WINDOW_SECONDS) == (HeldBack("U1", 4),)
    limit.told()
    assert limit.due(9 * WINDOW_SECONDS) == ()
    assert limit.admits("U1", 9 * WINDOW_SECONDS)


def test_a_crowd_has_a_bounded_number_of_entries_and_none_of_them_is_uncounted() -> None:
    """5,000 people press once each, and one of them a thousand times more."""
    limit = RefusalLimit()
    entries = sum(limit.admits(f"U{n}", 0.0) for n in range(5_000))
    entries += sum(limit.admits("U7", 0.0) for n in range(1_000))
    due = limit.due(0.0, at_end=True)
    assert entries == MOST_OF_ALL
    assert len(due) == MOST_TOLD + 1
    assert sum(one.count for one in due) + entries == 6_000
    assert due[-1].who == OTHERS


def test_an_hour_without_anything_held_back_ends_in_silence() -> None:
    """And the next refusal begins a whole one."""
    limit = RefusalLimit()
    assert limit.admits("U1", 0.0)
    assert limit.due(WINDOW_SECONDS) == ()
    assert all(limit.admits("U1", WINDOW_SECONDS) for _ in range(MOST_OF_ONE))
