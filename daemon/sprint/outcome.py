"""How assignments and sprints end, and which end follows from which."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from daemon.config.phrases import Phrases
from daemon.errors import SprintdError, WorkspaceInvalid
from daemon.governance.budget import Refusal, usd_text
from daemon.governance.known_causes import Trouble, classify, message_of
from daemon.store.sprints import SprintState

Ending = Literal["accepted", "rejected", "refused", "failed"]


@dataclass(frozen=True)
class AssignmentEnd:
    """How an assignment ended; `reason` is one sentence, empty for an accepted one.

    `error` is what a failed one met; it is on record already.
    """

    item: str
    ending: Ending
    reason: str = ""
    error: SprintdError | None = None
    refusal: Refusal | None = None


@dataclass(frozen=True)
class SprintEnd:
    """How a sprint ended; `ends` has one entry an assignment that was begun.

    `trouble` is what ended the sprint as a whole and is not on record yet, or None.
    """

    sprint_id: int
    state: SprintState
    reason: str
    ends: tuple[AssignmentEnd, ...] = ()
    trouble: Trouble | None = None

    @property
    def met_outage(self) -> bool:
        """Whether it was held up by something of the service's side that passes by itself."""
        met = [end.error for end in self.ends] + [self.trouble]
        causes = [classify(error) for error in met if error is not None]
        return self.state == "interrupted" and any(cause.passes for cause in causes)


def end_by_trouble(
    sprint_id: int,
    trouble: Trouble,
    phrases: Phrases,
    ends: Sequence[AssignmentEnd] = (),
) -> SprintEnd:
    """The end by an error or a refusal: `failed` only where its cause is one that counts.

    The cap pauses; a service that takes no calls now, a halt, files with faults, notes that cannot
    be read, a missing price, and a disk or database that cannot be written hold the work up until
    they are mended, which no repetition of the sprint can do.
    """
    ends = tuple(ends)
    if isinstance(trouble, Refusal) and trouble.reason in ("cap", "gate"):
        paused: SprintState = "paused_budget" if trouble.reason == "cap" else "interrupted"
        return SprintEnd(sprint_id, paused, _in_words(trouble, phrases), ends)
    state: SprintState = "failed" if classify(trouble).counts else "interrupted"
    if isinstance(trouble, WorkspaceInvalid):
        reason = phrases.text("sprint.faults", fault=trouble.faults[0])
    else:
        reason = message_of(trouble)
    return SprintEnd(sprint_id, state, reason, ends, trouble)


def end_by_work(sprint_id: int, ends: Sequence[AssignmentEnd], phrases: Phrases) -> SprintEnd:
    """The end from the assignments' ends.

    Refused by the cap: paused, whatever else went well. One accepted output makes a completed
    sprint; none at all makes a failed one, unless nothing but causes that do not count stood in the way.
    """
    refusals = [end.refusal for end in ends if end.refusal]
    if refusals:
        return end_by_trouble(sprint_id, refusals[0], phrases, ends)
    if not ends:
        return SprintEnd(sprint_id, "interrupted", phrases.text("sprint.asked_to_stop"))
    counted = Counter(end.ending for end in ends)
    summary = ", ".join(
        phrases.text(f"sprint.ending_{ending}", number=number)
        for ending, number in sorted(counted.items())
    )
    if counted["accepted"]:
        return SprintEnd(sprint_id, "completed", summary, tuple(ends))
    last = ends[-1]
    reason = phrases.text("sprint.and_last", summary=summary, item=last.item, reason=last.reason)
    held = all(end.error is not None and not classify(end.error).counts for end in ends)
    return SprintEnd(sprint_id, "interrupted" if held else "failed", reason, tuple(ends))


def _in_words(refusal: Refusal, phrases: Phrases) -> str:
    """The cap's refusal in the workspace's language; what the gate says stands as it is."""
    if refusal.reason != "cap" or refusal.day_ends_at is None:
        return refusal.message
    figures = {
        "cap": refusal.cap_micros,
        "spent": refusal.spent_micros,
        "reserved": refusal.reserved_micros,
        "asked": refusal.asked_micros,
    }
    texts = {name: usd_text(micros or 0) for name, micros in figures.items()}
    ends_at = refusal.day_ends_at
    day, time = f"{ends_at:%Y-%m-%d}", f"{ends_at:%H:%M}"
    return phrases.text("sprint.over_cap", **texts, day=day, time=time)
