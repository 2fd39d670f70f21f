"""Which number is given of which other one, and which counts nothing."""

from __future__ import annotations

from daemon.quality.measure import Measure
from daemon.quality.measured import sight

FREE = Measure((("alucinadas",),), (), ("respuestas",), 200)


def seen(text: str, measure: Measure) -> list[tuple[float | None, str]]:
    return [(one.value, one.doubt) for one in sight(text, measure)]


def counted(text: str, measure: Measure) -> list[float | None]:
    return [value for value, doubt in seen(text, measure) if not doubt]


def test_the_noun_may_stand_between_a_part_and_its_whole() -> None:
    """14 answers of 200 is as plain as 14 of 200 answers; of another whole it is none."""
    assert counted("Contamos 14 respuestas alucinadas de 200.", FREE) == [14]
    assert seen("Contamos 14 respuestas alucinadas de 50.", FREE)[0][1]


def test_a_label_goes_with_the_figure_behind_its_colon() -> None:
    """With its noun in the label, of its whole; not where another noun stands behind the figure."""
    assert counted("Respuestas alucinadas: 22 de 200.", FREE) == [22]
    assert counted("Respuestas alucinadas: 22 abogadas las vieron.", FREE) == []


def test_who_did_it_is_no_rival_of_what_was_found() -> None:
    """The two graders; but two of what is measured are a count, and so are two that nothing names."""
    assert counted("Las dos abogadas contaron 14 de 200 respuestas alucinadas.", FREE) == [14]
    assert counted("Las dos respuestas y 14 de 200 respuestas fueron alucinadas.", FREE) == []
    assert counted("Dos abogadas contaron 14 de 200 respuestas alucinadas.", FREE) == []


def test_the_whole_may_be_told_twice() -> None:
    """200 answers were read, of which 9 of 200; a whole of its own stays a rival."""
    assert counted("Se leyeron 200 respuestas y 9 de 200 respuestas son alucinadas.", FREE) == [9]
    assert counted("Alucinadas: 200 de 200 respuestas y 9 de 200 respuestas.", FREE) == []


def test_a_span_of_days_and_a_share_in_letters_are_no_counts() -> None:
    """Between 1 and 20 February, and the forty per cent question, beside the one figure."""
    users = Measure((("answered", "respondieron"),), (), ("users", "usuarios"))
    assert counted("61 users answered between 1 and 20 February 2027.", users) == [61]
    assert counted("58 users answered the forty per cent question.", users) == [58]
    assert counted("Respondieron 55 usuarios a la pregunta del cuarenta por ciento.", users) == [55]


def test_one_of_the_whole_is_one() -> None:
    """The figure that a NO-GO often hangs on; every one, more than one, or one of another whole is none."""
    pilots = Measure((("converted", "contratos"),), (), ("pilots", "pilotos"), 5)
    for text in (
        "One of the 5 pilots converted.",
        "Only one of the first 5 pilots converted.",
        "Uno de los 5 pilotos pasó a contratos.",
    ):
        assert counted(text, pilots) == [1], text
    for text in (
        "Every one of the 5 pilots converted.",
        "Cada uno de los 5 pilotos pasó a contratos.",
        "More than one of the 5 pilots converted.",
        "Not one of the 5 pilots converted.",
        "One or two of the 5 pilots converted.",
        "One of the 9 pilots converted.",
    ):
        assert counted(text, pilots) == [], text
