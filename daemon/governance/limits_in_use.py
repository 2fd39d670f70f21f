"""What each actor did so far in a sprint, or outside of one on the UTC day: what limits are held against."""

from __future__ import annotations

import threading

from daemon.clock import Clock, day_of
from daemon.knowledge.action import NOTHING_USED, Action, Limits

_MOST_COUNTED = 64  # actors of sprints whose use is remembered; older sprints are over


class LimitsInUse:
    """Kept in memory: a sprint does not outlive the process."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._mutex = threading.Lock()
        self._used: dict[tuple[str, str], Limits] = {}

    def used(self, actor: str, sprint: int | None) -> Limits:
        return self._used.get(self._period(actor, sprint), NOTHING_USED)

    def count(self, action: Action, sprint: int | None, times: int = 1) -> None:
        """`times` is -1 for an action that did not happen after all."""
        spent = sum(int(one.value) for one in action.targets if one.kind == "spend")
        writes = sum(one.kind == "write" for one in action.targets)
        if times < 0 and spent:  # the money of a call that failed may be gone
            return
        with self._mutex:
            key = self._period(action.actor, sprint)
            before = self._used.pop(key, NOTHING_USED)
            self._used[key] = Limits(
                max(0, (before.calls or 0) + times),
                max(0, (before.writes or 0) + times * writes),
                (before.spend_micros or 0) + spent,
            )
            while len(self._used) > _MOST_COUNTED:
                del self._used[next(iter(self._used))]

    def _period(self, actor: str, sprint: int | None) -> tuple[str, str]:
        return actor, str(sprint or day_of(self._clock.now()))
