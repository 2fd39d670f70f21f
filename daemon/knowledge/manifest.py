"""Text to manifest: loads leniently, governs strictly.

Nothing here raises for a bad manifest. What only a careful author would mind is a diagnostic; what
could open a unit to somebody it is not meant for is an error, and a manifest with an error drives
nothing.
"""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from daemon.config.yaml_file import Document, parse_yaml
from daemon.errors import Fault, WorkspaceInvalid
from daemon.knowledge import fields
from daemon.knowledge.action import LEVELS
from daemon.knowledge.loose_ends import loose_ends, merge_keys
from daemon.knowledge.path_scope import folded
from daemon.knowledge.paths import path_fault
from daemon.knowledge.sensitivity import WORDS, declared_elsewhere, has_conditions, strictest
from daemon.knowledge.typed import Typed
from daemon.knowledge.unit import Manifest, Unit

MAX_BYTES = 1_048_576
MAX_UNITS = 10_000

_ID = re.compile(r"[a-z0-9.\-]+")
_VERSION = re.compile(r"0\.([1-9]|[12][0-9]|3[0-2])")
_ACCESS = ("public", "authenticated", "restricted")
_TRUSTED = ("trust", "agent_requirements")
_SCOPES = ("global", "project", "module")
_EXPECTED = {
    "intent": "add the question that its note answers",
    "scope": f"add one of {', '.join(_SCOPES)}",
    "audience": "add the agents that may get it; without one every agent may",
}


def parse_manifest(text: str | bytes, file: str) -> Manifest:
    """The manifest with its errors and diagnostics. The same bytes are parsed only once."""
    data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    return _parse(data, file)


@functools.lru_cache(maxsize=4)
def _parse(data: bytes, file: str) -> Manifest:
    sha256 = hashlib.sha256(data).hexdigest()
    try:
        document = parse_yaml(data, file, max_bytes=MAX_BYTES)
    except WorkspaceInvalid as error:
        return Manifest(file, sha256, errors=error.faults)
    raw = document.value
    if not isinstance(raw, dict):
        fault = Fault(file, 1, "", "is not a mapping of fields", "begin with kcp_version: ...")
        return Manifest(file, sha256, errors=(fault,))
    return _Reader(document, file, raw).manifest(sha256, merges=b"<<" in data)


class _Reader:
    """Types one parsed document and collects what is wrong with it."""

    def __init__(self, document: Document, file: str, raw: dict[str, Any]) -> None:
        self.raw = raw
        self.document = document
        self.typed = Typed(document, file)
        self._everywhere = self._sensitivity_elsewhere(raw, ())
        self._places: list[int] = []  # where each unit stands that could be read

    def manifest(self, sha256: str, *, merges: bool) -> Manifest:
        typed, raw = self.typed, self.raw
        for at in merge_keys(raw) if merges else ():
            typed.fail(at, "merges other fields in, which is not done here", "write the fields out")
        self._check_root()
        units = self._as_strict_as_their_files(list(self._units()))
        for at, message in loose_ends(raw, units):
            typed.note(at, message)
        requirements = self._requirements()
        return Manifest(
            file=typed.file,
            sha256=sha256,
            project=typed.text(raw, ("project",)),
            version=typed.text(raw, ("version",)),
            kcp_version=typed.text(raw, ("kcp_version",)),
            units=units,
            manifests=tuple(typed.sub_manifests(raw)),
            payment=typed.payment(raw, ("payment",)) or (),
            rate_tiers=typed.rate_tiers(raw),
            requires_attestation=typed.flag(requirements, (*_TRUSTED, "require_attestation")),
            trusted_providers=typed.texts(requirements, (*_TRUSTED, "trusted_providers")),
            authority_scale=typed.texts(raw, ("authority_level_scale",)) or LEVELS,
            fields=fields.field_use(raw),
            errors=tuple(sorted(set(typed.errors))),
            diagnostics=tuple(sorted(set(typed.diagnostics))),
            raw=raw,
            document=self.document,
        )

    def _check_root(self) -> None:
        typed, raw = self.typed, self.raw
        typed.check_names(raw, (), fields.ROOT_FIELDS)
        for name in ("kcp_version", "project"):
            if raw.get(name) is None:
                typed.note((name,), "is missing")
        version = raw.get("kcp_version")
        if isinstance(version, str) and not _VERSION.fullmatch(version):
            typed.note(("kcp_version",), f"{version!r} is not a version known here (0.1 to 0.32)")

    def _requirements(self) -> dict[str, Any]:
        trust = self.typed.mapping(self.raw, ("trust",))
        self.typed.check_names(trust, ("trust",), fields.TRUST_FIELDS)
        requirements = self.typed.mapping(trust, _TRUSTED)
        self.typed.check_names(requirements, _TRUSTED, fields.REQUIREMENT_FIELDS)
        return requirements

    def _units(self) -> Iterator[Unit]:
        units = self.raw.get("units")
        if not isinstance(units, list):
            self.typed.fail(("units",), "is missing or not a list", "list the units of knowledge")
            return
        if len(units) > MAX_UNITS:
            self.typed.fail(("units",), f"has {len(units):,} units; at most {MAX_UNITS:,} are read")
            return
        seen: dict[str, int] = {}
        for index, unit in enumerate(units):
            at = ("units", index)
            if not isinstance(unit, dict):
                self.typed.fail(at, "is not a mapping of fields")
                continue
            read = self._unit(unit, at)
            if read.id and read.id in seen:
                first = self.typed.line(("units", seen[read.id]))
                self.typed.fail(
                    (*at, "id"), f"{read.id!r} is already the id of the unit at line {first}"
                )
            seen.setdefault(read.id, index)
            self._places.append(index)
            yield read

    def _unit(self, unit: dict[str, Any], at: tuple[str | int, ...]) -> Unit:
        typed = self.typed
        typed.check_names(unit, at, fields.UNIT_FIELDS)
        temporal = typed.mapping(unit, (*at, "temporal"))
        typed.check_names(temporal, (*at, "temporal"), fields.TEMPORAL_FIELDS)
        read = Unit(
            id=typed.text(unit, (*at, "id")),
            path=typed.text(unit, (*at, "path")),
            intent=typed.text(unit, (*at, "intent")),
            scope=typed.text(unit, (*at, "scope")),
            kind=typed.text(unit, (*at, "kind")) or "knowledge",
            audience=typed.texts(unit, (*at, "audience")),
            triggers=typed.texts(unit, (*at, "triggers")),
            not_for=typed.texts(unit, (*at, "not_for")),
            valid_from=typed.day(temporal, (*at, "temporal", "valid_from")),
            valid_until=typed.day(temporal, (*at, "temporal", "valid_until")),
            superseded_by=typed.text(temporal, (*at, "temporal", "superseded_by")),
            deprecated=typed.flag(unit, (*at, "deprecated")),
            load_eligible=typed.flag(unit, (*at, "load_eligible")),
            access=typed.one_of(unit, (*at, "access"), _ACCESS) or "public",
            sensitivity=self._sensitivity(unit, at),
            size_tokens=typed.count(unit, (*at, "size_tokens")),
            bytes=typed.count(unit, (*at, "bytes")),
            payment=typed.payment(unit, (*at, "payment")),
            untrusted=typed.flag(unit, (*at, "untrusted")),
            steps=tuple(typed.steps(unit, (*at, "steps"))),
            authority_level=typed.text(unit, (*at, "authority_level")),
        )
        self._check_unit(unit, read, at)
        return read

    def _as_strict_as_their_files(self, units: list[Unit]) -> tuple[Unit, ...]:
        """Units of one file are one text: what the strictest of them says of it holds for all, so that
        a second entry does not open what the first one closed."""
        by_file: dict[str, list[int]] = {}
        for index, unit in enumerate(units):
            by_file.setdefault(folded(unit.path), []).append(index)
        for same in by_file.values():
            word = strictest(units[index].sensitivity for index in same)
            outside = any(units[index].untrusted for index in same)
            for index in same:
                if (units[index].sensitivity, units[index].untrusted) != (word, outside):
                    units[index] = replace(units[index], sensitivity=word, untrusted=outside)
                    self.typed.note(
                        ("units", self._places[index]),
                        f"another unit of {units[index].path} says more of it; the stricter holds",
                    )
        return tuple(units)

    def _sensitivity(self, unit: dict[str, Any], at: tuple[str | int, ...]) -> str:
        own = self.typed.one_of(unit, (*at, "sensitivity"), WORDS)
        return strictest((own, self._everywhere, self._sensitivity_elsewhere(unit, at)))

    def _sensitivity_elsewhere(self, entry: dict[str, Any], at: tuple[str | int, ...]) -> str:
        found = list(declared_elsewhere(entry))
        for place, word in found:
            if word not in WORDS:
                self.typed.note((*at, *place), f"{word!r} is taken as restricted")
        if has_conditions(entry):
            self.typed.note(
                (*at, "visibility", "conditions"),
                "is not evaluated; the strictest sensitivity in it holds",
            )
        return strictest(word for _, word in found)

    def _check_unit(self, unit: dict[str, Any], read: Unit, at: tuple[str | int, ...]) -> None:
        typed = self.typed
        if not read.id:
            typed.fail((*at, "id"), "is missing or empty", "give every unit its own id")
        elif path_fault(read.id) or not read.id.isprintable() or "/" in read.id:
            typed.fail((*at, "id"), f"{read.id!r} is not usable as an id")
        elif not _ID.fullmatch(read.id):
            typed.note((*at, "id"), f"{read.id!r} has more than a-z, 0-9, '.' and '-'")
        fault = path_fault(read.path)
        if fault:
            typed.fail((*at, "path"), f"{read.path!r} {fault}")
        for name, cure in _EXPECTED.items():
            if unit.get(name) is None:
                typed.note((*at, name), "is missing", cure)
        if read.scope and read.scope not in _SCOPES:
            typed.note((*at, "scope"), f"{read.scope!r} is none of {', '.join(_SCOPES)}")
