"""From the text of a reply to the JSON value that was asked for."""

from __future__ import annotations

import json
import math
import re
from typing import Any

_OPENING = re.compile(r"[{\[]")
# A brace that starts JSON, as against one in prose such as {name} or [unit-id].
_MEANT_AS_JSON = re.compile(r'\{\s*["}]|\[\s*(?:[{"]|\[\s*[\[{"\d-])')
_MAX_STARTS = 500
_FENCED = re.compile(r"```(?:json)?[ \t]*\n(.*)\n[ \t]*```", re.DOTALL | re.IGNORECASE)


def parse_json_reply(text: str, *, alone: bool = False) -> Any:
    """The JSON value of a reply: plain, inside a fence, or with prose before or after it.

    The value ends where JSON itself says that it ends, never at the next fence or brace, so
    fences and braces inside of strings do no harm. In a text with prose around it the first object
    counts, or the first list where there is no object. A value that breaks off is refused whole; a
    part of it is never taken for the answer. Duplicate keys, NaN, Infinity and half characters are
    refused too: they mean different things to different readers. `alone`: around the value there may
    be a fence and nothing else, for an answer that prose or a second value could take back. Raises
    ValueError with one sentence that says what is wrong.
    """
    stripped = text.lstrip("\ufeff").strip()
    if not stripped:
        raise ValueError("the reply is empty where JSON was asked for")
    try:
        value = _whole(stripped) if alone else _whole_or_first(stripped)
    except RecursionError:
        raise ValueError("the JSON of the reply is nested too deeply") from None
    _refuse_half_characters(value)
    return value


def _whole(text: str) -> Any:
    fenced = _FENCED.fullmatch(text)
    try:
        return _DECODER.decode(fenced[1].strip() if fenced else text)
    except json.JSONDecodeError as error:
        raise ValueError(f"the reply is not one JSON value and nothing else: {error.msg}") from None


def _whole_or_first(text: str) -> Any:
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError:
        return _first_value(text)


def _first_value(text: str) -> Any:
    lists: list[Any] = []
    position = 0
    for _ in range(_MAX_STARTS):
        opening = _OPENING.search(text, position)
        if opening is None:
            break
        try:
            value, position = _DECODER.raw_decode(text, opening.start())
        except json.JSONDecodeError as error:
            if _MEANT_AS_JSON.match(text, opening.start()):
                raise ValueError(_malformed(error)) from None
            position = opening.end()
            continue
        if isinstance(value, dict):
            return value
        lists.append(value)
    if lists:
        return lists[0]
    raise ValueError("the reply holds no JSON object")


def _malformed(error: json.JSONDecodeError) -> str:
    place = f"line {error.lineno}, column {error.colno}"
    return f"the JSON of the reply breaks off or is malformed at {place}: {error.msg}"


def _refuse_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for key, item in pairs:
        if key in value:
            raise ValueError(f"the JSON of the reply names the key {key[:60]!r} twice")
        value[key] = item
    return value


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"the JSON of the reply holds {name}, which is not a number")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(f"the JSON of the reply holds a number that is too large: {digits[:40]}")
    return number


def _refuse_half_characters(value: Any) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise ValueError("the JSON of the reply holds half of a surrogate pair") from None


_DECODER = json.JSONDecoder(
    object_pairs_hook=_refuse_duplicates, parse_constant=_refuse_constant, parse_float=_finite
)
