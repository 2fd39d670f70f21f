"""The real SDK over a real socket against a strict stand-in for Notion."""

from __future__ import annotations

import json
import logging
import socket
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

import daemon
from daemon.errors import SendError, SendLater, SendRefused, SendUncertain
from daemon.notify.notion import NOTION_VERSION, NotionSender
from daemon.notify.notion_connection import NotionConnection
from tests.standins.far_side import Fault, drops, holds
from tests.standins.notion_api import VERSION, NotionApi, error, overloaded, rate_limited
from tests.standins.shelf import MemoryShelf

SINCE = datetime(2026, 11, 30, 9, tzinfo=UTC)
LONG = {"title": "T07 Fees", "body": "\n".join(f"- item {n}" for n in range(250))}


@pytest.fixture
def notion() -> Iterator[NotionApi]:
    with NotionApi() as api:
        yield api


def sender_for(notion: NotionApi, **changes: object) -> NotionSender:
    facts = {"token": notion.token, "base_url": notion.base_url, "read_seconds": 5.0, **changes}
    source = str(facts.pop("data_source", notion.data_source))
    connection = NotionConnection(**facts)  # type: ignore[arg-type]
    return NotionSender(connection, MemoryShelf(), data_source=source)


def failure(notion: NotionApi, **changes: object) -> SendError:
    with pytest.raises(SendError) as caught:
        sender_for(notion, **changes).send("k", {"title": "T", "body": "text"})
    return caught.value


def test_a_page_bears_its_key_in_its_own_property(notion: NotionApi) -> None:
    """Nothing that was meant is dropped on the way: the SDK leaves out what it does not know."""
    page_id = sender_for(notion).send("finding/7#ab", {"title": "T07 Fees", "body": "# A\n\ntext"})
    (page,) = notion.pages
    assert (page.id, page.full_key, page.title) == (page_id, "finding/7#ab", "T07 Fees")
    assert page.texts == ["A", "text"]
    (request,) = notion.requests
    assert set(json.loads(request.raw)) == {"parent", "properties", "children"}
    assert request.headers["notion-version"] == NOTION_VERSION == VERSION


def test_the_version_stands_in_one_place() -> None:
    """An upgrade changes one line."""
    house = Path(daemon.__file__).parent
    places = [path for path in house.rglob("*.py") if NOTION_VERSION in path.read_text("utf-8")]
    assert [path.name for path in places] == ["notion_errors.py"]


def test_a_long_page_is_complete_and_in_order(notion: NotionApi) -> None:
    """250 blocks: three requests, nothing dropped."""
    sender_for(notion).send("k", LONG)
    assert notion.pages[0].texts == [f"item {n}" for n in range(250)]
    assert len(notion.requests) == 3


def test_a_page_is_found_by_its_key(notion: NotionApi) -> None:
    """And only by the whole of it."""
    sender = sender_for(notion)
    page_id = sender.send("k#1", {"title": "T", "body": "text"})
    assert sender.find("k#1", {"title": "T", "body": "text"}, since=SINCE) == page_id
    assert sender.find("k#2", {"title": "T", "body": "text"}, since=SINCE) is None
    assert len(notion.pages) == 1
    assert notion.pages[0].texts == ["text"]


@pytest.mark.parametrize("broken", [drops(after_acting=False), drops(after_acting=True)])
def test_a_page_that_is_half_there_is_completed(notion: NotionApi, broken: Fault) -> None:
    """Whether the request that broke took effect or not: each block stands there once."""
    notion.script(None, broken)
    sender = sender_for(notion)
    with pytest.raises(SendUncertain):
        sender.send("k", LONG)
    assert sender.find("k", LONG, since=SINCE) == notion.pages[0].id
    assert notion.pages[0].texts == [f"item {n}" for n in range(250)]
    assert len(notion.pages) == 1


def test_a_limit_of_rate_in_the_middle_of_a_page_is_in_doubt_and_tells_how_long(
    notion: NotionApi,
) -> None:
    """The page stands there already, so only a look-up may go on with it."""
    notion.script(None, rate_limited(40))
    with pytest.raises(SendUncertain) as caught:
        sender_for(notion).send("k", LONG)
    assert caught.value.retry_after_seconds == 40.0


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (rate_limited(30), SendLater),
        (overloaded(), SendLater),
        (error(409, "conflict_error", "Conflict occurred while saving."), SendLater),
        (error(400, "validation_error", "body failed validation"), SendRefused),
        (error(401, "unauthorized", "API token is invalid."), SendRefused),
        (error(403, "restricted_resource", "Insufficient permissions."), SendRefused),
        (error(404, "object_not_found", "Could not find it."), SendRefused),
        (error(404, "no_code_of_notion", "a proxy says hello"), SendRefused),
        (error(302, "found", "elsewhere", location="http://127.0.0.1:1/"), SendRefused),
        (error(408, "timeout", "too slow"), SendUncertain),
        (error(500, "internal_server_error", "Unexpected error."), SendUncertain),
        (error(502, "bad_gateway", "no"), SendUncertain),
        (error(503, "service_unavailable", "took longer than 60 s"), SendUncertain),
        (error(504, "gateway_timeout", "no"), SendUncertain),
        (Fault(raw=b"<html>"), SendUncertain),
        (Fault(raw=b"[]"), SendUncertain),
        (drops(after_acting=True), SendUncertain),
        (drops(after_acting=False), SendUncertain),
    ],
)
def test_each_answer_means_one_of_three_things(
    notion: NotionApi, fault: Fault, kind: type[SendError]
) -> None:
    """Refused, later or in doubt; and always after a single request."""
    notion.script(fault)
    assert isinstance(failure(notion), kind)
    assert len(notion.requests) == 1


def test_a_wait_of_more_than_a_minute_is_told_as_it_is(notion: NotionApi) -> None:
    """The SDK would cut it to 60 s."""
    notion.script(rate_limited(90))
    told = failure(notion)
    assert isinstance(told, SendLater)
    assert told.retry_after_seconds == 90.0


def test_a_time_out_after_delivery_is_in_doubt(notion: NotionApi) -> None:
    """The page stands there; nobody here knows."""
    notion.script(holds(threading.Event()))
    assert type(failure(notion, read_seconds=0.2)) is SendUncertain
    assert len(notion.pages) == 1


def test_a_host_that_cannot_be_reached_leaves_no_doubt() -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{closed.getsockname()[1]}"
        connection = NotionConnection(token="ntn_0", base_url=url)
        sender = NotionSender(connection, MemoryShelf(), data_source="0" * 32)
        with pytest.raises(SendLater, match="cannot be reached"):
            sender.send("k", {"title": "T"})


@pytest.mark.parametrize(
    "fault",
    [
        error(
            400,
            "validation_error",
            "Databases with multiple data sources are not supported in this API version.",
        ),
        error(404, "object_not_found", "Could not find data source with ID: 1f2e."),
    ],
)
def test_a_wrong_id_names_the_version_and_the_kind_of_id(notion: NotionApi, fault: Fault) -> None:
    """What Notion says sends people in the wrong direction."""
    notion.script(fault)
    words = str(failure(notion))
    assert f"Notion-Version {NOTION_VERSION}" in words
    assert (
        "notion.findings_data_source must be the id of a data source, not that of its database"
        in words
    )


def test_a_database_id_is_not_taken_for_a_data_source(notion: NotionApi) -> None:
    """The stand-in knows the database by another id, as Notion does."""
    assert "id of a data source" in str(failure(notion, data_source=notion.database))


def test_a_missing_property_and_a_wrong_token_have_their_own_cure() -> None:
    """Each names what to change; no text holds the token."""
    with NotionApi(schema=("title",)) as bare:
        assert "add a property of the kind text named External ID" in str(failure(bare))
        words = str(failure(bare, token="ntn_wrong"))
        assert "notion_token" in words
        assert "ntn_wrong" not in words


def test_loopback_is_never_asked_through_a_proxy(
    notion: NotionApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the environment says."""
    monkeypatch.delenv("NO_PROXY", raising=False)
    for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    sender_for(notion).send("k", {"title": "T", "body": "text"})
    assert notion.keys == ["k"]


def test_the_log_has_neither_token_nor_text(
    notion: NotionApi, caplog: pytest.LogCaptureFixture
) -> None:
    """And no client adds a handler of its own that repeats every line."""
    caplog.set_level(logging.INFO)
    handlers = [len(logging.getLogger(name).handlers) for name in ("notion_client", "httpx")]
    for _ in range(3):
        sender_for(notion).send("k", {"title": "T", "body": "a private matter"})
    notion.script(drops(after_acting=False))
    failure(notion)
    assert caplog.text == ""
    after = [len(logging.getLogger(name).handlers) for name in ("notion_client", "httpx")]
    assert after == handlers
