from __future__ import annotations

import pytest

from daemon.quality.language import detect_language
from daemon.quality.normalise import fold, split_words
from tests.unit.quality.judging import REPORT, judge

SAMPLES = {
    "en": "The price of a first copy is fixed by the council and it has not changed since March.",
    "es": "El precio de la primera copia lo fija el consejo y no ha cambiado desde el mes de marzo.",
    "pt": "O preço da primeira cópia é fixado pelo conselho e não mudou desde março, nem para os advogados.",
    "fr": "Le prix de la première copie est fixé par le conseil et il n'a pas changé depuis le mois de mars.",
    "de": "Der Preis der ersten Kopie wird von dem Rat festgelegt und hat sich seit März nicht geändert.",
    "it": "Il prezzo della prima copia è fissato dal consiglio e non è cambiato dal mese di marzo per gli avvocati.",
    "zh": "第一份副本的价格由委员会确定，自三月以来没有变化。",
    "ja": "最初の写しの価格は評議会によって決められ、三月から変わっていません。",
    "ko": "첫 사본의 가격은 위원회가 정하며 삼월 이후로 바뀌지 않았다.",
    "ru": "Цена первой копии установлена советом и не менялась с марта.",
    "ar": "سعر النسخة الأولى يحدده المجلس ولم يتغير منذ شهر مارس.",
}


@pytest.mark.parametrize("language", SAMPLES)
def test_a_sentence_is_told_by_its_little_words_or_its_script(language: str) -> None:
    """One sentence is enough."""
    text = fold(SAMPLES[language])
    assert detect_language(text, split_words(text)) == language


@pytest.mark.parametrize("text", ["", "42", "Clio LexisNexis Lemontech", "a b c", "🙂🙂"])
def test_what_has_no_words_has_no_language(text: str) -> None:
    """Names, figures, nothing."""
    assert detect_language(fold(text), split_words(fold(text))) is None


@pytest.mark.parametrize("language", sorted(set(SAMPLES) - {"en"}))
def test_a_text_in_another_language_is_marked_and_not_rejected(language: str) -> None:
    """With the names of both languages."""
    verdict = judge(SAMPLES[language], language="en")
    assert [d.check for d in verdict.defects] == ["plausibility.language"]
    assert "English" in verdict.defects[0].message
    assert verdict.outcome == "flag"


def test_the_workspace_s_own_language_is_no_defect() -> None:
    """English in an English workspace, Spanish in a Spanish one."""
    assert judge(SAMPLES["en"], language="en").outcome == "accept"
    assert judge(SAMPLES["es"], language="es").outcome == "accept"
    assert judge(SAMPLES["en"], language="es").outcome == "flag"


def test_sources_quoted_in_another_language_do_not_change_the_text_s_own() -> None:
    """The author's prose decides."""
    text = f'La ley dice que es libre para todos: "{SAMPLES["en"]}"'
    assert judge(text, language="es").outcome == "accept"


def test_two_languages_in_equal_parts_are_neither() -> None:
    """Where it cannot be told, nothing is said."""
    assert judge(f"{REPORT}\n\n{SAMPLES['es'] * 6}").outcome == "accept"
