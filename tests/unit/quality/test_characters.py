from __future__ import annotations

import re
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from daemon.quality.characters import plain, signs_of
from daemon.quality.normalise import clean, count_words, fold, split_words

_WORD = re.compile(r"[^\W_]+(?:['.,:/@&-][^\W_]+)*")
MIXED = st.text(alphabet="ab1 _'.,:-éñºﬁ—’\u200b\u0301\nΩß", max_size=40)


@given(MIXED)
def test_a_plain_text_points_back_to_its_characters(text: str) -> None:
    """One offset for each character, rising, or None where nothing moved."""
    raw, offsets = plain(text)
    if offsets is None:
        assert len(raw) == len(text)
    else:
        assert len(offsets) == len(raw)
        assert list(offsets) == sorted(offsets)


def test_quotes_and_invisible_characters_become_plain() -> None:
    """Curly quotes, typographic hyphens, ligatures, zero-width marks."""
    assert plain("“a”\u200b ﬁx \u2010 ’") == ('"a" fix - \'', (0, 1, 2, 4, 5, 5, 6, 7, 8, 9, 10))


@given(st.text(max_size=60))
def test_the_signs_beyond_ascii_are_each_named_once(text: str) -> None:
    """Lone surrogates too."""
    assert signs_of(text) == {sign for sign in text if not sign.isascii()}


@given(MIXED)
def test_words_counted_by_bytes_are_the_words_that_a_regex_finds(text: str) -> None:
    """Runs of letters and digits, joined by single marks: 1,200 and it's and a/b are one word each."""
    assert count_words(text) == len(_WORD.findall(text))
    assert split_words(text) == re.findall(r"[^\W_]+", text)


@given(st.text(alphabet="AbÉñÜ ßŁ’", max_size=40))
def test_folding_goes_letter_by_letter(text: str) -> None:
    """Each character as it folds alone, so that offsets stay."""
    assert fold(text) == "".join(fold(one) for one in text)
    assert all(not unicodedata.combining(one) for one in fold(text))


@given(st.text(alphabet=" \t\u00a0\u3000a\n", max_size=200))
def test_no_run_of_blanks_is_longer_than_sixty(text: str) -> None:
    """Wherever it begins, and whatever kinds of blanks it mixes."""
    long = re.compile(r"[^\S\n]{61}")
    assert not long.search(clean(text * 2))
    assert clean(text) == re.sub(r"[^\S\n]{60}[^\S\n]+", " " * 60, text)
