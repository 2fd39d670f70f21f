"""Where sentences end."""

from __future__ import annotations

import pytest

from daemon.llm.sentences import split_sentences


@pytest.mark.parametrize(
    "sentences",
    [
        ["The fee rose by 3.5 % in 2024.", "It fell in 2025."],
        ["Art. 66 of the act grants it.", "See Dr. Paz for details."],
        ["It stands in R.O. No. 449 of 2008.", "That is old."],
        ["No.", "That was wrong."],
        ["Some pay more, e.g. USD 12.5 a month.", "Others pay nothing!"],
        ["El precio sube, p. ej. en Quito.", "La Sra. Vera pagó $ 3.50."],
        ["EE. UU. compra más cacao.", "¿Cuánto más?", "Nadie lo sabe…", "Quizá el doble."],
        ["J. R. Moss wrote it.", 'He said "Stop."', "Then he left."],
        ["The resolution (Res. 28 of 2025) is new.", "It binds all (see No. 3. Or not)."],
        ["価格は上がった。", "理由は不明。"],
        ["Acme Inc. sells it.", "Acme Inc. 5 sells more."],
    ],
)
def test_sentences_are_kept_whole(sentences: list[str]) -> None:
    """Abbreviations, initials, decimals and brackets do not end a sentence."""
    joined = " ".join(sentences) if sentences[0][-1] != "。" else "".join(sentences)
    assert split_sentences(joined) == sentences


@pytest.mark.parametrize(
    "text",
    ["." * 200_000, "a. " * 100_000, "(" * 100_000 + ". A", "x" * 200_000, "", '."' * 90_000],
)
def test_nothing_is_lost_on_odd_text(text: str) -> None:
    """Together the sentences are the text, and no run of marks makes it slow."""
    assert " ".join(split_sentences(text)) == text.strip()
