"""What a sentence's first words tell of it, in both languages."""

from __future__ import annotations

import pytest

from daemon.llm.sentence_kinds import announces, has_figure, points_back, states_gap


@pytest.mark.parametrize(
    "sentence",
    [
        "These prices are of May.",
        "Neither source gives a rate.",
        "The same ferry sails on Sundays.",
        "On the same day the port closed.",
        "The fares of that line doubled.",
        "Reading those pages takes a day.",
        "The delay therefore grows each winter.",
        "Estas tarifas son de mayo.",
        "Ese muelle cerró en junio.",
        "Ambas líneas cerraron.",
        "Los precios de esa línea se duplicaron.",
    ],
)
def test_a_sentence_that_needs_the_one_before_is_told_by_its_words(sentence: str) -> None:
    """Alone it would say something of nobody knows what."""
    assert points_back(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "The ferry sails on Sundays.",
        "A guide says in that the tide turns at six.",
        "There is one crane.",
        "Thistles grow on the quay.",
        "Estable es el precio del pescado.",
    ],
)
def test_a_sentence_that_stands_alone_is_left_alone(sentence: str) -> None:
    """No sentence drags another one along without need."""
    assert not points_back(sentence)


def test_gaps_and_announcements_are_known_by_their_first_words() -> None:
    """What people wrote as open, and what only says what a note is about."""
    assert states_gap("Not known: the harbour's debts.")
    assert states_gap("Desacuerdo: dos guías dan cifras distintas.")
    assert not states_gap("The council noted a disagreement: nobody paid.")
    assert announces("How often ships call, and from where.")
    assert announces("Cuántos barcos llegan, y de dónde.")
    assert not announces("Whoever lands pays.")


@pytest.mark.parametrize(
    ("sentence", "counts"),
    [
        ("The port handled 412 ships.", True),
        ("A berth costs USD 14.", True),
        ("The port opened on 3 May 2021.", False),
        ("El puerto abrió el 3 de mayo de 2021.", False),
        ("Article 425 ranks the norms.", False),
        ("GPT-4 wrote the log.", False),
    ],
)
def test_dates_and_names_are_no_figures(sentence: str, *, counts: bool) -> None:
    """A figure counts, measures or prices something."""
    assert has_figure(sentence) is counts
