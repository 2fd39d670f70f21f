"""Time as the rest of the house sees it."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.clock import Heartbeat, ManualClock, day_of, end_of_day, from_text, to_text, utc_text

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


@given(st.datetimes(min_value=datetime(1970, 1, 1), timezones=st.timezones()))  # noqa: DTZ001
def test_a_moment_survives_being_written(moment: datetime) -> None:
    """What is read back is the same instant, to the microsecond, in UTC."""
    assert from_text(to_text(moment)) == moment.astimezone(UTC)
    assert len(to_text(moment)) == 27


@pytest.mark.parametrize("text", ["", "2026-11-30", "2026-11-30T09:00:00+00:00", "x" * 26 + "Z"])
def test_another_form_is_refused(text: str) -> None:
    """Text that the store never writes is not guessed at."""
    with pytest.raises(ValueError, match=r"not a moment|Invalid isoformat"):
        from_text(text)


def test_a_naive_moment_is_refused() -> None:
    """A moment without its zone would be taken for the machine's local time."""
    with pytest.raises(ValueError, match="zone"):
        to_text(datetime(2026, 1, 1))  # noqa: DTZ001


def test_the_day_is_the_utc_day() -> None:
    """23:30 in New York is already the next day in UTC."""
    evening = datetime(2026, 11, 30, 23, 30, tzinfo=timezone(timedelta(hours=-5)))
    assert day_of(evening).isoformat() == "2026-12-01"
    assert end_of_day(NOON) == datetime(2026, 12, 1, tzinfo=UTC)


def test_silence_beyond_the_limit_is_stale() -> None:
    """Fresh within the limit, stale after it; no beat at all is stale."""
    clock = ManualClock(NOON)
    heartbeat = Heartbeat(clock, stale_after_seconds=60)
    assert not heartbeat.is_fresh()
    heartbeat.beat()
    clock.advance(timedelta(seconds=60))
    assert heartbeat.is_fresh()
    clock.advance(timedelta(seconds=1))
    assert not heartbeat.is_fresh()
    assert heartbeat.age_seconds() == 61


def test_an_announced_wait_is_no_silence() -> None:
    """A call that may last five minutes does not look like death; the next beat ends the leave."""
    clock = ManualClock(NOON)
    heartbeat = Heartbeat(clock, stale_after_seconds=60)
    heartbeat.expect(300)
    clock.advance(timedelta(seconds=350))
    assert heartbeat.is_fresh()
    heartbeat.beat()
    clock.advance(timedelta(seconds=61))
    assert not heartbeat.is_fresh()


def test_a_thread_that_ended_is_stale_at_once() -> None:
    """Nobody waits for the silence to grow where the thread is known to be gone."""
    heartbeat = Heartbeat(ManualClock(NOON), stale_after_seconds=60)
    thread = threading.Thread(target=heartbeat.beat)
    heartbeat.watch(thread)
    thread.start()
    thread.join()
    assert not heartbeat.is_fresh()


def test_a_clock_that_jumps_back_makes_nobody_older() -> None:
    """Ages are measured on a clock that never runs backwards."""
    clock = ManualClock(NOON)
    heartbeat = Heartbeat(clock, stale_after_seconds=60)
    heartbeat.beat()
    clock.advance(timedelta(hours=-3))
    assert heartbeat.age_seconds() == 0
    assert heartbeat.is_fresh()


def test_sleeping_moves_a_manual_clock_and_stops_at_once() -> None:
    """No test waits for real; a stop is seen before the sleep begins."""
    clock, stop = ManualClock(NOON), threading.Event()
    assert not clock.sleep(90, stop)
    assert clock.now() == NOON + timedelta(seconds=90)
    stop.set()
    assert clock.sleep(90, stop)
    assert clock.slept == [90]


def test_a_moment_for_people_says_that_it_is_utc() -> None:
    """To the minute, always with its zone."""
    assert utc_text(datetime(2026, 11, 30, 9, 5, tzinfo=UTC)) == "2026-11-30 09:05 UTC"
