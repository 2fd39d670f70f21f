"""Whether the files that the map names are still those that it describes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from daemon.errors import Fault
from daemon.knowledge.unit import Manifest, Unit
from daemon.memory.opening import OpenRoot, Unreadable

_LONGEST_TOKEN_BYTES = 8


def changed_files(root: Path, manifest: Manifest) -> Iterator[Fault]:
    """Units whose file differs from its declared hash or size, has outgrown its declared tokens, or
    was written after the day on which it was `validated`.

    A file that cannot be read is passed over: it is a fault of its own.
    """
    with OpenRoot(root) as opened:
        for index, unit in enumerate(manifest.units):
            raw = manifest.raw["units"][index]
            try:
                yield from _changes(opened, root, manifest, index, unit, raw)
            except (Unreadable, OSError):
                continue


def _changes(
    opened: OpenRoot, root: Path, manifest: Manifest, index: int, unit: Unit, raw: Mapping[str, Any]
) -> Iterator[Fault]:
    size = opened.size(unit.path)
    if unit.bytes is not None and unit.bytes != size:
        message = f"{unit.path} has {size:,} bytes, not {unit.bytes:,}"
        yield _fault(manifest, index, "bytes", message, "correct it, or leave it out")
    if unit.size_tokens is not None and unit.size_tokens * _LONGEST_TOKEN_BYTES < size:
        message = f"{unit.path} has {size:,} bytes, too many for {unit.size_tokens:,} tokens"
        cure = "correct it; until then a quarter of the bytes counts"
        yield _fault(manifest, index, "size_tokens", message, cure)
    name, declared = _declared_hash(raw)
    if declared:
        found = hashlib.sha256(opened.read(unit.path)).hexdigest()
        if found != declared:
            message = f"{unit.path} has the SHA-256 {found}: it was changed"
            yield _fault(manifest, index, name, message, "read it again, then write its new hash")
    validated = raw.get("validated")
    written = datetime.fromtimestamp((root / unit.path).stat().st_mtime, UTC).date().isoformat()
    if isinstance(validated, str) and validated and written > validated[:10]:
        message = f"{unit.path} was written on {written}, after it was validated"
        yield _fault(manifest, index, "validated", message, "read it again, then write the new day")


def _declared_hash(raw: Mapping[str, Any]) -> tuple[str, str]:
    """The field and the SHA-256 in it; of another algorithm nothing is known here."""
    plain = raw.get("sha256")
    if isinstance(plain, str):
        return "sha256", plain.lower()
    declared = raw.get("content_hash")
    if isinstance(declared, dict) and str(declared.get("algorithm")).lower() == "sha256":
        return "content_hash", str(declared.get("value")).lower()
    return "", ""


def _fault(manifest: Manifest, index: int, name: str, message: str, cure: str) -> Fault:
    line = manifest.document.line_of(("units", index, name)) if manifest.document else 0
    return Fault(manifest.file, line, f"units[{index}].{name}", message, cure)
