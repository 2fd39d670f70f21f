"""quality replay: stored outputs under other settings, and nothing changed."""

from __future__ import annotations

from pathlib import Path

from daemon.cli.quality_replay import Tally, render_tally, tally_as_json
from daemon.quality.rules import QualityRules
from tests.unit.cli.small import as_json, sprintd
from tests.unit.cli.test_looking import rows


def test_the_settings_of_the_day_flip_nothing(worked: Path) -> None:
    """What was judged by these rules is judged the same again."""
    found = as_json(worked, "quality", "replay")
    assert (found["judged"], found["accepted_then"], found["rejected_then"]) == (4, 1, 3)
    assert found["flips"] == []
    assert "would be rejected now: 0 of 1" in sprintd(worked, "quality", "replay").stdout


def test_a_higher_threshold_names_what_it_would_reject(worked: Path) -> None:
    """Item, both scores, the text and the reason; in one direction only."""
    found = as_json(worked, "quality", "replay", "--set", "threshold=1")
    [flip] = found["flips"]
    assert (flip["item"], flip["attempt"], flip["flip"]) == ("B01", 1, "rejects")
    assert flip["reasons_now"][0]["check"] == "score.below_threshold"
    assert flip["finding"].startswith("memory/findings/")
    text = sprintd(worked, "quality", "replay", "--set", "threshold=1").stdout
    assert "accepted then, would be rejected now: 1 of 1" in text
    assert "B01 attempt 1" in text
    assert "Rejected now by: score.below_threshold 1" in text


def test_a_lower_threshold_names_what_it_would_accept(worked: Path) -> None:
    """With the reasons that stand in the store."""
    found = as_json(worked, "quality", "replay", "--set", "threshold=0")
    accepted = [one for one in found["flips"] if one["flip"] == "accepts"]
    assert {one["item"] for one in accepted} == {"B02"}
    assert all(one["reasons_then"] for one in accepted)
    assert "- then: " in sprintd(worked, "quality", "replay", "--set", "threshold=0").stdout


def test_patterns_of_a_file_are_tried(worked: Path, tmp_path: Path) -> None:
    """A draft is tried on the past before it is put into quality.toml."""
    draft = tmp_path / "draft.toml"
    draft.write_text(
        '[[pattern]]\nid = "boats"\nwhere = "whole"\nregex = "boats"\nmessage = "It has boats."\n'
        'catches = "So many boats."\nleaves = "So many ships."\n'
    )
    [flip] = as_json(worked, "quality", "replay", "--patterns", str(draft))["flips"]
    assert flip["reasons_now"][0]["message"] == "It has boats."
    draft.write_text("[[pattern]]\nid = 5\n")
    done = sprintd(worked, "quality", "replay", "--patterns", str(draft))
    assert done.returncode == 1
    assert f"{draft}:2: pattern[0].id" in done.stderr


def test_nothing_is_changed(worked: Path) -> None:
    """Every row and every file stays."""
    before, files = rows(worked), sorted(worked.rglob("*.md"))
    sprintd(worked, "quality", "replay", "--set", "threshold=1")
    assert rows(worked) == before
    assert sorted(worked.rglob("*.md")) == files


def test_since_and_limit_narrow(worked: Path) -> None:
    """A day to come has nothing; the newest one is one of the rejected."""
    assert as_json(worked, "quality", "replay", "--since", "2999-01-01")["judged"] == 0
    assert (
        "No stored output" in sprintd(worked, "quality", "replay", "--since", "2999-01-01").stdout
    )
    newest = as_json(worked, "quality", "replay", "--limit", "1")
    assert (newest["judged"], newest["rejected_then"]) == (1, 1)


def test_a_workspace_where_nothing_ran_has_nothing(small: Path) -> None:
    """And no database is made."""
    assert as_json(small, "quality", "replay")["judged"] == 0
    assert not (small / "state").exists()


def test_a_wrong_setting_is_a_usage_error(worked: Path) -> None:
    """Exit 2 with what is known."""
    for wrong in ("treshold=0.5", "threshold=2", "threshold=0.455", "threshold=x", "threshold"):
        done = sprintd(worked, "quality", "replay", "--set", wrong)
        assert done.returncode == 2, wrong
        assert "threshold" in done.stderr


def test_of_hundreds_of_flips_the_first_fifty_are_shown() -> None:
    """The counts are whole, and JSON has all."""
    flip = {
        "item": "B01", "attempt": 1, "sprint": 1, "flip": "rejects", "score_then": 50,
        "score_now": None, "text": "t", "reasons_now": [], "reasons_then": [],
    }  # fmt: skip
    tally = Tally(accepted=300, flips=[flip] * 230)
    lines = list(render_tally(tally, QualityRules(), 100))
    assert "would be rejected now: 230 of 300" in lines[1]
    assert sum(line.startswith("B01 attempt") for line in lines) == 50
    assert lines[-1] == "… and 180 more; --json has all of them"
    assert len(tally_as_json(tally, QualityRules())["flips"]) == 230
