"""The map, the quality rules and the findings as a sprint reads them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from daemon.config.text_file import read_bytes, read_text
from daemon.errors import WorkspaceInvalid
from daemon.knowledge.manifest import parse_manifest
from daemon.knowledge.unit import Manifest
from daemon.quality.rules import QualityRules, parse_rules
from daemon.sprint.context import KnownFinding
from daemon.sprint.merged_texts import read_merged
from daemon.sprint.parts import SprintParts
from daemon.store import findings
from daemon.store.database import Database
from daemon.workspace.definitions import BacklogItem

MAP_FILE = "knowledge.yaml"
QUALITY_FILE = "quality.toml"


def load_manifest(root: Path) -> Manifest:
    """The workspace's map. Raises WorkspaceInvalid where it is missing or has an error.

    A map with an error drives nothing; diagnostics are no errors.
    """
    raw = read_bytes(root / MAP_FILE, MAP_FILE, if_missing="`sprintd init` writes a sample")
    manifest = parse_manifest(raw, MAP_FILE)
    if manifest.errors:
        raise WorkspaceInvalid(manifest.errors)
    return manifest


def load_quality_rules(root: Path) -> QualityRules:
    """The workspace's quality.toml over the package's rules; a missing file means no additions."""
    path = root / QUALITY_FILE
    text = read_text(path, QUALITY_FILE) if path.exists() else ""
    return parse_rules(text, QUALITY_FILE)


def known_findings(parts: SprintParts) -> tuple[KnownFinding, ...]:
    """Merged documents and every finding so far, as the context plan ranks them."""
    workspace = parts.source.latest
    found = read_findings(parts.db, workspace.items if workspace else ())
    return (*read_merged(parts.root), *found)


def read_findings(db: Database, items: Iterable[BacklogItem]) -> tuple[KnownFinding, ...]:
    """Every finding so far, newest first, with the question of its item where it still has one."""
    questions = {item.id: item.question for item in items}
    return tuple(
        KnownFinding(path=row.path, item=row.item, criterion=row.criterion, title=row.title,
                     summary=row.summary, question=questions.get(row.item, ""),
                     sources=row.sources)
        for row in findings.list_findings(db)
    )  # fmt: skip
