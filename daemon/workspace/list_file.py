"""YAML files that hold one list of entries: backlog, kill criteria, teams."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from daemon.config.document import Document
from daemon.config.text_file import read_text
from daemon.config.validation import validate_each
from daemon.config.yaml_file import parse_yaml
from daemon.errors import WorkspaceInvalid
from daemon.workspace.entries import INIT, Draft, Entry, Parsed, broken, ids_in, read_limit, twice

Model = TypeVar("Model", bound=Entry)
Noun = TypeVar("Noun")


def load_list(
    root: Path, file: str, key: str, model: type[Model], build: Callable[[Model], Noun]
) -> Parsed[Noun]:
    """The entries of `root/file`, whose only key is `key`. Never raises for what stands in it."""
    path = root / file
    limit = read_limit(path)
    try:
        text = read_text(path, file, max_bytes=limit, if_missing=INIT)
        document = parse_yaml(text, file, max_bytes=limit)
    except WorkspaceInvalid as error:
        return broken(error.faults)
    return parse_list(document, file, key, model, build)


def parse_list(
    document: Document, file: str, key: str, model: type[Model], build: Callable[[Model], Noun]
) -> Parsed[Noun]:
    """Each entry on its own, so that the faults of one do not hide those of the others."""
    sound, faults = validate_each(model, document, key, file)
    places = tuple((document, (key, index)) for index, _entry in sound)
    ids = [
        (entry["id"], file, document.line_of((key, index, "id")))
        for index, entry in enumerate(_entries(document, key))
        if isinstance(entry, dict) and isinstance(entry.get("id"), str)
    ]
    faults += twice(ids)
    nouns = tuple(build(entry) for _index, entry in sound)
    accepted = {index for index, _entry in sound}
    drafts = tuple(
        Draft(entry, document, (key, index))
        for index, entry in enumerate(_entries(document, key))
        if isinstance(entry, dict) and index not in accepted
    )
    return Parsed(nouns, places, ids_in(document, key), tuple(faults), drafts)


def _entries(document: Document, key: str) -> list[object]:
    root = document.value
    entries = root.get(key) if isinstance(root, dict) else None
    return entries if isinstance(entries, list) else []
