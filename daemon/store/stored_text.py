"""Text made fit to be stored. Every parameter of every statement passes through here."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

Params = Sequence[Any] | Mapping[str, Any]

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_NUL = "\0"


def repair_text(text: str) -> str:
    """The same text where it can be stored; else with what cannot be stored replaced by U+FFFD.

    Models send half of a surrogate pair when they are cut off in the middle of a character, and
    SQLite's own functions stop reading at a NUL. Two halves that belong together become their
    character. A damaged text is worth more than a lost row, so this never raises.
    """
    if _NUL in text:
        text = text.replace(_NUL, REPLACEMENT)
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def repair_params(params: Params) -> dict[str, Any] | list[Any]:
    """The parameters of a statement with every text in them repaired."""
    if isinstance(params, Mapping):
        return {name: _repair_leaf(value) for name, value in params.items()}
    return [_repair_leaf(value) for value in params]


def to_json(value: Any) -> str:
    """JSON for a column: sorted keys, texts repaired, no NaN. Raises ValueError for a NaN."""
    return json.dumps(_repair_tree(value), sort_keys=True, ensure_ascii=False, allow_nan=False)


def from_json(text: str | None) -> Any:
    """The reverse of `to_json`; None stays None."""
    return None if text is None else json.loads(text)


def _repair_leaf(value: Any) -> Any:
    return repair_text(value) if isinstance(value, str) else value


def _repair_tree(value: Any) -> Any:
    # Before the JSON is written, not after: json writes a NUL as an escape that would come back.
    if isinstance(value, Mapping):
        return {repair_text(str(key)): _repair_tree(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_repair_tree(entry) for entry in value]
    return _repair_leaf(value)
