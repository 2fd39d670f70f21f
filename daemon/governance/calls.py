"""One call to a model on its way, and who may have a say in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from daemon.errors import OutcomeUnknown, ProviderError
from daemon.governance.budget import Caller, Refusal
from daemon.llm.provider import Completion, Prompt

Gate = Callable[[], Refusal | None]
LeaveAlone = Callable[[datetime, str], None]


@dataclass
class PaidCall:
    """One key's way through its tries. `may_be_billed`: some try ended, or may yet, with a bill."""

    key: str
    prompt: Prompt
    caller: Caller
    started: bool = False
    may_be_billed: bool = False
    last_error: ProviderError | None = None


Try = Callable[[], Completion | Refusal]
# A call, the provider's name, the most that the try can cost in micro-dollars, and the try itself.
Act = Callable[[PaidCall, str, int, Try], Completion | Refusal]


def open_gate() -> Refusal | None:
    """Refuses nothing."""
    return None


def tell_nobody(*_told: object) -> None:
    """Keeps what it is told to itself."""


def at_once(
    _call: PaidCall, _provider: str, _worst_case_micros: int, do: Try
) -> Completion | Refusal:
    """Does the try and asks nobody."""
    return do()


def unknown_and_refused(call: PaidCall, refusal: Refusal) -> OutcomeUnknown:
    """An earlier try may be on a bill, and there is no further one."""
    return OutcomeUnknown(f"{call.last_error}; not asked again: {refusal.message}")
