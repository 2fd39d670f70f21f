"""Everything that can be known to be wrong with a workspace before a sprint meets it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from daemon.cli.criteria_warnings import criteria_warnings
from daemon.cli.inspection_warnings import map_warnings, missing_finding_warnings
from daemon.cli.opening import collect
from daemon.config.document import Document
from daemon.config.sections import Config
from daemon.config.toml_file import CONFIG_FILE, load_config
from daemon.config.toml_lines import key_lines
from daemon.config.yaml_file import parse_yaml
from daemon.errors import Fault, SprintdError
from daemon.knowledge.manifest import parse_manifest
from daemon.knowledge.provenance import declared_provenance, provenance_in, understated
from daemon.knowledge.unit import Manifest, Unit
from daemon.llm.choosing import provider_in_use
from daemon.llm.prices import PriceTable, UnknownPrice, load_prices
from daemon.memory.notes import read_note
from daemon.memory.opening import Unreadable
from daemon.sprint.flow_files import flow_faults
from daemon.sprint.reading import load_quality_rules
from daemon.workspace.backlog import load_backlog
from daemon.workspace.definitions import Workspace
from daemon.workspace.loader import load_workspace

_MAP = "knowledge.yaml"
_BACKLOG = "backlog.yaml"


@dataclass(frozen=True)
class Inspection:
    """`faults` keep something from working; `warnings` do not. `counts` is empty where the
    definitions have faults."""

    faults: tuple[Fault, ...]
    warnings: tuple[Fault, ...]
    counts: Mapping[str, int]


def inspect(root: Path, *, environ: Mapping[str, str], today: date) -> Inspection:
    """Read every file of the workspace, and the database where there is one; asks no provider."""
    faults: list[Fault] = []
    warnings: list[Fault] = []
    config = collect(faults, lambda: load_config(root))
    workspace = collect(faults, lambda: load_workspace(root))
    prices = collect(faults, lambda: load_prices(root))
    manifest = inspect_map(root, faults, warnings)
    collect(faults, lambda: load_quality_rules(root))
    if config:
        faults += _provider_faults(root, config, environ, prices, today)
    if manifest:
        faults += _need_faults(root, manifest)
    if config and manifest and workspace:
        faults += flow_faults(root, config, workspace, manifest)
    if manifest and workspace:
        warnings += map_warnings(root, manifest, workspace, today)
    warnings += missing_finding_warnings(root)
    warnings += criteria_warnings(root) if workspace else ()
    counts = _counts(workspace, manifest) if workspace else {}
    return Inspection(tuple(sorted(set(faults))), tuple(sorted(set(warnings))), counts)


def inspect_map(root: Path, faults: list[Fault], warnings: list[Fault]) -> Manifest | None:
    """The map, or None where it has errors; then there is nothing to compare with."""
    try:
        raw = (root / _MAP).read_bytes()
    except OSError as error:
        cure = "write it, or make a workspace with a complete sample: sprintd init FOLDER"
        faults.append(Fault(_MAP, 0, "", f"cannot be read: {error.strerror}", cure))
        return None
    manifest = parse_manifest(raw, _MAP)
    faults += manifest.errors
    warnings += manifest.diagnostics
    if not manifest.governs:
        return None
    document = parse_yaml(raw, _MAP)
    for index, unit in enumerate(manifest.units):
        faults += _unit_faults(root, unit, document, index)
    return manifest


def _unit_faults(root: Path, unit: Unit, document: Document, index: int) -> Iterator[Fault]:
    path, declared = unit.path, declared_provenance(unit)
    at = ("units", index, "path")
    key = f"units[{index}].path"
    try:
        note = read_note(root, path)
    except Unreadable as error:
        yield Fault(_MAP, document.line_of(at), key, f"{path} {_words(error.reason)}")
        return
    if note.fault:
        yield Fault(path, note.fault_line, "", note.fault, "mend the lines between the two ---")
    if unstated := understated(declared, provenance_in(note.front, path)):
        yield Fault(_MAP, document.line_of(at[:2]), f"units[{index}]", f"{path} {unstated}")
    if note.damaged:
        yield Fault(path, 0, "", "is not UTF-8 text, so no agent is given it", "save it as UTF-8")
    elif not note.body.strip():
        yield Fault(path, 0, "", "has no text below its front matter", "write it, or drop its unit")


def _words(reason: str) -> str:
    return reason if reason.startswith(("is ", "has ", "cannot ")) else f"cannot be read: {reason}"


def _need_faults(root: Path, manifest: Manifest) -> Iterator[Fault]:
    """Units that an item needs and that the map does not have."""
    known = {unit.id for unit in manifest.units}
    parsed = load_backlog(root)
    cure = "correct the id or add the unit"
    for index, item in enumerate(parsed.nouns):
        for at, need in enumerate(item.needs):
            if need not in known:
                line = parsed.line_of(index, "needs", at)
                message = f"{item.id} needs {need}, which is no unit of {_MAP}"
                yield Fault(_BACKLOG, line, f"needs[{at}]", message, cure)
    for draft in parsed.drafts:
        for inner, need in draft.names("needs"):
            if need not in known:
                file, line, key = draft.place(inner)
                yield Fault(file, line, key, f"{need} is no unit of {_MAP}", cure)


def _provider_faults(
    root: Path,
    config: Config,
    environ: Mapping[str, str],
    prices: PriceTable | None,
    today: date,
) -> Iterator[Fault]:
    """A provider that cannot be built, and models that every call would be refused for."""
    section = config.provider
    try:
        provider_in_use(root, section, environ)
    except SprintdError as error:
        yield Fault(CONFIG_FILE, _line_in_config(root, "kind"), "provider.kind", str(error))
    if prices is None or section.kind == "extractive":
        return
    for key in ("reasoning_model", "routine_model"):
        try:
            prices.price_list(getattr(section, key), today)
        except UnknownPrice as error:
            line = _line_in_config(root, key)
            cure = "until then every call of this model is refused"
            yield Fault(CONFIG_FILE, line, f"provider.{key}", str(error), cure)


def _line_in_config(root: Path, key: str) -> int:
    """0 where the key has its default."""
    path = root / CONFIG_FILE
    if not path.exists():
        return 0
    lines = key_lines(path.read_text("utf-8-sig"))
    return next(iter(lines.get(("provider", key), lines.get(("provider",), []))), 0)


def _counts(workspace: Workspace, manifest: Manifest | None) -> dict[str, int]:
    return {
        "agents": len(workspace.agents),
        "teams": len(workspace.teams),
        "playbooks": len(workspace.playbooks),
        "items": len(workspace.items),
        "criteria": len(workspace.criteria),
        "units": len(manifest.units) if manifest else 0,
    }
