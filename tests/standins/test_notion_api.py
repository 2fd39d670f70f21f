"""The stand-in for Notion is as strict as the service it stands for."""

from __future__ import annotations

import http.client
import json
from typing import Any

import pytest

from tests.standins.notion_api import NotionApi


def ask(
    notion: NotionApi, method: str, path: str, body: Any, **headers: str
) -> tuple[int, dict[str, Any]]:
    sent = {
        "authorization": f"Bearer {notion.token}",
        "notion-version": "2026-03-11",
        "content-type": "application/json",
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }
    connection = http.client.HTTPConnection(notion.host, timeout=5)
    try:
        connection.request(method, f"/v1/{path}", json.dumps(body), sent)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()


def text(content: str) -> dict[str, Any]:
    return {"type": "text", "text": {"content": content}}


def paragraph(*pieces: str) -> dict[str, Any]:
    return {"type": "paragraph", "paragraph": {"rich_text": [text(piece) for piece in pieces]}}


def page(notion: NotionApi, **changes: Any) -> dict[str, Any]:
    return {
        "parent": {"type": "data_source_id", "data_source_id": notion.data_source},
        "properties": {
            "title": {"title": [text("T")]},
            "External ID": {"rich_text": [text("k")]},
        },
        "children": [paragraph("x")],
        **changes,
    }


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({}, 200),
        ({"children": [paragraph("x" * 2_000)] * 100}, 200),
        ({"children": [paragraph("x")] * 101}, 400),
        ({"children": [paragraph("x" * 2_001)]}, 400),
        ({"children": [paragraph("\U0001f600" * 1_001)]}, 400),
        ({"children": [paragraph(*"x" * 101)]}, 400),
        ({"children": [{"type": "poem", "poem": {"rich_text": []}}]}, 400),
        ({"children": [paragraph("é" * 2_000)] * 100}, 413),
        ({"archived": True}, 400),
        ({"parent": {"type": "database_id", "database_id": "x"}}, 400),
        ({"parent": {"type": "data_source_id", "data_source_id": "Findings"}}, 400),
        ({"properties": {"Colour": {"rich_text": []}}}, 400),
    ],
)
def test_the_shape_of_a_page_is_checked(changes: dict[str, Any], status: int) -> None:
    """What Notion would refuse is refused, and makes no page."""
    with NotionApi() as notion:
        assert ask(notion, "POST", "pages", page(notion, **changes))[0] == status
        assert len(notion.pages) == (1 if status == 200 else 0)


def test_token_version_path_and_ids_are_checked() -> None:
    """Each with Notion's own code; a database's id is no data source's."""
    with NotionApi() as notion:
        body = page(notion)
        database = {"type": "data_source_id", "data_source_id": notion.database}
        found = [
            ask(notion, "POST", "pages", body, authorization="Bearer other"),
            ask(notion, "POST", "pages", body, notion_version="2022-06-28"),
            ask(notion, "POST", "pages", body, content_type="text/plain"),
            ask(notion, "POST", "v1/pages", body),
            ask(notion, "POST", "pages", page(notion, parent=database)),
            ask(notion, "PATCH", "blocks/nowhere/children", {"children": [paragraph("x")]}),
        ]
        codes = ["unauthorized", "missing_version", "invalid_json", "invalid_request_url",
                 "object_not_found", "object_not_found"]  # fmt: skip
        assert [answer["code"] for _, answer in found] == codes
        assert notion.pages == []


def test_a_query_finds_exactly_the_key() -> None:
    """And needs a property that the data source has."""
    with NotionApi() as notion:
        ask(notion, "POST", "pages", page(notion))
        path = f"data_sources/{notion.data_source}/query"

        def query(name: str, key: str) -> tuple[int, dict[str, Any]]:
            wanted = {"property": name, "rich_text": {"equals": key}}
            return ask(notion, "POST", path, {"filter": wanted, "page_size": 1})

        assert len(query("External ID", "k")[1]["results"]) == 1
        assert query("External ID", "kk")[1]["results"] == []
        assert query("Colour", "k")[0] == 400


COLUMNS = {
    "Name": "title", "External ID": "rich_text", "Link": "url", "Size": "number",
    "Kind": "select", "Due": "date",
}  # fmt: skip


def with_columns(notion: NotionApi, **values: Any) -> dict[str, Any]:
    """A page of a database with one column of each kind."""
    source = (notion.named("All") or [notion.make_database("All", COLUMNS)])[0].sources[0]
    properties = {"title": {"title": [text("T")]}, "External ID": {"rich_text": [text("k")]}}
    return {
        "parent": {"type": "data_source_id", "data_source_id": source.id},
        "properties": {**properties, **values},
    }


@pytest.mark.parametrize(
    ("name", "value", "status"),
    [
        ("Link", {"url": "https://a.example/" + "x" * 1_982}, 200),
        ("Link", {"url": "https://a.example/" + "x" * 1_983}, 400),
        ("Link", {"url": None}, 200),
        ("Size", {"number": 1.5}, 200),
        ("Size", {"number": "1.5"}, 400),
        ("Size", {"rich_text": [text("1.5")]}, 400),
        ("Kind", {"select": {"name": "k" * 100}}, 200),
        ("Kind", {"select": {"name": "k" * 101}}, 400),
        ("Kind", {"select": {"name": "one, two"}}, 400),
        ("Kind", {"select": {"name": ""}}, 400),
        ("Due", {"date": {"start": "2026-11-30"}}, 200),
        ("Due", {"date": {"start": "tomorrow"}}, 400),
        ("External ID", {"rich_text": [text("x" * 2_001)]}, 400),
        ("External ID", {"rich_text": [text("x")] * 101}, 400),
        ("Elsewhere", {"rich_text": []}, 400),
    ],
)
def test_each_value_is_checked_by_its_column(name: str, value: Any, status: int) -> None:
    """In kind and size; what is refused changes nothing, at creation and at an update."""
    with NotionApi() as notion:
        body = with_columns(notion, **{name: value})
        assert ask(notion, "POST", "pages", body)[0] == status
        assert len(notion.pages) == (1 if status == 200 else 0)
        ask(notion, "POST", "pages", with_columns(notion))
        page_id, before = notion.pages[-1].id, dict(notion.pages[-1].properties)
        changed = {"properties": {name: value}}
        assert ask(notion, "PATCH", f"pages/{page_id}", changed)[0] == status
        assert (notion.pages[-1].properties == before) is (status == 400)


def test_a_page_in_the_trash_takes_nothing_and_is_found_by_no_query() -> None:
    """In Notion's own words; `archived` is no key of this version."""
    with NotionApi() as notion:
        ask(notion, "POST", "pages", page(notion))
        place = f"pages/{notion.pages[0].id}"
        assert ask(notion, "PATCH", place, {"archived": True})[1]["code"] == "validation_error"
        notion.pages[0].in_trash = True
        for path, body in (
            (place, {"properties": {}}),
            (f"blocks/{notion.pages[0].id}/children", {"children": [paragraph("x")]}),
        ):
            answer = ask(notion, "PATCH", path, body)
            assert answer[0] == 400
            assert answer[1]["message"].startswith("Can't edit block that is archived.")
        wanted = {"property": "External ID", "rich_text": {"equals": "k"}}
        query = {"filter": wanted, "page_size": 1}
        path = f"data_sources/{notion.data_source}/query"
        assert ask(notion, "POST", path, query)[1]["results"] == []


def test_rights_sharing_and_the_limit_of_blocks_are_enforced() -> None:
    """Reading, inserting and updating apart; an unshared page hides all below it."""
    with NotionApi() as notion:
        notion.rights = {"read", "update"}
        assert ask(notion, "POST", "pages", page(notion))[1]["code"] == "restricted_resource"
        notion.rights = {"read", "insert"}
        ask(notion, "POST", "pages", page(notion))
        place = f"pages/{notion.pages[0].id}"
        assert ask(notion, "PATCH", place, {"properties": {}})[0] == 403
        notion.rights, notion.block_limit = {"read", "insert", "update"}, 2
        assert "block limit" in ask(notion, "POST", "pages", page(notion))[1]["message"]
        assert ask(notion, "PATCH", place, {"properties": {}})[0] == 200
        notion.shared = False
        for path in (
            f"pages/{notion.page}", f"databases/{notion.database}",
            f"data_sources/{notion.data_source}",
        ):  # fmt: skip
            assert ask(notion, "GET", path, {})[1]["code"] == "object_not_found"


def test_a_database_needs_a_page_a_title_and_known_columns() -> None:
    """And has one data source then; more columns leave the others as they are."""
    with NotionApi() as notion:
        good = {
            "parent": {"type": "page_id", "page_id": notion.page},
            "title": [text("New")],
            "initial_data_source": {"properties": {"Name": {"title": {}}, "A": {"number": {}}}},
        }
        for change in (
            {"parent": {"type": "database_id", "database_id": notion.database}},
            {"parent": {"type": "page_id", "page_id": notion.database}},
            {"properties": {"Name": {"title": {}}}},
            {"initial_data_source": {"properties": {"A": {"number": {}}}}},
            {"initial_data_source": {"properties": {"Name": {"title": {}}, "B": {"poem": {}}}}},
        ):
            assert ask(notion, "POST", "databases", {**good, **change})[0] in (400, 404)
        made = ask(notion, "POST", "databases", good)[1]
        (source,) = made["data_sources"]
        more = {"properties": {"B": {"date": {}}}}
        columns = ask(notion, "PATCH", f"data_sources/{source['id']}", more)[1]["properties"]
        kinds = {name: column["type"] for name, column in columns.items()}
        assert kinds == {"Name": "title", "A": "number", "B": "date"}
        assert ask(notion, "GET", f"databases/{source['id']}", {})[0] == 404
