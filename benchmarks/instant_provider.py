"""A provider that answers at once, and a stopwatch around what it took."""

from __future__ import annotations

import time

from daemon.config.sections import Tier
from daemon.llm.provider import Completion, Prompt, Usage

_MODEL = "extractive-1"  # has a price, which is nothing


class InstantProvider:
    """Writes a report of the first statement of each note; `seconds` is the time spent in here."""

    name = "extractive"
    writes_json = False
    uses_tools = False

    def __init__(self) -> None:
        self.seconds = 0.0

    def model_for(self, tier: Tier) -> str:
        del tier
        return _MODEL

    def bound_input_tokens(self, prompt: Prompt) -> int:
        return len(prompt.user)

    def send(self, prompt: Prompt) -> Completion:
        start = time.perf_counter()
        text = _report(prompt)
        usage = Usage(len(prompt.user) // 4, len(text) // 4)
        reply = Completion(text, _MODEL, usage, "end_turn")
        self.seconds += time.perf_counter() - start
        return reply

    def describe(self) -> str:
        return "answers at once"

    def close(self) -> None:
        pass


def _report(prompt: Prompt) -> str:
    statements = [f"- {source.text.splitlines()[2]} [{source.id}]" for source in prompt.sources]
    lines = [
        "## Answer",
        f"On the question whether and at what price this is offered, {len(statements)} notes speak:",
        "### What the evidence says",
        *statements,
        "### Conclusion",
        "Taken together these prices are enough to decide on the next step of the venture.",
        "### Not verified",
        "- Whether the price lists still hold today.",
    ]
    return "\n".join(lines)
