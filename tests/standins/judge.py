"""A stand-in model that plans, writes one report and judges it as it is told to."""

from __future__ import annotations

import json
from collections import deque
from dataclasses import dataclass, field
from typing import Any

from tests.standins.researcher import write_plan

REPORT = """\
Demand for berths in Arenal grows faster than the harbour, so the venture should offer advance payment
before it offers more places.

## What the year shows

The number of boats rose to 4,388 in 2025, which is 268 above the year before [harbour.boats].
Most owners are ready for a change: of 200 who were asked, 131 would pay for a berth in advance
[harbour.boats]. The only other harbour nearby has no more than 90 berths for boats, so few of them could
go elsewhere [harbour.boats].

## What speaks against it

Storms closed the place on 17 days in 2025, nearly twice as often as in 2024 [harbour.boats]. An owner who
has paid in advance will ask for the money back on such days, and nobody has decided who bears that.

## Not verified

- How many of the owners who said yes would really pay?
"""
SOUND = {"problems": [], "reason": "every statement is in the notes", "decision": "sound",
         "confidence": 0.95}  # fmt: skip


@dataclass
class JudgedModel:
    """`answers` are given to the judge's requests in order, then always the last one.

    `asked` has the judge's requests, `written` how often the report was asked for.
    """

    answers: list[Any] = field(default_factory=lambda: [SOUND])
    report: str = REPORT
    asked: list[dict[str, Any]] = field(default_factory=list)
    written: int = 0

    def __post_init__(self) -> None:
        self._left = deque(self.answers)

    def __call__(self, request: dict[str, Any]) -> str:
        user = request["messages"][0]["content"]
        if is_for_judge(request):
            self.asked.append(request)
            answer = self._left.popleft() if len(self._left) > 1 else self._left[0]
            return answer if isinstance(answer, str) else json.dumps(answer)
        if "output_config" in request:
            return write_plan(user)
        self.written += 1
        return self.report


def is_for_judge(request: dict[str, Any]) -> bool:
    return "# The text to check" in str(request["messages"][0]["content"])


def unsound(quote: str, kind: str = "contradicted", confidence: float = 0.9) -> dict[str, Any]:
    problem = {"kind": kind, "quote": quote, "reason": "The notes say otherwise."}
    return {"problems": [problem], "reason": "one fault", "decision": "unsound",
            "confidence": confidence}  # fmt: skip
