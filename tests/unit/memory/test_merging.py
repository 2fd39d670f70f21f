"""The same is said once; what is newer or differs is marked, and nothing is reworded."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

from daemon.memory.merging import by_topic, fewer_origins, find_pairs, join, mark_superseded
from daemon.memory.statements import Origin, Statement


def said(text: str, item: str = "T01-1", on: str = "2026-11-01", **marks: bool | str) -> Statement:
    path = item if "/" in item else f"memory/findings/KC1/{item}.md"
    origin = Origin(on, path, bool(marks.get("outside")), str(marks.get("sensitivity", "")))
    return Statement(text, (origin,), "Topic", unverified=bool(marks.get("unverified")))


def test_duplicates_join_and_keep_every_source() -> None:
    """In the words and the place of the first; the mark of one source stays with that source."""
    first, other = (
        said("The price of the plan is 1,697 dollars."),
        said("the price of the plan is 1697 dollars", "T02-2", outside=True),
    )
    (one,) = join([first, other])
    assert one.text == first.text
    assert one.origins == (first.origins[0], other.origins[0])
    assert one.outside
    assert len(join([first, said(first.text, unverified=True)])) == 2


def test_a_later_finding_of_the_same_item_supersedes_its_figure() -> None:
    """With the day of the newer one; saying the old one again later revives it."""
    old, new = (
        said("The plan costs USD 20 a month"),
        said("The plan costs USD 25 a month", "T01-7", "2026-11-08"),
    )
    marked = mark_superseded([old, new])
    assert [one.superseded_on for one in marked] == ["2026-11-08", ""]
    assert find_pairs(marked) == ()
    again = said("The plan costs USD 20 a month", "T01-9", "2026-11-15")
    back = mark_superseded(join([*marked, again]))
    assert [one.superseded_on for one in back] == ["", "2026-11-15"]


def test_two_sources_that_differ_stand_side_by_side() -> None:
    """Neither is marked: which one holds is for people. Order is by day."""
    one, other = (
        said("The plan costs USD 20 a month", "T01-1", "2026-11-09"),
        said("The plan costs USD 25 a month", "T02-2"),
    )
    assert mark_superseded([one, other]) == (one, other)
    assert find_pairs([one, other]) == ((other, one),)


def test_a_figure_that_another_source_bears_out_too_is_not_superseded() -> None:
    """The item changed its mind, the other source did not: then they differ."""
    old = join(
        [said("The plan costs USD 20 a month"), said("The plan costs USD 20 a month", "T05-3")]
    )
    new = said("The plan costs USD 25 a month", "T01-7", "2026-11-08")
    marked = mark_superseded([*old, new])
    assert not any(one.superseded_on for one in marked)
    assert len(find_pairs(marked)) == 1


def test_a_list_of_one_note_is_no_contradiction() -> None:
    """Nor are two statements that differ in more than one figure: thing 5 is not thing 7."""
    assert (
        find_pairs(
            [said("Plan 5 costs USD 20 a month"), said("Plan 7 costs USD 25 a month", "T02-2")]
        )
        == ()
    )
    assert (
        find_pairs([said("A seat costs USD 20 a month"), said("A seat costs USD 25 a month")]) == ()
    )


def test_many_sources_become_few_and_no_mark_is_lost() -> None:
    """First, newest, and one of each mark; the others are told in the archive."""
    origins = tuple(
        Origin(f"2026-01-{day:02}", f"memory/findings/KC1/T{day:02}-1.md") for day in range(1, 20)
    )
    strict = Origin(
        "2026-01-05", "memory/findings/KC1/S-1.md", outside=True, sensitivity="restricted"
    )
    shorter, rest = fewer_origins(Statement("x", (*origins, strict)))
    assert rest is not None
    assert shorter.outside
    assert shorter.sensitivity == "restricted"
    assert len(shorter.origins) == 4
    assert {*shorter.origins, *rest.origins} == {*origins, strict}
    assert fewer_origins(Statement("x", origins[:3])) == (Statement("x", origins[:3]), None)


def test_what_says_nothing_without_its_heading_is_joined_under_the_same_one_alone() -> None:
    """ "Yes" to one question is no "yes" to another, also where the same note says both."""
    yes = said("Yes.")
    other = replace(yes, topic="Another topic")
    assert join([yes, other, said("yes", "T02-2")]) == (join([yes, said("yes", "T02-2")])[0], other)


def test_a_source_keeps_the_heading_that_a_statement_had_there() -> None:
    """What is said twice stands once, and no title of a note is lost; taken apart again each has its own."""
    text = "Vincent asks USD 99 a month for every single user"
    first, second = said(text), replace(said(text, "T02-2", "2026-11-02"), topic="Other")
    (one,) = join([first, second])
    assert [one.topic_of(origin) for origin in one.origins] == ["Topic", "Other"]
    assert one.by(one.origins[1:]) == second
    (again,) = join([one, one])
    assert again == one


def test_items_whose_names_end_in_numbers_do_not_supersede_each_other() -> None:
    """KC1-1 and KC1-2 are two items: where they differ people decide."""
    one, other = (
        said("The plan costs USD 20 a month", "KC1-1-3"),
        said("The plan costs USD 25 a month", "KC1-2-4", "2026-11-08"),
    )
    assert mark_superseded([one, other]) == (one, other)
    assert len(find_pairs([one, other])) == 1


def test_a_figure_under_another_heading_supersedes_nothing() -> None:
    """The price of one rival does not replace that of another, also in a later answer to one item."""
    one = said("Price of the plan: USD 99 a month")
    later = replace(
        said("Price of the plan: USD 45 a month", "T01-7", "2026-11-08"), topic="Another rival"
    )
    assert mark_superseded([one, later]) == (one, later)


def test_the_same_statements_give_the_same_pairs_in_any_order() -> None:
    """Where one could stand beside several others, each run would otherwise choose anew, for ever."""
    words = "The Berlin survey counted {} growers in {} towns"
    some = [
        said(words.format(growers, towns), f"T0{number}-1", f"2026-11-0{number}")
        for number, (growers, towns) in enumerate(((1, 2), (3, 2), (3, 4), (5, 4)), 1)
    ]
    pairs = find_pairs(some)
    assert len(pairs) == 2
    assert all(find_pairs(order) == pairs for order in permutations(some))


def test_statements_in_the_order_of_a_document_stay_in_it() -> None:
    """What is shown last does not decide where the topics of what is shown first stand."""
    holding = [replace(said(words), topic=words) for words in ("A", "B", "C")]
    old = [replace(one, text=f"old {one.text}", superseded_on="2026-11-02") for one in holding[1:]]
    some = (*holding, *old)
    for order in permutations(some):
        shown = by_topic(order)
        assert by_topic(shown) == shown
        assert [bool(one.superseded_on) for one in shown] == [False, False, False, True, True]
