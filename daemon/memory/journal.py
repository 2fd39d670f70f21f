"""Carrying out a plan in steps that a crash can cut off anywhere.

The steps are written down first, with every byte that they will write. Each can be done again without
harm. They come in an order in which no statement is ever without a file: what a document has no room
for, and the document as it was, are in the archive before the new one is swapped in; notes leave last.
So a journal that cannot go on (a document was edited meanwhile) may be dropped at any step: what was
not moved is merged again by the next run, and what stands twice by then is joined.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from daemon.errors import SprintdError
from daemon.memory.merge_terms import MergePlan
from daemon.memory.opening import MAX_FILE_BYTES, OpenRoot, Unreadable
from daemon.memory.writing import sync_folders, write_file

STATE = "state"
JOURNAL = f"{STATE}/consolidation.json"
INDEX = "index.json"
_LARGEST = 64 * MAX_FILE_BYTES


class Changed(SprintdError):
    """A file is not as it was when the plan was made: it was left alone, and the plan was given up."""


@dataclass(frozen=True)
class Step:
    """`write`: put `text` at `path`, where now is what `before` is the digest of (empty: nothing).
    `move`: give the file at `path`, with the digest `sha256`, the name `to`."""

    kind: Literal["write", "move"]
    path: str
    sha256: str
    to: str = ""
    text: str = ""
    before: str = ""


@dataclass(frozen=True)
class Hands:
    """Who does the steps: both go through the action gate, and raise where it refuses. `move` gives
    False for a file that has just been changed. `moved` hears of each that has its new name, and may
    hear it twice. `at` is told each step that is done: a place to end the process in tests."""

    write: Callable[[str, bytes], None]
    move: Callable[[str, str, str], bool]
    moved: Callable[[str, str], None] = lambda _path, _to: None
    at: Callable[[str], None] = lambda _step: None


def steps_of(plan: MergePlan, index: str) -> tuple[Step, ...]:
    """In the order in which they must be done; `index` is the text of the archive's list."""
    files = [(one.path, one.text, "") for one in plan.kept_files]
    files.append((f"memory/archive/{plan.run}/{INDEX}", index, ""))
    files += [(one.path, one.text, one.before) for one in plan.documents]
    writes = [Step("write", path, digest(text), text=text, before=b) for path, text, b in files]
    moves = [Step("move", move.path, move.sha256, to=move.to) for move in plan.moves]
    return (*writes, *moves)


def begin(root: Path, steps: Sequence[Step]) -> None:
    """Write the journal down. Raises MemoryUnwritable; then nothing was begun."""
    text = json.dumps([asdict(step) for step in steps])
    write_file(root, JOURNAL, text.encode())


def pending(root: Path) -> tuple[Step, ...]:
    """The steps of a journal that was not ended; none where there is no journal, or one that no run of
    ours wrote: then no step of it was done."""
    with OpenRoot(root) as opened:
        try:
            data = opened.read(JOURNAL, max_bytes=_LARGEST)
            return tuple(Step(**entry) for entry in json.loads(data))
        except (Unreadable, ValueError, TypeError):
            return ()


def carry_out(root: Path, steps: Sequence[Step], hands: Hands) -> tuple[str, ...]:
    """Do what is not done yet; the notes that stay, because they were changed, and wait.

    Raises Changed where a document is not as planned: the journal is dropped then. Raises what `hands`
    raises: the journal stays, and this may be called again.
    """
    fault = _fault(root, steps)
    if fault:
        end(root)
        raise Changed(fault)
    staying = []
    for number, step in enumerate(steps):
        done = _write(root, step, hands) if step.kind == "write" else _move(root, step, hands)
        if not done:
            staying.append(step.path)
        hands.at(f"{step.kind}/{number}")
    moves = [step for step in steps if step.kind == "move"]
    sync_folders(root, (path.rpartition("/")[0] for step in moves for path in (step.path, step.to)))
    end(root)
    hands.at("end")
    return tuple(staying)


def end(root: Path) -> None:
    """Take the journal away, durably."""
    path = root / JOURNAL
    with suppress(FileNotFoundError):
        path.unlink()
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def render_index(plan: MergePlan, facts: dict[str, dict[str, Any]]) -> str:
    """What was moved in a run and what it says of itself, so that nobody has to open every file."""
    entries = [
        {"path": move.path, "archived": move.to, "sha256": move.sha256,
         "document": plan.taken.get(move.path, ""), **facts.get(move.path, {})}
        for move in plan.moves
    ]  # fmt: skip
    return json.dumps({"run": plan.run, "moved": entries}, indent=1, ensure_ascii=False) + "\n"


def _fault(root: Path, steps: Sequence[Step]) -> str:
    """Why the files that are to be written are not as planned; empty where they are."""
    with OpenRoot(root) as opened:
        for step in steps:
            if step.kind == "write" and _state(opened, step.path) not in (step.before, step.sha256):
                try:
                    opened.size(step.path)
                except Unreadable as error:
                    return f"the memory was not merged: {error}"
                return f"{step.path} was changed while it was merged; the next run merges it anew"
    return ""


def _write(root: Path, step: Step, hands: Hands) -> bool:
    with OpenRoot(root) as opened:
        if _state(opened, step.path) == step.sha256:
            return True
    hands.write(step.path, step.text.encode())
    return True


def _move(root: Path, step: Step, hands: Hands) -> bool:
    """Whether it is, or already was, in the archive. A note that a person deleted is gone by his will."""
    with OpenRoot(root) as opened:
        there, here = _state(opened, step.to), _state(opened, step.path)
    if there == step.sha256:
        hands.moved(step.path, step.to)
        return True
    if here != step.sha256 or there:
        return not here
    if not hands.move(step.path, step.to, step.sha256):
        return False
    hands.moved(step.path, step.to)
    return True


def _state(opened: OpenRoot, path: str) -> str:
    """The digest of a file; empty where there is none, "?" for what cannot be read."""
    try:
        return hashlib.sha256(opened.read(path, max_bytes=_LARGEST)).hexdigest()
    except Unreadable as error:
        return "" if error.missing else "?"
