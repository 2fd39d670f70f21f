"""A report is kept and handed to the channels in one transaction, so that none is lost or doubled."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from daemon.reports.written import Written
from daemon.store import outbox
from daemon.store.database import Database
from daemon.store.reports import ReportKind, ReportRow, save_report


def post_report(
    db: Database,
    *,
    kind: ReportKind,
    slot: datetime,
    written: Written,
    now: datetime,
    channels: Sequence[str],
) -> bool:
    """Keep the report and one message for each of `channels` (none: it stays in the store).

    False, and nothing changes, where the kind and slot have a report: whatever became of its
    messages, they are on their way. Joins the transaction it is called in.
    """
    with db.immediate():
        if not save_report(db, ReportRow(kind, slot, written.body, written.facts, now)):
            return False
        payload: dict[str, Any] = {
            "kind": kind,
            "slot": slot_name(slot),
            "text": written.body,
            "facts": dict(written.facts),
        }
        if written.parts:
            payload["parts"] = [dict(part) for part in written.parts]
        if written.title:
            payload["title"] = written.title
        for channel in channels:
            key = outbox.free_key(db, f"report/{kind}/{slot_name(slot)}/{channel}")
            outbox.enqueue(db, key=key, channel=channel, payload=payload, now=now)
        return True


def slot_name(slot: datetime) -> str:
    """A slot as people and keys write it: 2026-11-30T09:00Z; with seconds where it has some."""
    exact = "%Y-%m-%dT%H:%MZ" if slot.second == slot.microsecond == 0 else "%Y-%m-%dT%H:%M:%S.%fZ"
    return f"{slot:{exact}}"
