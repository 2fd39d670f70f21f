"""How large the merged documents are, and how large they may be: kept by each consolidation, so that
/health can tell it without opening a file."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from daemon.clock import to_text
from daemon.memory.consolidation import Merged
from daemon.store import control
from daemon.store.database import Database

_NAME = "memory.sizes"


def keep_sizes(db: Database, merged: Merged, ceiling_bytes: int, now: datetime) -> None:
    """Of the documents after a run. Raises StoreError."""
    plan, snapshot = merged.plan, merged.snapshot
    sizes = {one.path: len(one.text.encode()) for one in plan.unchanged}
    sizes |= {one.path: one.size_bytes for one in plan.documents}
    kept = {
        "at": to_text(now),
        "run": "" if plan.is_empty else plan.run,
        "merged": len(plan.taken),
        "documents": [{"path": path, "bytes": sizes[path]} for path in sorted(sizes)],
        "ceiling_bytes": ceiling_bytes,
        "archived_statements": sum(one.archived for one in plan.documents),
        "waiting": len(snapshot.waiting) + len(merged.staying),
        "skipped": len(snapshot.skipped),
    }
    control.put(db, _NAME, kept, now)


def last_sizes(db: Database) -> dict[str, Any] | None:
    """What the last run kept; None before the first. Raises StoreError."""
    kept: dict[str, Any] | None = control.get(db, _NAME)
    return kept
