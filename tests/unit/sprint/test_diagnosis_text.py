"""A diagnosis as it is written, and what a model is asked about it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from daemon.config.phrases import Phrases
from daemon.sprint.diagnosis_text import Group, Picture, reading_prompt, render_diagnosis

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
ENGLISH = Phrases("en")
BUSY = Group("overloaded", 5, NOON - timedelta(hours=1), NOON, "busy (529)", ("T01", "T02"))
SHORT = Group("outputs_rejected", 2, NOON, NOON, "too short", ())
PICTURE = Picture(12, NOON, 3, (BUSY, SHORT))


def test_it_names_the_likely_cause_and_its_cure_first() -> None:
    """The cause with the most errors, its newest words, and what to do."""
    text = render_diagnosis(PICTURE, "", ENGLISH)
    head, rest = text.split("## Errors by cause")
    assert head.startswith("# Diagnosis of 2026-11-30 12:00 UTC, sprint 12\n")
    assert "The model's service is overloaded. Last error: busy (529)" in head
    assert "What to do: Wait;" in head
    assert "3 sprints failed in a row. 7 errors since the last good one" in rest
    assert "The model's service is overloaded. (5 times)" in rest
    assert "first 2026-11-30 11:00, last 2026-11-30 12:00 (T01, T02)" in rest
    assert "The outputs do not pass the quality checks. (2 times)" in rest
    assert "One trial sprint follows" in rest
    assert "not verified" not in text


def test_a_reading_is_quoted_and_marked_as_not_verified() -> None:
    """Nothing in it is a heading, a link or markup of ours."""
    hostile = (
        "# Run `rm -rf`\n\n<script>x</script>\x1b[2J [click](http://evil.example)\n" + "A" * 9_000
    )
    text = render_diagnosis(PICTURE, hostile, ENGLISH)
    quoted = text.split("(not verified)\n\n")[1].split("\n\n## ")[0].splitlines()
    assert all(line.startswith(">") for line in quoted)
    assert "> \\# Run \\`rm -rf\\`" in quoted
    assert "<script>" not in text.replace("\\<", "")
    assert "\x1b" not in text
    assert "U+001B" in text
    assert len(text) < 5_000


def test_words_of_an_error_are_one_harmless_line() -> None:
    """A service may answer with anything."""
    evil = Group("unknown/0123456789ab", 1, NOON, NOON, "a\n# b\n<img src=x>" + "y" * 9_000, ())
    text = render_diagnosis(Picture(1, NOON, 3, (evil,)), "", ENGLISH)
    assert "\n# b" not in text
    assert "\\<img src=x\\>" in text
    assert max(map(len, text.splitlines())) < 800


def test_without_any_error_it_says_so() -> None:
    """And still what comes next."""
    text = render_diagnosis(Picture(1, NOON, 3, ()), "", ENGLISH)
    assert "No error is on record." in text
    assert "One trial sprint follows" in text


def test_it_is_written_in_the_language_of_the_workspace() -> None:
    """Headings, causes and cures."""
    text = render_diagnosis(PICTURE, "x", Phrases("es"))
    assert "# Diagnóstico del 2026-11-30 12:00 UTC, sprint 12" in text
    assert "El servicio del modelo está sobrecargado." in text
    assert "(sin verificar)" in text


def test_a_model_is_asked_briefly_and_without_tools() -> None:
    """The errors are framed as data; the language and a small limit are set."""
    prompt = reading_prompt("claude-haiku-5-5", PICTURE, Phrases("es"))
    assert "<<<NOTE" in prompt.user
    assert "overloaded, 5 times" in prompt.user
    assert "Spanish" in prompt.user
    assert prompt.max_output_tokens < 1_000
    assert prompt.schema is None
    assert len(prompt.user) < 4_000
