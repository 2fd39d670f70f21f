from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.unit.quality.looking_up import look_up, statuses

ROWS = Path(__file__).parents[2] / "data" / "quality" / "derived.jsonl"
BACKED = ("supported", "derived")
DRAWS = 3


@cache
def rows() -> list[dict[str, Any]]:
    """Little notes, and what a writer made of their figures."""
    return [json.loads(line) for line in ROWS.read_text("utf-8").splitlines()]


def passes(note: str, text: str, at: int, end: int) -> bool | None:
    """Whether the figure at [at, end) is backed; None where it is no figure."""
    here = [one for one in look_up(text, note) if one.span[0] < end and at < one.span[1]]
    return all(one.status in BACKED for one in here) if here else None


def other_digits(figure: str, rng: Random) -> str:
    """As many other digits."""
    drawn = "".join(str(rng.randint(1, 9)) if one.isdigit() else one for one in figure)
    return drawn if drawn != figure else other_digits(figure, rng)


def test_most_derived_figures_pass_and_few_invented_in_their_place() -> None:
    """Two thirds of what follows from a note is seen to follow; of random digits there, two in a hundred."""
    true: list[bool | None] = []
    invented: list[bool | None] = []
    for row in rows():
        note, text, at = row["note"], row["text"], 0
        for figure in row["derived"]:
            begin = text.index(figure, at)
            at = begin + len(figure)
            true.append(passes(note, text, begin, at))
            rng = Random(row["id"] + figure)
            for _ in range(DRAWS):
                new = other_digits(figure, rng)
                told = text[:begin] + new + text[at:]
                invented.append(passes(note, told, begin, begin + len(new)))
    assert true.count(True) >= 0.66 * len(true)
    assert invented.count(True) <= 0.03 * len(invented)


@pytest.mark.parametrize(
    ("note", "text", "figure", "how"),
    [
        ("The strike of the port began on 3 May 2021 and ended on 14 June 2021.",
         "The strike of the port lasted 42 days.",
         "42", "14 June 2021 - 3 May 2021"),
        ("La reserva abarca 23.400 hectáreas.", "La reserva abarca 234 km².", "234",
         "23.400 in another unit"),
        ("The office took 3,120 calls in all. It lost 187 of the calls.",
         "Of the calls of the office 187 were lost, 6% of all.", "6%", "187 / 3,120"),
    ],
)  # fmt: skip
def test_a_figure_that_a_note_gives_in_another_form_is_derived(
    note: str, text: str, figure: str, how: str
) -> None:
    """Days between dates, another unit, the share of a whole that another sentence states."""
    claim = next(one for one in look_up(text, note) if one.text == figure)
    assert (claim.status, claim.note) == ("derived", how)


def test_money_times_money_gives_no_money() -> None:
    """20.50 x 21.50 / 23.70 is 18.60 by chance."""
    note = (
        "Technicians in Alaska earn $23.70 per hour; those in Maryland $20.50 to $21.50 per hour."
    )
    text = "Technicians earn $23.70 per hour in Alaska and $18.60 per hour elsewhere."
    assert statuses(text, note)["$18.60"] == "absent"


def test_the_year_of_a_law_is_no_figure() -> None:
    """It names the law, which is looked up as one."""
    assert statuses("The rule stands in Decreto 112/2019.", "Bakeries pay.") == {}


@pytest.mark.parametrize(
    ("text", "note", "status"),
    [
        ("The memory of the phone fell by 38% in tests.",
         "The memory of the phone holds 38.1 Mb/mm² in tests, 11% more.", "absent"),
        ("The phone runs for 24 hours on its battery.",
         "The phone runs on its battery since 24 days.", "absent"),
        ("Of the wells 18, 24 and 30 % are dry.", "Of the wells, 18, 24 and 30 % are dry.", "supported"),
        ("About 560 firms of the valley export.", "There are 570 firms of the valley that export.", "absent"),
        ("Over 500 firms of the valley export.", "There are 528 firms of the valley that export.", "supported"),
        ("Almost 500 firms of the valley export.", "There are 528 firms of the valley that export.", "absent"),
        ("The valley has 2,030 firms that export.", "The valley has firms that export since 2025.", "absent"),
        ("Some 33.8% of the firms of the valley export.", "A third of the firms of the valley export.", "absent"),
    ],
)  # fmt: skip
def test_a_number_of_another_kind_or_no_more_exact_backs_no_figure(
    text: str, note: str, status: str
) -> None:
    """Megabits are no per cent, days no hours; rounding loses digits, in the direction that is said."""
    assert status in statuses(text, note).values()
