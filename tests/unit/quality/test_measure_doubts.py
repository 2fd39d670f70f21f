"""Sentences of a liar: what counts of each was written down before any rule was run on it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from daemon.quality.measure import Measure
from daemon.quality.measure_doubts import sentence_doubt
from daemon.quality.measured import sight
from daemon.quality.normalise import fold

DATA = Path(__file__).parents[2] / "data" / "reviews"
MEASURES = {
    "clients": Measure((("signed", "sign", "firmaron"),), (), ("clients", "clientes")),
    "share": Measure((("would be sad", "estarian tristes"),), (), ("%",)),
    "revenue": Measure(
        (("recurring revenue", "ingresos recurrentes"), ("monthly", "month", "mes")), (), ("USD",)
    ),
    "owners": Measure(
        (("pay", "paid", "pagan", "pagaron"), ("priced offer", "oferta con precio")),
        ("abroad",),
        ("owners", "propietarios"),
        25,
    ),
}


def lines(name: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in (DATA / name).read_text("utf-8").splitlines()]


def counted(text: str, measure: Measure) -> list[float]:
    return [one.value for one in sight(text, measure) if not one.doubt and one.value is not None]


@pytest.mark.parametrize(
    ("name", "count"), [("sentences.jsonl", 40), ("sentences_second.jsonl", 20)]
)
def test_of_each_sentence_counts_what_was_written_down_beforehand(name: str, count: int) -> None:
    """Nothing of what only looks like a result, and every plain result, in both languages."""
    said = lines(name)
    wrong = [
        one["text"]
        for one in said
        if counted(str(one["text"]), MEASURES[str(one["measure"])])
        != ([one["counts"]] if one["counts"] is not None else [])
    ]
    assert (len(said), wrong) == (count, [])


def test_what_no_rule_was_mended_for_is_mostly_seen_through() -> None:
    """Twenty sentences on which no rule was tuned: four liars get through, every plain result counts."""
    said = lines("sentences_third.jsonl")
    wrong = [
        one
        for one in said
        if counted(str(one["text"]), MEASURES[str(one["measure"])])
        != ([one["counts"]] if one["counts"] is not None else [])
    ]
    assert (len(said), len(wrong)) == (20, 4)
    assert all(one["counts"] is None for one in wrong)


def test_own_records_may_speak_and_others_may_not() -> None:
    """A log that says so is the record itself; whom a survey asked may say what they would do."""
    clients, share = MEASURES["clients"], MEASURES["share"]
    for text in (
        "The log of May says that 5 clients signed.",
        "According to our log, 5 clients signed.",
    ):
        assert counted(text, clients) == [5], text
    assert counted("40 % said that they would be sad.", share) == [40]
    for text in ("The seller says 5 clients signed.", "5 clients signed, says the seller."):
        assert [one.doubt for one in sight(text, clients)] == ["hearsay"], text


def test_a_part_without_a_figure_is_not_its_whole() -> None:
    """One of nine is not nine, and neither are most of them or those that almost did."""
    for text in (
        "One of the 9 clients signed.",
        "Most of our 9 clients signed.",
        "Of 9 clients only the youngest signed.",
        "9 clients almost signed.",
    ):
        assert counted(text, MEASURES["clients"]) == [], text
    assert counted("5 of our 9 clients signed.", MEASURES["clients"]) == [5]


def test_a_period_counts_only_where_the_measure_names_one() -> None:
    """A measure without a period takes a figure of any; that is for its words to say."""
    text = "The annual recurring revenue of this month's book is USD 12."
    free = Measure((("recurring revenue",),), (), ("USD",))
    assert sentence_doubt(text, fold(text), MEASURES["revenue"], None) == "other_period"
    assert sentence_doubt(text, fold(text), free, None) == ""


def test_what_is_quoted_is_not_said() -> None:
    """Neither a figure nor a statement within marks of quotation; an answer in them may be counted."""
    council = Measure((("council",), ("written permission",)), figure=False)
    quoted = 'The seller: "The council gave its written permission."'
    assert [one.doubt for one in sight(quoted, council)] == ["hearsay"]
    assert counted('40 % chose the answer "would be sad".', MEASURES["share"]) == [40]
