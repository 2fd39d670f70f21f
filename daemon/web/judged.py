"""How an attempt was judged, in words that a page can show."""

from __future__ import annotations

from daemon.config.phrases import Phrases
from daemon.llm.provider import OFFLINE_MODEL
from daemon.quality.verdict_json import verdict_from_json
from daemon.reports.given_notes import given_notes
from daemon.reports.verdict_text import VerdictWords, view_verdict
from daemon.store.attempts import AttemptRow
from daemon.web.watch import Watch


def is_quoted(row: AttemptRow) -> bool:
    """Whether it led to a finding that the offline writer only quoted."""
    return row.finding_path is not None and row.model == OFFLINE_MODEL


def stop_in_words(reason: str, phrases: Phrases) -> str:
    """Why an answer ended otherwise than by its own end; words that are not known are told as such."""
    key = f"sprints.stopped_{reason}"
    return phrases.text(key if phrases.has(key) else "sprints.stopped_other")


def reasons_of(row: AttemptRow) -> tuple[str, ...]:
    """Why an attempt ended without a verdict; the defects of one that an earlier version stored."""
    if row.verdict is None:
        return (row.reason,) if row.reason else ()
    return tuple(str(defect.get("message", "")) for defect in row.verdict.get("defects", ()))


def verdict_of(watch: Watch, row: AttemptRow) -> VerdictWords | None:
    """None where it has none, or one of an earlier version that cannot be read."""
    if row.verdict is None:
        return None
    try:
        verdict = verdict_from_json(row.verdict)
    except ValueError:
        return None
    services = watch.services
    notes = given_notes(services.db, services.root, row) if verdict.claims else ()
    return view_verdict(verdict, services.phrases, notes)
