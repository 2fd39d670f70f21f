"""Figures bound to a measure, sentence by sentence."""

from __future__ import annotations

import pytest

from daemon.quality.measure import Measure
from daemon.quality.measured import SightDoubt, sight

OWNERS = Measure((("pay", "pagan"), ("priced offer", "oferta con precio")), ("abroad",),
                 ("owners", "propietarios"), 25)  # fmt: skip
SHARE = Measure((("very disappointed", "would be very disappointed"),), (), ("%",))
DAYS = Measure((("median",), ("signature", "signed")), (), ("days",))
PRICE = Measure((("pass",), ("cost", "costs")), (), ("USD",))
KAPPA = Measure((("kappa",),))
SAID = Measure((("council",), ("written permission",)), figure=False)


@pytest.mark.parametrize(
    ("measure", "text", "value"),
    [
        (OWNERS, "6 of 25 owners pay after the priced offer. [log.a-1]", 6),
        (OWNERS, "Of 25 owners that got a priced offer, 6 pay.", 6),
        (OWNERS, "In March 2027 six of the 25 owners pay after a priced offer.", 6),
        (OWNERS, "- In May 2027, 6/25 owners pay USD 60 after a priced offer.", 6),
        (OWNERS, "| owners that pay after a priced offer | 6 of 25 owners |", 6),
        (OWNERS, "6 de 25 propietarios pagan después de la oferta con precio.", 6),
        (SHARE, "40 % of the users would be very disappointed.", 40),
        (SHARE, "The share rose by 5 percentage points; 41.5 % are very disappointed.", 41.5),
        (DAYS, "The median from first meeting to signature is 8 weeks.", 56),
        (DAYS, "The median until it is signed is 60 days.", None),  # "until" leaves it open
        (PRICE, "One pass costs USD 1,250.50.", 1250.5),
        (KAPPA, "Cohen's kappa is 0.79.", 0.79),
    ],
)
def test_a_plain_figure_is_bound(measure: Measure, text: str, value: float | None) -> None:
    """Digits and words, prose and tables, English and Spanish; units of time are converted."""
    (seen,) = sight(text, measure)
    if value is None:
        assert seen.doubt == "goal"
        return
    assert (seen.value, seen.doubt) == (value, "")
    assert text[slice(*seen.span)].strip()


@pytest.mark.parametrize(
    ("measure", "text", "doubt"),
    [
        (OWNERS, "6 of the 25 owners with a priced offer do not pay.", "denied"),
        (OWNERS, "At least 6 of 25 owners with a priced offer pay.", "rounded"),
        (OWNERS, "The goal is that 6 of 25 owners with a priced offer pay.", "goal"),
        (OWNERS, "If 6 of 25 owners pay after a priced offer, we go on.", "goal"),
        (OWNERS, "Will 6 of 25 owners pay after a priced offer?", "goal"),
        (OWNERS, "6 of 25 owners are willing to pay after a priced offer.", "goal"),
        (OWNERS, "6 of 25 owners with a priced offer stopped to pay.", "denied"),
        (OWNERS, "6 of 40 owners pay after a priced offer.", "other_whole"),
        (OWNERS, "6 owners pay after a priced offer.", "other_whole"),
        (OWNERS, "6 of 25 owners abroad pay after a priced offer.", "excluded"),
        (OWNERS, "25 owners got a priced offer and 6 pay.", "several_figures"),
        (OWNERS, "Whoever pays after a priced offer pays USD 60.", "no_figure"),
        (SHARE, "Between 38 and 42 % are very disappointed.", "several_figures"),
        (SHARE, "About 40 % are very disappointed.", "rounded"),
        (SHARE, "22 to 58 % are very disappointed.", "several_figures"),
        (SHARE, "40 % or more are very disappointed.", "rounded"),
        (SHARE, "Of 52 users, 21 are very disappointed (40 %).", "no_figure"),
        (KAPPA, "Cohen's kappa is 0.79 on 200 answers.", "several_figures"),
        (KAPPA, "Cohen's kappa is 9.115.", "rounded"),
    ],
)
def test_a_figure_that_is_not_plain_never_counts(
    measure: Measure, text: str, doubt: SightDoubt
) -> None:
    """It is given back with its doubt, so that it can be shown."""
    (seen,) = sight(text, measure)
    assert seen.doubt == doubt


@pytest.mark.parametrize(
    "text",
    [
        "6 of 25 owners answered; nobody said who pays after the priced offer.",
        "Nobody pays for the priced offer. 6 of 25 owners answered.",
        "The priced offer was sent to 25 owners.\n\nIn the end 6 pay.",
        "# 6 of 25 owners pay after the priced offer",
        "```\n6 of 25 owners pay after the priced offer.\n```",
        "Source: 6 of 25 owners pay after the priced offer",
    ],
)
def test_a_figure_of_another_clause_or_place_is_not_the_measures(text: str) -> None:
    """Words and figure belong together only within one clause; headings and code state nothing."""
    assert not [one for one in sight(text, OWNERS) if not one.doubt and one.value is not None]


def test_a_statement_counts_as_it_is_and_not_where_it_is_denied_or_wanted() -> None:
    """No figure is looked for."""
    said = "The council gave its written permission on 4 March 2027."
    assert [one.doubt for one in sight(said, SAID)] == [""]
    for other, doubt in (
        ("The council gave no written permission.", "denied"),
        ("The council should give its written permission.", "goal"),
        ("Whether the council gives a written permission is open.", "goal"),
    ):
        assert [one.doubt for one in sight(other, SAID)] == [doubt]


def test_words_of_the_measure_do_not_deny_themselves() -> None:
    """A measure may be about what is missing."""
    stuck = Measure((("open deals",), ("without a dated next step",)), (), ("%",))
    (seen,) = sight("30 % of the open deals are without a dated next step.", stuck)
    assert (seen.value, seen.doubt) == (30, "")
    (seen,) = sight("30 % of the open deals are not without a dated next step.", stuck)
    assert seen.doubt == "denied"


def test_any_text_is_read_in_the_order_of_its_sentences_and_never_fails() -> None:
    """A long one too."""
    text = "6 of 25 owners pay after the priced offer. " * 400 + "(\n|\n- \n```" + "\u0130 " * 50
    seen = sight(text, OWNERS)
    assert len(seen) == 400
    assert [one.span for one in seen] == sorted(one.span for one in seen)


@pytest.mark.parametrize(
    ("doubt", "sentences"),
    [
        (
            "denied",
            """5 of 25 owners didn\u2019t pay after the priced offer.
            5 of 25 owners failed to pay after the priced offer.
            5 of 25 owners have yet to pay after the priced offer.
            5 of 25 owners were unable to pay after the priced offer.
            All but 6 of 25 owners pay after the priced offer.
            Excluding 6 of 25 owners that pay after the priced offer, few came.
            6 of 25 owners pay for the priced offer and got a refund.
            It is untrue that 6 of 25 owners pay after the priced offer.
            Bob says "6 of 25 owners pay after the priced offer", a lie.
            6 de 25 propietarios apenas pagan tras la oferta con precio.
            Excepto 6 de 25 propietarios pagan tras la oferta con precio.""",
        ),
        (
            "goal",
            """Allegedly 6 of 25 owners pay after the priced offer.
            The vendor claims that 6 of 25 owners pay after the priced offer.
            6 of 25 owners are going to pay after the priced offer.
            6 of 25 owners pay after the priced offer next month.
            By 2028 6 of 25 owners pay after the priced offer.
            Green: 6 of 25 owners pay after the priced offer.
            For example, 6 of 25 owners pay after the priced offer.
            In a simulation 6 of 25 owners pay after the priced offer.
            Only 1 of 25 owners pay after the priced offer so far.
            6 de 25 propietarios tal vez pagan tras la oferta con precio.""",
        ),
        (
            "rounded",
            """A minimum of 5 of 25 owners pay after the priced offer.
            Maximum 1 of 25 owners pay after the priced offer.
            -6 of 25 owners pay after the priced offer.
            On 6/25 owners pay after the priced offer.
            Como mucho 1 de 25 propietarios pagan tras la oferta con precio.
            Por lo menos 6 de 25 propietarios pagan tras la oferta con precio.""",
        ),
        (
            "no_figure",
            """6 % of 25 owners pay after the priced offer.
            6 of 25 % of owners pay after the priced offer.
            USD 6 of 25 owners pay after the priced offer.""",
        ),
    ],
)
def test_other_ways_to_say_not_maybe_or_about_never_count(
    doubt: SightDoubt, sentences: str
) -> None:
    """Each of these counted once as six of twenty-five that pay."""
    for text in map(str.strip, sentences.splitlines()):
        assert [one.doubt for one in sight(text, OWNERS)] == [doubt], text


def test_a_figure_below_nothing_is_not_read_as_one_above() -> None:
    """A kappa of -0.79 would pass a test of at least 0.77."""
    for text in (
        "Cohen's kappa is -0.79.",
        "Cohen's kappa is \u22120.79.",
        "The kappa is minus 0.79.",
    ):
        assert [one.doubt for one in sight(text, KAPPA)] == ["rounded"], text


def test_what_is_struck_through_or_in_a_comment_is_not_said() -> None:
    """Offsets of what is said stay."""
    said = "6 of 25 owners pay after the priced offer."
    for hidden in (
        f"~~{said}~~",
        f"<!-- {said} -->",
        f"<!--\n\n{said}\n",
        f"<!-- It was:\n{said}\n-->",
    ):
        assert sight(hidden, OWNERS) == [], hidden
    text = f"<!-- a comment --> {said}"
    (seen,) = sight(text, OWNERS)
    assert seen.place is not None
    assert text[slice(*seen.place)] == "6"


def test_a_statement_that_is_over_or_only_asked_for_does_not_count() -> None:
    """Every one of these has all the words of a permission."""
    for text in (
        "The council has yet to give its written permission.",
        "The council gave a written permission and revoked it.",
        "The council failed to give a written permission.",
        "We asked the council for a written permission.",
        "The council is reviewing the written permission.",
        "The written permission of the council has expired.",
        "We wait for the written permission of the council.",
    ):
        assert [bool(one.doubt) for one in sight(text, SAID)] == [True], text


def test_a_change_a_part_a_rate_or_a_number_that_is_a_name_is_not_the_figure() -> None:
    """Each of these was once a level that passed its bound."""
    for measure, texts in (
        (
            SHARE,
            """The very disappointed grew by 40 %.
            40 % more are very disappointed.
            40 % fewer are very disappointed.
            Up 40 % are very disappointed.""",
        ),
        (
            PRICE,
            """One pass costs half of USD 250.
            One pass costs double USD 250.
            One pass costs 10 x USD 100.
            One pass costs USD 250 per document.
            One pass costs USD 250 a day.
            One pass costs USD 250 less than before.
            One pass costs C$250.
            One pass costs $250 CAD.
            One pass costs USD 250-ish.""",
        ),
        (
            DAYS,
            """The median to signature fell by 60 days.
            The median to signature is 60 days shorter.
            The median of the last 60 days to signature is good.
            The median to signature was counted 60 days ago.""",
        ),
        (KAPPA, "See kappa in section 4.\nKappa version 2 is here.\nThe kappa rose by 0.79."),
    ):
        for text in map(str.strip, texts.splitlines()):
            assert all(one.doubt for one in sight(text, measure)), text


def test_a_rate_is_plain_where_the_measure_names_its_period() -> None:
    """However it is put; what is more, of another period or a seat is none."""
    monthly = Measure((("accept", "aceptan"), ("month", "mes")), (), ("USD",))
    for said in ("USD 45 a month", "$45 per month", "45 USD each month", "USD 45/month"):
        (seen,) = sight(f"Owners accept {said}.", monthly)
        assert (seen.value, seen.doubt) == (45, ""), said
    assert [one.doubt for one in sight("Los propietarios aceptan USD 45 al mes.", monthly)] == [""]
    for said in ("USD 45 a month more", "USD 45 a seat, every month"):
        assert [one.doubt for one in sight(f"Owners accept {said}.", monthly)] == ["rounded"]


def test_a_sign_that_nobody_sees_hides_no_denial() -> None:
    """What counts is what a reader sees."""
    for sign in "\u200b\u00ad\u2060\ufeff":
        text = f"6 of 25 owners did n{sign}ot pay after the priced offer."
        (seen,) = sight(text, OWNERS)
        assert (seen.doubt, seen.span) == ("denied", (0, len(text)))


def test_a_count_that_looks_like_a_year_is_shown_and_not_counted() -> None:
    """With its comma it is one."""
    joined = Measure((("joined",),), (), ("owners",))
    assert [one.doubt for one in sight("2050 owners joined.", joined)] == ["no_figure"]
    assert [one.value for one in sight("2,050 owners joined.", joined)] == [2050]
    assert sight("Owners joined in 2050.", joined) == []
