"""The page of the backlog: columns, filters, pages."""

from __future__ import annotations

import re
from pathlib import Path

from daemon.store import items
from tests.unit.web.watched import Watched, text_of, watched_in
from tests.workspaces import NOON


def shown(page: str) -> list[str]:
    """The items of a page, in its order."""
    return re.findall(r'href="/items/(\w+)"', page)


def test_every_item_stands_in_the_column_of_its_standing(watched: Watched) -> None:
    """Blocked first, for it needs a person; the count stands above each column."""
    items.count_rejection(watched.services.db, "T07", "too short", 1, NOON)
    page = text_of(watched, "/backlog")
    assert "37 of 37 items." in page
    assert shown(page)[0] == "T07"
    columns = re.findall(r'id="standing-(\w+)"', page)
    assert columns == ["blocked", "eligible", "waiting"]
    assert "too short" in page
    assert re.search(r"needs T\d\d[T\d, ]* done first", page)


def test_the_backlog_can_be_narrowed_to_one_standing(watched: Watched) -> None:
    """Blocked items are found at once; an unknown word shows all."""
    items.count_rejection(watched.services.db, "T07", "too short", 1, NOON)
    assert shown(text_of(watched, "/backlog?standing=blocked")) == ["T07"]
    assert "37 of 37" in text_of(watched, "/backlog?standing=nonsense")


def test_criterion_agent_and_words_narrow_together(watched: Watched) -> None:
    """The filters stand in the form as they were asked for, and case does not matter."""
    every = watched.services.source.load().items
    some = [item for item in every if item.criterion == "KC2" and item.agent == "corpus-engineer"]
    page = text_of(watched, "/backlog?criterion=KC2&agent=corpus-engineer")
    assert sorted(shown(page)) == sorted(item.id for item in some)
    assert '<option value="KC2" selected>' in page
    assert '<option value="corpus-engineer" selected>' in page
    word = some[0].title.upper()
    assert some[0].id in shown(text_of(watched, f"/backlog?text={word}"))


def test_filters_that_match_nothing_say_so(watched: Watched) -> None:
    """And what was typed is text, in the page and in its field."""
    page = text_of(watched, '/backlog?text="><script>&agent=nobody')
    assert "No item matches these filters." in page
    assert "<script>" not in page
    assert "&#34;&gt;&lt;script&gt;" in page


def test_ten_thousand_items_are_shown_in_pages_and_counted(tmp_path: Path) -> None:
    """A column shows its first; the standing's own page goes on from there, to its end."""
    with watched_in(tmp_path) as watched:
        backlog = watched.services.root / "backlog.yaml"
        first = backlog.read_text().split("  - id: T02")[0]
        head, entry = first.split("items:", 1)
        entry = entry.replace("\n  # KC1, market demand", "")
        backlog.write_text(
            head + "items:" + "".join(entry.replace("T01", f"T{n}") for n in range(10_000))
        )
        watched.services.source.load()
        assert watched.services.source.faults == ()
        page = text_of(watched, "/backlog")
        assert len(shown(page)) == 25
        assert "9975 more" in page
        second = text_of(watched, "/backlog?standing=eligible&page=2")
        assert shown(second)[0] == "T100"
        assert 'rel="prev" href="/backlog?standing=eligible"' in second
        assert 'rel="next" href="/backlog?standing=eligible&amp;page=3"' in second
        last = text_of(watched, "/backlog?standing=eligible&page=100")
        assert shown(last)[-1] == "T9999"
        assert 'rel="next"' not in last
        for odd in ("0", "-1", "x", "1e9", "9" * 50):
            assert shown(text_of(watched, f"/backlog?standing=eligible&page={odd}"))[0] == "T0"
        assert watched.client.get("/health").get_json()["backlog"]["eligible"] == 10_000
