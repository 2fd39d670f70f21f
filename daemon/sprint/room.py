"""The room in a prompt: so many units, so many tokens; what does not fit is named with the sum."""

from __future__ import annotations

from collections.abc import Iterable

from daemon.memory.opening import MAX_FILE_BYTES, OpenRoot, Unreadable
from daemon.sprint.candidates import Candidate
from daemon.sprint.context_plan import LoadedUnit, SkippedUnit

# A token is hardly ever longer: a declared size below this was not measured on this file.
_LONGEST_TOKEN_BYTES = 8
# Findings of items that this one builds on are sure of this part of the room, if they need it.
_RESERVED_PART = 3


class Room:
    """Filled in the order of the offers. Sizes are asked of the folder; no file is opened."""

    def __init__(self, opened: OpenRoot, ceiling_tokens: int, max_units: int) -> None:
        self.loaded: list[LoadedUnit] = []
        self.skipped: list[SkippedUnit] = []
        self.tokens = 0
        self.unreadable = ""  # the first file that could not be read, and why
        self._opened = opened
        self._ceiling = ceiling_tokens
        self._max_units = max_units
        self._ids_by_path: dict[str, str] = {}

    def reserve(self, later: Iterable[Candidate]) -> tuple[int, int]:
        """Units and tokens to keep free for what is offered later: what it takes, up to a third."""
        sizes = [tokens for tokens in map(self._tokens_or_none, later) if tokens is not None]
        units = min(len(sizes), self._max_units // _RESERVED_PART)
        return units, min(sum(sizes), self._ceiling // _RESERVED_PART)

    def offer(self, candidates: Iterable[Candidate], *, keep: tuple[int, int] = (0, 0)) -> None:
        """Load what fits while `keep` (units, tokens) stay free; a smaller one may fit later."""
        for candidate in candidates:
            gate = "room"
            try:
                reason = self._load(candidate, self._max_units - keep[0], self._ceiling - keep[1])
            except Unreadable as error:
                reason, gate = error.reason, "file"
                self.unreadable = self.unreadable or str(error)
            if reason:
                self.skipped.append(SkippedUnit(candidate.id, candidate.path, reason, gate))

    def is_full(self, *, keep: tuple[int, int] = (0, 0)) -> bool:
        """Whether not even one more token would fit."""
        units, tokens = self._max_units - keep[0], self._ceiling - keep[1]
        return len(self.loaded) >= units or self.tokens >= tokens

    def _load(self, candidate: Candidate, max_units: int, ceiling: int) -> str:
        """Load it, or say why not. Raises Unreadable."""
        same = self._ids_by_path.get(candidate.path)
        if same is not None:
            return f"the same file is loaded as {same}"
        if len(self.loaded) >= max_units:
            return f"no room: {len(self.loaded)} units are loaded already"
        size = self._opened.size(candidate.path)
        if size == 0:
            raise Unreadable(candidate.path, "the file is empty")
        if size > MAX_FILE_BYTES:
            return f"is larger than {MAX_FILE_BYTES:,} bytes; split it"
        tokens = count_tokens(size, candidate.declared_tokens)
        left = max(0, ceiling - self.tokens)
        if tokens > left:
            return f"no room: it has {tokens:,} tokens, {left:,} of {self._ceiling:,} are left"
        self._ids_by_path[candidate.path] = candidate.id
        self.tokens += tokens
        self.loaded.append(
            LoadedUnit(
                id=candidate.id,
                path=candidate.path,
                title=candidate.title,
                tokens=tokens,
                reason=candidate.reason,
                untrusted=candidate.untrusted,
                size_bytes=size,
                mapped=candidate.declared is not None,
                outside=candidate.declared is None or candidate.declared.outside,
                sensitivity=candidate.declared.sensitivity if candidate.declared else "",
            )
        )
        return ""

    def _tokens_or_none(self, candidate: Candidate) -> int | None:
        try:
            return count_tokens(self._opened.size(candidate.path), candidate.declared_tokens)
        except Unreadable:
            return None


def count_tokens(size_bytes: int, declared: int | None) -> int:
    """The declared tokens, else a quarter of the bytes rounded up.

    A declaration that the file has outgrown is set aside: it would smuggle a large file in.
    """
    if declared is not None and declared * _LONGEST_TOKEN_BYTES >= size_bytes:
        return declared
    return -(-size_bytes // 4)
