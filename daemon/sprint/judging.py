"""A stored answer judged: with the task, the notes and the earlier outputs that belong to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from daemon.llm.provider import OFFLINE_MODEL
from daemon.memory.findings import citable_part
from daemon.quality.assessment import assess
from daemon.quality.claims import SourceNote
from daemon.quality.rules import QualityRules
from daemon.quality.source_list import without_source_list
from daemon.quality.verdict import Defect, TaskBrief, Verdict, with_defect
from daemon.store import texts
from daemon.store.attempts import AttemptRow
from daemon.store.database import Database

_WHOLE = ("end_turn", "max_tokens")  # the latter is a defect of the text itself


def judge_answer(
    db: Database,
    row: AttemptRow,
    *,
    text: str,
    stop_reason: str,
    model: str,
    rules: QualityRules,
    earlier: Sequence[str],
) -> Verdict:
    """The verdict of an answer to what `row` asked; the same answer gets the same one at any time.

    `earlier` are outputs that it may not repeat, the newest first. The offline writer cannot but
    repeat itself, so it may; it works by quoting its notes, so it may do that too.
    """
    verdict = assess(
        text,
        replace(brief_of(db, row), may_quote=model == OFFLINE_MODEL),
        rules=rules,
        truncated=stop_reason == "max_tokens",
        sources=sources_of(db, row),
        earlier=() if model == OFFLINE_MODEL else earlier,
    )
    if stop_reason in _WHOLE:
        return without_source_list(verdict) if verdict.accepted else verdict
    ended = f'The service ended the reply with "{stop_reason}", so it is not whole.'
    return with_defect(verdict, Defect("stop_reason", ended, rejects=True))


def brief_of(db: Database, row: AttemptRow) -> TaskBrief:
    """What was asked, as it was asked then."""
    asked = row.prompt
    return TaskBrief(
        item=row.item,
        question=asked["question"],
        profile=asked["profile"],
        language=asked["language"],
        prompt_text=_stored(db, asked["system"]) + "\n" + _stored(db, asked["task"]),
    )


def sources_of(db: Database, row: AttemptRow) -> tuple[SourceNote, ...]:
    """The notes that the writer was given, as they were then; of a finding what may be cited."""
    given: Sequence[dict[str, Any]] = row.prompt["sources"]
    return tuple(
        SourceNote(one["id"], citable_part(_stored(db, one["sha256"]), one["path"]), one["path"])
        for one in given
    )


def _stored(db: Database, sha256: str) -> str:
    return texts.find_text(db, sha256) or ""
