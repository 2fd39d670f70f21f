"""Setup makes or adopts four databases, and changes nothing that people made."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from daemon.errors import SendRefused, SendUncertain, SprintdError
from daemon.notify.notion_connection import NotionConnection
from daemon.notify.notion_places import KINDS, TITLES, Place
from daemon.notify.notion_setup import Found, page_id_of, set_up
from tests.standins.far_side import Fault, Received, drops
from tests.standins.notion_api import NotionApi, error
from tests.standins.notion_world import Source

HEX = "0a1b2c3d000040008000000000000001"


@pytest.fixture
def notion() -> Iterator[NotionApi]:
    with NotionApi() as api:
        yield api


def run(notion: NotionApi, known: dict[str, str] | None = None) -> dict[Place, Found]:
    connection = NotionConnection(token=notion.token, base_url=notion.base_url, read_seconds=5.0)
    heard: list[Found] = []
    found = set_up(connection, page_id_of(notion.page), known or {}, heard.append)
    assert tuple(heard) == found
    return {one.place: one for one in found}


def columns(place: Place) -> dict[str, str]:
    return {"Name": "title", "External ID": "rich_text", **KINDS[place]}


@pytest.mark.parametrize(
    "text",
    [
        HEX,
        "0A1B2C3D-0000-4000-8000-000000000001",
        f"https://www.notion.so/{HEX}",
        f"https://www.notion.so/team/Our-face-{HEX}?pvs=4",
        f"https://www.notion.so/team/Our-face-{HEX}/#heading",
        f"https://www.notion.so/team/Other-{'f' * 32}?p={HEX}&pm=s",
        f"  https://acme.notion.site/Plan-{HEX}  ",
        f"<https://www.notion.so/{HEX}>",
        "{0A1B2C3D-0000-4000-8000-000000000001}",
    ],
)
def test_a_page_is_known_by_its_id_or_by_any_of_its_links(text: str) -> None:
    """A title that ends in letters of a hexadecimal number does no harm."""
    assert page_id_of(text) == HEX


@pytest.mark.parametrize(
    "text", ["", "Venture", "https://www.notion.so/", HEX[:-1], f"{HEX[:-1]}g", "https://[notion"]
)
def test_what_is_no_page_is_refused_with_where_to_find_its_link(text: str) -> None:
    """Before anything is asked."""
    with pytest.raises(SprintdError, match="Copy link"):
        page_id_of(text)


def test_the_first_setup_makes_four_databases_with_all_columns(notion: NotionApi) -> None:
    """Below the page, each with one data source; the body of the request is what was meant."""
    found = run(notion)
    assert {one.how for one in found.values()} == {"created"}
    for place, title in TITLES.items():
        (database,) = notion.named(title)
        assert database.sources[0].columns == columns(place)
        assert found[place].database_id == database.id
        assert found[place].data_source_id == database.sources[0].id
    made = [json.loads(r.raw) for r in notion.requests if r.path == "/v1/databases"]
    assert all(set(b) == {"parent", "title", "is_inline", "initial_data_source"} for b in made)
    assert all(b["parent"] == {"type": "page_id", "page_id": HEX} for b in made)


def test_again_it_changes_nothing(notion: NotionApi) -> None:
    """With and without what was kept of the first time."""
    first = run(notion)
    asked = len(notion.requests)
    again = run(notion)
    kept = run(notion, {name: one.database_id for name, one in first.items()})
    assert {one.how for one in again.values()} == {"adopted"}
    assert {one.how for one in kept.values()} == {"known"}
    ids = {name: one.data_source_id for name, one in first.items()}
    for other in (again, kept):
        assert {name: one.data_source_id for name, one in other.items()} == ids
    assert {r.method for r in notion.requests[asked:]} == {"GET"}


def test_a_database_of_people_is_adopted_and_keeps_its_columns(notion: NotionApi) -> None:
    """By title and External ID; what is missing is added; a column of our name but another kind
    stays, and is told. One of the same title without External ID is theirs."""
    theirs = notion.make_database("Backlog", {"Task": "title", "Done": "checkbox"})
    ours = notion.make_database(
        "Backlog",
        {"Item": "title", "External ID": "rich_text", "Owner": "people", "Priority": "select"},
    )
    found = run(notion)["backlog"]
    assert (found.how, found.database_id) == ("adopted", ours.id)
    assert found.foreign == ("Priority",)
    assert found.added == tuple(n for n in KINDS["backlog"] if n != "Priority")
    kept = {"Item": "title", "Owner": "people", "Priority": "select"}
    assert kept.items() <= ours.sources[0].columns.items()
    assert set(ours.sources[0].columns) == {*columns("backlog"), "Item", "Owner"} - {"Name"}
    assert theirs.sources[0].columns == {"Task": "title", "Done": "checkbox"}


def test_of_two_of_ours_the_older_is_used_and_the_other_named(notion: NotionApi) -> None:
    """Two setups ran at once; whoever runs the next one gets the same."""
    first = notion.make_database("Sprints", columns("sprints"))
    second = notion.make_database("Sprints", columns("sprints"))
    found = run(notion)["sprints"]
    assert (found.database_id, found.doubles) == (first.id, (second.id,))


def test_a_setup_that_was_overtaken_goes_on_with_the_other_ones_database() -> None:
    """It looks again after it made its own."""

    def overtake(request: Received) -> Fault | None:
        if request.path == "/v1/databases" and not notion.named("Backlog"):
            notion.make_database("Backlog", columns("backlog"))
        return None

    with NotionApi(chance=overtake) as notion:
        found = run(notion)["backlog"]
        older, newer = notion.named("Backlog")
        assert (found.database_id, found.doubles) == (older.id, (newer.id,))


def test_a_database_that_people_threw_away_is_made_anew(notion: NotionApi) -> None:
    """One in the trash is not taken up again, whatever was kept of it."""
    first = run(notion)
    notion.named("Findings")[0].in_trash = True
    again = run(notion, {name: one.database_id for name, one in first.items()})
    assert again["findings"].how == "created"
    assert again["findings"].database_id != first["findings"].database_id
    assert again["backlog"].how == "known"


def test_a_database_with_more_data_sources_is_used_where_one_is_ours(notion: NotionApi) -> None:
    """Where two have the property, only a person knows: both ids are named, nothing is changed."""
    database = notion.make_database("Findings", {"Name": "title"})
    database.sources.append(
        Source("3f2e3d4c-0000-4000-8000-00000000aaaa", columns("findings"), "Findings")
    )
    assert run(notion)["findings"].data_source_id == "3f2e3d4c-0000-4000-8000-00000000aaaa"
    database.sources[0].columns["External ID"] = "rich_text"
    with pytest.raises(SendRefused, match="2 data sources") as caught:
        run(notion)
    assert all(source.id in str(caught.value) for source in database.sources)


def test_a_page_that_is_not_shared_says_what_to_click(notion: NotionApi) -> None:
    """Notion's own sentence does not; and nothing is made."""
    notion.shared = False
    with pytest.raises(SprintdError, match=r"choose \.\.\. and Connections"):
        run(notion)
    assert len(notion.databases) == 1


def test_missing_rights_and_a_full_workspace_are_told(notion: NotionApi) -> None:
    """Each with its cure."""
    notion.rights = {"read"}
    with pytest.raises(SendRefused, match="right to read, insert and update content"):
        run(notion)
    notion.rights, notion.block_limit = {"read", "insert", "update"}, 0
    with pytest.raises(SendRefused, match="1,000 blocks for life"):
        run(notion)


def test_a_setup_that_breaks_off_is_finished_by_the_next_one(notion: NotionApi) -> None:
    """A request that took effect unseen makes no second database."""
    notion.script(None, None, drops(after_acting=True))
    with pytest.raises(SendUncertain):
        run(notion)
    assert [one.how for one in run(notion).values()] == ["adopted", *["created"] * 3]
    assert len(notion.databases) == 5


def test_a_code_that_the_sdk_does_not_know_is_still_notions(notion: NotionApi) -> None:
    """Only another server's answer is taken for another server."""
    notion.script(error(403, "plan_restricted", "Upgrade the workspace to add content."))
    with pytest.raises(SendRefused, match=r"403 plan_restricted.*1,000 blocks for life"):
        run(notion)


def test_a_known_database_whose_key_column_was_renamed_is_no_reason_for_a_second_one(
    notion: NotionApi,
) -> None:
    """It gets the property again; under another kind, only people can say what to do."""
    known = {name: one.database_id for name, one in run(notion).items()}
    columns_of = notion.named("Backlog")[0].sources[0].columns
    columns_of["Ours"] = columns_of.pop("External ID")
    found = run(notion, known)["backlog"]  # type: ignore[arg-type]
    assert (found.how, found.added) == ("known", ("External ID",))
    assert columns_of["External ID"] == columns_of["Ours"] == "rich_text"
    columns_of["External ID"] = "number"
    with pytest.raises(SendRefused, match="has lost its property External ID"):
        run(notion, known)  # type: ignore[arg-type]
    assert len(notion.named("Backlog")) == 1


def test_a_database_of_our_title_that_cannot_be_opened_is_passed_over() -> None:
    """Such as a view of a database elsewhere, which was not shared with the integration."""
    hidden: list[str] = []

    def chance(request: Received) -> Fault | None:
        if request.path.rpartition("/")[2].replace("-", "") not in hidden:
            return None
        return error(404, "object_not_found", "Could not find database.")

    with NotionApi(chance=chance) as notion:
        view = notion.make_database("Backlog", {"Name": "title"})
        hidden.append(view.id.replace("-", ""))
        assert run(notion)["backlog"].how == "created"
        assert run(notion)["backlog"].how == "adopted"
        assert len(notion.named("Backlog")) == 2
