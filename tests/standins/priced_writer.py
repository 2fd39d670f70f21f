"""The offline writer with a price: outputs that are accepted, and money that is spent."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from daemon.llm.extractive import ExtractiveProvider
from daemon.llm.provider import OFFLINE_MODEL, Completion, Prompt, Usage

# The same for every call, whatever is written: a day's money is a number of calls. 900 micro-dollars.
USAGE = Usage(input_tokens=7_000, output_tokens=400)
_PRICES = f"""
[[price]]
models = ["{OFFLINE_MODEL}"]
effective_from = 2000-01-01
input = "0.10"
output = "0.50"
cache_write_5m = 0
cache_write_1h = 0
cache_read = 0
source = "made up for a test"
"""


class PricedWriter(ExtractiveProvider):
    """Counts its calls; `error` is raised in place of an answer where it is set.

    Its workspace must say what it costs: `price_the_writer`.
    """

    def __init__(self) -> None:
        super().__init__()
        self.calls = 0
        self.error: Exception | None = None

    def bound_input_tokens(self, prompt: Prompt) -> int:
        return USAGE.input_tokens

    def send(self, prompt: Prompt) -> Completion:
        self.calls += 1
        if self.error:
            raise self.error
        return replace(super().send(prompt), usage=USAGE)


def price_the_writer(root: Path) -> Path:
    """The workspace, with a price for what is free elsewhere."""
    (root / "prices.toml").write_text(_PRICES)
    return root
