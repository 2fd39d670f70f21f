"""A clock that is set back is noticed; one that runs, is set forward or is trimmed is not."""

from __future__ import annotations

from datetime import timedelta

import pytest

from daemon.clock import ManualClock
from daemon.scheduling.clock_watch import ClockWatch
from tests.workspaces import NOON


@pytest.mark.parametrize("hours", [1, 48, 24 * 365 * 10])
def test_a_clock_that_is_set_back_is_noticed_once(hours: int) -> None:
    """With how far; the time that passed meanwhile does not hide it."""
    clock = ManualClock(NOON)
    watch = ClockWatch(clock)
    clock.advance(timedelta(seconds=15))
    assert watch.look() is None
    clock.advance(timedelta(hours=-hours))
    clock.advance(timedelta(seconds=15))
    assert watch.look() == timedelta(hours=hours)
    assert watch.look() is None


@pytest.mark.parametrize("seconds", [0, 15, 86_400 * 400, -1, -2])
def test_time_that_passes_and_small_corrections_are_nothing(seconds: int) -> None:
    """A clock is trimmed by parts of a second all the time."""
    clock = ManualClock(NOON)
    watch = ClockWatch(clock)
    clock.advance(timedelta(seconds=seconds))
    assert watch.look() is None
