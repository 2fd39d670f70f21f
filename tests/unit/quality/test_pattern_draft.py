"""A sentence becomes a pattern that the rules file takes."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.quality.normalise import clean, read
from daemon.quality.pattern_draft import (
    NoPattern,
    PatternDraft,
    free_id,
    nearest_harmless,
    regex_of,
    regex_of_phrase,
    sentence_with,
    sentences_of,
)
from daemon.quality.rules import parse_rules

TEXT = (
    "# Berths\n\nDon't miss this “unique” chance: 4,388 boats can't be wrong! A berth costs 41 USD.\n\n"
    "- Act now and save 12 % in Dársena 3.\n"
)


def seen(text: str) -> str:
    return read(clean(text)).masked


def found(regex: str, text: str) -> bool:
    return re.search(regex, seen(text)) is not None


def test_the_sentence_is_found_whatever_the_quotes_and_accents() -> None:
    """A person copies from a page that shows other quotes than the store has."""
    for words in ('unique" chance', "UNIQUE”   chance", "don’t miss"):
        result = sentence_with(TEXT, words)
        assert result is not None, words
        assert result[0].startswith("Don't miss this “unique” chance")
    accent = sentence_with(TEXT, "darsena")
    assert accent is not None
    assert accent[0] == "Act now and save 12 % in Dársena 3."
    assert sentence_with(TEXT, "not there") is None
    assert sentence_with(TEXT, "  ") is None


def test_digits_stand_for_any_number_and_words_for_themselves() -> None:
    """The same sentence with other figures is caught, one with another word is not."""
    result = sentence_with(TEXT, "Act now")
    assert result is not None
    regex = regex_of(result[1])
    assert found(regex, "Act now and save 7.5 % in Dársena 14.")
    assert found(regex, "ACT NOW, and save 1,200% in Darsena 3!")
    assert not found(regex, "Act now and lose 12 % in Dársena 3.")
    assert not found(regex, "React now and save 12 % in Dársena 3.")


def test_a_phrase_is_found_anywhere_in_a_sentence() -> None:
    """From the sentence's beginning on, because patterns are tried there; not in the next one."""
    regex = regex_of_phrase("game changer")
    start = re.compile(regex)
    assert start.match(seen("This new port at 3.5 km is a real game-changer for all."))
    assert not start.match(seen("This is a port. It is a game changer."))
    assert not start.match(seen("Many video game changers exist."))


@pytest.mark.parametrize("short", ["", "Act now.", "!!!"])
def test_too_few_words_make_no_pattern(short: str) -> None:
    """It would catch every other text."""
    with pytest.raises(NoPattern):
        regex_of(seen(short))
    with pytest.raises(NoPattern):
        regex_of_phrase(short.split(" ")[0])


def test_a_long_sentence_is_caught_by_its_beginning() -> None:
    """The rules file takes no regex of more than 400 characters."""
    long = " ".join(f"word{n}x" for n in "abcdefghij" for _ in range(20)) + "."
    regex = regex_of(seen(long))
    assert len(regex) <= 400
    assert found(regex, long)


def test_the_nearest_harmless_sentence_is_the_counter_example() -> None:
    """It shares the most words and is not caught."""
    result = sentence_with(TEXT, "costs 41 USD")
    assert result is not None
    regex = regex_of(result[1])
    others = ["The port has a wall.", "A berth costs 63 USD. The mole costs us 41 old boats."]
    assert nearest_harmless(result[0], regex, others) == "The mole costs us 41 old boats."
    assert nearest_harmless(result[0], regex, ["One two three."]) is None


def test_the_entry_is_taken_by_the_rules_file() -> None:
    """Quotes, backslashes and accents in the words do not break the file."""
    message, catches = 'It says "now" \\ñ.', 'Act now, "friend" \\o/ 12 times.'
    draft = PatternDraft("learned-x", "head", regex_of(seen("Act now, friend, 12 times.")),
                         message, "Act now, friend, 12 times.", catches + " Not now.", False)  # fmt: skip
    [pattern] = parse_rules(draft.as_toml("remark"), "quality.toml").patterns
    assert (pattern.id, pattern.where, pattern.message) == (draft.check, "head", message)
    assert pattern.action == "flags"
    assert pattern.leaves.startswith(catches)


def test_ids_are_words_of_the_message_and_never_taken() -> None:
    """People recognise them in a list of defects."""
    assert free_id("It sells!", []) == "learned-it-sells"
    assert free_id("It sells!", ["learned-it-sells", "learned-it-sells-2"]) == "learned-it-sells-3"
    assert free_id("灯台", []) == "learned"
    assert re.fullmatch(r"[a-z][a-z0-9_.-]{1,60}", free_id("ñ" * 500, []))


@given(st.text(max_size=300))
def test_whatever_is_made_catches_what_it_was_made_of(text: str) -> None:
    """Every sentence of any text gives no pattern or one that finds it."""
    for sentence in sentences_of(text):
        result = sentence_with(text, sentence)
        if result is None:
            continue
        try:
            regex = regex_of(result[1])
        except NoPattern:
            continue
        assert re.search(regex, result[1])
