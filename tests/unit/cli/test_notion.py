"""notion: setup, sync and status as a person runs them, against a strict stand-in."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from daemon.store import notion as rows
from daemon.store import outbox
from daemon.store.database import open_database
from tests.standins.notion_api import NotionApi
from tests.unit.cli.small import as_json, sprintd

TOKEN = "ntn_0123456789private"


@pytest.fixture
def api() -> Iterator[NotionApi]:
    with NotionApi(token=TOKEN) as found:
        yield found


@pytest.fixture
def venture(small: Path, api: NotionApi) -> Path:
    """The small workspace with the token in its place, before anything ran."""
    with (small / "config.toml").open("a") as config:
        config.write(f'\n[notion]\nbase_url = "{api.base_url}"\n')
    place = small / "state" / "secrets" / "notion_token"
    place.parent.mkdir(parents=True)
    place.write_text(f"{TOKEN}\n")
    place.chmod(0o600)
    return small


def test_setup_says_what_it_made_and_hands_over_what_there_is(
    venture: Path, api: NotionApi
) -> None:
    """Also before the first run; again it finds everything there."""
    done = sprintd(venture, "notion", "setup", f"https://www.notion.so/Plan-{api.page}")
    assert done.returncode == 0, done.stderr
    assert "Backlog was made: https://www.notion.so/2f2e3d4c" in done.stdout
    assert "Pages handed over: 6." in done.stdout
    again = as_json(venture, "notion", "setup", api.page)
    assert {one["how"] for one in again["places"]} == {"known"}
    assert again["sync"] == {"how": "nothing", "pages": 0, "approval": None}
    assert len(api.databases) == 5


def test_setup_without_a_token_or_a_shared_page_says_what_to_do(
    small: Path, venture: Path, api: NotionApi
) -> None:
    """Exit 1, the cure, and no token in any word."""
    api.shared = False
    said = sprintd(venture, "notion", "setup", api.page)
    assert said.returncode == 1
    assert "choose ... and Connections" in said.stderr
    assert "page's link" in sprintd(venture, "notion", "setup", "Venture").stderr
    api.shared, api.rights = True, {"read"}
    refused = sprintd(venture, "notion", "setup", api.page)
    assert "run setup again" in refused.stderr
    assert TOKEN not in refused.stderr + said.stderr
    (venture / "state" / "secrets" / "notion_token").unlink()
    bare = sprintd(venture, "notion", "setup", api.page)
    assert bare.returncode == 1
    assert "there is no secret notion_token" in bare.stderr


def test_setup_lets_what_was_refused_be_tried_again(venture: Path, api: NotionApi) -> None:
    """Whoever shared the page anew has to run nothing else."""
    as_json(venture, "notion", "setup", api.page)
    with closing(open_database(venture / "state" / "sprintd.db")) as db:
        key = outbox.list_open(db)[0].key
        outbox.set_aside(db, key, error="no right", now=outbox.list_open(db)[0].created_at)
    assert as_json(venture, "notion", "status")["refused"] == [{"key": key, "error": "no right"}]
    assert as_json(venture, "notion", "setup", api.page)["retried"] == [key]


def test_a_dry_run_changes_nothing_and_says_what_would_leave(venture: Path, api: NotionApi) -> None:
    """Without a place it says how to make one."""
    nowhere = sprintd(venture, "notion", "sync", "--dry-run")
    assert nowhere.returncode == 1
    assert "sprintd notion setup PAGE" in nowhere.stderr
    as_json(venture, "notion", "setup", api.page)
    assert as_json(venture, "notion", "sync", "--dry-run")["would_hand_over"] == []
    backlog = venture / "backlog.yaml"
    backlog.write_text(backlog.read_text().replace("title: Season", "title: The season"))
    would = as_json(venture, "notion", "sync", "--dry-run")
    assert would["would_hand_over"] == ["item/B04"]
    assert "item/B04: B04 The season" in sprintd(venture, "notion", "sync", "--dry-run").stdout
    assert as_json(venture, "notion", "sync")["pages"] == 1
    assert as_json(venture, "notion", "sync")["how"] == "nothing"


def test_again_hands_over_everything_and_takes_up_what_was_left_alone(
    venture: Path, api: NotionApi
) -> None:
    """What a person restored, or wants to see as it is here."""
    as_json(venture, "notion", "setup", api.page)
    with closing(open_database(venture / "state" / "sprintd.db")) as db:
        now = outbox.list_open(db)[0].created_at
        rows.give_up(db, "item/B01", "backlog", "people put it into the trash", now)
    said = sprintd(venture, "notion", "status").stdout
    assert "Left alone: item/B01, people put it into the trash" in said
    assert as_json(venture, "notion", "sync", "--dry-run", "--again")["again"] == 6
    assert as_json(venture, "notion", "sync", "--again")["pages"] == 6
    facts = as_json(venture, "notion", "status")
    assert (facts["left_alone"], facts["waiting"], facts["token"]) == ([], 6, True)
    assert [(p["place"], p["pages"]) for p in facts["places"]] == [
        ("backlog", 4), ("criteria", 2), ("findings", 0), ("sprints", 0),
    ]  # fmt: skip


def test_where_pages_are_public_sync_asks_first(venture: Path, api: NotionApi) -> None:
    """Nothing is on its way before somebody says yes."""
    config = venture / "config.toml"
    config.write_text(config.read_text().replace("[notion]\n", "[notion]\npublic = true\n"))
    asked = as_json(venture, "notion", "setup", api.page)["sync"]
    assert (asked["how"], asked["pages"]) == ("asked", 6)
    facts = as_json(venture, "notion", "status")
    assert (facts["public"], facts["waiting"]) == (True, 0)
    assert as_json(venture, "notion", "sync")["approval"] == asked["approval"]
