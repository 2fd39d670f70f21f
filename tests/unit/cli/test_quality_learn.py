"""quality learn: a complaint about an accepted output becomes a pattern."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from daemon.quality.rules import parse_rules
from tests.unit.cli.small import FACTS, as_json, edit, sprintd, write_small

SELLS = "Act now and book one of the last 12 berths."
DEFECT = "It sells instead of answering."


@pytest.fixture
def sold(tmp_path: Path) -> Path:
    """B01's accepted output quotes a sentence that advertises."""
    root = write_small(tmp_path / "small")
    note = root / "memory" / "harbour" / "boats.md"
    note.write_text(f"# Boats\n\n{SELLS} {FACTS[0]}\n\n" + "\n\n".join(FACTS[1:]) + "\n")
    edit(
        root,
        "backlog.yaml",
        "How many boats use",
        "Must one act now and book berths, and how many boats use",
    )
    (root / "quality.toml").write_text("# ours\nthreshold_hundredths = 40\n")
    assert sprintd(root, "sprint").returncode == 0
    return root


def learn(root: Path, *more: str, code: int = 0) -> Any:
    return as_json(root, "quality", "learn", "B01", "--defect", DEFECT, *more, code=code)


def rules_file(root: Path) -> str:
    return (root / "quality.toml").read_text("utf-8")


def test_the_pattern_is_appended_and_comments_are_kept(sold: Path) -> None:
    """It is sound, has both examples, and the output it came from is caught now."""
    done = learn(sold, "--text", "act now and book")
    assert done["written"]
    text = rules_file(sold)
    assert text.startswith("# ours\nthreshold_hundredths = 40\n\n# Learned on ")
    [pattern] = parse_rules(text, "quality.toml").patterns
    assert pattern.message == DEFECT
    assert SELLS in pattern.catches
    assert pattern.compiled.search("act now and book one of the last 7 berths")
    assert sprintd(sold, "check").returncode == 0
    again = as_json(sold, "quality", "replay")
    marked = again["flips"] or again["only_marks_change"]
    assert marked


def test_a_dry_run_writes_nothing(sold: Path) -> None:
    """And shows the same entry."""
    before = rules_file(sold)
    found = learn(sold, "--text", SELLS, "--dry-run")
    assert (found["written"], rules_file(sold)) == (False, before)
    assert found["toml"] in learn(sold, "--text", SELLS)["toml"]


def test_the_same_twice_is_refused(sold: Path) -> None:
    """Exit 1 with the name that it has already; the file stays."""
    learn(sold, "--text", SELLS)
    before = rules_file(sold)
    error = learn(sold, "--text", SELLS, code=1)["error"]
    assert "has this pattern already, as domain.learned-it-sells" in error["message"]
    assert rules_file(sold) == before


def test_without_a_text_the_sentences_are_listed(sold: Path) -> None:
    """So is it where no sentence holds the words."""
    for more in ((), ("--text", "never written")):
        done = sprintd(sold, "quality", "learn", "B01", "--defect", DEFECT, *more)
        assert done.returncode == 1
        assert "name the faulty sentence with --text" in done.stderr
        assert "Act now" in done.stderr


def test_too_few_words_are_refused(sold: Path) -> None:
    """One word would catch everything."""
    done = sprintd(sold, "quality", "learn", "B01", "--defect", DEFECT, "--text", "Act", "--phrase")
    assert done.returncode == 1
    assert "name two words or more" in done.stderr


def test_a_broken_file_is_refused_and_left_alone(sold: Path) -> None:
    """File, line and cure; nothing is appended to what cannot be read."""
    edit(sold, "quality.toml", "40", "4000")
    before = rules_file(sold)
    error = learn(sold, "--text", SELLS, code=1)["error"]
    assert error["faults"][0]["file"] == "quality.toml"
    assert rules_file(sold) == before


def test_a_link_is_refused(sold: Path, tmp_path: Path) -> None:
    """What it leads to is nobody's to change."""
    target = tmp_path / "elsewhere.toml"
    target.write_text("")
    (sold / "quality.toml").unlink()
    (sold / "quality.toml").symlink_to(target)
    assert "symbolic link" in learn(sold, "--text", SELLS, code=1)["error"]["message"]
    assert target.read_text() == ""


def test_a_missing_file_is_made(sold: Path) -> None:
    """And an existing one keeps its mode."""
    (sold / "quality.toml").unlink()
    assert learn(sold, "--text", SELLS)["written"]
    (sold / "quality.toml").write_text("")
    (sold / "quality.toml").chmod(0o600)
    assert learn(sold, "--text", SELLS)["written"]
    assert (sold / "quality.toml").stat().st_mode & 0o777 == 0o600


def test_an_item_without_an_accepted_output_has_nothing_to_learn_from(worked: Path) -> None:
    """Rejected ones were caught already; a mistyped item is named."""
    done = sprintd(worked, "quality", "learn", "B02", "--defect", DEFECT, "--text", "x y z")
    assert done.returncode == 1
    assert "B02 has no accepted output" in done.stderr
    done = sprintd(worked, "quality", "learn", "B1", "--defect", DEFECT, "--text", "x y z")
    assert "did you mean B01?" in done.stderr


def test_people_read_what_it_will_do(sold: Path) -> None:
    """The entry, whether it rejects or marks, and what else it touches."""
    text = sprintd(sold, "quality", "learn", "B01", "--defect", DEFECT, "--text", SELLS).stdout
    assert text.startswith("Appended to quality.toml:")
    assert "[[pattern]]" in text
    assert "It rejects the output" in text or "It only marks" in text
    assert "No other accepted output is touched." in text
