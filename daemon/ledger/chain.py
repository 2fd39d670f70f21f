"""Where a log ends, as its writer knows it: size, tree, last leaf, last moment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from daemon.errors import LedgerError
from daemon.ledger.entry import ZERO, read_entry
from daemon.ledger.merkle import Frontier, leaf_hash


@dataclass
class Chain:
    """The end of a log. `offset` is in bytes; `leaf` is of the last entry, in hexadecimal.

    `origin` is empty until the first entry; `announced` is the newest key that an entry taken here
    made known, empty where none did. `roots` are the roots that the tree must have at certain sizes.
    """

    origin: str = ""
    frontier: Frontier = field(default_factory=Frontier)
    offset: int = 0
    leaf: str = ZERO
    ts: str = ""
    announced: str = ""
    roots: dict[int, str] = field(default_factory=dict)

    @property
    def size(self) -> int:
        return self.frontier.size

    def take(self, line: bytes) -> None:
        """One more entry, given without its end; it must follow from the last.

        Raises LedgerError, naming the line, and then has changed nothing.
        """
        facts = self._parse(line)
        if facts["seq"] != self.size or facts["prev"] != self.leaf:
            raise self.damage("does not follow from the line before it")
        if self.origin and facts["log"] != self.origin:
            raise self.damage(f"belongs to another log, {facts['log']!r}")
        if str(facts["ts"]) < self.ts and facts["type"] != "clock":
            raise self.damage("is older than the line before it")
        self.add(line, facts)

    def add(self, line: bytes, facts: Mapping[str, object]) -> None:
        """An entry that is known to follow. Raises LedgerError where the root is not as signed."""
        leaf, signed = leaf_hash(line), self.roots.get(self.size + 1)
        grown = self.frontier if signed is None else self.frontier.copy()
        grown.add(leaf)
        if signed is not None and grown.root().hex() != signed:
            raise LedgerError(
                f"the log's first {grown.size:,} lines are not the ones that were signed; put the "
                "log back from a backup and run: sprintd ledger verify"
            )
        self.frontier, self.leaf = grown, leaf.hex()
        self.offset += len(line) + 1
        self.origin, self.ts = str(facts["log"]), str(facts["ts"])
        if facts["type"] == "key":
            self.announced = _announced(facts)

    def damage(self, what: str) -> LedgerError:
        return LedgerError(
            f"log.jsonl:{self.size + 1}: {what}; the log was changed or the disk is damaged: put "
            "it back from a backup (docs/ledger.md)"
        )

    def _parse(self, line: bytes) -> Mapping[str, object]:
        try:
            return read_entry(line)
        except (LedgerError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise self.damage("is no entry") from None


def _announced(facts: Mapping[str, object]) -> str:
    action = facts["action"]
    targets = action.get("targets") if isinstance(action, dict) else None
    return str(targets[0]) if targets else ""
