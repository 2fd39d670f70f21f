"""What Notion has of a workspace, as it is kept here."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from daemon.clock import ManualClock
from daemon.store import notion, outbox
from daemon.store.database import Database
from daemon.store.notion import NotionShelf, PlaceRow


def place(now: datetime, name: str = "backlog", source: str = "s1") -> PlaceRow:
    return PlaceRow(name, "d1", source, now)


def test_a_place_is_kept_and_another_data_source_forgets_its_pages(
    db: Database, now: datetime
) -> None:
    """They stand in the old one; those of other places are remembered."""
    assert notion.save_place(db, place(now)) is False
    assert notion.list_places(db) == {"backlog": place(now)}
    for external_id, where in (("item/T01", "backlog"), ("sprint/1", "sprints")):
        notion.hand_over(db, external_id, where, "a" * 64, now)
        notion.remember_page(db, external_id, where, "p1", now)
    assert notion.save_place(db, place(now)) is False
    assert set(notion.list_pages(db)) == {"item/T01", "sprint/1"}
    assert notion.save_place(db, place(now, source="s2")) is True
    assert set(notion.list_pages(db)) == {"sprint/1"}


def test_a_page_goes_from_handed_over_to_there_to_left_alone(db: Database, now: datetime) -> None:
    """Each step keeps what the others wrote; counts tell both."""
    notion.hand_over(db, "item/T01", "backlog", "a" * 64, now)
    notion.hand_over(db, "item/T02", "backlog", "a" * 64, now)
    notion.remember_page(db, "item/T01", "backlog", "p1", now)
    notion.hand_over(db, "item/T01", "backlog", "b" * 64, now)
    page = notion.find_page(db, "item/T01")
    assert page is not None
    assert (page.page_id, page.content_sha256, page.given_up) == ("p1", "b" * 64, "")
    assert notion.count_pages(db) == {"backlog": (2, 1)}
    notion.give_up(db, "item/T01", "backlog", "thrown away", now)
    assert notion.list_given_up(db) == [replace(page, given_up="thrown away")]
    assert notion.forget_contents(db) == 2
    assert notion.list_given_up(db) == []
    assert {row.content_sha256 for row in notion.list_pages(db).values()} == {""}


def test_what_was_found_before_it_was_handed_over_is_kept_too(db: Database, now: datetime) -> None:
    """Setup forgot it meanwhile."""
    notion.remember_page(db, "item/T01", "backlog", "p1", now)
    notion.give_up(db, "item/T02", "backlog", "thrown away", now)
    assert [row.external_id for row in notion.list_pages(db).values()] == ["item/T01", "item/T02"]


def test_the_shelf_reads_places_each_time_and_the_configuration_first(
    db: Database, now: datetime
) -> None:
    """So a setup works while the daemon runs; the configured data source is for findings alone."""
    shelf = NotionShelf(db, ManualClock(now), findings="s9")
    assert [shelf.data_source(n) for n in ("backlog", "findings")] == ["", "s9"]
    for name in ("backlog", "findings"):
        notion.save_place(db, place(now, name))
    assert [shelf.data_source(n) for n in ("backlog", "findings")] == ["s1", "s9"]
    assert NotionShelf(db, ManualClock(now)).data_source("findings") == "s1"
    assert shelf.page("item/T01") == ("", "")
    shelf.remember("item/T01", "backlog", "p1")
    shelf.give_up("item/T01", "backlog", "thrown away")
    assert shelf.page("item/T01") == ("p1", "thrown away")


def test_a_newer_content_takes_the_place_of_what_waits_and_of_nothing_else(
    db: Database, now: datetime
) -> None:
    """What is on its way keeps its content; whoever was about to send the old one finds no such key."""
    for key in ("notion/a/1", "notion/b/1", "notion/ab/1"):
        outbox.enqueue(db, key=key, channel="notion", payload={"v": 1}, now=now)
    outbox.begin_sending(db, "notion/b/1", look_up_at=now)
    assert outbox.replace_content(db, "notion/a/", key="notion/a/2", payload={"v": 2}) is True
    assert outbox.replace_content(db, "notion/b/", key="notion/b/2", payload={"v": 2}) is False
    assert outbox.begin_sending(db, "notion/a/1", look_up_at=now) is False
    found = {row.key: (row.payload["v"], row.sequence) for row in outbox.list_open(db)}
    assert found == {"notion/a/2": (2, 1), "notion/b/1": (1, 2), "notion/ab/1": (1, 3)}


def test_what_was_set_aside_gets_the_newer_content_and_stays_aside(
    db: Database, now: datetime
) -> None:
    """Retried, the newest leaves; its doubts and its reason stay."""
    outbox.enqueue(db, key="notion/a/1", channel="notion", payload={"v": 1}, now=now)
    outbox.set_aside(db, "notion/a/1", error="no right", now=now)
    assert outbox.replace_content(db, "notion/a/", key="notion/a/2", payload={"v": 2}) is True
    (row,) = outbox.list_set_aside(db)
    assert (row.key, row.payload, row.error) == ("notion/a/2", {"v": 2}, "no right")


def test_a_damaged_moment_stops_no_sync(db: Database, now: datetime) -> None:
    """The ids of a place and of a page are what counts, and they are read."""
    notion.save_place(db, place(now))
    notion.hand_over(db, "item/T01", "backlog", "a" * 64, now)
    with db.immediate() as tx:
        tx.execute("UPDATE notion_place SET made_at = 'soon'")
        tx.execute("UPDATE notion_page SET changed_at = ''")
    assert notion.list_places(db)["backlog"].data_source_id == "s1"
    assert notion.list_pages(db)["item/T01"].content_sha256 == "a" * 64
