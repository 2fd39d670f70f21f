"""The map and the findings as a sprint reads them."""

from __future__ import annotations

from pathlib import Path

from daemon.errors import Fault, WorkspaceInvalid
from daemon.knowledge.manifest import parse_manifest
from daemon.knowledge.unit import Manifest
from daemon.sprint.context import KnownFinding
from daemon.sprint.parts import SprintParts
from daemon.store import findings

_MAP = "knowledge.yaml"


def load_manifest(root: Path) -> Manifest:
    """The workspace's map. Raises WorkspaceInvalid where it is missing or has an error.

    A map with an error drives nothing; diagnostics are no errors.
    """
    try:
        raw = (root / _MAP).read_bytes()
    except OSError as error:
        cure = "`sprintd init` writes a sample"
        raise WorkspaceInvalid(
            [Fault(_MAP, 0, "", f"cannot be read ({error.strerror})", cure)]
        ) from None
    manifest = parse_manifest(raw, _MAP)
    if manifest.errors:
        raise WorkspaceInvalid(manifest.errors)
    return manifest


def known_findings(parts: SprintParts) -> tuple[KnownFinding, ...]:
    """Every finding so far, as the context plan ranks them."""
    return tuple(
        KnownFinding(path=row.path, item=row.item, criterion=row.criterion, title=row.title,
                     summary=row.summary)
        for row in findings.list_findings(parts.db)
    )  # fmt: skip
