"""Moments, spans and long texts in words."""

from __future__ import annotations

from datetime import datetime, timedelta

from daemon.store.sprints import SprintRow
from daemon.web.markdown import render_markdown
from daemon.web.wording import around_dates, as_shown, figure_text, shortened, span_of, when
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


def test_a_date_in_a_title_is_a_part_of_its_own() -> None:
    """Its hyphens are places where a browser ends a line."""
    assert around_dates("week 2026-11-23 to 2026-11-30.") == [
        "week ", "2026-11-23", " to ", "2026-11-30", ".",
    ]  # fmt: skip
    assert around_dates("") == [""]
    assert around_dates("12026-11-301 2026-1-1") == ["12026-11-301 2026-1-1"]


def test_only_text_is_changed_on_its_way_into_a_page() -> None:
    """Numbers, and what is markup already, pass."""
    for value in (7, None, 0.5, render_markdown("x"), "plain"):
        assert as_shown(value) is value
    assert as_shown("a\u202eb") == "a[U+202E]b"
