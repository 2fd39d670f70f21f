"""map check: what is wrong with the map, what becomes of its fields, and how its files are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from daemon.bootstrap import database_of
from daemon.cli.group import Command
from daemon.cli.inspection import inspect_map
from daemon.cli.inspection_warnings import note_warnings
from daemon.cli.map_files import changed_files
from daemon.cli.opening import find_root, start_logging
from daemon.cli.options import json_option
from daemon.cli.output import say, say_json, width
from daemon.config.text_file import read_bytes
from daemon.errors import Fault, SprintdError
from daemon.knowledge.manifest import parse_manifest
from daemon.knowledge.overlay import Overlay
from daemon.knowledge.policy import parse_policy
from daemon.knowledge.unit import Manifest
from daemon.reports.plain_text import counted, one_line, wrap
from daemon.sprint.candidates import overlay_of
from daemon.sprint.merged_texts import read_merged
from daemon.sprint.reading import MAP_FILE, read_findings
from daemon.store.database import open_read_only
from daemon.workspace.definitions import BacklogItem
from daemon.workspace.loader import load_workspace

_MOST_NAMED = 30  # findings; --json has all of them
_NOTHING = Overlay({}, {}, "")


@dataclass(frozen=True)
class _Found:
    manifest: Manifest
    faults: tuple[Fault, ...]
    warnings: tuple[Fault, ...]
    overlay: Overlay


@click.command(cls=Command)
@click.argument("file", required=False, type=click.Path(path_type=Path, dir_okay=False))
@json_option
@click.pass_obj
def check(workspace: Path, file: Path | None, as_json: bool) -> None:  # noqa: FBT001
    """Check a map: its faults, what becomes of its fields, and its files.

    Without FILE the workspace's knowledge.yaml, its notes and the findings that the daemon adds;
    with FILE any manifest of the Knowledge Context Protocol, by itself. Exits 1 where it has a
    fault: it may then drive nothing. Warnings do not fail.

    \b
    Examples:
      sprintd map check
      sprintd map check somebody-elses/knowledge.yaml
      sprintd map check --json | jq .fields.carried
    """
    found = _read(file) if file else _look(find_root(workspace))
    if as_json:
        say_json(_as_json(found))
    else:
        say("\n".join(_lines(found)))
    click.get_current_context().exit(1 if found.faults else 0)


def _read(file: Path) -> _Found:
    manifest = parse_manifest(read_bytes(file, str(file)), str(file))
    faults = tuple(sorted({*manifest.errors, *parse_policy(manifest).faults}))
    return _Found(manifest, faults, manifest.diagnostics, _NOTHING)


def _look(root: Path) -> _Found:
    start_logging(root, level="WARNING")
    faults: list[Fault] = []
    warnings: list[Fault] = []
    sound = inspect_map(root, faults, warnings)
    if sound is not None:
        warnings += [*changed_files(root, sound), *note_warnings(root, sound)]
        faults += parse_policy(sound, agents=_agents(root)).faults
    manifest = sound or _whatever_it_is(root)
    overlay = overlay_of(_findings(root), manifest)
    return _Found(manifest, tuple(sorted(set(faults))), tuple(sorted(set(warnings))), overlay)


def _whatever_it_is(root: Path) -> Manifest:
    """The map with its errors; an empty one where there is no file."""
    try:
        return parse_manifest((root / MAP_FILE).read_bytes(), MAP_FILE)
    except OSError:
        return Manifest(MAP_FILE, "")


def _findings(root: Path) -> Any:
    """None where nothing ran yet; a database that cannot be opened is the doctor's to explain."""
    path = database_of(root)
    if not path.exists():
        return ()
    try:
        db = open_read_only(path)
    except SprintdError:
        return ()
    try:
        return (*read_merged(root), *read_findings(db, _items(root)))
    except SprintdError:
        return ()
    finally:
        db.close()


def _agents(root: Path) -> tuple[str, ...]:
    try:
        return tuple(agent.id for agent in load_workspace(root).agents)
    except SprintdError:
        return ()  # no scope is misspelt because an agent's file is


def _items(root: Path) -> tuple[BacklogItem, ...]:
    try:
        return load_workspace(root).items
    except SprintdError:
        return ()  # a faulty backlog is not the map's


def _lines(found: _Found) -> Iterator[str]:
    manifest, fields = found.manifest, found.manifest.fields
    yield from (str(fault) for fault in found.faults)
    yield from (f"warning: {warning}" for warning in found.warnings)
    if found.faults or found.warnings:
        yield ""
    lists = {"enforced": fields.enforced, "only plan": fields.planned, "carried": fields.carried}
    for name, names in lists.items():
        yield from wrap(f"{name}: {', '.join(map(one_line, names)) or 'none'}", width())
    if found.overlay.units or found.overlay.shadowed:
        yield from _findings_lines(found.overlay)
    verdict = "it governs" if not found.faults else "it may drive nothing until it is mended"
    version = one_line(manifest.kcp_version) or "none"
    counts = [counted(len(manifest.units), "unit"), f"version {version}"]
    counts += [counted(len(found.faults), "fault"), counted(len(found.warnings), "warning")]
    yield f"{', '.join(counts)}: {verdict}. SHA-256 {manifest.sha256}"


def _findings_lines(overlay: Overlay) -> Iterator[str]:
    named = [one_line(unit.id) for unit in list(overlay.units.values())[:_MOST_NAMED]]
    if len(overlay.units) > _MOST_NAMED:
        named.append(f"and {len(overlay.units) - _MOST_NAMED} more")
    yield from wrap(f"added by the daemon, as findings: {', '.join(named) or 'none'}", width())
    for path, unit in overlay.shadowed.items():
        yield from wrap(f"{one_line(path)}: the map's unit {one_line(unit)} holds", width())


def _as_json(found: _Found) -> dict[str, Any]:
    manifest, fields = found.manifest, found.manifest.fields
    return {
        "ok": not found.faults,
        "governs": not found.faults,
        "sha256": manifest.sha256,
        "kcp_version": manifest.kcp_version,
        "units": len(manifest.units),
        "faults": [vars(fault) for fault in found.faults],
        "warnings": [vars(warning) for warning in found.warnings],
        "fields": {name: list(names) for name, names in vars(fields).items()},
        "overlay": {
            "sha256": found.overlay.sha256,
            "units": [
                {"id": unit.id, "path": unit.path, "intent": unit.intent,
                 "audience": list(unit.audience), "sensitivity": unit.sensitivity,
                 "untrusted": unit.untrusted}
                for unit in found.overlay.units.values()
            ],
            "shadowed": dict(found.overlay.shadowed),
        },
    }  # fmt: skip
