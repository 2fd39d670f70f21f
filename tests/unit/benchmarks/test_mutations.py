from __future__ import annotations

from decimal import Decimal
from random import Random

import pytest

from benchmarks import mutations
from benchmarks.grounded_reports import Report
from benchmarks.grounding import Tally, measure
from daemon.quality.claims import SourceNote

TEXT = (
    "Revenue rose 12.5% to $4,300 in 2023, and 480 firms pay [12]. On 14 March 2024 there were 7.\n"
    "See https://a-site.org/reports/2023-fees for it. She said “the price is what every small firm"
    " complains about first”. Figure 31 shows Table 40.\n\n## References\n\n[1] 99 pages, 2019.\n"
)


def test_figures_are_those_of_the_prose() -> None:
    """No years, dates, marks, numbering, addresses, references, or whole numbers up to twelve."""
    assert [spot.text for spot in mutations.figures(TEXT)] == ["12.5%", "$4,300", "480"]
    assert [spot.text for spot in mutations.years(TEXT)] == ["2023"]


@pytest.mark.parametrize(
    ("digits", "factor", "written"),
    [
        ("1,200", "10", "12,000"),
        ("1,200", "0.1", "120"),
        ("4.5", "10", "45"),
        ("4.5", "0.1", "0.45"),
        ("1.234,5", "10", "12.345"),
        ("480", "1000", "480,000"),
    ],
)
def test_a_magnitude_keeps_its_separators(digits: str, factor: str, written: str) -> None:
    """English and Spanish ways of writing thousands and decimals."""
    assert mutations.times(digits, Decimal(factor)) == written


def test_every_change_is_at_its_place_and_nowhere_else() -> None:
    """What is around the changed places stays as it was."""
    rng = Random(1)
    figure, other = mutations.figures(TEXT)[:2]
    (address,) = mutations.addresses(TEXT)
    (quotation,) = mutations.quotations(TEXT)
    for spot, change in (
        (figure, mutations.replaced(TEXT, figure, rng)),
        (address, mutations.other_path(TEXT, address, rng)),
        (quotation, mutations.one_word_changed(TEXT, quotation, rng)),
        (quotation, mutations.half_invented(TEXT, quotation, rng)),
    ):
        ((start, end),) = change.spots
        assert change.text[:start] + spot.text + change.text[end:] == TEXT
        assert change.text != TEXT
    swapped = mutations.swapped(TEXT, figure, other)
    assert [swapped.text[slice(*place)] for place in swapped.spots] == ["$4,300", "12.5%"]


def test_quotations_and_tables_stay_whole_in_the_notes() -> None:
    """Notes that break a quotation in two would make a true report false."""
    text = 'He said "It is late. We go home now," and we left. It was noon.\n| a | b |\n|---|---|\n| 1 | 2 |\nEnd.'
    assert mutations.pieces(text) == [
        'He said "It is late. We go home now," and we left.',
        "It was noon.",
        "| a | b |\n|---|---|\n| 1 | 2 |",
        "End.",
    ]


def test_a_run_counts_every_kind_of_change_and_doubts_nothing_true() -> None:
    """A small report with its own sentences as notes."""
    report = Report(TEXT, "en", (SourceNote("own.note-0", TEXT),))
    result = measure([report], seed=1, each=2)
    assert result.found["path of an address changed"].absent == 1
    assert result.found["half of a quotation invented"].absent == 1
    assert result.untouched["url"].absent == result.untouched["quote"].absent == 0


def test_a_tally_gives_shares_with_intervals() -> None:
    """Absent and weak together, absent alone, and what no claim was made of."""
    tally = Tally()
    for status in ("absent", "weak", "supported", ""):
        tally.add(status)
    row = tally.row()
    assert (row["n"], row["no_claim"], row["absent"][0], row["absent_or_weak"][0]) == (
        4,
        1,
        0.25,
        0.5,
    )
