"""Notices when the machine's clock is set back, which no clock says by itself."""

from __future__ import annotations

from datetime import timedelta

from daemon.clock import Clock

_TOLERANCE = timedelta(seconds=2)  # a clock that is only being trimmed


class ClockWatch:
    """Compares the clock that people set with the one that only runs forward."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._ahead = self._how_far_ahead()

    def look(self) -> timedelta | None:
        """How far the clock was set back since the last look; None where it was not."""
        before, self._ahead = self._ahead, self._how_far_ahead()
        lost = before - self._ahead
        return lost if lost > _TOLERANCE else None

    def _how_far_ahead(self) -> timedelta:
        moment = self._clock.now()
        return (
            moment
            - moment.min.replace(tzinfo=moment.tzinfo)
            - timedelta(seconds=self._clock.monotonic())
        )
