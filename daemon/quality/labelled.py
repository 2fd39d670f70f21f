"""Labelled texts, one JSON object a line, to measure the judge by. Text in, samples out.

What a line may hold (docs/quality.md, "Measuring"); unknown keys are ignored:

    text | output           the text to be judged
    expect | label | y      reject, flag, strip or pass; y: 1 rejected, 0 passed
    set, id, lang, kind | category, layer, profile
    question | prompt, prompt_text, sources | source, earlier, claims

A line with `source`, `output` and `y` and no task is graded by how far its source backs it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast, get_args

from daemon.errors import Fault
from daemon.quality.claims import ClaimKind, SourceNote
from daemon.quality.verdict import Profile

Expect = Literal["reject", "flag", "strip", "pass"]

LONGEST_LINE = 20_000_000

_MEANS: Mapping[str, Expect] = {
    "garbage": "reject",
    "bad": "reject",
    "accept": "pass",
    "good": "pass",
    "good_with_chatter": "pass",
    "expert:useful": "pass",
    "answer": "pass",
}
_CURE = "write one JSON object a line, with text and expect"


@dataclass(frozen=True)
class LabelledClaim:
    """One claim of a text; `true` says whether the sources have it."""

    text: str
    kind: ClaimKind
    true: bool


@dataclass(frozen=True)
class Sample:
    """One labelled text. `expect` is None where its label says nothing about what should happen.

    `profile` is None where the set's own is to be used. `by_sources`: graded by what backs it, not
    by the gate's verdict. `line` counts from 1.
    """

    set: str
    id: str
    lang: str
    kind: str
    layer: str
    expect: Expect | None
    text: str
    profile: Profile | None
    question: str
    prompt_text: str
    sources: tuple[SourceNote, ...]
    earlier: tuple[str, ...]
    claims: tuple[LabelledClaim, ...]
    by_sources: bool
    line: int


def read_samples(lines: Iterable[str], file: str) -> Iterator[Sample | Fault]:
    """Each line as a sample, or what is wrong with it; empty lines are skipped. Streams."""
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield _read_line(line, file, number)


def _read_line(line: str, file: str, number: int) -> Sample | Fault:
    if len(line) > LONGEST_LINE:
        message = f"is longer than {LONGEST_LINE:,} characters"
        return Fault(file, number, "", message, "one text a line, none of that length")
    try:
        found = json.loads(line)
    except json.JSONDecodeError as error:
        return Fault(file, number, "", f"is not JSON: {error.msg} in column {error.colno}", _CURE)
    except (ValueError, RecursionError):
        return Fault(file, number, "", "holds lists nested too deep, or an endless number", _CURE)
    if not isinstance(found, dict):
        return Fault(file, number, "", "is not a JSON object", _CURE)
    try:
        return _to_sample(found, file, number)
    except _Wrong as wrong:
        return Fault(file, number, wrong.key, wrong.message, wrong.cure)


class _Wrong(Exception):
    def __init__(self, key: str, message: str, cure: str = "") -> None:
        super().__init__(message)
        self.key, self.message, self.cure = key, message, cure


def _to_sample(found: Mapping[str, Any], file: str, number: int) -> Sample:
    text = _text(found, "text") or _text(found, "output")
    if text is None:
        raise _Wrong("text", "is missing", "add text: what is to be judged (may be empty)")
    question = _text(found, "question") or _text(found, "prompt") or ""
    return Sample(
        set=_text(found, "set") or _stem(file),
        id=str(found.get("id", number)),
        lang=_text(found, "lang") or "en",
        kind=_text(found, "kind") or _text(found, "category") or _text(found, "label") or "",
        layer=_text(found, "layer") or "",
        expect=_expectation(found),
        text=text,
        profile=_profile(found),
        question=question,
        prompt_text=_text(found, "prompt_text") or "",
        sources=tuple(_sources(found)),
        earlier=tuple(_earlier(found)),
        claims=tuple(_claims(found)),
        by_sources="y" in found and "source" in found and not question,
        line=number,
    )


def _expectation(found: Mapping[str, Any]) -> Expect | None:
    """`expect` before `y` before `label`; a label of another meaning measures nothing."""
    expect = _text(found, "expect")
    if expect is not None:
        meant = _meaning(expect)
        if meant is None:
            known = ", ".join(get_args(Expect))
            raise _Wrong("expect", f"{expect[:40]!r} is not known", f"write one of {known}")
        return meant
    if "y" in found:
        if found["y"] not in (0, 1):
            raise _Wrong("y", "must be 0 or 1", "1: made up, 0: backed by its source")
        return "reject" if found["y"] else "pass"
    label = _text(found, "label")
    if label is None:
        raise _Wrong("expect", "is missing", "add expect: reject, flag, strip or pass")
    return _meaning(label)


def _meaning(word: str) -> Expect | None:
    plain = word.casefold()
    return cast("Expect", plain) if plain in get_args(Expect) else _MEANS.get(plain)


def _profile(found: Mapping[str, Any]) -> Profile | None:
    profile = _text(found, "profile")
    if profile is not None and profile not in get_args(Profile):
        known = ", ".join(get_args(Profile))
        raise _Wrong("profile", f"{profile[:40]!r} is not known", f"write one of {known}")
    return cast("Profile | None", profile)


def _sources(found: Mapping[str, Any]) -> Iterator[SourceNote]:
    for one in _list(found, "sources"):
        if not isinstance(one, dict) or not isinstance(one.get("text"), str):
            raise _Wrong("sources", "must be objects with id and text")
        yield SourceNote(str(one.get("id", "source")), one["text"], str(one.get("path", "")))
    source = found.get("source")
    if source is not None and "sources" not in found:
        text = source if isinstance(source, str) else json.dumps(source, ensure_ascii=False)
        yield SourceNote("source", text)


def _earlier(found: Mapping[str, Any]) -> Iterator[str]:
    earlier = found.get("earlier")
    for one in [earlier] if isinstance(earlier, str) else _list(found, "earlier"):
        if not isinstance(one, str):
            raise _Wrong("earlier", "must be a list of texts")
        yield one


def _claims(found: Mapping[str, Any]) -> Iterator[LabelledClaim]:
    for one in _list(found, "claims"):
        if not isinstance(one, dict) or not isinstance(one.get("text"), str):
            raise _Wrong("claims", "must be objects with text, kind and true")
        kind = one.get("kind", "figure")
        if kind not in get_args(ClaimKind):
            raise _Wrong(
                "claims", "has an unknown kind", f"kinds: {', '.join(get_args(ClaimKind))}"
            )
        if not isinstance(one.get("true"), bool):
            raise _Wrong("claims", "must say for each claim whether it is true")
        yield LabelledClaim(one["text"], kind, one["true"])


def _text(found: Mapping[str, Any], key: str) -> str | None:
    value = found.get(key)
    if value is not None and not isinstance(value, str):
        raise _Wrong(key, "must be text")
    return value


def _list(found: Mapping[str, Any], key: str) -> Sequence[Any]:
    value = found.get(key)
    if value is None:
        return ()
    if not isinstance(value, list):
        raise _Wrong(key, "must be a list")
    return value


def _stem(file: str) -> str:
    """The set of a line without one: the file's name without folders and endings."""
    return file.rpartition("/")[2].partition(".")[0] or "texts"
