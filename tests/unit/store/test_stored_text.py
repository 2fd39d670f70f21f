"""Every text can be stored, and JSON comes back as it went in."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.store.stored_text import from_json, repair_params, repair_text, to_json

any_text = st.text(st.characters(exclude_categories=()))


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("hello \ud83d", "hello \ufffd"),
        ("\udc80 first", "\ufffd first"),
        ("\ude00\ud83d", "\ufffd\ufffd"),
        ("\ud83d\ude00", "😀"),
        ("a\0b\0", "a\ufffdb\ufffd"),
        ("a\0\ud800", "a\ufffd\ufffd"),
        ("señal\r\n\t𝄞", "señal\r\n\t𝄞"),
        ("", ""),
    ],
)
def test_what_cannot_be_stored_is_replaced(text: str, stored: str) -> None:
    """Lone surrogates and NUL become U+FFFD, halves that belong together their character."""
    assert repair_text(text) == stored


@given(any_text)
def test_a_repaired_text_is_utf8_and_stays_as_it_is(text: str) -> None:
    """For any text: no error, valid UTF-8, no NUL, and a second repair changes nothing."""
    repaired = repair_text(text)
    assert repaired.encode("utf-8").decode("utf-8") == repaired
    assert "\0" not in repaired
    assert repair_text(repaired) == repaired


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0")))
def test_a_sound_text_is_not_changed(text: str) -> None:
    """Nothing but the damage is touched."""
    assert repair_text(text) == text


def test_parameters_of_both_forms_are_repaired() -> None:
    """Only texts change; numbers, None and bytes pass."""
    assert repair_params(("a\0", 1, None, b"\0")) == ["a\ufffd", 1, None, b"\0"]
    assert repair_params({"x": "\ud800", "y": 2}) == {"x": "\ufffd", "y": 2}


def test_texts_deep_in_json_are_repaired() -> None:
    """Keys and values at any depth; a NUL does not come back through JSON's own escape."""
    value = {"k\ud83d": ["a\0", {"x": ("\ud83d",)}], "n": 1, "ok": True, "none": None}
    assert from_json(to_json(value)) == {
        "k\ufffd": ["a\ufffd", {"x": ["\ufffd"]}],
        "n": 1,
        "ok": True,
        "none": None,
    }


def test_json_is_written_the_same_way_each_time() -> None:
    """Sorted keys, and letters as letters, so that rows compare as text."""
    assert to_json({"b": "ñ", "a": 1}) == to_json({"a": 1, "b": "ñ"}) == '{"a": 1, "b": "ñ"}'


def test_a_number_that_is_none_is_refused() -> None:
    """NaN is no JSON; a column that held it could not be read by others."""
    with pytest.raises(ValueError, match="not JSON compliant"):
        to_json({"cost": float("nan")})


def test_an_empty_column_reads_as_none() -> None:
    """NULL is None, not the text null."""
    assert from_json(None) is None
