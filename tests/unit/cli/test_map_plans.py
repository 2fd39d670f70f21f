"""map replay and map diff: saved plans are computed again, and compared."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.unit.cli.small import as_json, edit, sprintd


@pytest.fixture
def saved(small: Path, tmp_path: Path) -> Path:
    path = tmp_path / "then.json"
    asked = ("map", "why", "How many boats?", "--as-of", "2026-11-30", "--json")
    path.write_text(sprintd(small, *asked).stdout)
    return path


def test_saved_plan_comes_out_byte_for_byte(small: Path, saved: Path) -> None:
    """The answer that holds it, or the plan alone."""
    assert as_json(small, "map", "replay", str(saved))["identical"]
    alone = saved.with_name("alone.json")
    alone.write_text(json.loads(saved.read_text())["plan"] + "\n")
    assert sprintd(small, "map", "replay", str(alone)).stdout.startswith("identical: ")


def test_changed_map_is_told_and_the_old_one_still_proves_it(small: Path, saved: Path) -> None:
    """One byte more is another map; --map names the one that it was made from."""
    old = saved.with_name("old.yaml")
    old.write_bytes((small / "knowledge.yaml").read_bytes())
    edit(small, "knowledge.yaml", "lighthouse?", "light-house?")
    done = sprintd(small, "map", "replay", str(saved))
    assert done.returncode == 1
    assert "the plan was made from manifest" in done.stderr
    assert sprintd(small, "map", "replay", str(saved), "--map", str(old)).returncode == 0


def test_edited_plan_is_found_out(small: Path, saved: Path) -> None:
    """The map is the same and the plan comes out otherwise."""
    text = saved.read_text()
    assert "no task-relevance match" in text
    saved.write_text(text.replace("no task-relevance match", "deprecated"))
    assert not as_json(small, "map", "replay", str(saved), code=1)["identical"]
    assert sprintd(small, "map", "replay", str(saved)).stdout.startswith("different: ")


def test_lost_unit_is_told_with_both_reasons(small: Path, saved: Path) -> None:
    """What was loaded then and is not now, and why."""
    edit(
        small,
        "knowledge.yaml",
        "    triggers: [boats",
        "    deprecated: true\n    triggers: [boats",
    )
    now = saved.with_name("now.json")
    now.write_text(sprintd(small, "map", "why", "How many boats?", "--json").stdout)
    (lost,) = as_json(small, "map", "diff", str(saved), str(now))["changes"]
    assert (lost["id"], lost["kind"], lost["now"]["reason"]) == (
        "harbour.boats", "lost", "deprecated"
    )  # fmt: skip
    text = sprintd(small, "map", "diff", str(saved), str(now)).stdout
    assert "harbour.boats: loaded then and not now" in text
    assert "now: skipped: deprecated" in text


def test_what_an_attempt_read_can_be_compared_with_the_plan_of_the_next(worked: Path) -> None:
    """A stored plan is read as it is shown."""
    attempts = as_json(worked, "show", "B02")["attempts"]
    files = [worked / f"{number}.json" for number in range(2)]
    for file, attempt in zip(files, attempts, strict=False):
        file.write_text(json.dumps(attempt["context"]))
    done = sprintd(worked, "map", "diff", *map(str, files))
    assert done.stdout == "The two plans decide every unit alike, for the same reasons.\n"


@pytest.mark.parametrize("text", ["", "{}", "[1]", "{", '{"plan": 3}', "[" * 3_000])
@pytest.mark.parametrize("command", ["replay", "diff"])
def test_file_that_is_no_plan_is_refused(small: Path, text: str, command: str) -> None:
    """With its name, and exit 1."""
    path = small / "x.json"
    path.write_text(text)
    files = [str(path)] * (2 if command == "diff" else 1)
    done = sprintd(small, "map", command, *files)
    assert done.returncode == 1
    assert "x.json: this is no" in done.stderr


def test_missing_file_is_refused(small: Path) -> None:
    """As any file that is not there."""
    done = sprintd(small, "map", "replay", "gone.json")
    assert done.returncode == 1
    assert "gone.json: is missing" in done.stderr
