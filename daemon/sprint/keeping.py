"""Writing to the workspace's memory, through the action gate."""

from __future__ import annotations

import hashlib

from daemon.governance.action_gate import Call, Refused
from daemon.governance.budget import Refusal
from daemon.memory.writing import write_file
from daemon.sprint.parts import SprintParts


def keep_file(
    parts: SprintParts, path: str, data: bytes, *, actor: str, sprint: int, item: str | None = None
) -> Refusal | None:
    """Put a file into the memory; why it was not allowed, or None. Raises MemoryUnwritable."""

    def arguments() -> dict[str, object]:
        facts = {"path": path, "content_sha256": hashlib.sha256(data).hexdigest()}
        return {**facts, "item": item} if item else {**facts}

    call = Call(actor, "memory.write", arguments)
    done = parts.actions.perform(call, lambda: write_file(parts.root, path, data), sprint=sprint)
    return done.as_refusal() if isinstance(done, Refused) else None
