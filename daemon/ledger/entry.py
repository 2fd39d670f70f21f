"""One entry = one line of JSON; its stored bytes are what is hashed.

Closed schema: every key is always there. Values are integers and text, in ASCII, keys in order.
Where there is nothing to say, text is empty and a number is NONE.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import rfc8785

from daemon.errors import LedgerError

VERSION = 1
NONE = -1
LONGEST_LINE = 65_536
ZERO = "0" * 64
_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"))
_TYPE = re.compile(r"[a-z][a-z0-9_.-]{0,39}")
_DIGEST = re.compile(r"[0-9a-f]{64}|")
_MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}Z")
_VERDICT = ("effect", "gate", "reason", "final")
_POLICY = ("manifest_sha256", "scope_sha256")


@dataclass(frozen=True)
class Draft:
    """An entry without its place in the log."""

    type: str
    actor: str
    action: Mapping[str, Any]
    verdict: Mapping[str, Any]
    policy: Mapping[str, str]
    sprint: int = NONE
    ref: int = NONE


def digest_of(arguments: object) -> str:
    """SHA-256 of the arguments of an action as canonical JSON (RFC 8785), in hexadecimal.

    Two spellings of the same arguments have one digest. Raises LedgerError for what JSON cannot
    say without loss: not a number, an integer beyond 2^53, half a surrogate pair.
    """
    try:
        return hashlib.sha256(canonical(arguments)).hexdigest()
    except (rfc8785.CanonicalizationError, UnicodeError, TypeError, RecursionError) as error:
        raise LedgerError(
            f"arguments that have no digest ({error}); pass text, lists and whole numbers up to "
            "2^53, and larger numbers as text"
        ) from error


def canonical(value: Any) -> bytes:
    """RFC 8785. Raises rfc8785.CanonicalizationError."""
    return rfc8785.dumps(value)


def draft_entry(
    type: str,  # noqa: A002  the key's name in the log
    *,
    actor: str,
    tool: str = "",
    args_sha256: str = "",
    targets: Sequence[str] = (),
    verdict: Mapping[str, Any] | None = None,
    policy: Mapping[str, Any] | None = None,
    sprint: int | None = None,
    ref: int | None = None,
) -> Draft:
    """Raises LedgerError, with the key's name, for what the schema has no place for."""
    if not _TYPE.fullmatch(_text("type", type)):
        raise LedgerError(f"type: {type!r} is no type; write it in small letters, as 'decision'")
    if isinstance(targets, str):
        raise LedgerError("targets: is one text; pass a list of texts")
    return Draft(
        type=type,
        actor=_text("actor", actor),
        action={
            "args_sha256": _digest("args_sha256", args_sha256),
            "targets": [_text("targets", target) for target in targets],
            "tool": _text("tool", tool),
        },
        verdict=_verdict(verdict or {}),
        policy=_policy(policy or {}),
        sprint=_number("sprint", sprint),
        ref=_number("ref", ref),
    )


def render_entry(draft: Draft, *, log: str, seq: int, ts: str, prev: str) -> bytes:
    """The line without its end. Raises LedgerError where it is longer than LONGEST_LINE."""
    facts = {**vars(draft), "v": VERSION, "log": log, "seq": seq, "ts": ts, "prev": prev}
    line = _CANONICAL.encode(facts).encode("ascii")
    if len(line) > LONGEST_LINE:
        raise LedgerError(
            f"an entry of {len(line):,} bytes is longer than {LONGEST_LINE:,}; keep the text "
            "elsewhere and put its digest here"
        )
    return line


def read_entry(line: bytes) -> dict[str, Any]:
    """The facts of a line that `render_entry` wrote, byte for byte.

    Raises LedgerError, ValueError, KeyError or TypeError for any other line.
    """
    facts = json.loads(line.decode("ascii"))
    action, place = facts["action"], {key: facts[key] for key in ("log", "seq", "ts", "prev")}
    sprint, ref = (None if facts[key] == NONE else facts[key] for key in ("sprint", "ref"))
    draft = draft_entry(
        facts["type"],
        actor=facts["actor"],
        tool=action["tool"],
        args_sha256=action["args_sha256"],
        targets=action["targets"],
        verdict=facts["verdict"],
        policy=facts["policy"],
        sprint=sprint,
        ref=ref,
    )
    if render_entry(draft, **place) != line or not _MOMENT.fullmatch(place["ts"]):
        raise ValueError("is not as it is written")
    return dict(facts)


def _verdict(given: Mapping[str, Any]) -> dict[str, Any]:
    _known("verdict", given, _VERDICT)
    texts = {key: _text(f"verdict.{key}", given.get(key, "")) for key in _VERDICT[:3]}
    final = given.get("final", 0)
    if final not in (0, 1):
        raise LedgerError(f"verdict.final: {final!r} is neither true nor false")
    return {**texts, "final": int(final)}


def _policy(given: Mapping[str, Any]) -> dict[str, str]:
    _known("policy", given, _POLICY)
    return {key: _digest(f"policy.{key}", given.get(key, "")) for key in _POLICY}


def _known(name: str, given: Mapping[str, Any], keys: Sequence[str]) -> None:
    more = sorted(set(given) - set(keys))
    if more:
        raise LedgerError(f"{name}: has no {more[0]!r}; it has: {', '.join(keys)}")


def _text(key: str, value: object) -> str:
    if not isinstance(value, str):
        raise LedgerError(f"{key}: {type(value).__name__} is not text")
    return str(value)


def _digest(key: str, value: object) -> str:
    text = _text(key, value)
    if not _DIGEST.fullmatch(text):
        raise LedgerError(f"{key}: is no SHA-256 in 64 small hexadecimal digits")
    return text


def _number(key: str, value: int | None) -> int:
    if value is None:
        return NONE
    if type(value) is not int or not 0 <= value < 2**53:
        raise LedgerError(f"{key}: {value!r} is no whole number from 0")
    return value
