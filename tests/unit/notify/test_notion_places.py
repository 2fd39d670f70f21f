"""The columns of our databases, and values as Notion takes them."""

from __future__ import annotations

from daemon.notify.notion_places import (
    KINDS,
    TITLES,
    columns,
    foreign_columns,
    missing_columns,
    page_values,
)

THERE = {"Standing": {"type": "select"}, "Priority": {"type": "number"},
         "Cost USD": {"type": "rich_text"}}  # fmt: skip


def test_every_place_has_a_title_columns_and_a_key() -> None:
    """Money is shown as money; the title column is the only one of its kind."""
    assert set(TITLES) == set(KINDS)
    for place in TITLES:
        found = columns(place)
        assert [name for name, column in found.items() if "title" in column] == ["Name"]
        assert found["External ID"] == {"rich_text": {}}
    assert columns("backlog")["Cost USD"] == {"number": {"format": "dollar"}}


def test_missing_and_foreign_columns_are_told_apart() -> None:
    """One of our name and another kind is neither added nor changed."""
    assert "Cost USD" not in missing_columns("backlog", THERE)
    assert "Reason" in missing_columns("backlog", THERE)
    assert foreign_columns("backlog", THERE) == ("Cost USD",)


def test_only_our_columns_that_are_there_get_values() -> None:
    """A value that no column of ours has is dropped, whoever put it there."""
    values = {"Standing": "done", "Priority": 1, "Cost USD": "0.1", "Reason": "r", "Owner": "Maria"}
    found = page_values("A\ntitle", "item/T01#ab", values, "backlog", THERE)
    assert set(found) == {"title", "External ID", "Standing", "Priority"}
    assert found["title"]["title"][0]["text"]["content"] == "A title"


def test_digits_become_a_number_and_nothing_empties_its_column() -> None:
    """What a person approves has a digest, so numbers with a point travel as digits."""
    found = page_values("T", "k", {"Priority": "0.5", "Standing": ""}, "backlog", THERE)
    assert (found["Priority"], found["Standing"]) == ({"number": 0.5}, {"select": None})


def test_a_page_without_a_title_is_named_by_its_key() -> None:
    """People can still find it."""
    found = page_values(" \n", "item/T01#ab", {}, "backlog", THERE)
    assert found["title"]["title"][0]["text"]["content"] == "item/T01#ab"


def test_an_option_of_blanks_is_none() -> None:
    """Notion refuses an option without a name."""
    there = {"State": {"type": "select"}}
    assert page_values("T", "k", {"State": " \x1c "}, "sprints", there)["State"] == {"select": None}
