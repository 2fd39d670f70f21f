"""The memory's consolidation in a workspace: its rules from the files in force, its steps through the
action gate, its marks from the map; what came of it goes into the store."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from daemon.clock import day_of
from daemon.config.phrases import Phrases
from daemon.config.sections import Config, MemorySection
from daemon.errors import SprintdError
from daemon.governance.action_gate import Call, Refused
from daemon.knowledge.archive import FINDINGS, is_archived
from daemon.knowledge.paths import covers
from daemon.knowledge.unit import Manifest
from daemon.memory import journal
from daemon.memory.consolidation import Merged, consolidate, look_ahead, recover
from daemon.memory.journal import Hands
from daemon.memory.lock import memory_lock
from daemon.memory.merge_terms import MergeRules, Readers, Shelf
from daemon.memory.opening import OpenRoot
from daemon.memory.sizes import keep_sizes
from daemon.memory.snapshot import MergeScope, Snapshot, take_snapshot
from daemon.memory.writing import move_file, write_file
from daemon.sprint.flow_files import stored_texts
from daemon.sprint.merge_order import TopicOrder
from daemon.sprint.merged_texts import merged_texts
from daemon.sprint.parts import SprintParts
from daemon.store import attempts, findings
from daemon.store.database import Database
from daemon.workspace.definitions import Workspace

ACTOR = "consolidation"
_BYTES_A_TOKEN = 4  # as everywhere a token is counted by its bytes


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
    workspace, section = parts.source.load(), parts.config.memory
    today, order = day_of(parts.clock.now()), TopicOrder(parts, [])
    merged = consolidate(
        parts.root,
        _scope(parts.root, parts.db, section, parts.map.load(), today, keep_days),
        _rules(parts.config, workspace, parts.phrases),
        _hands(parts),
        order.ask if parts.metered.writes_json and parts.config.memory.order_by_model else None,
    )
    keep_sizes(parts.db, merged, document_bytes(parts.config), parts.clock.now())
    parts.actions.checkpoint()
    return Consolidated(merged, tuple(order.remarks))


def look_at_memory(
    root: Path,
    db: Database,
    config: Config,
    files: tuple[Workspace, Manifest],
    today: date,
    *,
    keep_days: int | None = None,
) -> Merged:
    """What a consolidation would do now; writes nothing and asks no model. Raises MemoryLoss."""
    workspace, manifest = files
    scope = _scope(root, db, config.memory, manifest, today, keep_days)
    return look_ahead(root, scope, _rules(config, workspace, Phrases(config.daemon.language)))


def memory_now(
    root: Path, db: Database, config: Config, files: tuple[Workspace, Manifest], today: date
) -> Snapshot:
    """Notes, documents and what stays as it is, without working out what would be merged."""
    return take_snapshot(root, _scope(root, db, config.memory, files[1], today, None))


def document_bytes(config: Config) -> int:
    """How large a document may grow: `memory.document_tokens` in bytes."""
    return config.memory.document_tokens * _BYTES_A_TOKEN


def recover_memory(parts: SprintParts) -> list[str]:
    """Finish a consolidation that was cut off; says what it did. No failure of it ends a start: the
    next consolidation meets it again."""
    said: list[str] = []
    try:
        if journal.pending(parts.root):
            with memory_lock(parts.root / journal.STATE):
                done = recover(parts.root, _hands(parts))
            said += ["the consolidation of the memory that was cut off is finished"] if done else []
        followed = _follow_archived(parts)
    except SprintdError as error:
        return [*said, f"the consolidation of the memory that was cut off waits: {error}"]
    return [*said, *([f"{followed} findings are in the archive: found again"] if followed else [])]


def _follow_archived(parts: SprintParts) -> int:
    """Point findings that are not where the store has them to where the archive has them, as with an
    older copy of the database; how many. Raises StoreError, Unreadable."""
    rows = findings.list_findings(parts.db)
    lost = {row.path for row in rows if not os.path.lexists(parts.root / row.path)}
    if not lost:
        return 0
    with OpenRoot(parts.root) as opened:
        kept = {text.parts[0]: text.path for text in merged_texts(opened) if is_archived(text.path)}
    found = {path: kept[path] for path in lost & kept.keys()}
    there = {path: to for path, to in found.items() if os.path.lexists(parts.root / to)}
    return sum(findings.move_finding(parts.db, path, to) for path, to in there.items())


def _scope(
    root: Path,
    db: Database,
    section: MemorySection,
    manifest: Manifest,
    today: date,
    keep_days: int | None,
) -> MergeScope:
    given = (row.prompt.get("sources", ()) for row in attempts.list_open(db))
    return MergeScope(
        folders=section.folders,
        keep_days=section.keep_days if keep_days is None else keep_days,
        today=today,
        held={source["path"] for sources in given for source in sources},
        mapped={unit.path: unit.id for unit in manifest.units},
        marks={text.path: text.provenance for text in stored_texts(root, manifest)},
    )


def _rules(config: Config, workspace: Workspace, phrases: Phrases) -> MergeRules:
    def readers(path: str) -> Readers:
        if not path.startswith(FINDINGS):  # given by the map alone, so to nobody by its path
            return frozenset()
        return frozenset(agent.id for agent in workspace.agents if covers(agent.reads, path))

    return MergeRules(
        tuple(Shelf(name, entries) for name, entries in config.memory.shelves),
        document_bytes(config),
        readers,
        phrases,
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
