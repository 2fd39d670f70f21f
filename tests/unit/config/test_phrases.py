"""Every sentence exists in every language, with the same placeholders."""

from __future__ import annotations

import tomllib
from importlib import resources
from typing import get_args

import pytest

from daemon.config.phrases import Phrases, load_table, placeholders
from daemon.config.sections import Language

LANGUAGES: tuple[Language, ...] = get_args(Language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_all_languages_have_the_same_keys_and_placeholders(language: Language) -> None:
    """A sentence that is missing or lost a placeholder in one language is found here."""
    ours = {key: placeholders(text) for key, text in load_table(language).items()}
    english = {key: placeholders(text) for key, text in load_table("en").items()}
    assert ours == english


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_sentence_is_empty(language: Language) -> None:
    """Nobody is sent an empty message."""
    assert all(text.strip() for text in load_table(language).values())


@pytest.mark.parametrize("language", LANGUAGES)
def test_sections_stand_in_alphabetical_order(language: Language) -> None:
    """So that two people who add sentences do not add the same section twice."""
    file = resources.files("daemon.config") / "phrases" / f"{language}.toml"
    sections = list(tomllib.loads(file.read_text("utf-8")))
    assert sections == sorted(sections)


def test_values_are_filled_in() -> None:
    """Braces in a value stay as they are."""
    text = Phrases("en").text("workspace.written", count=3, folder="{count}")
    assert "3 files into {count}" in text


def test_an_unknown_key_is_an_error() -> None:
    """No fallback to the key itself: a test finds the typo, not a founder."""
    with pytest.raises(KeyError, match="no phrase"):
        Phrases("es").text("nothing.like_this")
    assert not Phrases("es").has("nothing.like_this")


@pytest.mark.parametrize("values", [{}, {"count": 1}, {"count": 1, "folder": "x", "more": 2}])
def test_missing_and_surplus_values_are_errors(values: dict[str, object]) -> None:
    """A caller and a sentence that do not fit together are found at once."""
    with pytest.raises(ValueError, match="wants count, folder"):
        Phrases("en").text("workspace.written", **values)


@pytest.mark.parametrize("form", ["{}", "{0}", "{a.b}", "{a[0]}", "{a:>5}", "{a!r}", "{"])
def test_placeholders_are_plain_names(form: str) -> None:
    """No formats and no attribute look-ups inside sentences."""
    with pytest.raises(ValueError, match=r"placeholder|brace|'}'|'{'"):
        placeholders(form)


def test_a_language_without_sentences_is_an_error() -> None:
    """Asked for in code only; config.toml refuses it before."""
    with pytest.raises(ValueError, match="'de'"):
        Phrases("de")  # type: ignore[arg-type]
