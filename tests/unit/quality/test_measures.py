"""The measures on counts that can be checked by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.quality.measures import (
    Confusion,
    always_yes_f1,
    auroc,
    best_f1,
    count,
    share,
    wilson,
)

LABELS = st.lists(st.tuples(st.booleans(), st.integers(0, 5)), min_size=2, max_size=40)


def test_the_counts_are_those_of_the_four_cells() -> None:
    """Truth first, answer second."""
    found = count([True, True, False, False, True], [True, False, True, False, True])
    assert found == Confusion(tp=2, fp=1, fn=1, tn=1)
    assert found.precision
    assert found.recall
    assert found.f1
    assert found.precision.value == found.recall.value == found.f1.value == pytest.approx(2 / 3)


def test_wilson_gives_the_published_interval() -> None:
    """81 of 263, the example of Newcombe 1998: 0.2553 to 0.3662."""
    assert wilson(81, 263) == pytest.approx((0.2553, 0.3662), abs=1e-4)
    assert wilson(0, 20) == pytest.approx((0.0, 0.1611), abs=1e-4)
    assert wilson(0, 0) == (0.0, 1.0)


def test_nothing_to_measure_is_none_and_not_zero() -> None:
    """No text is not a bad result."""
    assert share(0, 0) is None
    assert Confusion(tn=5).recall is None
    assert Confusion(tn=5).f1 is None
    assert Confusion(fn=5).precision is None
    assert auroc([True, True], [1, 2]) is None
    assert best_f1([False], [1]) is None
    assert always_yes_f1([False]) is None


def test_a_tie_counts_half() -> None:
    """A score that is the same for all texts says nothing: 0.5."""
    constant = auroc([True, False, True, False], [7, 7, 7, 7])
    assert constant
    assert constant.value == 0.5
    mixed = auroc([True, True, False, False], [3, 2, 2, 1])
    assert mixed
    assert mixed.value == pytest.approx(3.5 / 4)


def test_a_perfect_order_has_a_width_too() -> None:
    """Ten texts that happen to be in order are no proof: the lower bound stays below 1."""
    found = auroc([True] * 5 + [False] * 5, [9, 8, 7, 6, 5, 4, 3, 2, 1, 0])
    assert found
    assert found.value == found.high == 1.0
    assert 0.6 < found.low < 0.95


def test_more_texts_make_the_interval_narrower() -> None:
    """The same order, ten times as many texts."""
    few = auroc([True, True, False, True] * 5, [4, 3, 2, 1] * 5)
    many = auroc([True, True, False, True] * 50, [4, 3, 2, 1] * 50)
    assert few
    assert many
    assert few.value == many.value
    assert few.low < many.low < many.value < many.high < few.high


def test_the_best_f1_names_its_threshold() -> None:
    """From 2 on: both true ones and one false one."""
    found = best_f1([True, False, True, False], [3, 2, 2, 1])
    assert found
    assert found[0].value == pytest.approx(0.8)
    assert found[1] == 2


def test_always_yes_is_the_floor() -> None:
    """With half of the texts true, saying yes to all has F1 2/3."""
    found = always_yes_f1([True, False] * 10)
    assert found
    assert found.value == pytest.approx(2 / 3)


@given(LABELS)
def test_every_measure_lies_in_its_interval(pairs: list[tuple[bool, int]]) -> None:
    """0 <= low <= value <= high <= 1, whatever the texts."""
    truths, scores = [one for one, _ in pairs], [float(one) for _, one in pairs]
    found = count(truths, [score > 2 for score in scores])
    best = best_f1(truths, scores)
    for measure in (
        found.precision, found.recall, found.f1, auroc(truths, scores), best and best[0],
        always_yes_f1(truths),
    ):  # fmt: skip
        if measure is not None:
            assert -1e-9 <= measure.low <= measure.value + 1e-9
            assert measure.value - 1e-9 <= measure.high <= 1 + 1e-9


@given(LABELS)
def test_the_turned_order_has_the_turned_auroc(pairs: list[tuple[bool, int]]) -> None:
    """AUROC of the negated score is one minus the AUROC."""
    truths, scores = [one for one, _ in pairs], [float(one) for _, one in pairs]
    found, turned = auroc(truths, scores), auroc(truths, [-one for one in scores])
    if found and turned:
        assert found.value + turned.value == pytest.approx(1)
