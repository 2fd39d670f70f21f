"""quality check: the verdict of any text."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from daemon.cli import main
from daemon.cli.quality_check import REJECTED
from tests.unit.cli.small import FACTS, as_json, edit, sprintd

REFUSAL = "I'm sorry, but I can't help with that request."
GOOD = "# Boats in Arenal\n\n" + "\n\n".join(FACTS) + "\n"
ROLE = """\
You work for the council of a small town by the sea and count what comes and goes. Boats are counted
at the mole in the morning, berths are counted in the evening, and letters are counted by the office.
Whoever reads your notes wants to know whether new berths pay for themselves within ten years, what
the nearest harbours charge for theirs, and how often a storm keeps everybody away from the quays.
"""


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "text.md"
    path.write_text(GOOD, "utf-8")
    return path


def test_a_good_text_is_accepted_and_its_score_explained(small: Path, text: Path) -> None:
    """Exit 0, the outcome first, each addend of the score."""
    done = sprintd(small, "quality", "check", str(text))
    assert done.returncode == 0, done.stdout
    assert done.stdout.startswith("Accepted")
    assert "Score: content +0.30" in done.stdout


def test_a_rejected_text_has_an_exit_code_of_its_own(small: Path, text: Path) -> None:
    """Scripts can tell a bad text from a command that failed."""
    text.write_text(REFUSAL)
    done = sprintd(small, "quality", "check", str(text))
    assert done.returncode == REJECTED == 8
    assert f"“{REFUSAL}”" in done.stdout
    assert done.stderr == ""


def test_json_has_the_whole_verdict(small: Path, text: Path) -> None:
    """Outcome, spans, and the words that people read."""
    text.write_text(REFUSAL)
    found = as_json(small, "quality", "check", str(text), code=REJECTED)
    assert (found["outcome"], found["accepted"], found["item"]) == ("reject", False, None)
    assert found["words"]["defects"][0]["quote"] == REFUSAL
    assert found["cleaned_text"] == REFUSAL


def test_standard_input_is_read(small: Path) -> None:
    """`-` is what comes through the pipe; a stray byte does not matter."""
    done = CliRunner().invoke(
        main, ["--workspace", str(small), "quality", "check", "-", "--json"],
        input=f"{REFUSAL}\n\n".encode() * 3 + b"\xff\x00",
    )  # fmt: skip
    assert done.exit_code == REJECTED
    assert json.loads(done.stdout)["file"] == "-"


def test_the_item_gives_question_profile_and_prompt(small: Path, text: Path) -> None:
    """A text that only says its task again is rejected as the deliverable of that task."""
    playbook = (small / "agents/playbooks/note.md").read_text().replace("report", "answer")
    (small / "agents/playbooks/note.md").write_text(playbook)
    agent = small / "agents" / "analyst.md"
    agent.write_text(agent.read_text() + ROLE)
    text.write_text(ROLE)
    found = as_json(small, "quality", "check", str(text), "--task", "B01", code=REJECTED)
    assert (found["item"], found["profile"]) == ("B01", "answer")
    plain = as_json(small, "quality", "check", str(text), "--profile", "answer", code=0)
    assert plain["accepted"]


def test_an_unknown_item_is_an_error_with_the_nearest(small: Path, text: Path) -> None:
    """Exit 1: this is no verdict."""
    done = sprintd(small, "quality", "check", str(text), "--task", "B1")
    assert done.returncode == 1
    assert "did you mean B01?" in done.stderr


def test_the_workspaces_own_rules_and_language_hold(small: Path, text: Path) -> None:
    """quality.toml and daemon.language are those of the daemon."""
    (small / "quality.toml").write_text("threshold_hundredths = 100\n")
    (small / "config.toml").write_text('[daemon]\nlanguage = "es"\n')
    done = sprintd(small, "quality", "check", str(text))
    assert done.returncode == REJECTED
    assert done.stdout.startswith("Rechazado; puntuación")
    edit(small, "quality.toml", "100", "1000")
    broken = sprintd(small, "quality", "check", str(text))
    assert broken.returncode == 1
    assert "quality.toml:1: threshold_hundredths" in broken.stderr


def test_outside_of_a_workspace_the_packages_rules_hold(tmp_path: Path, text: Path) -> None:
    """Said on standard error; with --task it is an error."""
    (tmp_path / "empty").mkdir()
    done = sprintd(tmp_path / "empty", "quality", "check", str(text))
    assert done.returncode == 0
    assert "no workspace here" in done.stderr
    asked = sprintd(tmp_path / "empty", "quality", "check", str(text), "--task", "B01")
    assert asked.returncode == 1
    assert "is not a workspace" in asked.stderr


def test_the_notes_of_a_folder_are_its_context(small: Path, text: Path) -> None:
    """Named in the JSON with the path that a person would type."""
    folder = small / "memory" / "harbour"
    found = as_json(
        small, "quality", "check", str(text), "--context", str(folder), code=REJECTED
    )  # fmt: skip
    assert found["defects"][0]["check"] == "copying.source"
    assert found["notes"] == [str(folder / "boats.md"), str(folder / "light.md")]


def test_a_file_that_is_not_there_or_too_large_is_an_error(small: Path, tmp_path: Path) -> None:
    """One line with the file's name, exit 1."""
    done = sprintd(small, "quality", "check", str(tmp_path / "gone.md"))
    assert done.returncode == 1
    assert "gone.md: No such file" in done.stderr
    (tmp_path / "huge.md").write_bytes(b"x" * 10_000_001)
    assert "larger than" in sprintd(small, "quality", "check", str(tmp_path / "huge.md")).stderr


@pytest.mark.parametrize("raw", [bytes(range(256)) * 8, "Año: café. ".encode("latin-1") * 9])
def test_what_is_no_text_gets_no_verdict(small: Path, tmp_path: Path, raw: bytes) -> None:
    """Noise and letters of another encoding would be judged as if they were words."""
    (tmp_path / "noise.md").write_bytes(raw)
    done = sprintd(small, "quality", "check", str(tmp_path / "noise.md"))
    assert (done.returncode, done.stdout) == (1, "")
    assert "noise.md: is not UTF-8 text; save it as" in done.stderr


def test_nothing_is_written(small: Path, text: Path) -> None:
    """No state folder, no database."""
    sprintd(small, "quality", "check", str(text), "--task", "B01")
    assert not (small / "state").exists()


def test_a_finding_is_judged_without_its_front_matter(worked: Path) -> None:
    """As its text was judged when it came."""
    [finding] = (worked / "memory" / "findings").rglob("*.md")
    found = as_json(worked, "quality", "check", str(finding), "--task", "B01")
    assert found["accepted"]
    assert "attempt" not in found["cleaned_text"].partition("\n")[0]
    assert not found["cleaned_text"].startswith("---")
