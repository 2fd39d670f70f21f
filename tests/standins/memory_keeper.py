"""A memory in a folder of its own and whoever merges it: the real parts, without a gate before them.

`python -m tests.standins.memory_keeper ROOT STEP` merges and dies, as by a power cut, at that step.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

from daemon.config.phrases import Phrases
from daemon.memory.consolidation import Ask, Merged, consolidate
from daemon.memory.journal import Hands
from daemon.memory.merge_terms import MergeRules, Shelf
from daemon.memory.snapshot import MergeScope
from daemon.memory.writing import move_file, write_file

TODAY = date(2026, 12, 6)
SHELVES = (
    Shelf("market-research", ("*",)),
    Shelf("technical-findings", ("KC2",)),
    Shelf("funding-intelligence", ("KC3",)),
    Shelf("compliance-analysis", ("compliance-specialist", "memory/rules/")),
)
EVERYONE = frozenset({"ada", "ben"})


def nothing(_step: str) -> None:
    return None


def everyone_reads_findings(path: str) -> frozenset[str]:
    return EVERYONE if path.startswith("memory/findings/") else frozenset()


class Keeper:
    """`quick` writes without syncing, for histories of years."""

    def __init__(self, root: Path, ceiling: int = 16_000, *, quick: bool = False) -> None:
        self.root, self.ceiling, self.today = root, ceiling, TODAY
        self.folders: tuple[str, ...] = ("memory/findings/",)
        self.readers: Callable[[str], frozenset[str]] = everyone_reads_findings
        self.held: set[str] = set()
        self.mapped: dict[str, str] = {}
        self.moved: list[tuple[str, str]] = []
        self._quick = quick
        (root / "memory").mkdir(parents=True, exist_ok=True)

    def add(
        self, number: int, body: str, *, criterion: str = "KC1", outside: bool = False,
        sensitivity: str = "internal", item: str = "", age: int = 8, agent: str = "ada",
    ) -> Path:  # fmt: skip
        """A finding that is `age` days old."""
        item = item or f"T{number}"
        day = self.today - timedelta(days=age)
        path = self.root / f"memory/findings/{criterion}/{item}-{number}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            f'---\ntitle: "Question {item}"\nitem: "{item}"\ncriterion: "{criterion}"\nagent: "{agent}"\n'
            f'created_at: "{day}T09:00:00.000000Z"\norigin: finding\n'
            f"provenance: {'outside' if outside else 'workspace'}\nsensitivity: {sensitivity}\n"
            f"---\n\n# Question {item}\n\n{body}\n"
        )
        return path

    def write(self, path: str, text: str) -> Path:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
        return target

    def scope(self) -> MergeScope:
        return MergeScope(self.folders, 7, self.today, self.held, self.mapped)

    def rules(self) -> MergeRules:
        return MergeRules(SHELVES, self.ceiling, self.readers, Phrases("en"))

    def hands(self, at: Callable[[str], None] = nothing) -> Hands:
        def write(path: str, data: bytes) -> None:
            if self._quick:
                self.write(path, data.decode())
            else:
                write_file(self.root, path, data)

        def move(path: str, to: str, sha256: str) -> bool:
            return move_file(self.root, path, to, sha256)

        return Hands(write, move, lambda path, to: self.moved.append((path, to)), at)

    def merge(self, ask: Ask | None = None, at: Callable[[str], None] = nothing) -> Merged:
        return consolidate(self.root, self.scope(), self.rules(), self.hands(at), ask)

    def documents(self) -> dict[str, str]:
        folder = self.root / "memory/consolidated"
        return {path.name: path.read_text() for path in sorted(folder.glob("*.md"))}

    def everything(self) -> str:
        """All that documents, archive and notes say."""
        files = (self.root / "memory").rglob("*.md")
        return "\n".join(path.read_text("utf-8", "replace") for path in files)


def main(root: str, step: str) -> None:
    def die(done: str) -> None:
        if done == step:
            os._exit(9)

    Keeper(Path(root)).merge(at=die)


if __name__ == "__main__":
    main(*sys.argv[1:])
