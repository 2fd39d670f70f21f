"""A provider for tests: it answers from a script, counts, and writes down each request."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from daemon.config.sections import Tier
from daemon.llm.provider import Completion, Prompt, Usage

Step = Completion | BaseException | Callable[[Prompt], Completion]
MODEL = "claude-haiku-4-5"


def reply(
    text: str = "A finding.",
    *,
    model: str = MODEL,
    usage: Usage | None = None,
    request_id: str | None = "req_1",
) -> Completion:
    """A reply; without a usage it costs 0.40 USD at the price of MODEL."""
    return Completion(text, model, usage or Usage(0, 60_000, 80_000), "end_turn", request_id)


def prompt(user: str = "What is known?", *, model: str = MODEL, output: int = 60_000) -> Prompt:
    """A request whose worst case at the price of MODEL is 0.40 USD with the bound below."""
    return Prompt(model=model, system="You answer.", user=user, max_output_tokens=output)


class PaidProvider:
    """Gives the steps of `script` in turn, and after the last one `reply()` for ever.

    `sends_file` gets one line for every request, before it is answered, so that what really went
    out is known also after the process was killed.
    """

    name = "paid"
    writes_json = True

    def __init__(
        self,
        script: Sequence[Step] = (),
        *,
        input_bound: int = 80_000,
        sends_file: Path | None = None,
    ) -> None:
        self._script = list(script)
        self._input_bound = input_bound
        self._sends_file = sends_file
        self._lock = threading.Lock()
        self.sent: list[Prompt] = []
        self.closed = False

    def model_for(self, tier: Tier) -> str:
        return MODEL

    def bound_input_tokens(self, prompt: Prompt) -> int:
        return self._input_bound

    def send(self, prompt: Prompt) -> Completion:
        with self._lock:
            self.sent.append(prompt)
            step = self._script.pop(0) if self._script else reply()
        self._write_down(prompt)
        if isinstance(step, BaseException):
            raise step
        return step if isinstance(step, Completion) else step(prompt)

    def describe(self) -> str:
        return "a provider for tests; goes nowhere"

    def close(self) -> None:
        self.closed = True

    def _write_down(self, prompt: Prompt) -> None:
        if self._sends_file:
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
            line = os.open(self._sends_file, flags, 0o600)
            os.write(line, f"{prompt.user}\n".encode())
            os.close(line)
