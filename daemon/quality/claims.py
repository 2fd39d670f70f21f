"""What an output says that can be looked up: its figures, addresses, quotations and norms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

ClaimKind = Literal["figure", "url", "quote", "norm"]
ClaimStatus = Literal["supported", "weak", "derived", "absent"]


@dataclass(frozen=True)
class SourceNote:
    """One text that the writer was given. `id` names it to people, `path` is its file or empty."""

    id: str
    text: str
    path: str = ""


@dataclass(frozen=True)
class Claim:
    """One thing that was looked up, and what came of it.

    `text` stands at `span` of the cleaned text. *supported*: it stands in `source` at `place` (start
    and end in the note's text), in words that also say what the claim is about; *weak*: it stands
    there, but nothing around it is about the same; *derived*: it follows from supported figures as
    `note` says; *absent*: nothing that was given has it. `source`, `place` and `passage` (the
    sentence there, at most 200 characters) are empty or None where there is no such place.
    """

    kind: ClaimKind
    text: str
    span: tuple[int, int]
    status: ClaimStatus
    source: str = ""
    place: tuple[int, int] | None = None
    passage: str = ""
    note: str = ""
