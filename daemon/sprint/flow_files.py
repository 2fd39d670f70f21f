"""The flow of a workspace as its files are now, and whether an agent holds too much in it."""

from __future__ import annotations

from functools import reduce
from pathlib import Path

from daemon.config.document import Document
from daemon.config.front_matter import parse_front_matter
from daemon.config.sections import Config
from daemon.config.text_file import read_bytes, read_text
from daemon.config.toml_lines import key_lines
from daemon.config.yaml_file import parse_yaml
from daemon.errors import Fault, WorkspaceInvalid
from daemon.governance.flow import FINDINGS, Flow, Place, StoredText, build_flow
from daemon.governance.trifecta import derive_powers, trifecta_faults
from daemon.knowledge.policy import parse_policy
from daemon.knowledge.provenance import (
    Provenance,
    declared_provenance,
    joined,
    provenance_in,
    sources_in,
)
from daemon.knowledge.unit import Manifest
from daemon.memory.notes import readable_notes
from daemon.memory.opening import OpenRoot
from daemon.notify.channels import channels_of
from daemon.sprint.merged_texts import merged_texts
from daemon.workspace.definitions import Workspace


def read_flow(root: Path, config: Config, workspace: Workspace, manifest: Manifest) -> Flow:
    """The flow of definitions that are already loaded; reads what earlier findings say of
    themselves. Raises Unreadable only for the root itself."""
    policy = parse_policy(manifest, agents=[agent.id for agent in workspace.agents])
    return build_flow(
        workspace, manifest, policy, channels_of(config), stored_texts(root, manifest)
    )


def flow_faults(
    root: Path, config: Config, workspace: Workspace, manifest: Manifest
) -> tuple[Fault, ...]:
    """A fault for each agent that holds all three powers, and those of the policy, which would deny
    everything; none where the workspace may run."""
    agents = [agent.id for agent in workspace.agents]
    broken = parse_policy(manifest, agents=agents).faults
    if broken:
        return broken
    powers = derive_powers(read_flow(root, config, workspace, manifest))
    return trifecta_faults(powers, Lines(root).of)


def powers_in(
    root: Path, config: Config, workspace: Workspace, manifest: Manifest
) -> dict[str, frozenset[str]]:
    """The powers of every agent by its id."""
    found = derive_powers(read_flow(root, config, workspace, manifest))
    return {one.agent: frozenset(one.ways) for one in found}


def check_flow(root: Path, config: Config, workspace: Workspace, manifest: Manifest) -> None:
    """Raises WorkspaceInvalid where an agent holds all three powers or the policy has a fault."""
    faults = flow_faults(root, config, workspace, manifest)
    if faults:
        raise WorkspaceInvalid(faults)


def stored_texts(root: Path, manifest: Manifest) -> tuple[StoredText, ...]:
    """The findings that bring something in, by what they say of themselves or by what they say that
    they were made of, as the map and the other findings know it; others change nothing.

    What cannot be read is not given to an agent either, so it is left out.
    """
    said, made_of = _said_by_findings(root)
    known = {unit.path: declared_provenance(unit) for unit in manifest.units} | said
    changed = True
    while changed:  # each round only adds, so it ends
        changed = False
        for path, sources in made_of.items():
            whole = reduce(joined, (known[s] for s in sources if s in known), known[path])
            changed = changed or whole != known[path]
            known[path] = whole
    texts = [StoredText(path, known[path]) for path in said]
    with OpenRoot(root) as opened:
        texts += merged_texts(opened)
    return tuple(t for t in texts if t.provenance.outside or t.provenance.confidential)


def _said_by_findings(root: Path) -> tuple[dict[str, Provenance], dict[str, tuple[str, ...]]]:
    said: dict[str, Provenance] = {}
    made_of: dict[str, tuple[str, ...]] = {}
    with OpenRoot(root) as opened:
        for note in readable_notes(opened, FINDINGS):
            if not (note.fault or note.damaged):
                said[note.path] = provenance_in(note.front, note.path)
                made_of[note.path] = sources_in(note.front)
    return said, made_of


class Lines:
    """Finds the line of a place in the files as they are now; reads each file once."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._documents: dict[str, Document | None] = {}

    def of(self, place: Place) -> int:
        """0 where the file has no such place or cannot be read."""
        if place.file.endswith(".toml"):
            return self._in_toml(place)
        document = self._document(place.file) if place.steps else None
        if document is None:
            return 0
        return document.line_of(_by_index(document, place.steps))

    def _document(self, file: str) -> Document | None:
        if file not in self._documents:
            self._documents[file] = self._read(file)
        return self._documents[file]

    def _read(self, file: str) -> Document | None:
        try:
            if file.endswith(".md"):
                return parse_front_matter(read_text(self._root / file, file), file).document
            return parse_yaml(read_bytes(self._root / file, file), file)
        except WorkspaceInvalid:
            return None

    def _in_toml(self, place: Place) -> int:
        try:
            lines = key_lines(read_text(self._root / place.file, place.file))
        except WorkspaceInvalid:
            return 0
        return next(iter(lines.get(place.steps, ())), 0)


def _by_index(document: Document, steps: tuple[str | int, ...]) -> tuple[str | int, ...]:
    """The steps with a scope's id replaced by where it stands: a unit's, or `agents.` and an actor's."""
    if len(steps) != 2 or steps[0] != "scopes":
        return steps
    wanted = str(steps[1])
    for section, entry_id in (("agents", wanted.removeprefix("agents.")), ("units", wanted)):
        entries = document.value.get(section) if isinstance(document.value, dict) else None
        for index, entry in enumerate(entries if isinstance(entries, list) else ()):
            if isinstance(entry, dict) and entry.get("id") == entry_id:
                return (section, index, "action_scope")
    return ()
