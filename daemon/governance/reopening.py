"""Done items put back to be worked on again; what they found stays."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from daemon.store import events, findings, items
from daemon.store.database import Database


def reopen(db: Database, wanted: Sequence[str], now: datetime) -> tuple[str, ...]:
    """Put items back that are done, with no rejections; the ids of those that were, in order.

    Their findings stay, as files and as rows. Raises StoreError.
    """
    with db.immediate():
        put_back = tuple(item for item in wanted if items.reopen(db, item, now))
        if put_back:
            events.record(db, "reopened", now, facts={"items": list(put_back)})
        return put_back


def found_by_model(db: Database, model: str) -> tuple[str, ...]:
    """The items that are done and whose newest finding was written by that model, by id."""
    states = items.list_item_states(db)
    done = {item for item, state in states.items() if state.state == "done"}
    written = findings.models_by_item(db)
    return tuple(sorted(item for item in done if written.get(item) == model))
