"""The memory's consolidation in a workspace: its rules from the files in force, its steps through the
action gate, its marks from the map; what came of it goes into the store."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

from daemon.clock import day_of, from_text, to_text
from daemon.errors import SprintdError
from daemon.governance.action_gate import Call, Refused
from daemon.knowledge.archive import FINDINGS
from daemon.knowledge.paths import covers
from daemon.memory import journal
from daemon.memory.consolidation import Merged, consolidate, look_ahead, recover
from daemon.memory.journal import Hands
from daemon.memory.lock import memory_lock
from daemon.memory.merge_plan import MergeRules, Readers, Shelf
from daemon.memory.snapshot import MergeScope
from daemon.memory.writing import move_file, write_file
from daemon.sprint.flow_files import stored_texts
from daemon.sprint.merge_order import TopicOrder
from daemon.sprint.parts import SprintParts
from daemon.store import attempts, control, findings
from daemon.store.database import Database
from daemon.workspace.definitions import Workspace

ACTOR = "consolidation"
SIZES = "memory.sizes"
BYTES_A_TOKEN = 4  # as everywhere a token is counted by its bytes


class MergeRefused(SprintdError):
    """The action gate did not let a step of a consolidation happen; it goes on when it does."""


@dataclass(frozen=True)
class Consolidated:
    """`remarks`: why documents were not put in order by the model that was to do so."""

    merged: Merged
    remarks: tuple[str, ...] = ()


def consolidate_memory(parts: SprintParts, *, keep_days: int | None = None) -> Consolidated:
    """Merge what the configuration lets be merged; `keep_days` in place of its own. Raises
    WorkspaceInvalid, MergeRefused, and what `memory.consolidation.consolidate` raises."""
    workspace = parts.source.load()
    order = TopicOrder(parts, [])
    merged = consolidate(
        parts.root,
        _scope(parts, keep_days),
        _rules(parts, workspace),
        _hands(parts),
        order.ask if parts.metered.writes_json and parts.config.memory.order_by_model else None,
    )
    control.put(parts.db, SIZES, sizes_of(parts, merged), parts.clock.now())
    parts.actions.checkpoint()
    return Consolidated(merged, tuple(order.remarks))


def look_at_memory(parts: SprintParts, *, keep_days: int | None = None) -> Merged:
    """What a consolidation would do now; writes nothing and asks no model."""
    workspace = parts.source.load()
    return look_ahead(parts.root, _scope(parts, keep_days), _rules(parts, workspace))


def recover_memory(parts: SprintParts) -> list[str]:
    """Finish a consolidation that was cut off; says what it did. No failure of it ends a start: the
    next consolidation meets it again."""
    if not journal.pending(parts.root):
        return []
    try:
        with memory_lock(parts.root / journal.STATE):
            done = recover(parts.root, _hands(parts))
    except SprintdError as error:
        return [f"the consolidation of the memory that was cut off waits: {error}"]
    return ["the consolidation of the memory that was cut off is finished"] if done else []


def sizes_of(parts: SprintParts, merged: Merged) -> dict[str, Any]:
    """How large the documents are, of how much, and what waits: for /health and `memory status`."""
    plan, snapshot = merged.plan, merged.snapshot
    sizes = {one.path: len(one.text.encode()) for one in plan.unchanged}
    sizes |= {one.path: one.size_bytes for one in plan.documents}
    return {
        "at": to_text(parts.clock.now()),
        "run": "" if plan.is_empty else plan.run,
        "documents": [{"path": path, "bytes": sizes[path]} for path in sorted(sizes)],
        "ceiling_bytes": parts.config.memory.document_tokens * BYTES_A_TOKEN,
        "merged": len(plan.taken),
        "archived_statements": sum(one.archived for one in plan.documents),
        "waiting": len(snapshot.waiting) + len(merged.staying),
        "skipped": len(snapshot.skipped),
    }


def last_sizes(db: Database) -> dict[str, Any] | None:
    """What the last consolidation left; None before the first. Raises StoreError."""
    kept = control.get(db, SIZES)
    return kept if isinstance(kept, dict) and from_text(kept["at"]) else None


def _scope(parts: SprintParts, keep_days: int | None) -> MergeScope:
    section, manifest = parts.config.memory, parts.map.load()
    given = (row.prompt.get("sources", ()) for row in attempts.list_open(parts.db))
    return MergeScope(
        folders=section.folders,
        keep_days=section.keep_days if keep_days is None else keep_days,
        today=day_of(parts.clock.now()),
        held={source["path"] for sources in given for source in sources},
        mapped={unit.path: unit.id for unit in manifest.units},
        marks={text.path: text.provenance for text in stored_texts(parts.root, manifest)},
    )


def _rules(parts: SprintParts, workspace: Workspace) -> MergeRules:
    def readers(path: str) -> Readers:
        if not path.startswith(FINDINGS):  # given by the map alone, so to nobody by its path
            return frozenset()
        return frozenset(agent.id for agent in workspace.agents if covers(agent.reads, path))

    return MergeRules(
        tuple(Shelf(name, entries) for name, entries in parts.config.memory.shelves),
        parts.config.memory.document_tokens * BYTES_A_TOKEN,
        readers,
        parts.phrases,
    )


def _hands(parts: SprintParts) -> Hands:
    def write(path: str, data: bytes) -> None:
        facts = {"path": path, "content_sha256": hashlib.sha256(data).hexdigest()}
        call = Call(ACTOR, "memory.write", lambda: facts)
        _allowed(parts.actions.perform(call, lambda: write_file(parts.root, path, data)))

    def move(path: str, to: str, sha256: str) -> bool:
        facts = {"path": path, "to": to, "content_sha256": sha256}
        call = Call(ACTOR, "memory.move", lambda: facts)
        done = parts.actions.perform(
            call,
            lambda: move_file(parts.root, path, to, sha256),
            not_done=lambda moved: "" if moved else "the file has just been changed",
        )
        return bool(_allowed(done))

    def moved(path: str, to: str) -> None:
        findings.move_finding(parts.db, path, to)

    return Hands(write, move, moved, parts.at)


def _allowed(done: object) -> object:
    if isinstance(done, Refused):
        raise MergeRefused(f"the memory was not merged: {done.message}")
    return done
