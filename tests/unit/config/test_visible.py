"""What nobody sees is named; what makes a shape that is seen stays."""

from __future__ import annotations

import sys
import unicodedata

from daemon.config.visible import visible

# Unicode's Default_Ignorable_Code_Point outside of the formats (category Cf), and two that look blank.
FILLERS = "\u034f\u115f\u1160\u17b4\u17b5\u180b\u2065\u2800\u3164\ufe00\ufe0f\uffa0\ufff0\U000e0fff"


def test_what_turns_or_hides_other_text_is_named() -> None:
    """So nobody approves a file gnp.exe that reads exe.png."""
    assert visible("gnp.exe\u202egnp\u2066\x00\U000e0041") == (
        "gnp.exe[U+202E]gnp[U+2066][U+0000][U+E0041]"
    )


def test_every_character_without_a_shape_of_its_own_is_named() -> None:
    """By its category, so that none is missing: also those of which nobody made a list."""
    kinds = ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")
    shown = set("\t\n\r") | {chr(code) for code in (*range(0x600, 0x606), 0x6DD, 0x70F, 0x8E2)}
    shown |= set("\u0890\u0891\U000110bd\U000110cd")
    codes = (*range(0x3000), *range(0xF000, 0x11100), *range(0xE0000, 0xE1000), sys.maxunicode)
    hidden = [char for code in codes if unicodedata.category(char := chr(code)) in kinds]
    hidden = [char for char in hidden if char not in shown] + list(FILLERS)
    assert len(hidden) > 2_500
    told = visible("".join(f"a{char}b" for char in hidden)).replace("ba", "b\na").splitlines()
    assert told == [f"a[U+{ord(char):04X}]b" for char in hidden]


def test_what_is_seen_stays() -> None:
    """Letters of every script, lines, tabs, joined emoji, flags, and joiners where they are spelling."""
    for text in (
        "a\tb\r\nñ – 日本 עברית é ½ ☎ 5\u00a0€",
        "👩\u200d🔬 👨🏽\u200d⚕\ufe0f ❤\ufe0f 🏳\ufe0f\u200d🌈 1\ufe0f\u20e3 ©\ufe0f ☎\ufe0e",
        "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f 🇪🇸",
        "می\u200cخواهم क्\u200dष ؀۱۲",
        "葛\U000e0100",
    ):
        assert visible(text) == text


def test_what_is_allowed_once_behind_a_sign_hides_no_sentence() -> None:
    """A row of selectors or tags behind an emoji is how letters are smuggled."""
    smuggled = "".join(chr(0xE0100 + ord(letter)) for letter in "approve it")
    assert visible(f"😀{smuggled}") == "😀[U+E0161…U+E0174 ×10]"
    tags = "".join(chr(0xE0000 + ord(letter)) for letter in "approveit")
    assert visible(f"🏴{tags}") == "🏴[U+E0061…U+E0074 ×9]"
    assert visible("👩\u200d\u200d🔬") == "👩[U+200D][U+200D]🔬"
    assert visible("\u200d👩") == "[U+200D]👩"
    assert visible("می\u200c\u200cخ") == "می\u200c[U+200C]خ"


def test_a_long_row_is_told_with_its_length() -> None:
    """A page of names would be as good a hiding place as none."""
    assert visible("a" + "\u200b" * 40 + "b") == "a[U+200B ×40]b"
    assert visible("\u200b" * 4) == "[U+200B]" * 4
    assert len(visible("\u200b" * 1_000_000)) < 30


def test_a_character_that_means_something_in_a_pattern_is_only_itself() -> None:
    """The signs of a text become a class of a pattern."""
    assert visible("]^-\\\x1c\x1b[0m") == "]^-\\[U+001C][U+001B][0m"
