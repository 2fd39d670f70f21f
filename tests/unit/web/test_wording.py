"""Moments, spans and long texts in words."""

from __future__ import annotations

from datetime import datetime, timedelta

from daemon.store.sprints import SprintRow
from daemon.web.markdown import render_markdown
from daemon.web.wording import ago, as_shown, figure_text, pieces, shortened, span_of, when
from tests.workspaces import NOON


def sprint(ended: datetime | None) -> SprintRow:
    return SprintRow(1, "REGULAR", None, "completed", "", None, NOON, ended)


def test_a_sprint_has_one_text_for_its_time() -> None:
    """The day once; the end only where it is another minute."""
    assert span_of(sprint(None)) == "2026-11-30 12:00–"
    assert span_of(sprint(NOON)) == "2026-11-30 12:00"
    assert span_of(sprint(NOON + timedelta(minutes=3))) == "2026-11-30 12:00–12:03"
    assert span_of(sprint(NOON + timedelta(days=1))) == "2026-11-30 12:00–2026-12-01 12:00"


def test_a_moment_has_its_zone_and_none_is_nothing() -> None:
    assert when(NOON) == "2026-11-30 12:00 UTC"
    assert when(None) == ""


def test_a_figure_has_all_its_digits() -> None:
    """A count of documents is not rounded to six digits."""
    assert figure_text(1_234_567.0) == "1,234,567"
    assert [figure_text(value) for value in (6.0, 0.5, 1e15, -3.25)] == [
        "6", "0.5", "1,000,000,000,000,000", "-3.25",
    ]  # fmt: skip


def test_an_answer_is_cut_where_a_page_ends() -> None:
    """With a sign that there was more."""
    assert shortened(None) == ""
    assert shortened("x" * 20_000) == "x" * 20_000
    assert shortened("x" * 20_001) == "x" * 20_000 + "…"


def test_a_moment_in_a_sentence_is_a_piece_of_its_own() -> None:
    """Its hyphens and spaces are places where a browser ends a line."""
    for moment in ("2026-11-23", "2026-11-23 12:00", "2026-11-23 12:00:59 UTC"):
        assert pieces(f"since {moment}.") == [("since ", ""), (moment, "moment"), (".", "")]
    assert pieces("heard of 42 min ago")[1] == ("42 min", "moment")
    assert pieces("12026-11-301 2026-1-1") == [("12026-11-301 2026-1-1", "")]
    assert pieces("") == pieces(None) == []


def test_a_command_in_a_sentence_is_a_piece_of_its_own() -> None:
    """In ticks, or after a colon as the sentences of sprintd have it; else the name is a word."""
    one = ("sprintd outbox --set-aside", "command")
    assert pieces("List them with: sprintd outbox --set-aside") == [("List them with: ", ""), one]
    assert pieces("Look at `sprintd outbox --set-aside`.") == [("Look at ", ""), one, (".", "")]
    assert pieces("sprintd is halted") == [("sprintd is halted", "")]


def test_a_length_of_time_has_one_unit_that_fits_it() -> None:
    """Nobody counts 2,520 s in minutes at night."""
    assert [ago(one) for one in (0.4, 599, 600, 2_520, 7_200, 172_800)] == [
        "0 s", "599 s", "10 min", "42 min", "2 h", "2 d",
    ]  # fmt: skip


def test_only_text_is_changed_on_its_way_into_a_page() -> None:
    """Numbers, and what is markup already, pass."""
    for value in (7, None, 0.5, render_markdown("x"), "plain"):
        assert as_shown(value) is value
    assert as_shown("a\u202eb") == "a[U+202E]b"
