"""All stored outputs judged again under other rules: what a change of settings would have done.

Reads the store and changes nothing. Each output meets the task, the notes and the earlier outputs
that it met then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from daemon.quality.rules import QualityRules
from daemon.quality.verdict import Defect, Verdict, with_defect
from daemon.sprint.judging import judge_answer
from daemon.store import attempts
from daemon.store.attempts import AttemptRow
from daemon.store.database import Database

Flip = Literal["", "rejects", "accepts"]

_EARLIER = 10


@dataclass(frozen=True)
class Rejudged:
    """One stored output: how it stands in the store, and the verdict that it would get now.

    `flip` is empty where nothing would change, `rejects` where an accepted output would be rejected,
    and `accepts` where a rejected one would be accepted.
    """

    row: AttemptRow
    verdict: Verdict

    @property
    def flip(self) -> Flip:
        if self.verdict.accepted == (self.row.state == "accepted"):
            return ""
        return "accepts" if self.verdict.accepted else "rejects"

    @property
    def marks_change(self) -> bool:
        """Accepted then and now, but with other checks that mark it."""
        before = {str(one["check"]) for one in (self.row.verdict or {}).get("defects", ())}
        now = {one.check for one in self.verdict.defects}
        return not self.flip and self.verdict.accepted and before != now

    @property
    def reasons_then(self) -> tuple[str, ...]:
        """Why the store says that it was rejected; empty where it was accepted."""
        if self.row.state == "accepted":
            return ()
        defects = (self.row.verdict or {}).get("defects", ())
        return tuple(str(one["message"]) for one in defects if one["rejects"])

    @property
    def reasons_now(self) -> tuple[Defect, ...]:
        """The defects that would reject it; empty where it would be accepted."""
        if self.verdict.accepted:
            return ()
        return tuple(defect for defect in self.verdict.defects if defect.rejects)


def rejudge(
    db: Database,
    rules: QualityRules,
    *,
    max_rejections: int,
    since: datetime | None = None,
    limit: int | None = None,
    told: Callable[[int, int], None] = lambda _done, _all: None,
    only: Callable[[AttemptRow], bool] = lambda _row: True,
) -> Iterator[Rejudged]:
    """Every judged output again, the oldest first, one at a time in memory.

    `since` (inclusive) narrows to attempts begun from then on, `limit` to the newest so many of
    them; None does not narrow. `max_rejections` is after how many an item is blocked, which
    says which rejected outputs were held against a new one. `told` is given how many are done
    and how many there are; `only` chooses. Raises StoreError.
    """
    ids = attempts.judged_ids(db, since=since, limit=limit)
    for done, attempt_id in enumerate(ids, 1):
        told(done, len(ids))
        row = attempts.find_attempt(db, attempt_id)
        if row is None or row.output is None or not only(row):
            continue
        verdict = judge_answer(
            db,
            row,
            text=row.output,
            stop_reason=row.stop_reason or "end_turn",
            model=row.model or "",
            rules=rules,
            earlier=earlier_then(db, row, max_rejections),
        )
        yield Rejudged(row, _with_judges_word(verdict, row))


def earlier_then(db: Database, row: AttemptRow, max_rejections: int) -> tuple[str, ...]:
    """What an output might not repeat when it came, the newest first.

    All accepted ones of its item, and the rejected ones of its own round: a round ends where the
    item was done or blocked, because only a person starts the next one.
    """
    accepted: list[int] = []
    rejected: list[int] = []
    for attempt_id, state in attempts.judged_before(db, row.item, row.id):
        if state == "accepted":
            accepted.append(attempt_id)
            rejected = []
            continue
        if len(rejected) >= max_rejections:
            rejected = []
        rejected.append(attempt_id)
    if len(rejected) >= max_rejections:
        rejected = []
    newest_first = sorted([*accepted, *rejected], reverse=True)[:_EARLIER]
    rows = (attempts.find_attempt(db, attempt_id) for attempt_id in newest_first)
    return tuple(one.output for one in rows if one is not None and one.output is not None)


def _with_judges_word(verdict: Verdict, row: AttemptRow) -> Verdict:
    """A judge is not asked again: what it said against the output then still counts."""
    for one in (row.verdict or {}).get("defects", ()):
        if one["rejects"] and str(one["check"]).startswith("judge."):
            verdict = with_defect(verdict, Defect(one["check"], one["message"], rejects=True))
    return verdict
