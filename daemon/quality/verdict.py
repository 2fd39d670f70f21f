"""What a judgement of one output looks like."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from daemon.quality.claims import Claim

Outcome = Literal["accept", "flag", "reject"]
Profile = Literal["report", "answer", "plan", "template", "code"]


@dataclass(frozen=True)
class Defect:
    """One complaint. `span` is (start, end) in the judged text, or None for the whole of it.

    `check` is the name of the rule (a pattern's id, or a structural rule); `message` is a sentence that
    a person and the next attempt's prompt can use.
    """

    check: str
    message: str
    rejects: bool
    span: tuple[int, int] | None = None


@dataclass(frozen=True)
class ScorePart:
    """One addend of the content score, in hundredths (may be negative), and why."""

    name: str
    hundredths: int
    reason: str


@dataclass(frozen=True)
class Verdict:
    """The whole result. `score` is 0..1; `cleaned_text` is the output without stripped chatter.

    `threshold` is the score below which the text is rejected; None where the profile only shows it.
    `stripped` holds what was cut, in order, so that nothing is lost. `claims` is what was looked up in
    the notes, in the order of the text; empty where no notes were given. `judged` is what a model
    that was asked to judge it said, in one line; empty where none was asked.
    """

    outcome: Outcome
    score_hundredths: int
    parts: tuple[ScorePart, ...]
    defects: tuple[Defect, ...]
    cleaned_text: str
    stripped: tuple[str, ...] = ()
    threshold_hundredths: int | None = 40
    claims: tuple[Claim, ...] = ()
    judged: str = ""

    @property
    def accepted(self) -> bool:
        return self.outcome != "reject"

    @property
    def score(self) -> float:
        return self.score_hundredths / 100

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why it was rejected, as sentences; empty where it was accepted."""
        if self.accepted:
            return ()
        return tuple(defect.message for defect in self.defects if defect.rejects)


def with_defect(verdict: Verdict, defect: Defect) -> Verdict:
    """The verdict with one more complaint, which may reject what was accepted."""
    outcome = "reject" if defect.rejects else verdict.outcome
    return replace(verdict, outcome=outcome, defects=(*verdict.defects, defect))


def unjudged(text: str, reason: str) -> Verdict:
    """A text that is rejected without having been looked at."""
    return Verdict("reject", 0, (), (Defect("unjudged", reason, rejects=True),), text)


@dataclass(frozen=True)
class TaskBrief:
    """What the output was asked to be: enough for the checks that need the task.

    `profile` comes from the playbook. `language` is the workspace's. `prompt_text` is role and
    task as the agent saw them, without the sources (for the restatement check). `may_quote`: the
    writer works by quoting its sources, so a text that is one of them is marked and not rejected.
    """

    item: str
    question: str
    profile: Profile = "report"
    language: str = "en"
    prompt_text: str = ""
    may_quote: bool = False
