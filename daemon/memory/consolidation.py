"""One consolidation of the memory: small notes into documents, and nothing lost.

1. Under the lock: finish what an earlier run left; read notes and documents; make a plan.
2. Without the lock: ask, where somebody is to be asked, for an order and headings.
3. Under the lock again: read anew; what was written or changed since waits for the next run. Make the
   plan, and check it from the bytes that it would write. A plan that loses anything is not carried out;
   one that does so only with the arrangement is made without.
4. Write the journal, then do its steps.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from daemon.errors import SprintdError
from daemon.knowledge.archive import ARCHIVE
from daemon.memory import journal
from daemon.memory.documents import Sheet
from daemon.memory.journal import STATE, Changed, Hands
from daemon.memory.lock import memory_lock
from daemon.memory.merge_check import MemoryLoss, check_plan, left_lines
from daemon.memory.merge_plan import make_plan
from daemon.memory.merge_terms import MergePlan, MergeRules
from daemon.memory.snapshot import MergeScope, Snapshot, take_snapshot

Arrange = Callable[[Sheet], Sheet]
# Asked for an arrangement of the documents that change; None: none is wanted, or none came.
Ask = Callable[[Sequence[Sheet]], Arrange | None]
_MOST_RUNS = 1_000


@dataclass(frozen=True)
class Merged:
    """What a run did, or would do. `staying` notes were changed at the last moment. `recovered`: an
    earlier run was finished first. `arranged`: an arrangement that was asked for is in the documents."""

    plan: MergePlan
    snapshot: Snapshot
    staying: tuple[str, ...] = ()
    recovered: bool = False
    arranged: bool = False


def look_ahead(root: Path, scope: MergeScope, rules: MergeRules) -> Merged:
    """What a run would do now; writes nothing and asks nobody. Raises MemoryLoss, Unreadable."""
    snapshot = take_snapshot(root, scope)
    return Merged(_checked(root, scope.today, snapshot, rules), snapshot)


def consolidate(
    root: Path, scope: MergeScope, rules: MergeRules, hands: Hands,
    ask: Ask | None = None,
) -> Merged:  # fmt: skip
    """Do it. Raises AlreadyRunning beside another run, MemoryLoss where the plan would lose something,
    MemoryUnwritable where a file cannot be written (the next run goes on), Changed, Unreadable, and
    whatever `hands` raise."""
    with memory_lock(root / STATE):
        recovered = recover(root, hands)
        if ask is not None:
            first = take_snapshot(root, scope)
            sheets, scope = (
                _sheets(root, scope.today, first, rules),
                replace(scope, only=first.digests()),
            )
    arrange = ask(sheets) if ask is not None and sheets else None
    with memory_lock(root / STATE):
        snapshot = take_snapshot(root, scope)
        plan, arranged = _with(arrange, root, scope.today, snapshot, rules)
        if plan.is_empty:
            return Merged(plan, snapshot, recovered=recovered)
        steps = journal.steps_of(plan, _index(plan, snapshot))
        journal.begin(root, steps)
        hands.at("journal")
        staying = journal.carry_out(root, steps, hands)
    return Merged(plan, snapshot, staying, recovered=recovered, arranged=arranged)


def recover(root: Path, hands: Hands) -> bool:
    """Finish what a crash cut off; whether there was anything. Doing it twice changes nothing. Only
    under the lock, or before anybody else can run. Raises what `hands` raise."""
    steps = journal.pending(root)
    if steps:
        try:
            journal.carry_out(root, steps, hands)
        except Changed:  # edited since; the next plan starts from what is there
            return True
    return bool(steps)


def run_name(root: Path, today: date) -> str:
    """The week of a run, as 2026-W49; with a number where that week had one before."""
    year, week, _ = today.isocalendar()
    name = f"{year}-W{week:02}"
    for number in range(1, _MOST_RUNS):
        free = name if number == 1 else f"{name}-{number}"
        if not os.path.lexists(root / ARCHIVE / free):
            return free
    raise SprintdError(f"{ARCHIVE}{name} and {_MOST_RUNS - 2} more names are taken")


def _sheets(root: Path, today: date, snapshot: Snapshot, rules: MergeRules) -> tuple[Sheet, ...]:
    """The documents that would change by new notes, as they would be arranged by nobody."""
    if not snapshot.notes:
        return ()
    seen: list[Sheet] = []

    def watch(sheet: Sheet) -> Sheet:
        seen.append(sheet)
        return sheet

    plan = _checked(root, today, snapshot, replace(rules, arrange=watch))
    changed = {new.path for new in plan.documents}
    return tuple(sheet for sheet in seen if any(sheet.name in path for path in changed))


def _with(
    arrange: Arrange | None, root: Path, today: date, snapshot: Snapshot, rules: MergeRules
) -> tuple[MergePlan, bool]:
    """The plan with the arrangement, if it stands the check; else without."""
    if arrange is not None:
        try:
            return _checked(root, today, snapshot, replace(rules, arrange=arrange)), True
        except MemoryLoss:
            pass  # whoever arranged lost something: then in the plain order
    return _checked(root, today, snapshot, rules), False


def _checked(root: Path, today: date, snapshot: Snapshot, rules: MergeRules) -> MergePlan:
    """A plan that loses nothing and replaces nobody's file. Raises MemoryLoss."""
    plan = make_plan(run_name(root, today), snapshot.notes, snapshot.documents, rules)
    check_plan(plan, snapshot.notes, snapshot.documents, rules.ceiling_bytes)
    reasons = {one.path: one.reason for one in snapshot.blocked}
    for new in plan.documents:
        if new.path in reasons:
            why = reasons[new.path]
            raise MemoryLoss(f"it would replace {new.path}, which {why}; mend it or move it away")
    return replace(plan, left=left_lines(plan, snapshot.documents))


def _index(plan: MergePlan, snapshot: Snapshot) -> str:
    facts = {
        given.note.path: {
            "outside": given.origin.outside,
            "sensitivity": given.origin.sensitivity,
        }
        for given in snapshot.notes
    }
    for one in snapshot.documents:
        outside = any(statement.outside for statement in one.sheet.statements)
        facts[one.path] = {"outside": outside, "sensitivity": "confidential"}
    return journal.render_index(plan, facts)
