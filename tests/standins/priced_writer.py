"""The offline writer under a model's price: outputs that are accepted, and money that is spent."""

from __future__ import annotations

from daemon.llm.extractive import ExtractiveProvider
from daemon.llm.provider import Completion, Prompt, Usage

MODEL = "claude-haiku-5-5"
# The same for every call, whatever is written: a day's money is a number of calls. 900 micro-dollars.
USAGE = Usage(input_tokens=7_000, output_tokens=400)


class PricedWriter(ExtractiveProvider):
    """Counts its calls; `error` is raised in place of an answer where it is set."""

    def __init__(self) -> None:
        super().__init__()
        self.calls = 0
        self.error: Exception | None = None

    def model_for(self, tier: str) -> str:
        return MODEL

    def bound_input_tokens(self, prompt: Prompt) -> int:
        return USAGE.input_tokens

    def send(self, prompt: Prompt) -> Completion:
        self.calls += 1
        if self.error:
            raise self.error
        written = super().send(prompt)
        return Completion(written.text, MODEL, USAGE, written.stop_reason)
