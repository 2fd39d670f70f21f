"""The steps of a sprint: what each came to is kept before the next one begins."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from daemon.sprint.parts import SprintParts
from daemon.store.steps import find_step, save_step

T = TypeVar("T")


class Steps:
    """The steps of one sprint, by name.

    What a step does may happen again after a crash between its end and the keeping of its result, so
    its writes are keyed and repeating it is harmless. After each step `parts.at` is told its name.
    """

    def __init__(self, parts: SprintParts, sprint_id: int) -> None:
        self.sprint_id = sprint_id
        self._parts = parts

    def step(self, name: str, do: Callable[[], Any]) -> Any:
        """What `do` gives, or gave when this step was done before; it is kept as JSON."""
        done = find_step(self._parts.db, self.sprint_id, name)
        return done.result if done else self.passed(name, do, lambda result: result)

    def passed(self, name: str, do: Callable[[], T], told: Callable[[T], Any]) -> T:
        """What `do` gives; kept is only what `told` says of it, which is how far the sprint came.

        For a sprint that is not gone on with after a crash: its items go back instead.
        """
        result = do()
        now = self._parts.clock.now()
        save_step(self._parts.db, self.sprint_id, name, told(result), now)
        self._parts.at(name)
        return result
