"""map why: unit by unit, as a sprint would decide it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.cli.small import as_json, edit, sprintd

_QUESTION = "How many boats use the harbour of Arenal, and what does a berth cost?"


def test_every_unit_and_finding_is_there_with_its_gate_or_its_tokens(worked: Path) -> None:
    """Loaded ones have tokens and a score with its addends; skipped ones a gate and a reason."""
    found = as_json(worked, "map", "why", _QUESTION, "--agent", "analyst")
    units = {unit["id"]: unit for unit in found["units"]}
    assert set(units) == {"harbour.boats", "harbour.light", "finding-b01-1"}
    boats = units["harbour.boats"]
    assert boats["loaded"]
    assert boats["tokens"] > 0
    assert boats["score"] > 0
    assert any(part.startswith("intent matches") for part in boats["score_parts"])
    assert all(unit["reason"] for unit in units.values())
    assert all(bool(unit["gate"]) != unit["loaded"] for unit in units.values())
    assert (units["finding-b01-1"]["origin"], units["finding-b01-1"]["gate"]) == (
        "finding", "relation"
    )  # fmt: skip


def test_answer_is_what_the_plan_of_a_sprint_says(small: Path) -> None:
    """The same question by the same agent: the same units, for the same reasons but the names that
    the item gives itself."""
    edit(small, "backlog.yaml", "    needs: [harbour.boats]\n", "")
    edit(small, "backlog.yaml", "title: Boats in the harbour", 'title: "Boats"')
    ahead = next(one for one in as_json(small, "plan")["assignments"] if one["item"] == "B01")
    found = as_json(small, "map", "why", _QUESTION, "--agent", "analyst")
    planned = {unit["id"]: unit["reason"] for unit in ahead["context"]["loaded"]}
    assert {u["id"]: u["reason"] for u in found["units"] if u["loaded"]} == planned
    assert found["overlay_sha256"] == ahead["context"]["overlay_sha256"]


def test_finding_is_given_on_its_criterion(worked: Path) -> None:
    """--criterion asks as an item on it would."""
    found = as_json(worked, "map", "why", _QUESTION, "--agent", "analyst", "--criterion", "KC1")
    loaded = [unit["id"] for unit in found["units"] if unit["loaded"]]
    assert "finding-b01-1" in loaded


@pytest.mark.parametrize(
    ("field", "gate", "reason"),
    [
        ("audience: [lead]", "audience", "excludes role 'analyst'"),
        ("audience: [agent]\n    deprecated: true", "deprecated", "deprecated"),
        ("audience: [agent]\n    not_for: [boats of others]", "not_for", "boats of others"),
        (
            "audience: [agent]\n    temporal: {valid_from: '2027-02-01'}",
            "temporal",
            "not active until 2027-02-01",
        ),
        ("audience: [agent]\n    kind: skill", "eligibility", "no explicit eligibility grant"),
    ],
)
def test_gate_that_skips_a_unit_is_named(small: Path, field: str, gate: str, reason: str) -> None:
    """With the sentence that a sprint would keep."""
    edit(
        small,
        "knowledge.yaml",
        "audience: [agent]\n    triggers: [boats",
        f"{field}\n    triggers: [boats",
    )
    asked = ("map", "why", _QUESTION, "--agent", "analyst", "--as-of", "2026-11-30")
    units = {unit["id"]: unit for unit in as_json(small, *asked)["units"]}
    assert units["harbour.boats"]["gate"] == gate
    assert reason in units["harbour.boats"]["reason"]
    assert f"skipped by {gate}" in sprintd(small, *asked).stdout


def test_as_of_moves_the_time_window(small: Path) -> None:
    """The day is an input, never the clock."""
    window = "audience: [agent]\n    temporal: {valid_from: '2027-02-01'}\n    triggers: [boats"
    edit(small, "knowledge.yaml", "audience: [agent]\n    triggers: [boats", window)
    for day, loaded in (("2027-01-31", False), ("2027-02-01", True)):
        units = as_json(small, "map", "why", _QUESTION, "--as-of", day)["units"]
        assert {u["id"]: u["loaded"] for u in units}["harbour.boats"] is loaded


def test_scope_of_the_agent_is_named(small: Path) -> None:
    """Without --agent one who may read all of it is asked, but never the daemon's own."""
    lead = {
        u["id"]: u["gate"] for u in as_json(small, "map", "why", "x", "--agent", "lead")["units"]
    }
    assert lead == {"harbour.boats": "scope", "harbour.light": "scope"}
    edit(small, "knowledge.yaml", "memory/harbour/light.md", "state/light.md")
    units = as_json(small, "map", "why", "the lighthouse")["units"]
    assert {u["id"]: u["reason"] for u in units}["harbour.light"] == "belongs to the daemon alone"


@pytest.mark.parametrize(
    ("option", "value", "code", "words"),
    [
        ("--agent", "analist", 1, "did you mean analyst?"),
        ("--criterion", "KC9", 1, "no criterion 'KC9'"),
        ("--as-of", "30.11.2026", 2, "is no date"),
        ("--as-of", "2026-02-30", 2, "is no date"),
    ],
)
def test_what_nobody_knows_is_an_error(
    small: Path, option: str, value: str, code: int, words: str
) -> None:
    """With what was probably meant."""
    done = sprintd(small, "map", "why", "boats", option, value)
    assert done.returncode == code
    assert words in done.stderr


def test_map_with_an_error_answers_nothing(small: Path) -> None:
    """The faults are told, with their lines."""
    edit(
        small,
        "knowledge.yaml",
        "audience: [agent]\n    triggers: [boats",
        "audience: agent\n    triggers: [boats",
    )
    done = sprintd(small, "map", "why", "boats")
    assert done.returncode == 1
    assert "knowledge.yaml:9: units.0.audience: is not a list of texts" in done.stderr


def test_asking_writes_nothing(small: Path) -> None:
    """Not even a database."""
    sprintd(small, "map", "why", "boats")
    assert not (small / "state").exists()


def test_nobody_in_particular_is_told_to_name_an_agent(small: Path) -> None:
    """A map that names agents keeps everything from a reader without a name."""
    edit(
        small, "knowledge.yaml", "[agent]\n    triggers: [boats", "[analyst]\n    triggers: [boats"
    )
    hint = "name one: --agent AGENT"
    assert hint in sprintd(small, "map", "why", _QUESTION).stdout
    assert hint not in sprintd(small, "map", "why", _QUESTION, "--agent", "analyst").stdout
