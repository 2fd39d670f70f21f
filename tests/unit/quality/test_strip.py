from __future__ import annotations

import pytest

from daemon.quality.strip import strip_chatter
from tests.unit.quality.judging import REPORT


@pytest.mark.parametrize(
    "thinking",
    [
        "<think>Let me see.\nHm.</think>\n",
        "<thinking>\nThe user wants a report.\n</thinking>\n\n",
        "First I must plan.\n</think>\n",
    ],
)
def test_thinking_is_cut_and_kept(thinking: str) -> None:
    """Also where the opening tag was swallowed on the way."""
    stripped = strip_chatter(thinking + REPORT, "report")
    assert stripped.text == REPORT.strip("\n")
    assert "".join(stripped.cut).strip() == thinking.strip()


def test_thinking_that_never_ends_takes_the_rest_with_it() -> None:
    """What was meant for nobody is not published because a tag is missing."""
    assert strip_chatter("<think>secret plan\nand more", "report").text == ""


def test_a_tag_inside_code_or_a_sentence_is_no_thinking() -> None:
    """A memo about thinking tags keeps them."""
    text = "The `<think>` tag.\n\n```\n<think>\nx\n</think>\n```\nEnd."
    assert strip_chatter(text, "report").text == text


def test_leading_announcements_and_closing_courtesies_are_cut_in_order() -> None:
    """What stands around the report goes, the report stays whole."""
    text = (
        "Great question! I'll research the demand for legal search. Let me search for data.\n\n"
        f"{REPORT}\nI hope this helps! Let me know if you have any questions.\n"
    )
    stripped = strip_chatter(text, "report")
    assert stripped.text == REPORT.strip("\n")
    assert stripped.cut == (
        "Great question!",
        "I'll research the demand for legal search.",
        "Let me search for data.",
        "I hope this helps!",
        "Let me know if you have any questions.",
    )


def test_chatter_under_a_title_goes_and_the_title_stays() -> None:
    """Models put their narration between two titles."""
    text = f"# Title\n\nNow I'll search for fees:\n\nLet me look for prices:\n\n{REPORT}"
    assert strip_chatter(text, "report").text.startswith("# Title")
    assert "search for fees" not in strip_chatter(text, "report").text


def test_announcements_that_are_the_text_are_left_for_the_judge() -> None:
    """Cutting them would leave an innocent rest and hide why the text is rejected."""
    text = "I'll research the fees. Let me search for them. Now I'll check the site."
    assert strip_chatter(text, "report").text == text


def test_a_plan_keeps_its_announcements() -> None:
    """Where the deliverable is a plan, the plan is not chatter."""
    text = f"We will review prices first.\n\n{REPORT}"
    assert strip_chatter(text, "plan").text == text.strip("\n")


def test_an_epilogue_about_tools_is_cut() -> None:
    """In both languages."""
    for epilogue in ("Tools used: web_search, read_file", "Herramientas utilizadas: buscar"):
        stripped = strip_chatter(f"{REPORT}\n---\n{epilogue}", "report")
        assert stripped.cut == (epilogue,)


def test_a_sentence_with_a_result_is_never_cut() -> None:
    """A courtesy must be the whole sentence."""
    text = "Sorry for the delay, but the fee is $35 in 21 of 24 provinces."
    assert strip_chatter(text, "report").text == text


def test_nothing_is_lost() -> None:
    """Every word of the output is either kept or in `cut`."""
    text = f"Sure! Here is the report:\n\n{REPORT}\nThis report is comprehensive and accurate."
    stripped = strip_chatter(text, "report")
    assert sorted(" ".join((stripped.text, *stripped.cut)).split()) == sorted(text.split())
