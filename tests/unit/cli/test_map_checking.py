"""map check: faults with lines, what becomes of the fields, and the files."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from tests.unit.cli.small import as_json, edit, sprintd

_BOATS = "memory/harbour/boats.md"
_BEFORE = "    triggers: [boats, berth, harbour]\n"


def test_sound_map_governs_and_its_fields_are_told_apart(small: Path) -> None:
    """What can keep a unit back, what only ranks, and what changes nothing."""
    found = as_json(small, "map", "check")
    assert (found["ok"], found["faults"], found["warnings"], found["units"]) == (True, [], [], 2)
    assert found["fields"] == {
        "enforced": ["units", "units.audience", "units.id", "units.path"],
        "planned": ["units.intent", "units.triggers"],
        "carried": ["kcp_version", "project", "units.scope", "version"],
    }
    assert found["sha256"] == hashlib.sha256((small / "knowledge.yaml").read_bytes()).hexdigest()
    told = sprintd(small, "map", "check").stdout
    assert "2 units, version 0." in told
    assert "it governs" in told


def test_fault_has_its_line_and_its_near_name(small: Path) -> None:
    """Exit 1, as for check."""
    edit(small, "knowledge.yaml", _BEFORE, _BEFORE + "    deprectaed: true\n")
    done = sprintd(small, "map", "check")
    assert done.returncode == 1
    assert "knowledge.yaml:11: units.0.deprectaed: is no field of a manifest" in done.stdout
    assert "did you mean deprecated" in done.stdout
    assert "it may drive nothing until it is mended" in done.stdout
    assert not as_json(small, "map", "check", code=1)["governs"]


@pytest.mark.parametrize("by_name", [False, True])
def test_misspelt_action_scope_lets_the_map_drive_nothing(small: Path, by_name: bool) -> None:
    """As every action would be refused; also where the map is given by its name."""
    scope = "agents:\n  - id: agent\n    action_scpoe: {tools: [model.call]}\n"
    knowledge = small / "knowledge.yaml"
    knowledge.write_text(knowledge.read_text() + scope)
    done = sprintd(small, "map", "check", *([str(knowledge)] if by_name else []))
    assert done.returncode == 1
    assert "action_scpoe: is no field known here; did you mean action_scope" in done.stdout
    assert "1 fault, " in done.stdout
    assert "it may drive nothing" in done.stdout


def test_missing_file_is_a_fault_and_a_note_without_a_unit_a_warning(small: Path) -> None:
    """Both are named with what to do."""
    (small / _BOATS).rename(small / "memory/harbour/ships.md")
    found = as_json(small, "map", "check", code=1)
    assert [(fault["line"], fault["key"]) for fault in found["faults"]] == [(6, "units[0].path")]
    assert [warning["file"] for warning in found["warnings"]] == ["memory/harbour/ships.md"]


@pytest.mark.parametrize(
    ("field", "words"),
    [
        ("bytes: 7", "bytes, not 7"),
        ("size_tokens: 2", "too many for 2 tokens"),
        (f"sha256: {'0' * 64}", "it was changed"),
        (f"content_hash: {{algorithm: sha256, value: '{'0' * 64}'}}", "it was changed"),
        ("validated: 2020-01-01", "after it was validated"),
    ],
)
def test_file_that_is_no_longer_as_described_is_a_warning(
    small: Path, field: str, words: str
) -> None:
    """Each is told at the line of the field that says otherwise."""
    edit(small, "knowledge.yaml", _BEFORE, f"{_BEFORE}    {field}\n")
    (warning,) = as_json(small, "map", "check")["warnings"]
    assert words in warning["message"]
    assert (warning["file"], warning["line"]) == ("knowledge.yaml", 11)


def test_file_that_is_as_described_is_no_warning(small: Path) -> None:
    """The right hash, size and a later day; an algorithm that is not known here says nothing."""
    data = (small / _BOATS).read_bytes()
    lines = f"    bytes: {len(data)}\n    sha256: {hashlib.sha256(data).hexdigest()}\n"
    lines += "    validated: 2999-01-01\n    content_hash: {algorithm: blake3, value: x}\n"
    edit(small, "knowledge.yaml", _BEFORE, _BEFORE + lines)
    assert as_json(small, "map", "check")["warnings"] == []


def test_finding_enters_by_itself_and_the_map_is_not_rewritten(worked: Path) -> None:
    """It is shown as the daemon's, with its question, its audience and how sensitive it is."""
    before = (worked / "knowledge.yaml").read_bytes()
    (unit,) = as_json(worked, "map", "check")["overlay"]["units"]
    assert unit == {
        "id": "finding-b01-1", "path": "memory/findings/KC1/B01-1.md", "audience": ["agent"],
        "intent": "How many boats use the harbour of Arenal, and what does a berth cost?",
        "sensitivity": "internal", "untrusted": True,
    }  # fmt: skip
    assert (worked / "knowledge.yaml").read_bytes() == before
    text = sprintd(worked, "map", "check").stdout
    assert "added by the daemon, as findings: finding-b01-1" in text


def test_attempt_keeps_the_hash_of_what_the_daemon_had_added(worked: Path) -> None:
    """So that it can be told later which findings the map had then; today's are others."""
    first = as_json(worked, "show", "B01")["attempts"][0]["context"]["overlay_sha256"]
    later = as_json(worked, "show", "B02")["attempts"][-1]["context"]["overlay_sha256"]
    now = as_json(worked, "map", "check")["overlay"]["sha256"]
    assert len(first) == 64
    assert first != later
    assert later == now


def test_unit_of_the_author_shadows_the_finding(worked: Path) -> None:
    """Whoever names the file in the map decides what becomes of it."""
    unit = "  - {id: ours, path: memory/findings/KC1/B01-1.md, intent: Boats?, scope: project,\n"
    unit += "     audience: [lead], untrusted: true}\n"
    path = worked / "knowledge.yaml"
    path.write_text(path.read_text() + unit)
    overlay = as_json(worked, "map", "check")["overlay"]
    assert overlay["units"] == []
    assert overlay["shadowed"] == {"memory/findings/KC1/B01-1.md": "ours"}
    assert "the map's unit ours holds" in sprintd(worked, "map", "check").stdout


def test_any_manifest_can_be_checked_by_itself(tmp_path: Path) -> None:
    """Outside of a workspace, without looking at any file that it names."""
    path = tmp_path / "other.yaml"
    path.write_text("kcp_version: '9.9'\nproject: p\nfuture: 1\nunits: [{id: a, path: no.md}]\n")
    found = as_json(tmp_path, "map", "check", str(path))
    assert found["ok"]
    assert found["warnings"][0]["line"] == 1
    assert "future" in found["fields"]["carried"]
    path.write_text("units: [")
    assert as_json(tmp_path, "map", "check", str(path), code=1)["faults"][0]["file"] == str(path)


def test_workspace_without_a_map_is_a_fault(small: Path) -> None:
    """With the way to a sample."""
    (small / "knowledge.yaml").unlink()
    done = sprintd(small, "map", "check")
    assert done.returncode == 1
    assert "knowledge.yaml: cannot be read" in done.stdout
