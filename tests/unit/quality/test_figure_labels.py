from __future__ import annotations

import pytest

from daemon.quality.figure_labels import _NAMES, is_day, is_label
from tests.unit.quality.looking_up import statuses

NOTE = """# Ferries of Chiloé [14]

The ferries of Chiloé carried 212 passengers a day. The fare rose on 17 May 2019 [23], and again on 05/28/2021.
The ferries are described in https://ferries.example/reports/36/fares and in [the timetable of the ferries](/t/41).
Decreto 118/2016 rules the ferries; see page 87 of its annex and Table 19.

| 22 | ferries of Chiloé | passengers |
|---|---|---|
| 24 | Pincoya | 310 |
"""


@pytest.mark.parametrize(
    "number", ["14", "17", "23", "28", "36", "41", "118", "2016", "87", "19", "24"]
)
def test_a_number_that_names_or_places_something_backs_no_figure(number: str) -> None:
    """Citation, day, link, law, page, table and rank stand among words that fit any figure."""
    text = f"The ferries of Chiloé carried {number} passengers in all, by the fares of their timetable."
    assert statuses(text, NOTE)[number] in ("absent", "weak")


def test_an_amount_in_the_same_note_still_does() -> None:
    """A count is none of these, in a sentence or in a cell."""
    assert statuses("The ferries of Chiloé carried 212 passengers.", NOTE) == {"212": "supported"}
    assert statuses("The Pincoya carried 310 passengers.", NOTE) == {"310": "supported"}


def test_the_year_of_a_date_may_be_told_of_alone() -> None:
    """17 May 2019 says that the fare rose in 2019; Decreto 118/2016 says nothing of 2016."""
    assert statuses("The fare of the ferries rose in 2019.", NOTE) == {"2019": "supported"}
    assert is_label("Decreto 118/2016", 12, 16, 2016.0)
    assert not is_label("the season of 2015/2016", 19, 23, 2016.0)
    assert not is_label("paid in 06/2016", 11, 15, 2016.0)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("el 24 y 25 de marzo", "24"),
        ("on 3-5 June", "3"),
        ("May 13, 14 and 15", "14"),
        ("on 05/28/2021", "28"),
    ],
)
def test_each_of_several_days_is_a_day(text: str, number: str) -> None:
    """They share one month."""
    at = text.index(number)
    assert is_day(text, at, at + len(number), float(number))


def test_a_share_in_a_month_is_no_day() -> None:
    """ "in May 12 % left" gives a share."""
    text = "in May 12 % left"
    assert not is_day(text, 7, 9, 12.0)


def test_a_day_of_two_days_is_found_among_days() -> None:
    """The first of "24 and 25 March" is no date by itself, and still a claim."""
    note = "The strike of the port of Paita was called for 24 and 25 March."
    assert (
        statuses("The port of Paita had its strike on 24 and 25 March.", note)["24"] == "supported"
    )
    assert statuses("The port of Paita had its strike on 19 and 25 March.", note)["19"] == "absent"


@pytest.mark.parametrize(
    "lead",
    [
        "resoluciones n.º ",
        "Ley Orgánica nº ",
        "directive no ",
        "Secciones ",
        "vol. ",
        "§ ",
        "páginas ",
    ],
)
def test_a_name_is_told_by_its_last_letters_however_much_stands_before_it(lead: str) -> None:
    """Only so much is read in front of a number as the longest name needs, with the edge of its word."""
    for before in ("", "in force since then, of the ", "x" * 60 + " ", "sub"):
        text = f"{before}{lead}731"
        named = _NAMES.search(text[:-3]) is not None
        assert is_label(text, len(text) - 3, len(text), 731.0) is named
    assert is_label(f"{lead}731", len(lead), len(lead) + 3, 731.0)
