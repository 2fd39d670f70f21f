"""A workspace among what must not be reached, and the ways to ask for it."""

from __future__ import annotations

from pathlib import Path

from daemon.knowledge.action import Action, Policy, Ruling, Target
from daemon.memory.opening import OpenRoot
from tests.unit.knowledge.acting import READER, judged, policy_of

POLICY = policy_of(READER)


def make_workspace(folder: Path) -> Path:
    """Beside a secret, and beside a folder whose name begins alike."""
    workspace = folder / "memory"
    (workspace / "docs").mkdir(parents=True)
    (workspace / "docs" / "a.md").write_text("known")
    (workspace / "knowledge.yaml").write_text("rules")
    (folder / "memory-evil").mkdir()
    (folder / "memory-evil" / "x").write_text("evil")
    (folder / "victim.txt").write_text("victim")
    return workspace


def read(root: Path, path: str) -> bytes:
    with OpenRoot(root) as opened:
        return opened.read(path)


def changed(old: str, new: str) -> Policy:
    """The policy with one place of the manifest changed, which must be there."""
    assert old in READER
    return policy_of(READER.replace(old, new))


def raw(tool: str, *targets: Target) -> Ruling:
    """The ruling on an action that was put together by hand."""
    return judged(POLICY, Action("ana", tool, targets, "0" * 64))
