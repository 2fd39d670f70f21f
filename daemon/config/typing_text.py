"""Text to the type that a field wants, by exact rules; what does not fit is left for the error.

YAML and TOML files come in as different things (text only; typed values), so each has its table.
The rules are narrower than pydantic's own: only true and false are booleans, only 2026-11-30 is a
date, 012 and 1_000 are not numbers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from functools import cache, partial
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel

Converter = Callable[[Any], Any]
Scalars = Callable[[Any, Any], Any]

_INT = re.compile(r"[+-]?(?:0|[1-9][0-9]{0,17})", re.ASCII)
_NUMBER = re.compile(r"[+-]?(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{1,18})?", re.ASCII)
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_TIME = re.compile(
    _DATE.pattern + r"T[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?(?:Z|[+-][0-9]{2}:[0-9]{2})"
)


def from_text(kind: Any, value: Any) -> Any:
    """A YAML scalar (always text or None) as `kind`; the value itself where it is not one."""
    if not isinstance(value, str):
        return value
    reader = _TEXT_READERS.get(kind)
    return value if reader is None else reader(value)


def from_toml(kind: Any, value: Any) -> Any:
    """A TOML scalar as `kind`: a whole number serves as a decimal, nothing else moves."""
    if kind is Decimal and type(value) is int:
        return Decimal(value)
    if kind is float and type(value) in (int, Decimal):
        return float(value)
    return value


def convert(model: type[BaseModel], value: Any, scalars: Scalars) -> Any:
    """The raw value of a file with its scalars and lists typed for `model`. Never raises."""
    return converter(model, scalars)(value)


def converter(annotation: Any, scalars: Scalars) -> Converter:
    """The function that brings a raw value nearer to `annotation`."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return converter(arguments[0], scalars)
    if origin is Literal:
        return partial(_literal, arguments, scalars)
    if origin in (Union, UnionType):
        arms = [converter(arm, scalars) for arm in arguments if arm is not NoneType]
        return partial(_union, arms, str in arguments)
    if origin in (tuple, list, set, frozenset):
        return partial(_many, origin, converter(arguments[0], scalars))
    if origin in (dict, Mapping):
        return partial(_mapping, converter(arguments[1], scalars))
    return _plain(annotation, scalars)


def nullable(annotation: Any) -> bool:
    """Whether a field may be None."""
    return annotation is Any or annotation is None or NoneType in get_args(annotation)


def _plain(annotation: Any, scalars: Scalars) -> Converter:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return partial(_fields, annotation, scalars)
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return partial(_enum, annotation, scalars)
    return partial(scalars, annotation)


@cache
def _field_converters(
    model: type[BaseModel], scalars: Scalars
) -> dict[str, tuple[Converter, bool]]:
    found = {}
    for name, info in model.model_fields.items():
        entry = (converter(info.annotation, scalars), nullable(info.annotation))
        found[info.alias or name] = entry
    return found


def _fields(model: type[BaseModel], scalars: Scalars, value: Any) -> Any:
    """An empty value (`key:` and nothing after it) counts as absent where None is no answer."""
    if not isinstance(value, dict):
        return value
    converters = _field_converters(model, scalars)
    typed = {}
    for key, entry in value.items():
        known = converters.get(key)
        if known is None:
            typed[key] = entry
        elif entry is not None or known[1]:
            typed[key] = known[0](entry)
    return typed


def _many(origin: Any, inner: Converter, value: Any) -> Any:
    if not isinstance(value, list):
        return value
    entries = [inner(entry) for entry in value]
    try:
        return origin(entries)
    except TypeError:  # a mapping in what should be a set of texts
        return entries


def _mapping(inner: Converter, value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    return {key: inner(entry) for key, entry in value.items()}


def _literal(options: tuple[Any, ...], scalars: Scalars, value: Any) -> Any:
    if value in options:
        return value
    for option in options:
        if scalars(type(option), value) == option:
            return option
    return value


def _enum(kind: type[Enum], scalars: Scalars, value: Any) -> Any:
    for member in kind:
        if scalars(type(member.value), value) == member.value:
            return member
    return value


def _union(arms: list[Converter], takes_text: bool, value: Any) -> Any:  # noqa: FBT001
    """Text stays text where text is allowed; otherwise the first arm that can read it."""
    if value is None or (takes_text and isinstance(value, str)):
        return value
    for arm in arms:
        typed = arm(value)
        if typed is not value:
            return typed
    return value


def _int(text: str) -> Any:
    return int(text) if _INT.fullmatch(text) else text


def _decimal(text: str) -> Any:
    return Decimal(text) if _NUMBER.fullmatch(text) else text


def _float(text: str) -> Any:
    return float(text) if _NUMBER.fullmatch(text) else text


def _bool(text: str) -> Any:
    return {"true": True, "false": False}.get(text, text)


def _date(text: str) -> Any:
    if not _DATE.fullmatch(text):
        return text
    try:
        return date.fromisoformat(text)
    except ValueError:
        return text


def _datetime(text: str) -> Any:
    if not _TIME.fullmatch(text):
        return text
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return text


_TEXT_READERS: dict[Any, Callable[[str], Any]] = {
    int: _int,
    bool: _bool,
    float: _float,
    Decimal: _decimal,
    date: _date,
    datetime: _datetime,
}
