from __future__ import annotations

import pytest

from daemon.quality.assessment import assess
from daemon.quality.rules import QualityRules
from daemon.quality.verdict import Profile, TaskBrief, Verdict
from tests.unit.quality.judging import rejecting

ASKED = "How do poultry farmers of the coast insure their flocks against disease?"
PREGUNTADO = "¿Cómo aseguran los avicultores de la costa sus planteles contra enfermedades?"
ELSEWHERE = (
    "The old observatory on the hill was built by a watchmaker who had never seen a telescope. Its dome turns on "
    "cannon balls, and the first map of the southern sky was drawn there by candle light in the year 1874. Visitors "
    "climb ninety steps, sign a book and are shown the brass clock that still loses a second a day."
)
OTRA_COSA = (
    "Para hacer un buen pan de yuca se ralla queso fresco, se mezcla con almidón y mantequilla, y se amasa sin prisa "
    "hasta que no se pegue a las manos. El horno debe estar muy caliente; en quince minutos las bolitas se doran. Se "
    "sirven calientes, con yogur de mora o con café pasado, y no se guardan para mañana."
)


def ask(question: str, text: str, profile: Profile = "report", language: str = "en") -> Verdict:
    brief = TaskBrief("T", question, profile=profile, language=language)
    return assess(text, brief, rules=QualityRules())


@pytest.mark.parametrize(
    ("question", "text", "language"), [(ASKED, ELSEWHERE, "en"), (PREGUNTADO, OTRA_COSA, "es")]
)
def test_a_report_about_something_else_is_rejected(question: str, text: str, language: str) -> None:
    """It shares no content word with its question."""
    assert "relevance.off_topic" in rejecting(ask(question, text, language=language))


def test_one_word_of_the_question_is_enough() -> None:
    """Whether it answers is not for words to tell."""
    text = f"{ELSEWHERE} The watchmaker kept poultry."
    assert "relevance.off_topic" not in rejecting(ask(ASKED, text))


@pytest.mark.parametrize(
    "text", ["No.", "By a mutual fund, since 2019.", "Nobody does: it costs 9 %."]
)
def test_a_short_answer_need_not_repeat_a_word_of_its_question(text: str) -> None:
    """It is not even marked."""
    checks = [d.check for d in ask(ASKED, text, "answer").defects]
    assert "relevance.off_topic" not in checks


def test_an_answer_of_some_length_is_marked_only() -> None:
    """A definition may do without the words of its question."""
    verdict = ask(ASKED, ELSEWHERE, "answer")
    assert [(d.check, d.rejects) for d in verdict.defects] == [("relevance.off_topic", False)]


def test_a_text_in_another_language_than_its_question_is_not_held_against_it() -> None:
    """Its words cannot be the same; that it is the wrong language is marked."""
    checks = [d.check for d in ask(ASKED, OTRA_COSA).defects]
    assert "plausibility.language" in checks
    assert "relevance.off_topic" not in checks


NOTHING = {
    "en": "Careful planning is essential for any organisation that wants to succeed. Quality, trust and innovation "
    "play a key role, and strong relationships with partners create value. By fostering collaboration and adapting "
    "to change, companies can improve their performance and achieve sustainable growth over time.",
    "es": "La planificación es esencial para toda organización que busca el éxito. La calidad, la confianza y la "
    "innovación juegan un papel clave, y las relaciones con aliados generan valor. Con colaboración y adaptación al "
    "cambio, las empresas pueden mejorar su desempeño y lograr un crecimiento sostenible.",
}


@pytest.mark.parametrize(("language", "question"), [("en", ASKED), ("es", PREGUNTADO)])
def test_a_text_that_fits_every_venture_is_rejected(language: str, question: str) -> None:
    """No figure, no name, only words of business."""
    verdict = ask(question, NOTHING[language], language=language)
    assert "relevance.says_nothing" in rejecting(verdict)


@pytest.mark.parametrize(
    "text",
    [
        (
            "Farmers of the coast do not insure their flocks, because the policy asks for a vet's visit in each shed "
            "and the vet lives two hours away. They sell early instead, and keep the value of a flock in the bank."
        ),
        f"{NOTHING['en']} The mutual fund of Balzar pays after 9 days.",
    ],
)
def test_analysis_without_figures_is_left_alone(text: str) -> None:
    """It speaks about its subject, or names something."""
    assert "relevance.says_nothing" not in rejecting(ask(ASKED, text))
