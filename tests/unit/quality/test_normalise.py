from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.quality.normalise import clean, count_words, fold, read


def test_lone_surrogates_and_control_characters_are_gone_after_cleaning() -> None:
    """SQLite and UTF-8 files take what `clean` returns."""
    cleaned = clean("a\x00b\ud800c\r\nd\re\x1b")
    assert cleaned == "ab\ufffdc\nd\ne"
    assert cleaned.encode("utf-8")


def test_a_surrogate_pair_becomes_its_character() -> None:
    """Two halves that belong together are one emoji."""
    assert clean("\ud83d\ude00") == "\U0001f600"


def test_zero_width_characters_do_not_hide_a_word_and_spans_still_fit() -> None:
    """Offsets lead back into the text as it was."""
    text = "I can\u200bnot, ﬁne"
    reading = read(text)
    assert reading.raw == "I cannot, fine"
    start = reading.raw.index("fine")
    assert text[slice(*reading.span(start, start + 4))] == "ﬁne"


def test_decomposed_accents_read_like_composed_ones() -> None:
    """A model may write e and its accent as two characters."""
    assert read("informacio\u0301n").open == read("información").open == "informacion"


def test_folding_keeps_the_length() -> None:
    """Offsets in the folded text are offsets in the other."""
    assert fold("ÁÑß İSTANBUL") == "anß istanbul"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", 0),
        ("one two-three 1,200.50", 3),
        ("| a | b |", 2),
        ("市场规模增长", 3),
        ("--- *** ###", 0),
    ],
)
def test_words_are_counted_without_marks_and_by_characters_where_there_are_no_spaces(
    text: str, words: int
) -> None:
    """Table bars are no words; two Chinese characters are one."""
    assert count_words(text) == words


def test_masked_text_leaves_the_authors_own_prose() -> None:
    """Code, quotes, tables, headings and the reference list are blank; the rest stands in place."""
    text = (
        '# Head one\n\nMine `code` and "said" here.\n\n> quoted\n\n| a | b |\n\n```\nfenced\n```\n'
        "Also mine.\n\n## References\n1. Somebody\n"
    )
    reading = read(text)
    assert len(reading.masked) == len(reading.raw) == len(reading.open)
    assert reading.masked.split() == ["mine", "and", "here.", "also", "mine."]
    assert {mask.kind for mask in reading.masks} == {
        "heading", "code", "quote", "table", "references"}  # fmt: skip


def test_a_text_that_is_one_quotation_is_read_all_the_same() -> None:
    """Quotation marks around everything hide nothing."""
    assert "cannot" in read('"I cannot help."').masked


def test_sentences_start_behind_list_markers_and_know_head_and_tail() -> None:
    """The head is two sentences or sixty words, the tail the last forty."""
    body = "Word " * 29 + "word."
    reading = read(f"1. First one.\n- **Second** one. {body} {body} {body}\n")
    texts = [reading.raw[one.start : one.end].strip() for one in reading.sentences]
    assert texts[0] == "First one."
    assert [one.in_head for one in reading.sentences] == [True, True, True, False, False]
    assert [one.in_tail for one in reading.sentences] == [False, False, False, False, True]


@given(st.text(max_size=400))
def test_reading_any_text_keeps_lengths_and_spans_inside(text: str) -> None:
    """Whatever comes in, the three texts have one length and every span lies in the cleaned text."""
    cleaned = clean(text)
    reading = read(cleaned)
    assert len(reading.raw) == len(reading.open) == len(reading.masked)
    for sentence in reading.sentences:
        start, end = reading.span(sentence.start, sentence.end)
        assert 0 <= start <= end <= len(cleaned)


def test_a_run_of_blanks_is_shortened() -> None:
    """A model that loops writes thousands of them; lines and single blanks stay as they are."""
    assert clean("a" + " " * 20_000 + "b\n\n c") == "a" + " " * 60 + "b\n\n c"
    assert clean("\t" * 61 + "x") == " " * 60 + "x"
    assert clean(" " * 60) == " " * 60
