"""What the next attempt is told of a rejected one: the reasons first, then each claim without a note."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from daemon.quality.unverified import sentence_span
from daemon.quality.verdict import Verdict
from daemon.quality.verdict_json import verdict_from_json

MOST_CHARACTERS = 4_000

_LONGEST = 1_500
_LONGEST_SENTENCE = 200


def reasons_for_next(stored: Mapping[str, Any] | None) -> tuple[str, ...]:
    """The lines for the prompt of the next attempt; empty where nothing was rejected.

    Why it was rejected, then each claim that no note has with its sentence, then what was only
    marked: at most 4,000 characters, and a last line that says how many lines were left out.
    """
    if stored is None:
        return ()
    lines = list(dict.fromkeys(_lines(stored)))
    kept: list[str] = []
    room = MOST_CHARACTERS
    for line in lines:
        room -= len(line) + 1
        if room < 0 and kept:
            break
        kept.append(line)
    left_out = len(lines) - len(kept)
    if left_out:
        kept.append(
            f"{left_out} more lines are left out here; look for the same kinds of fault elsewhere."
        )
    return tuple(kept)


def reasons_without_words(stored: Mapping[str, Any] | None) -> tuple[str, ...]:
    """The same for another agent than the one that was rejected: which rules objected, and how many
    claims no note has, without a word of the text that was judged."""
    if stored is None:
        return ()
    rules = dict.fromkeys(one["check"] for one in stored.get("defects", ()) if one["rejects"])
    lines = [f"The rules that rejected another agent's answer: {', '.join(rules)}"] if rules else []
    absent = [one for one in stored.get("claims", ()) if one["status"] == "absent"]
    if absent:
        lines.append(f"It made {len(absent)} claims that no note has.")
    return tuple(lines)


def _lines(stored: Mapping[str, Any]) -> Iterator[str]:
    defects = stored.get("defects", ())
    yield from (_line(one["message"]) for one in defects if one["rejects"])
    try:
        verdict = verdict_from_json(stored)
    except ValueError:  # of an earlier version
        return
    yield from _absent(verdict)
    for one in defects:
        if not one["rejects"]:
            yield f"Only marked: {_line(one['message'])}"


def _absent(verdict: Verdict) -> Iterator[str]:
    for claim in verdict.claims:
        if claim.status == "absent":
            start, end = sentence_span(verdict.cleaned_text, *claim.span)
            sentence = _line(verdict.cleaned_text[start:end], _LONGEST_SENTENCE)
            yield f"No note has the {claim.kind} {_line(claim.text, 120)!r}; you wrote: {sentence}"


def _line(text: str, longest: int = _LONGEST) -> str:
    flat = " ".join(str(text).split())
    return flat if len(flat) <= longest else flat[: longest - 1] + "…"
