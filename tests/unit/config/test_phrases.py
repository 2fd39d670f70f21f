"""Every sentence exists in every language, with the same placeholders."""

from __future__ import annotations

import re
import string
import tomllib
from importlib import resources
from pathlib import Path
from typing import get_args

import pytest

import daemon
from daemon.config.phrases import Phrases, load_table, placeholders
from daemon.config.sections import Language

ENGLISH = (
    "agent attempt call character day error fault file finding item mark message minute note page "
    "playbook question rejection review second section source sprint statement team time token unit"
)
SPANISH = (
    "abierta aceptado agente apartado aprendido archivo ausente bloqueada completado día deducido "
    "distinto entrada equipo fallido fallo fuente guía hallazgo hecha hueco intento interrumpido lista "
    "marca mensaje minuto nota nueva pregunta página rechazado rechazo respaldado segundo sprint tarea "
    "token"
)
# What is counted: behind all numbers but 1, and behind 1.
COUNTED: dict[Language, dict[str, str]] = {
    "en": {
        **{f"{word}s": word for word in ENGLISH.split()},
        "entries": "entry", "hashes": "hash", "criteria": "criterion", "have": "has", "were": "was",
        "need you": "needs you", "wait for": "waits for", "differ": "differs",
    },
    "es": {
        **{f"{word}s": word for word in SPANISH.split()},
        "veces": "vez", "afirmaciones": "afirmación", "revisiones": "revisión", "llamadas": "llamada",
        "caracteres": "carácter", "unidades": "unidad", "débiles": "débil", "vienen": "viene",
        "esperan": "espera", "necesitan": "necesita", "caducaron": "caducó",
    },
}  # fmt: skip
_KEY = re.compile(r"""["'](\w+\.\w*)["'{]""")
LANGUAGES: tuple[Language, ...] = get_args(Language)
# Every placeholder that a word agrees with anywhere.
NUMBERS = {
    name
    for language in LANGUAGES
    for form in load_table(language).values()
    for _, name, agreeing, _ in string.Formatter().parse(form)
    if agreeing
}


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


def test_every_sentence_is_said_somewhere() -> None:
    """By its whole key, or by the part of it that stands before a word put in by the program."""
    package = Path(daemon.__file__).parent
    files = [*package.rglob("*.py"), *package.rglob("*.html")]
    said = {one for file in files for one in _KEY.findall(file.read_text("utf-8"))}
    for key in load_table("en"):
        begun = {key[: sign.end()] for sign in re.finditer(r"[._]", key)}
        assert {key, *begun, *(one.rstrip("_") for one in begun)} & said, key


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


def test_a_word_agrees_with_its_number() -> None:
    """Of two forms the first stands for 1, whether it comes as a number or as text."""
    say = Phrases("es").text
    told = [say("page.counted_eligible", count=count) for count in (0, 1, "1", 2, "1,000", 21)]
    assert told == ["0 listas", "1 lista", "1 lista", "2 listas", "1,000 listas", "21 listas"]
    assert Phrases("en").text("approval.page_waiting", count=1) == "1 question waits for a person"


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_sentence_with_a_number_stands_beside_the_wrong_form(language: Language) -> None:
    """Every sentence is filled with 0, 1 and 2; the plural words that were once behind a 1 are known."""
    say = Phrases(language).text
    many = "|".join(COUNTED[language])
    one = "|".join(COUNTED[language].values())
    for key, form in load_table(language).items():
        for number, wrong in ((0, one), (1, many), (2, one)):
            names = placeholders(form)
            told = say(key, **{name: number if name in NUMBERS else "x" for name in names})
            found = re.search(rf"(?<![\w.]){number} (?:{wrong})(?![\w-])", told)
            assert not found, f"{key}: {told}"


@pytest.mark.parametrize(
    "form", ["{}", "{0}", "{a.b}", "{a[0]}", "{a:>5}", "{a!r}", "{", "{a:b}", "{a:b|c|d}"]
)
def test_placeholders_are_plain_names(form: str) -> None:
    """No formats but the two of a word, and no attribute look-ups inside sentences."""
    with pytest.raises(ValueError, match=r"placeholder|brace|'}'|'{'"):
        placeholders(form)


def test_a_language_without_sentences_is_an_error() -> None:
    """Asked for in code only; config.toml refuses it before."""
    with pytest.raises(ValueError, match="'de'"):
        Phrases("de")  # type: ignore[arg-type]
