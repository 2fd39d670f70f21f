"""A parsed document to a typed object, or every fault in it at once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from daemon.config.document import Document, Steps
from daemon.config.explain import faults_of
from daemon.config.typing_text import convert, from_text
from daemon.errors import Fault, WorkspaceInvalid

Model = TypeVar("Model", bound=BaseModel)


def validate(model: type[Model], document: Document, file: str) -> Model:
    """The document as `model`; raises WorkspaceInvalid with each fault's line, dotted key and cure.

    Whether unknown keys are faults is the model's own setting (`extra="forbid"`).
    """
    found = validate_part(model, document, (), document.value, file)
    if isinstance(found, list):
        raise WorkspaceInvalid(found)
    return found


def validate_each(
    model: type[Model], document: Document, key: str, file: str
) -> tuple[list[tuple[int, Model]], list[Fault]]:
    """The entries of the list `key` at the top of the document, the sound ones with their index.

    Faults of one entry do not hide the others. The document must have this one key and no other.
    """
    root = document.value
    if not isinstance(root, dict):
        cure = f"start the file with {key}:"
        return [], [Fault(file, document.line_of(()), key, "is missing", cure)]
    faults = [_unknown(document, name, key, file) for name in root if name != key]
    entries = root.get(key)
    if not isinstance(entries, list):
        faults.append(_no_list(document, key, file))
        return [], faults
    sound = []
    for index, entry in enumerate(entries):
        found = validate_part(model, document, (key, index), entry, file)
        if isinstance(found, list):
            faults.extend(found)
        else:
            sound.append((index, found))
    return sound, faults


def validate_part(
    model: type[Model], document: Document, prefix: Steps, value: Any, file: str
) -> Model | list[Fault]:
    """The part of the document at `prefix` as `model`, or its faults."""
    try:
        return model.model_validate(convert(model, value, from_text), strict=True)
    except ValidationError as error:
        empty = _empty_paths(value)
        return faults_of(error, model, file, document.line_of, emptied=empty, prefix=prefix)


def _unknown(document: Document, name: str, key: str, file: str) -> Fault:
    return Fault(file, document.line_of((name,)), name, "unknown key", f"known here: {key}")


def _no_list(document: Document, key: str, file: str) -> Fault:
    if key not in document.value:
        return Fault(file, 0, key, "is missing", f"start the file with {key}:")
    message = "expects a list of entries that start with '- '"
    cure = f"write {key}: [] for none" if document.value[key] is None else ""
    return Fault(file, document.line_of((key,)), key, message, cure)


def _empty_paths(value: Any, path: Steps = ()) -> Iterator[Steps]:
    """Paths of the keys that were written with nothing after them."""
    entries: Any = ()
    if isinstance(value, dict):
        entries = value.items()
    elif isinstance(value, list):
        entries = enumerate(value)
    for step, entry in entries:
        if entry is None:
            yield (*path, step)
        else:
            yield from _empty_paths(entry, (*path, step))
