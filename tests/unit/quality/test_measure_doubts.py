"""Sentences of a liar: what counts of each was written down before any rule was run on it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from daemon.quality.measure import Measure
from daemon.quality.measure_doubts import sentence_doubt
from daemon.quality.measured import sight
from daemon.quality.normalise import fold
from daemon.workspace.kill_criteria import load_criteria

DATA = Path(__file__).parents[2] / "data" / "reviews"
SAMPLE = {
    (criterion.id, test.id): test
    for criterion in load_criteria(Path(__file__).parents[3]).nouns
    for test in criterion.tests
}
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


def of_sample(line: dict[str, object]) -> object:
    """What counts of a line for the test of the sample that it names; None for nothing."""
    test = SAMPLE[str(line["criterion"]), str(line["test"])]
    seen = [one for one in sight(str(line["text"]), test.looks) if not one.doubt]
    return (seen[0].value if test.looks.figure else "yes") if seen else None


def counted(text: str, measure: Measure) -> list[float]:
    return [one.value for one in sight(text, measure) if not one.doubt and one.value is not None]


@pytest.mark.parametrize(
    ("name", "count"),
    [("sentences.jsonl", 40), ("sentences_second.jsonl", 20), ("sentences_third.jsonl", 20)],
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


@pytest.mark.parametrize(
    ("name", "count", "plain_lost", "liars_through"),
    [
        ("sample.jsonl", 60, 1, 1),
        ("sample_second.jsonl", 30, 0, 9),
        ("sample_plain.jsonl", 56, 5, 0),
        ("sample_third.jsonl", 20, 1, 4),
    ],
)
def test_of_the_samples_own_tests_what_is_lost_and_what_gets_through_is_known(
    name: str, count: int, plain_lost: int, liars_through: int
) -> None:
    """Both directions, over the five criteria: a rule that mends the one must not cost the other."""
    said = lines(name)
    wrong = [one for one in said if of_sample(one) != one["counts"]]
    lost = [one["text"] for one in wrong if one["counts"] is not None]
    through = [one["text"] for one in wrong if one["counts"] is None]
    assert len(said) == count
    assert len(lost) == plain_lost, lost
    assert len(through) == liars_through, through


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


def test_what_is_said_of_a_figure_is_not_the_figure() -> None:
    """A bar, a rule or a wish has the figure and the words in front of its verb; a result has its words behind."""
    clients = MEASURES["clients"]
    for text in ("9 clients that signed is the bar.", "9 clients signed is what the board likes."):
        assert [one.doubt for one in sight(text, clients)] == ["goal"], text
    for text in ("9 clients are signed.", "9 clients signed and are in the list."):
        assert counted(text, clients) == [9], text


def test_an_amount_of_a_year_is_none_of_a_month() -> None:
    """Only of money: that firms pay USD 60 a month all year is no sum."""
    revenue = MEASURES["revenue"]
    for text in (
        "Monthly recurring revenue totalled USD 9,000 in the year.",
        "Los ingresos recurrentes del mes suman USD 9,000.50 en el año.",
        "The monthly recurring revenue of twelve months is USD 9,000.",
    ):
        assert [one.doubt for one in sight(text, revenue)] == ["other_period"], text
    assert counted("In the third quarter monthly recurring revenue was USD 9,100.", revenue) == [
        9100
    ]


def test_what_others_have_is_none_of_ours_but_their_list_may_be_searched() -> None:
    """The subject is somebody else; "of the vendor's list" is only where something was found."""
    clients = MEASURES["clients"]
    assert [one.doubt for one in sight("Our rivals have 9 clients that signed.", clients)] == [
        "hearsay"
    ]
    assert counted("From the competitor's list 9 clients signed with us.", clients) == [9]


def test_a_measure_of_what_people_would_do_is_answered_by_a_conditional() -> None:
    """Of any other measure a Spanish conditional is none of what was found."""
    would = Measure((("would be sad", "muy tristes"),), (), ("%",))
    assert counted("El 40 % de los usuarios quedarían muy tristes.", would) == [40]
    assert counted("Pagarían y firmaron 5 clientes.", MEASURES["clients"]) == []


def test_what_is_needed_is_no_result_and_the_time_that_was_needed_is_one() -> None:
    """ "Needed" is a past of time as well as a want."""
    median = Measure((("median",), ("signature",)), (), ("days",))
    assert counted("The median deal needed 58 days until signature.", median) == [58]
    assert counted("5 clients signed, as needed.", MEASURES["clients"]) == []
    assert counted("We need 5 clients that signed to break even.", MEASURES["clients"]) == []
