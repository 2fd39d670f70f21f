"""One exchange with a far side, under a total deadline."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Mapping
from typing import Generic, TypeVar

from daemon.errors import SendUncertain

Result = TypeVar("Result")
Busy = Callable[[float], object]


def within(
    seconds: float, exchange: Callable[[], Result], host: str, busy: Busy | None = None
) -> Result:
    """What the exchange returns; what it raises is raised here. `busy` is told how long it may take.

    The time-outs of HTTP libraries hold for each read, so an answer that drips never ends. Raises
    SendUncertain at the deadline (real seconds, as sockets have); the exchange is then left behind
    and ends by its own time-outs, and what it brings is not looked at.
    """
    if busy:
        busy(seconds)
    call = _Call(exchange)
    threading.Thread(target=call.run, name="sprintd-exchange", daemon=True).start()
    if not call.ended.wait(seconds):
        raise SendUncertain(f"{host} gave no whole answer within {seconds:g} s")
    if call.error is not None:
        raise call.error
    return call.results[0]


def told_to_wait(headers: Mapping[str, str]) -> float | None:
    """Seconds that `retry-after` asks for; None where it says nothing that is a number."""
    found = {name.lower(): value for name, value in headers.items()}.get("retry-after", "")
    try:
        seconds = float(found)
    except (TypeError, ValueError):
        return None
    return max(0.0, seconds) if math.isfinite(seconds) else None


class _Call(Generic[Result]):
    def __init__(self, exchange: Callable[[], Result]) -> None:
        self._exchange = exchange
        self.ended = threading.Event()
        self.results: list[Result] = []
        self.error: Exception | None = None

    def run(self) -> None:
        try:
            self.results.append(self._exchange())
        except Exception as error:  # noqa: BLE001 - handed to the thread that waits for it
            self.error = error
        finally:
            self.ended.set()
