"""Pydantic's complaints in the words of the person who wrote the file."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from daemon.config.document import Steps, dotted
from daemon.errors import Fault

_SHOWN = 60
_EXPECTED = {
    "string": "text",
    "int": "a whole number",
    "bool": "true or false",
    "date": "a date such as 2026-11-30",
    "datetime": "a time with its zone, such as 2026-11-30T09:00:00Z",
    "decimal": "a number",
    "float": "a number",
    "is_instance": "a number",
    "tuple": "a list",
    "list": "a list",
    "set": "a list",
    "frozen_set": "a list",
    "dict": "a group of keys",
    "mapping": "a group of keys",
    "model": "a group of keys",
    "model_attributes": "a group of keys",
}
_BOUNDS = {
    "greater_than_equal": ("ge", "must be at least {}"),
    "greater_than": ("gt", "must be more than {}"),
    "less_than_equal": ("le", "must be at most {}"),
    "less_than": ("lt", "must be less than {}"),
    "string_too_short": ("min_length", "must have at least {} characters"),
    "string_too_long": ("max_length", "must have at most {} characters"),
    "too_short": ("min_length", "must have at least {} entries"),
    "too_long": ("max_length", "must have at most {} entries"),
    "string_pattern_mismatch": ("pattern", "must match the pattern {}"),
}


def faults_of(
    error: ValidationError,
    model: type[BaseModel],
    file: str,
    line_of: Callable[[Steps], int],
    *,
    emptied: Iterable[Steps] = (),
    prefix: Steps = (),
) -> list[Fault]:
    """One fault for each complaint, with line, dotted key and, for an unknown key, the likely one.

    `emptied` are the paths of keys that were written without a value; `prefix` stands before every
    path where only a part of the file was validated.
    """
    details = error.errors(include_url=False)
    typos = _typos(details, model)
    empty = {tuple(path) for path in emptied}
    faults = []
    for detail in details:
        loc = tuple(detail["loc"])
        if detail["type"] == "missing" and loc in typos.values():
            continue  # the misspelt key beside it already says so
        message, cure = _words(detail, model, loc, meant=typos.get(loc), empty=loc in empty)
        path = (*prefix, *loc)
        where = path[:-1] if detail["type"] == "missing" and loc not in empty else path
        line = line_of(where) if where else 0
        faults.append(Fault(file, line, dotted(path), message, cure))
    return faults


def shown(value: object) -> str:
    """A value as a message shows it: short, on one line, with its kind where that is the point."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return "a group of keys"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "a list"
    if isinstance(value, int | float | Decimal | date):
        return str(value)
    text = " ".join(str(value).split())
    return repr(text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…")


def closest(word: str, known: Iterable[str]) -> str | None:
    """The known word that was probably meant; None where nothing is near."""
    by_fold = {name.casefold().replace("-", "_"): name for name in known}
    folded = word.casefold().replace("-", "_")
    found = difflib.get_close_matches(folded, by_fold, n=1, cutoff=0.6)
    return by_fold[found[0]] if found else None


def keys_at(model: type[BaseModel], loc: Steps) -> list[str]:
    """The keys that the mapping at `loc` may have; empty where it is not a model."""
    inner = _model_at(model, loc)
    if inner is None:
        return []
    return [info.alias or name for name, info in inner.model_fields.items()]


def _typos(details: Sequence[ErrorDetails], model: type[BaseModel]) -> dict[Steps, Steps]:
    """For each unknown key (by path) the path of the key that was probably meant."""
    found: dict[Steps, Steps] = {}
    for detail in details:
        if detail["type"] == "extra_forbidden":
            *parent, key = detail["loc"]
            meant = closest(str(key), keys_at(model, parent))
            if meant is not None:
                found[tuple(detail["loc"])] = (*parent, meant)
    return found


def _words(
    detail: ErrorDetails, model: type[BaseModel], loc: Steps, *, meant: Steps | None, empty: bool
) -> tuple[str, str]:
    """Message and cure."""
    kind, value, context = detail["type"], detail["input"], detail.get("ctx", {})
    if kind == "missing":
        return _no_value() if empty else ("is missing", _cure_of_missing(model, loc))
    if kind == "extra_forbidden":
        return "unknown key", _cure_of_unknown(model, loc, meant)
    if kind in ("literal_error", "enum"):
        return _one_of(str(context.get("expected", "")), value)
    if kind in _BOUNDS:
        name, form = _BOUNDS[kind]
        return form.format(context.get(name, "")) + _found(value), ""
    if kind == "value_error":
        return str(context.get("error", detail["msg"])), ""
    if kind == "finite_number":
        return f"expects an ordinary number, found {value}", ""
    return _wrong_type(kind, value, detail["msg"])


def _no_value() -> tuple[str, str]:
    return "has no value", "write one after the colon"


def _cure_of_missing(model: type[BaseModel], loc: Steps) -> str:
    """What to add, with what it may be where its kind says so."""
    inner = _model_at(model, loc[:-1])
    fields = inner.model_fields if inner else {}
    kinds = [info.annotation for name, info in fields.items() if loc[-1] in (name, info.alias)]
    kind = kinds[0] if kinds else None
    if get_origin(kind) is Literal:
        return f"add {loc[-1]}: one of {', '.join(str(word) for word in get_args(kind))}"
    name = "list" if get_origin(kind) in (tuple, list) else getattr(kind, "__name__", "")
    expected = "" if name == "str" else _EXPECTED.get(name.lower(), "")
    return f"add {loc[-1]}: {expected}" if expected else f"add {loc[-1]}"


def _cure_of_unknown(model: type[BaseModel], loc: Steps, meant: Steps | None) -> str:
    if meant is not None:
        return f"did you mean {meant[-1]}?"
    elsewhere = {str(path[-1]): path for path in _all_keys(model)}
    near = closest(str(loc[-1]), elsewhere)
    if near is not None:
        return f"did you mean {dotted(elsewhere[near])}?"
    known = keys_at(model, loc[:-1])
    return f"known here: {', '.join(known)}" if known else "remove it"


def _all_keys(model: type[BaseModel], path: Steps = ()) -> Iterator[Steps]:
    """Every key of the model and of the models directly inside it."""
    for name, info in model.model_fields.items():
        here = (*path, info.alias or name)
        yield here
        if isinstance(info.annotation, type) and issubclass(info.annotation, BaseModel):
            yield from _all_keys(info.annotation, here)


def _one_of(expected: str, value: object) -> tuple[str, str]:
    words = expected.replace(" or ", ", ").replace("'", "").split(", ")
    meant = closest(value, words) if isinstance(value, str) else None
    cure = f"did you mean {meant}?" if meant and meant != value else ""
    return f"expects one of {', '.join(words)}" + _found(value), cure


def _wrong_type(kind: str, value: object, fallback: str) -> tuple[str, str]:
    stem = kind
    for ending in ("_type", "_parsing", "_from_date_parsing", "_of"):
        stem = stem.removesuffix(ending)
    expected = _EXPECTED.get(stem)
    if expected is None:
        return fallback[:1].lower() + fallback[1:] + _found(value), ""
    return f"expects {expected}" + _found(value), _cure(expected, value)


def _cure(expected: str, value: object) -> str:
    if expected == "a list" and isinstance(value, str):
        return "put it in brackets: [...]"
    if expected == "text" and not isinstance(value, Mapping | Sequence) and value is not None:
        return "put it in quotes"
    return ""


def _found(value: object) -> str:
    return f", found {shown(value)}"


def _model_at(annotation: Any, loc: Steps) -> type[BaseModel] | None:
    """The model that describes the mapping at `loc`, walking through lists, tuples and unions."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        if not loc:
            return annotation
        for name, info in annotation.model_fields.items():
            if loc[0] in (name, info.alias):
                return _model_at(info.annotation, loc[1:])
        return None
    inside = loc[1:] if loc and isinstance(loc[0], int) else loc
    for argument in get_args(annotation):
        found = _model_at(argument, inside)
        if found is not None:
            return found
    return None
