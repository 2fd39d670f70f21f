"""The form of an answer given back as the answer: JSON whose values are names of types or empty slots."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from daemon.quality.normalise import Reading
from daemon.quality.verdict import Defect, Profile

_LONGEST = 20_000
_LEAST_VALUES = 2
_MOST_VALUES = 400
_TEXT_SHARE = 0.6
_TYPE = re.compile(
    r"(?:string|str|text|texto|number|numero|integer|int|float|decimal|boolean|bool|array|object|null|none|date|fecha"
    r"|datetime|list(?: of \w+)?|lista(?: de \w+)?|enum|any|url|uri|array of \w+|cadena|entero|booleano)"
    r"|(?:[^|\n]{1,24}\|){1,8}[^|\n]{1,24}|(?:y{2,4}|a{2,4}|d{1,2}|m{1,2}|h{1,2}"
    r"|s{1,2})(?:[-/:. t](?:y{2,4}|a{2,4}|d{1,2}|m{1,2}|h{1,2}|s{1,2}))+"
    r"|(?:int|integer|number|entero|numero|score|text|texto|string) ?\(?\d{1,3} ?(?:-|to|a) ?\d{1,3}\)?"
    r"|<[^<>]{0,60}>|\[[^\[\]]{0,60}\]|\{[^{}]{0,60}\}|\.\.\.|…|(?:your|the|insert|el|la|tu|su) .{0,40} here|"
)


def schema_echo(reading: Reading, profile: Profile) -> Iterable[Defect]:
    """Nearly all of the text is one JSON object without a single value of its own."""
    if profile in ("code", "template"):
        return
    text = reading.raw.strip()
    start, end = text.find("{"), text.rfind("}") + 1
    if not 0 <= start < end or len(text) > _LONGEST or end - start < _TEXT_SHARE * len(text):
        return
    try:
        parsed = json.loads(text[start:end])
    except (ValueError, RecursionError):
        return
    if _is_schema(parsed) or _has_only_types(parsed):
        message = "It gives back the form that its answer should have, without an answer."
        yield Defect("structure.schema_echo", message, rejects=True)


def _is_schema(parsed: Any) -> bool:
    if not isinstance(parsed, dict):
        return False
    return (
        "properties" in parsed
        and {str(key).lower() for key in parsed} & {"type", "$schema"} != set()
    )


def _has_only_types(parsed: Any) -> bool:
    values = [
        str(one).strip().lower()
        for one, _ in zip(_leaves(parsed), range(_MOST_VALUES), strict=False)
    ]
    return len(values) >= _LEAST_VALUES and all(_TYPE.fullmatch(one) for one in values)


def _leaves(parsed: Any) -> Iterator[Any]:
    waiting = [parsed]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            waiting.extend(one.values())
        elif isinstance(one, list):
            waiting.extend(one)
        elif one is not None:
            yield one
