"""agents/*.md and agents/playbooks/*.md: front matter with typed keys, then instructions."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated, TypeVar

from pydantic import AfterValidator, Field

from daemon.config.document import Document, Steps
from daemon.config.front_matter import parse_front_matter
from daemon.config.sections import Tier
from daemon.config.text_file import read_text
from daemon.config.validation import validate_part
from daemon.errors import Fault, WorkspaceInvalid
from daemon.knowledge.paths import is_private, scope_fault
from daemon.quality.verdict import Profile
from daemon.workspace.definitions import Agent, Playbook
from daemon.workspace.entries import INIT, Entry, Id, Parsed, Words, broken, read_limit, twice

AGENTS_FOLDER = "agents"
PLAYBOOKS_FOLDER = "agents/playbooks"

Model = TypeVar("Model", bound=Entry)
Noun = TypeVar("Noun")
Build = Callable[[Model, str, str], Noun]


def _check_scope(value: str) -> str:
    fault = scope_fault(value)
    if fault:
        raise ValueError(f"{value!r} {fault}")
    if is_private(value):
        raise ValueError(f"{value!r} is private to the daemon; no agent may read it")
    return value


class AgentEntry(Entry):
    """The front matter of an agent. The meaning of each key stands at Agent."""

    id: Id
    name: Words
    tier: Tier
    teams: tuple[str, ...]
    reads: tuple[Annotated[str, AfterValidator(_check_scope)], ...]
    max_output_tokens: Annotated[int, Field(ge=100, le=128_000)]


class PlaybookEntry(Entry):
    """The front matter of a playbook. The meaning of each key stands at Playbook."""

    id: Id
    title: Words
    profile: Profile
    judge: bool = False


def load_agents(root: Path) -> Parsed[Agent]:
    """All sound agents by file name, and the faults of the others."""
    return _load_folder(root, AGENTS_FOLDER, AgentEntry, build_agent)


def load_playbooks(root: Path) -> Parsed[Playbook]:
    """All sound playbooks by file name, and the faults of the others."""
    return _load_folder(root, PLAYBOOKS_FOLDER, PlaybookEntry, build_playbook)


def build_agent(entry: AgentEntry, instructions: str, file: str) -> Agent:
    return Agent(**dict(entry), instructions=instructions, file=file)


def build_playbook(entry: PlaybookEntry, instructions: str, file: str) -> Playbook:
    return Playbook(**dict(entry), instructions=instructions, file=file)


def definition_files(root: Path, folder: str) -> list[Path]:
    """The Markdown files of a folder by name; README.md and hidden files define nothing."""
    if not (root / folder).is_dir():
        return []
    found = (path for path in (root / folder).iterdir() if path.suffix == ".md")
    return sorted(path for path in found if path.stem != "README" and not path.name.startswith("."))


def _load_folder(
    root: Path, folder: str, model: type[Model], build: Build[Model, Noun]
) -> Parsed[Noun]:
    paths = definition_files(root, folder)
    if not paths:
        return broken([_nothing_there(root, folder)])
    nouns: list[Noun] = []
    places: list[tuple[Document, Steps]] = []
    faults: list[Fault] = []
    ids: list[tuple[str, str, int]] = []
    for path in paths:
        file = f"{folder}/{path.name}"
        try:
            noun, document = _load_one(path, file, model, build)
        except WorkspaceInvalid as error:
            faults.extend(error.faults)
            continue
        nouns.append(noun)
        places.append((document, ()))
        ids.append((document.value["id"], file, document.line_of(("id",))))
    faults += twice(ids)
    # A file's name is the id it ought to have, so a file with faults is known all the same.
    known = frozenset(path.stem for path in paths).union(_first(ids))
    return Parsed(tuple(nouns), tuple(places), known, tuple(faults))


def _nothing_there(root: Path, folder: str) -> Fault:
    if os.access(root / folder, os.R_OK | os.X_OK) or not (root / folder).exists():
        return Fault(f"{folder}/*.md", 0, "", "is missing", INIT)
    cure = "make it readable for the user that sprintd runs as"
    return Fault(f"{folder}/", 0, "", "cannot be read", cure)


def _first(entries: Iterable[tuple[str, str, int]]) -> frozenset[str]:
    return frozenset(noun_id for noun_id, _file, _line in entries)


def _load_one(
    path: Path, file: str, model: type[Model], build: Build[Model, Noun]
) -> tuple[Noun, Document]:
    """Raises WorkspaceInvalid with the file's faults."""
    limit = read_limit(path)
    matter = parse_front_matter(read_text(path, file, max_bytes=limit), file, max_bytes=limit)
    entry = validate_part(model, matter.document, (), matter.document.value, file)
    faults = list(entry) if isinstance(entry, list) else []
    if not matter.body:
        message = "has no instructions below the front matter"
        faults.append(Fault(file, matter.body_line, "", message, "write them in Markdown"))
    if not any(fault.key == "id" for fault in faults):
        faults.extend(_misnamed(path, file, matter.document))
    if isinstance(entry, list) or faults:
        raise WorkspaceInvalid(faults)
    return build(entry, matter.body, file), matter.document


def _misnamed(path: Path, file: str, document: Document) -> list[Fault]:
    noun_id = document.value.get("id") if isinstance(document.value, dict) else None
    if not isinstance(noun_id, str) or noun_id == path.stem:
        return []
    cure = f"write id: {path.stem}, or rename the file to {noun_id}.md"
    message = f"{noun_id} is not the file's name"
    return [Fault(file, document.line_of(("id",)), "id", message, cure)]
