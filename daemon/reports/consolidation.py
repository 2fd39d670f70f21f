"""What a consolidation of the memory did: which documents grew, what moved, what was left and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from daemon.config.phrases import Phrases
from daemon.memory.consolidation import Merged
from daemon.memory.merge_terms import NewDocument
from daemon.memory.notes import parse_note
from daemon.notify import message
from daemon.reports.plain_text import one_line
from daemon.reports.written import Written

_MOST_LINES = 10
_LONG = frozenset({"text", "before"})  # of a document; they stand in its file


def write_consolidation(
    slot: datetime, merged: Merged, ceiling_bytes: int, remarks: Sequence[str], phrases: Phrases
) -> Written:
    """Of the run that was due at `slot`. `remarks` say why documents are in the plain order."""
    say, plan = phrases.text, merged.plan
    title = say("consolidation.title", day=slot.date(), notes=len(plan.taken))
    documents = [_document(one, ceiling_bytes, phrases) for one in plan.documents]
    told = [*_figures(merged, phrases), *_left(merged, remarks, phrases)]
    if not plan.documents:
        told.insert(0, say("consolidation.nothing_new" if plan.taken else "consolidation.nothing"))
    parts = [message.heading(title)]
    if documents:
        parts.append(message.lines([message.line(words) for words in documents]))
    parts += [message.small(line) for line in told]
    body = "\n".join([title, *(f"- {words}" for words in documents), *told])
    return Written(body, consolidation_as_json(merged, remarks), tuple(parts))


def consolidation_as_json(merged: Merged, remarks: Sequence[str] = ()) -> dict[str, Any]:
    """For machines: what was, or would be, merged and left."""
    plan, snapshot = merged.plan, merged.snapshot
    return {
        "run": "" if plan.is_empty else plan.run,
        "merged": dict(plan.taken),
        "documents": [
            {
                **{name: value for name, value in vars(one).items() if name not in _LONG},
                "bytes": one.size_bytes,
            }
            for one in plan.documents
        ],
        "waiting": {one.path: one.reason for one in snapshot.waiting},
        "staying": list(merged.staying),
        "skipped": {one.path: one.reason for one in snapshot.skipped},
        "left": [one._asdict() for one in plan.left],
        "recovered": merged.recovered,
        "arranged": merged.arranged,
        "remarks": list(remarks),
    }


def _document(new: NewDocument, ceiling_bytes: int, phrases: Phrases) -> str:
    return phrases.text(
        "consolidation.document",
        title=one_line(parse_note(new.text.encode(), new.path).title),
        added=new.added,
        statements=new.statements,
        bytes=f"{new.size_bytes:,}",
        ceiling=f"{ceiling_bytes:,}",
        path=one_line(new.path),
    )


def _figures(merged: Merged, phrases: Phrases) -> Iterator[str]:
    say, plan = phrases.text, merged.plan
    for name in ("joined", "superseded", "outside"):
        count = sum(getattr(one, name) for one in plan.documents)
        if count:
            yield say(f"consolidation.{name}", count=count)
    for one in plan.documents:
        if one.pairs:
            yield say("consolidation.differing", count=one.pairs, path=one_line(one.path))
    archived = sum(one.archived for one in plan.documents)
    if archived:
        yield say("consolidation.archived", count=archived, run=plan.run)
    if plan.taken:
        yield say("consolidation.kept", run=plan.run)


def _left(merged: Merged, remarks: Sequence[str], phrases: Phrases) -> Iterator[str]:
    """What was not merged, and what else a person may want to know."""
    say, skipped = phrases.text, merged.snapshot.skipped
    waiting = len(merged.snapshot.waiting) + len(merged.staying)
    if waiting:
        yield say("consolidation.waiting", count=waiting)
    for one in skipped[:_MOST_LINES]:
        yield say("consolidation.skipped", path=one_line(one.path), reason=one_line(one.reason))
    if len(skipped) > _MOST_LINES:
        yield say("consolidation.more", count=len(skipped) - _MOST_LINES)
    left = merged.plan.left
    for line in left[:_MOST_LINES]:
        yield say("consolidation.left", line=one_line(line.line, 120), path=one_line(line.kept))
    if len(left) > _MOST_LINES:
        yield say("consolidation.more", count=len(left) - _MOST_LINES)
    if merged.recovered:
        yield say("consolidation.recovered")
    for remark in remarks[:_MOST_LINES]:
        yield say("consolidation.remark", reason=one_line(remark))
