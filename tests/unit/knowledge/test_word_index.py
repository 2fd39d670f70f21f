"""Which units a question touches, found without looking at each of them."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from daemon.knowledge.plan import PlanOptions
from daemon.knowledge.planner import plan, terms
from daemon.knowledge.unit import Manifest, Unit
from daemon.knowledge.word_index import WordIndex

_WORDS = st.lists(
    st.sampled_from(["court", "courts", "fee", "Fees", "año", "law", "lawyer", "x", "Σας"]),
    max_size=4,
).map(" ".join)
_UNITS = st.lists(
    st.builds(
        Unit,
        id=st.just("u"),
        path=st.sampled_from(["memory/a.md", "memory/court.md"]),
        intent=_WORDS,
        triggers=st.lists(_WORDS.filter(bool), max_size=2).map(tuple),
        not_for=st.lists(_WORDS.filter(bool), max_size=1).map(tuple),
        deprecated=st.booleans(),
        access=st.sampled_from(["public", "restricted"]),
    ),
    max_size=6,
).map(lambda units: tuple(replace(unit, id=f"u{n}") for n, unit in enumerate(units)))


def test_a_term_is_found_inside_words_and_never_across_units() -> None:
    """As the score counts it: "court" in "courts"; what two units share at their border is no word."""
    index = WordIndex([(("The courts", "a"), ()), (("sell", "b"), ()), (("fish", "c"), ())])
    assert index.touched(["court"]) == {0}
    assert index.touched(["bfish", "sellb"]) == set()


def test_a_trigger_is_found_either_way_round() -> None:
    """A term in a trigger, or a trigger in a term; case does not count."""
    index = WordIndex([((), ("Law",)), ((), ("civil lawyers",)), ((), ("fee",))])
    assert index.touched(["lawyer"]) == {0, 1}


def test_an_empty_map_and_an_empty_question_touch_nothing() -> None:
    """Neither is an error."""
    assert WordIndex([]).touched(["court"]) == set()
    assert WordIndex([(("court",), ())]).touched([]) == set()


@given(_UNITS, st.lists(_WORDS, min_size=1, max_size=3), st.booleans())
def test_a_map_that_was_asked_before_answers_as_a_new_one(
    units: tuple[Unit, ...], questions: list[str], strict: bool
) -> None:
    """What is kept of earlier questions changes no plan, and a unit that scores is always touched."""
    kept = Manifest("k.yaml", "0", units=units)
    for number, question in enumerate(questions):
        options = PlanOptions(
            as_of=date(2026, 11, 30),
            strict=strict,
            max_units=len(units),
            needed=tuple(unit.id for unit in units[number:]),
        )
        made = plan(kept, question, options)
        assert made == plan(Manifest("k.yaml", "0", units=units), question, options)
        scored = {planned.id for planned in made.selected if planned.score}
        assert scored <= {units[at].id for at in kept.words.touched(terms(question))}
