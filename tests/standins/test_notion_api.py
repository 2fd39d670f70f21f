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
