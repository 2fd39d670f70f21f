"""Everything that happened to one backlog item: attempts, verdicts, reasons, costs, its finding."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from daemon.clock import to_text, utc_text
from daemon.config.phrases import Phrases
from daemon.governance.budget import usd_text
from daemon.llm.provider import OFFLINE_MODEL
from daemon.quality.verdict import Verdict
from daemon.quality.verdict_json import verdict_from_json
from daemon.reports.backlog import entry_as_json
from daemon.reports.given_notes import given_notes
from daemon.reports.plain_text import counted, one_line, wrap
from daemon.reports.verdict_text import NoteText, render_verdict
from daemon.store import api_calls, attempts, findings
from daemon.store.api_calls import CallRow
from daemon.store.attempts import AttemptRow
from daemon.store.database import Database
from daemon.store.findings import FindingRow
from daemon.workspace.board import BoardEntry


@dataclass(frozen=True)
class AttemptHistory:
    """One attempt; `cost_micros` is what its calls cost, `open_micros` what is still set aside.

    `verdict` is None before it was judged, and where the stored one is of an earlier version.
    """

    row: AttemptRow
    cost_micros: int
    open_micros: int
    verdict: Verdict | None = None
    notes: tuple[NoteText, ...] = ()

    @property
    def defects(self) -> tuple[Mapping[str, Any], ...]:
        return tuple((self.row.verdict or {}).get("defects", ()))

    @property
    def score_parts(self) -> tuple[Mapping[str, Any], ...]:
        return tuple((self.row.verdict or {}).get("parts", ()))


@dataclass(frozen=True)
class ItemHistory:
    """One item; `finding` is None where it has none yet. `cost_micros` counts every call for it."""

    entry: BoardEntry
    attempts: tuple[AttemptHistory, ...]
    finding: FindingRow | None
    cost_micros: int

    @property
    def is_quoted(self) -> bool:
        """Whether the finding is by the offline writer."""
        by = {attempt.row.id: attempt.row.model for attempt in self.attempts}
        return self.finding is not None and by.get(self.finding.attempt_id) == OFFLINE_MODEL

    def as_json(self) -> dict[str, Any]:
        """Money in micro-dollars and, as text, in US dollars; times as UTC text."""
        finding = self.finding
        item = self.entry.item
        return {
            **entry_as_json(self.entry),
            "question": item.question,
            "needs": list(item.needs),
            "depends_on": list(item.depends_on),
            "finding": finding.path if finding else None,
            "quotes_only": self.is_quoted,
            "cost_micros": self.cost_micros,
            "cost_usd": usd_text(self.cost_micros),
            "attempts": [_attempt_as_json(attempt) for attempt in self.attempts],
        }


def take_history(db: Database, entry: BoardEntry, root: Path | None = None) -> ItemHistory:
    """Read it all, with the notes behind the verdicts where the workspace's `root` is given.

    Raises StoreError.
    """
    calls = api_calls.list_for_item(db, entry.item.id)
    found = attempts.list_for_item(db, entry.item.id)
    return ItemHistory(
        entry=entry,
        attempts=tuple(_with_verdict(_with_cost(row, calls), db, root) for row in found),
        finding=findings.find_by_item(db, entry.item.id),
        cost_micros=sum(call.cost_micros or 0 for call in calls),
    )


def render_history(history: ItemHistory, width: int, say: Phrases | None = None) -> str:
    """The item, then each attempt: how it ended, why, what it read, what it cost."""
    entry, item, words = history.entry, history.entry.item, say or Phrases("en")
    reason = f": {one_line(entry.reason, 2_000)}" if entry.reason else ""
    agent = f"agent {item.agent}, playbook {item.playbook}"
    lines = [
        f"{item.id}  {one_line(item.title, 500)}",
        *wrap(f"Question: {one_line(item.question, 20_000)}", width),
        f"Criterion {item.criterion}, priority {item.priority}, {agent}",
        *wrap(f"Standing: {entry.standing}{reason}", width),
    ]
    if history.finding:
        how = " (quotes only, not reasoned)" if history.is_quoted else ""
        lines.append(f"Finding: {one_line(history.finding.path, 1_000)}{how}")
    lines.append(
        f"Cost in all: {usd_text(history.cost_micros)} USD in {counted(len(history.attempts), 'attempt')}"
    )
    for attempt in history.attempts:
        lines += ["", *_attempt_lines(attempt, width, words)]
    return "\n".join(lines)


def _attempt_lines(attempt: AttemptHistory, width: int, say: Phrases) -> Iterator[str]:
    row = attempt.row
    score = "" if row.score_hundredths is None else f", score {_hundredths(row.score_hundredths)}"
    model = f", {one_line(row.model)}" if row.model else ""
    yield (
        f"Attempt {row.number} (sprint {row.sprint_id}, {utc_text(row.created_at)}): "
        f"{row.state}{score}"
    )
    held = f" ({usd_text(attempt.open_micros)} more is set aside)" if attempt.open_micros else ""
    yield f"  by {row.agent}{model}, {usd_text(attempt.cost_micros)} USD{held}"
    if row.reason:
        yield from wrap(f"- {one_line(row.reason, 2_000)}", width, indent="  ")
    if attempt.verdict is not None:
        yield from render_verdict(attempt.verdict, say, width, notes=attempt.notes, indent="  ")
    else:
        yield from _old_verdict(attempt, width)
    yield from wrap(_read_by(row), width, indent="  ")


def _old_verdict(attempt: AttemptHistory, width: int) -> Iterator[str]:
    """A stored verdict that does not have what this version looks for."""
    for defect in attempt.defects:
        weight = "" if defect.get("rejects") else " (noted, no reason to reject)"
        said = one_line(str(defect.get("message", "")), 2_000)
        yield from wrap(f"- {said}{weight}", width, indent="  ")
    if attempt.score_parts:
        parts = ", ".join(
            f"{one_line(str(part['name']))} {_hundredths(part['hundredths'])}"
            for part in attempt.score_parts
        )
        yield from wrap(f"Score: {parts}", width, indent="  ")


def _read_by(row: AttemptRow) -> str:
    loaded, skipped = row.context.get("loaded", ()), row.context.get("skipped", ())
    ids = ", ".join(one_line(unit["id"]) for unit in loaded) or "nothing"
    left_out = len(skipped) + sum(more["units"] for more in row.context.get("skipped_more", ()))
    return f"Read ({row.context.get('tokens', 0):,} tokens): {ids}; skipped: {left_out:,}"


def _with_cost(row: AttemptRow, calls: Sequence[CallRow]) -> AttemptHistory:
    # A call's key begins with that of the effect it was made for: <effect>/try/<number>.
    # The judge of its output has a key below it.
    prefixes = (f"{row.effect_key}/try/", f"{row.effect_key}/judge/")
    mine = [call for call in calls if call.reservation_key.startswith(prefixes)]
    under_way = (call.reserved_micros for call in mine if call.end.outcome == "started")
    return AttemptHistory(row, sum(call.cost_micros or 0 for call in mine), sum(under_way))


def _with_verdict(attempt: AttemptHistory, db: Database, root: Path | None) -> AttemptHistory:
    if attempt.row.verdict is None:
        return attempt
    try:
        verdict = verdict_from_json(attempt.row.verdict)
    except ValueError:
        return attempt
    notes = given_notes(db, root, attempt.row) if root and verdict.claims else ()
    return replace(attempt, verdict=verdict, notes=notes)


def _attempt_as_json(attempt: AttemptHistory) -> dict[str, Any]:
    row = attempt.row
    return {
        "number": row.number,
        "sprint": row.sprint_id,
        "agent": row.agent,
        "state": row.state,
        "reason": row.reason,
        "model": row.model,
        "score_hundredths": row.score_hundredths,
        "score_parts": [dict(part) for part in attempt.score_parts],
        "defects": [dict(defect) for defect in attempt.defects],
        "claims": [dict(claim) for claim in (row.verdict or {}).get("claims", ())],
        "stripped": list((row.verdict or {}).get("stripped", ())),
        "judged": (row.verdict or {}).get("judged", ""),
        "cost_micros": attempt.cost_micros,
        "cost_usd": usd_text(attempt.cost_micros),
        "open_micros": attempt.open_micros,
        "finding": row.finding_path,
        "context": dict(row.context),
        "started_at": to_text(row.created_at),
        "ended_at": to_text(row.ended_at) if row.ended_at else None,
    }


def _hundredths(value: int) -> str:
    return f"{value / 100:+.2f}" if value < 0 else f"{value / 100:.2f}"
