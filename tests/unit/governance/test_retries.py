from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from daemon.clock import ManualClock
from daemon.errors import OutcomeUnknown, ProviderBusy
from daemon.governance.retries import NotAgain, RetryRule, StoppedWaiting, with_time_told

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


def rule(
    clock: ManualClock, jitter: float = 0.0, stop: threading.Event | None = None, tries: int = 10
) -> RetryRule:
    return RetryRule(
        clock, tries, 300, stop or threading.Event(), lambda: jitter, lambda _seconds: None
    )


def failing(*errors: BaseException) -> Callable[[], str]:
    left = list(errors)

    def act() -> str:
        if left:
            raise left.pop(0)
        return "done"

    return act


def test_the_wait_doubles_up_to_a_minute() -> None:
    """1, 2, 4 ... 30 seconds where the jitter gives nothing; twice as much at its most."""
    for jitter, waits in ((0.0, [1, 2, 4, 8, 16, 30, 30]), (1.0, [2, 4, 8, 16, 32, 60, 60])):
        clock = ManualClock(NOON)
        assert rule(clock, jitter).tries()(failing(*[ProviderBusy("busy")] * 7)) == "done"
        assert clock.slept == waits


@pytest.mark.parametrize("asked", [float("nan"), -5.0, 0.0, None])
def test_a_wait_that_makes_no_sense_is_not_taken(asked: float | None) -> None:
    """The own back-off stands in for it."""
    clock = ManualClock(NOON)
    rule(clock).tries()(failing(ProviderBusy("busy", retry_after_seconds=asked)))
    assert clock.slept == [1.0]


@pytest.mark.parametrize("asked", [901.0, float("inf")])
def test_nobody_waits_longer_than_a_quarter_of_an_hour(asked: float) -> None:
    """The error is given back at once."""
    clock = ManualClock(NOON)
    with pytest.raises(ProviderBusy):
        rule(clock).tries()(failing(ProviderBusy("busy", retry_after_seconds=asked)))
    assert clock.slept == []


def test_a_wait_of_a_quarter_of_an_hour_is_kept() -> None:
    """Never shorter than the service asked; the jitter only adds."""
    clock = ManualClock(NOON)
    rule(clock, 0.5).tries()(failing(ProviderBusy("busy", retry_after_seconds=900.0)))
    assert clock.slept == [900.5]


def test_a_stop_ends_the_wait_without_another_try() -> None:
    """Not even one that would have succeeded."""
    stop = threading.Event()
    stop.set()
    with pytest.raises(StoppedWaiting):
        rule(ManualClock(NOON), stop=stop).tries()(failing(ProviderBusy("busy")))


@pytest.mark.parametrize(
    "errors",
    [
        [OutcomeUnknown("a"), OutcomeUnknown("b")],
        [NotAgain("a")],
        [ValueError("a")],
        [KeyboardInterrupt()],
    ],
    ids=["second unknown", "unexpected", "not ours", "interrupt"],
)
def test_what_would_be_paid_in_vain_is_not_tried_again(errors: list[BaseException]) -> None:
    """The last error of the list is what comes out."""
    with pytest.raises(type(errors[-1])) as caught:
        rule(ManualClock(NOON)).tries()(failing(*errors))
    assert caught.value is errors[-1]


def test_the_number_of_tries_is_a_ceiling() -> None:
    """Three tries: the third error comes out, whatever might have come after it."""
    errors = [ProviderBusy(str(number)) for number in range(5)]
    with pytest.raises(ProviderBusy, match="2"):
        rule(ManualClock(NOON), tries=3).tries()(failing(*errors))


@pytest.mark.parametrize("asked", [None, 30.0])
def test_only_a_long_wait_is_told(asked: float | None) -> None:
    """A short one was waited for."""
    error = ProviderBusy("busy", retry_after_seconds=asked)
    assert with_time_told(error, NOON) is error


def test_a_wait_without_end_is_told_all_the_same() -> None:
    """An absurd number is not a crash."""
    error = ProviderBusy("busy", retry_after_seconds=float("inf"))
    assert "until 2027-11-30 12:00 UTC" in str(with_time_told(error, NOON))
