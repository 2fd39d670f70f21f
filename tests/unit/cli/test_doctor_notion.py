"""What the doctor says of Notion, from a strict stand-in; it writes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from daemon.cli.doctor_notion import check_notion, judge_source
from daemon.cli.doctor_result import Result
from daemon.cli.doctor_settings import Place
from daemon.config.sections import Config, NotionSection
from daemon.notify.notion_places import TITLES, kinds
from daemon.store import notion as rows
from daemon.store.database import open_database
from tests.standins.notion_api import NotionApi

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


@pytest.fixture
def notion() -> Iterator[NotionApi]:
    with NotionApi() as found:
        yield found
        assert {request.method for request in found.requests} <= {"GET"}


def set_up(notion: NotionApi, root: Path) -> None:
    """All four databases, as setup makes them."""
    (root / "state").mkdir(exist_ok=True)
    with closing(open_database(root / "state" / "sprintd.db")) as db:
        for place, title in TITLES.items():
            made = notion.make_database(title, {"title": "title", **dict(kinds(place))})
            row = rows.PlaceRow(place, made.id, made.sources[0].id, NOW)
            rows.save_place(db, row)


def look(notion: NotionApi, root: Path, *, token: str = "", findings: str = "") -> list[Result]:
    section = NotionSection(base_url=notion.base_url, findings_data_source=findings)
    environ = {"NOTION_TOKEN": token or notion.token}
    found = list(check_notion(Place(root, Config(notion=section), environ, None)))
    assert [one for one in found if not one.cure and one.grade != "ok"] == []
    return found


def worst(found: list[Result]) -> Result:
    return max(found, key=lambda one: ("ok", "warn", "fault").index(one.grade))


def test_a_sound_setup_has_no_fault(notion: NotionApi, tmp_path: Path) -> None:
    """Token, version and each database; what cannot be asked without writing is said."""
    set_up(notion, tmp_path)
    found = look(notion, tmp_path)
    assert [one.grade for one in found] == ["ok"] * 6
    assert "2026-03-11" in found[0].message
    assert "sprintd notify test" in found[-1].message


def test_a_token_that_notion_refuses_is_a_fault(notion: NotionApi, tmp_path: Path) -> None:
    """With where the right one stands; nothing more is asked with it."""
    (found,) = look(notion, tmp_path, token="ntn_other")
    assert (found.grade, found.check) == ("fault", "notion token")
    assert "Configuration" in found.cure
    assert len(notion.requests) == 1


def test_before_setup_it_says_what_to_do(notion: NotionApi, tmp_path: Path) -> None:
    """A token alone writes no page."""
    assert worst(look(notion, tmp_path)).cure.endswith("sprintd notion setup PAGE")


def test_databases_that_are_not_shared_any_more_are_faults(
    notion: NotionApi, tmp_path: Path
) -> None:
    """With the menu to open in Notion."""
    set_up(notion, tmp_path)
    notion.shared = False
    found = [one for one in look(notion, tmp_path) if one.grade == "fault"]
    assert len(found) == 4
    assert "choose ... and Connections" in found[0].cure


def test_a_data_source_of_the_configuration_is_looked_at_too(
    notion: NotionApi, tmp_path: Path
) -> None:
    """Of its columns only External ID must be there."""
    found = look(notion, tmp_path, findings=notion.data_source)
    assert worst(found).grade == "ok"
    wrong = look(notion, tmp_path, findings=notion.database)
    assert "not that of its database" in worst(wrong).cure


def test_what_is_wrong_with_a_database_is_told_with_its_cure() -> None:
    """The trash, no External ID, a column of another kind, columns that are gone."""
    columns = {name: {"type": kind} for name, kind in kinds("sprints")}

    def judged(changed: dict[str, object], *, in_trash: bool = False) -> Result:
        source = {"properties": {**columns, **changed}, "in_trash": in_trash}
        return judge_source("sprints", source, ours=True)

    assert judged({}).grade == "ok"
    assert "restore it" in judged({}, in_trash=True).cure
    assert judged({"External ID": {"type": "number"}}).grade == "fault"
    assert judged({"State": {"type": "number"}}).grade == "warn"
    short = {"properties": {"External ID": {"type": "rich_text"}}}
    assert judge_source("sprints", short, ours=True).grade == "warn"
    assert judge_source("sprints", short, ours=False).grade == "ok"
