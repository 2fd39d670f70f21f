"""The sources of a finding, opened again: whether each note still holds what the agent was given."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

from daemon.memory.notes import parse_note
from daemon.memory.opening import OpenRoot, Unreadable
from daemon.quality.claims import Claim
from daemon.quality.unverified import Doubt, doubt_of, sentence_span
from daemon.quality.verdict import Verdict
from daemon.sprint.judging import sources_of
from daemon.sprint.parts import SprintParts
from daemon.store import control
from daemon.store.attempts import AttemptRow
from daemon.store.stored_text import repair_text

_MARKS = re.compile(r"\s*\[[^\[\]\n]{1,160}\]\.?\s*$")

Reopened = Literal["same", "changed", "missing"]


@dataclass(frozen=True)
class Annex:
    """How each source stands now, by its id, and what follows: each doubted claim, and why."""

    states: Mapping[str, Reopened]
    doubted: tuple[tuple[Claim, Doubt], ...]


def open_again(parts: SprintParts, row: AttemptRow, verdict: Verdict) -> Annex:
    """Open every note that the agent was given and look for what the verdict found there.

    A claim whose note has changed stands only where its passage is still there; one whose note is
    gone does not stand. What was seen is kept until `forget`, so that writing the same
    finding again after a crash gives the same file. Raises Unreadable for the workspace's root.
    """
    name = _name(row)
    kept: Mapping[str, Any] | None = control.get(parts.db, name)
    if kept is None:
        kept = _look(parts, row, verdict)
        control.put(parts.db, name, kept, parts.clock.now())
    states = {str(key): cast("Reopened", value) for key, value in kept["states"].items()}
    return Annex(states, tuple(_doubted(verdict.cleaned_text, verdict.claims, kept, states)))


def forget(parts: SprintParts, row: AttemptRow) -> None:
    """The finding is committed, so what was seen of its sources is not needed any more."""
    control.delete(parts.db, _name(row))


def _name(row: AttemptRow) -> str:
    return f"annex/{row.id}"


def _look(parts: SprintParts, row: AttemptRow, verdict: Verdict) -> dict[str, Any]:
    claims = verdict.claims
    states: dict[str, Reopened] = {}
    texts: dict[str, str] = {}
    with OpenRoot(parts.root) as opened:
        for source in row.prompt["sources"]:
            text = _text(opened, source["path"])
            texts[source["id"]] = text or ""
            states[source["id"]] = _state(text, source["sha256"])
    given = [_flat(note.text) for note in sources_of(parts.db, row)]
    lost = [number for number, claim in enumerate(claims) if _is_lost(claim, states, texts)]
    copied = [
        number
        for number, claim in enumerate(claims)
        if claim.status == "weak" and _is_copied(verdict.cleaned_text, claim, given)
    ]
    return {"states": states, "lost": lost, "copied": copied}


def _text(opened: OpenRoot, path: str) -> str | None:
    """The note as an agent would be given it now; None where it cannot be."""
    try:
        note = parse_note(opened.read(path), path)
    except Unreadable:
        return None
    return repair_text(note.body.strip("\n"))


def _state(text: str | None, sha256: str) -> Reopened:
    if text is None:
        return "missing"
    return "same" if hashlib.sha256(text.encode()).hexdigest() == sha256 else "changed"


def _is_lost(claim: Claim, states: Mapping[str, Reopened], texts: Mapping[str, str]) -> bool:
    """Whether what bore it out is not there any more."""
    if not claim.source or states.get(claim.source, "same") == "same":
        return False
    passage = _flat(claim.passage.rstrip("…"))
    return not passage or passage not in _flat(texts[claim.source])


def _is_copied(text: str, claim: Claim, given: Sequence[str]) -> bool:
    """Whether the whole sentence stands word for word in a note: then it says what the note says."""
    start, end = sentence_span(text, *claim.span)
    sentence = _flat(_MARKS.sub("", text[start:end]))
    return bool(sentence) and any(sentence in note for note in given)


def _doubted(
    text: str, claims: Sequence[Claim], kept: Mapping[str, Any], states: Mapping[str, Reopened]
) -> Sequence[tuple[Claim, Doubt]]:
    found: list[tuple[Claim, Doubt]] = []
    for number, claim in enumerate(claims):
        doubt = None if number in kept["copied"] else doubt_of(text, claim)
        if doubt is None and number in kept["lost"]:
            doubt = "missing" if states[claim.source] == "missing" else "changed"
        if doubt is not None:
            found.append((claim, doubt))
    return found


def _flat(text: str) -> str:
    return " ".join(text.split())
