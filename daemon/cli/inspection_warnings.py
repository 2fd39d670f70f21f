"""What works and is probably not meant: units, scopes and notes that do not meet each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path

from daemon.bootstrap import database_of
from daemon.config.explain import closest
from daemon.config.yaml_file import parse_yaml
from daemon.errors import Fault, SprintdError
from daemon.governance.policy_in_force import policy_of
from daemon.knowledge.action import EVERY_AGENT
from daemon.knowledge.paths import covers, scope_fault
from daemon.knowledge.unit import Manifest, Unit
from daemon.memory.opening import OpenRoot, Unreadable
from daemon.store import findings
from daemon.store.database import open_read_only
from daemon.workspace.agents import load_agents
from daemon.workspace.backlog import load_backlog
from daemon.workspace.definitions import Agent, Workspace

_MAP = "knowledge.yaml"
_BACKLOG = "backlog.yaml"
_MEMORY = "memory"
_MODEL_CALL = "model.call"
_OWN = (
    "memory/findings/",
    "memory/diagnoses/",
    "memory/consolidated/",
    "memory/archive/",
)  # no unit names what is in them
# The roles that the Knowledge Context Protocol names for an audience.
_ROLES = frozenset({"human", EVERY_AGENT, "developer", "architect", "operator", "devops"})


def map_warnings(
    root: Path, manifest: Manifest, workspace: Workspace, today: date
) -> Iterator[Fault]:
    """Needs that an agent will not get, audiences of nobody, notes and scopes that meet nothing."""
    yield from _need_warnings(root, manifest, workspace)
    yield from _audience_warnings(root, manifest, workspace.agents)
    yield from note_warnings(root, manifest)
    yield from _scope_warnings(root)
    yield from _mute_warnings(manifest, workspace, today)


def missing_finding_warnings(root: Path) -> Iterator[Fault]:
    """Findings that the database knows and whose file is gone; nothing where nothing ran yet."""
    path = database_of(root)
    if not path.exists():
        return
    try:
        db = open_read_only(path)
    except SprintdError:
        return  # a database that cannot be opened is the doctor's to explain
    try:
        known = findings.list_findings(db)
    except SprintdError:
        return
    finally:
        db.close()
    for row in known:
        if not (root / row.path).is_file():
            message = f"the finding of {row.item} is in the database, but its file is gone"
            cure = f"put it back from a copy, or do the item again: sprintd reopen {row.item}"
            yield Fault(row.path, 0, "", message, cure)


def note_warnings(root: Path, manifest: Manifest) -> Iterator[Fault]:
    """Notes that nobody will ever be given."""
    named = {unit.path for unit in manifest.units}
    try:
        with OpenRoot(root) as opened:
            paths = [path for path, _refusal in opened.walk(_MEMORY)]
    except Unreadable:
        return
    for path in paths:
        hidden = path.rpartition("/")[2].startswith((".", "README"))
        if path.endswith(".md") and not hidden and path not in named and not path.startswith(_OWN):
            message = f"no unit of {_MAP} names it, so no agent is given it"
            yield Fault(path, 0, "", message, "add a unit for it, or move it out of memory/")


def _mute_warnings(manifest: Manifest, workspace: Workspace, today: date) -> Iterator[Fault]:
    """Agents that no scope lets call the model, which is all that an agent does."""
    policy = policy_of(manifest, [agent.id for agent in workspace.agents], today)
    for agent in () if policy.faults else workspace.agents:
        scopes = policy.scopes_of(agent.id)
        given = any(_MODEL_CALL in one.tools for one in scopes if not one.held)
        if not given or any(_MODEL_CALL in one.deny.tools for one in scopes):
            message = f"{agent.id} may not call the model: its items can never be worked"
            cure = f"give {agent.id} the tool {_MODEL_CALL} in an action_scope of {_MAP}"
            yield Fault(agent.file, 0, "", message, cure)


def _need_warnings(root: Path, manifest: Manifest, workspace: Workspace) -> Iterator[Fault]:
    """Units that an item needs and that its agent does not get: they are skipped in the sprint."""
    units = {unit.id: unit for unit in manifest.units}
    parsed = load_backlog(root)
    for index, item in enumerate(parsed.nouns):
        agent = workspace.agent(item.agent)
        for at, need in enumerate(item.needs):
            refusal = _refusal(agent, units[need]) if need in units else None
            if refusal:
                line = parsed.line_of(index, "needs", at)
                message, cure = refusal
                yield Fault(
                    _BACKLOG, line, f"needs[{at}]", f"{item.id} needs {need}, {message}", cure
                )


def _refusal(agent: Agent, unit: Unit) -> tuple[str, str] | None:
    """Why the agent does not get the unit, and what to do."""
    if not covers(agent.reads, unit.path):
        cure = f"add it to `reads` in {agent.file}, or give the item to another agent"
        return f"but {agent.id} may not read {unit.path}", cure
    if unit.audience and agent.id not in unit.audience and EVERY_AGENT not in unit.audience:
        cure = f"add {agent.id} to its audience, or give the item to another agent"
        return f"whose audience in {_MAP} does not name {agent.id}", cure
    return None


def _audience_warnings(root: Path, manifest: Manifest, agents: Sequence[Agent]) -> Iterator[Fault]:
    """Names that are nobody's: a unit for nobody is given to nobody."""
    known = {agent.id for agent in agents} | _ROLES
    strange = [
        (index, at, name)
        for index, unit in enumerate(manifest.units)
        for at, name in enumerate(unit.audience)
        if name not in known
    ]
    if not strange:
        return
    document = parse_yaml((root / _MAP).read_bytes(), _MAP)
    for index, at, name in strange:
        near = closest(name, sorted(known))
        cure = f"did you mean {near}?" if near else f"name an agent's id, or {EVERY_AGENT} for all"
        line = document.line_of(("units", index, "audience", at))
        message = f"{name} is neither an agent nor a role of the protocol"
        yield Fault(_MAP, line, f"units[{index}].audience[{at}]", message, cure)


def _scope_warnings(root: Path) -> Iterator[Fault]:
    """Entries of `reads` that open nothing: probably a misspelt folder."""
    parsed = load_agents(root)
    for index, agent in enumerate(parsed.nouns):
        for at, entry in enumerate(agent.reads):
            if not scope_fault(entry) and not entry.startswith(_OWN) and not _matches(root, entry):
                line = parsed.line_of(index, "reads", at)
                message = f"{entry} matches no file and no folder"
                yield Fault(agent.file, line, f"reads[{at}]", message, "correct or remove it")


def _matches(root: Path, entry: str) -> bool:
    if "*" not in entry:
        found = root / entry
        return found.is_dir() if entry.endswith("/") else found.exists()
    return any(covers((entry,), path.relative_to(root).as_posix()) for path in root.glob(entry))
