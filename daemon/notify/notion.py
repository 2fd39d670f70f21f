"""The only user of notion_client: writes pages into one data source, once per key.

A payload is `{"title": a line, "body": Markdown}`. The key stands in the page's property External ID,
by which `find` looks for it: the data source needs that property, of the kind text.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import httpx
from notion_client import Client
from notion_client.errors import APIResponseError, HTTPResponseError, RequestTimeoutError

from daemon.config.addresses import host_of, is_this_machine
from daemon.config.redaction import redact
from daemon.errors import SendError, SendLater, SendRefused, SendUncertain, SprintdError
from daemon.notify.exchange import Busy, told_to_wait, within
from daemon.notify.notion_blocks import TEXT_LIMIT, batches, blocks_of, rich_text
from daemon.notify.text_parts import cut_text

BASE_URL = "https://api.notion.com"
NOTION_VERSION = "2026-03-11"  # the only place; every request bears it
KEY_PROPERTY = "External ID"
READ_SECONDS = 20.0
_PAGE = 100

_LATER = (409, 429, 529)
_TITLE = "title"  # the id of every data source's title property, whatever people call it
_ID_CURE = (
    "notion.findings_data_source must be the id of a data source, not that of its database or of a "
    "page (in Notion: the database's settings, Manage data sources, Copy data source ID), and the "
    "data source must be shared with the integration"
)


class NotionSender:
    """`base_url` is empty for Notion itself. `read_seconds` is the longest silence of an answer, and
    twice that the longest of one exchange; a long page takes several."""

    def __init__(
        self,
        *,
        token: str,
        data_source: str,
        base_url: str = "",
        read_seconds: float = READ_SECONDS,
        busy: Busy | None = None,
    ) -> None:
        base_url = (base_url or BASE_URL).rstrip("/")
        self._host = host_of(base_url)
        self._longest = 2 * read_seconds
        self._busy = busy
        self._data_source = data_source
        self._client = _make_client(token, base_url, read_seconds)

    def send(self, key: str, payload: Mapping[str, Any]) -> str:
        """Create the page with its first blocks, then append the others."""
        parts = batches(blocks_of(str(payload.get("body") or "")))
        page = self._call(
            lambda: self._client.pages.create(
                parent={"type": "data_source_id", "data_source_id": self._data_source},
                properties={
                    _TITLE: {"title": rich_text(_title(payload, key))},
                    KEY_PROPERTY: {"rich_text": rich_text(key)},
                },
                children=parts[0] if parts else [],
            )
        )
        self._append(page["id"], parts[1:])
        return str(page["id"])

    def find(self, key: str, payload: Mapping[str, Any], *, since: datetime) -> str | None:  # noqa: ARG002
        """The page's id, its missing blocks appended first; or None."""
        found = self._call(
            lambda: self._client.data_sources.query(
                self._data_source,
                filter={"property": KEY_PROPERTY, "rich_text": {"equals": key}},
                page_size=1,
            )
        )
        if not found["results"]:
            return None
        page_id = str(found["results"][0]["id"])
        blocks = blocks_of(str(payload.get("body") or ""))
        self._append(page_id, batches(blocks[self._count_blocks(page_id) :]))
        return page_id

    def close(self) -> None:
        self._client.close()

    def _append(self, page_id: str, parts: list[list[dict[str, Any]]]) -> None:
        for part in parts:
            try:
                self._call(partial(self._client.blocks.children.append, page_id, children=part))
            except SendLater as error:
                # The page is there already: only a look-up may go on with it.
                raise SendUncertain(
                    f"the page is not complete yet: {error}",
                    retry_after_seconds=error.retry_after_seconds,
                ) from None

    def _count_blocks(self, page_id: str) -> int:
        count = 0
        position: dict[str, str] = {}
        while True:
            answer = self._call(
                partial(self._client.blocks.children.list, page_id, page_size=_PAGE, **position)
            )
            count += len(answer["results"])
            if not answer.get("next_cursor"):
                return count
            position = {"start_cursor": answer["next_cursor"]}

    def _call(self, call: Callable[[], Any]) -> dict[str, Any]:
        """The answer. An error of the library becomes one of ours, without its chain."""
        error: SendError
        try:
            answer = within(self._longest, call, self._host, self._busy)
            if isinstance(answer, dict):
                return answer
            error = SendUncertain(f"{self._host} gave an answer that is not Notion's")
        except SendError:
            raise
        except HTTPResponseError as failure:
            error = _explain_answer(failure, self._host)
        except Exception as failure:  # noqa: BLE001 - whatever comes, it may have arrived
            error = _explain_transport(failure, self._host)
        raise error


def _make_client(token: str, base_url: str, read_seconds: float) -> Client:
    """One client; its own logger would add a console handler and repeat each failure.

    No proxy to this machine, no kept connections: one that the far side has closed meanwhile looks
    like a message that may have arrived.
    """
    silent = logging.getLogger(f"{__name__}.sdk")
    logging.getLogger("httpx").setLevel(logging.WARNING)  # it tells of every request
    try:
        http = httpx.Client(
            trust_env=not is_this_machine(urlsplit(base_url).hostname or ""),
            limits=httpx.Limits(max_keepalive_connections=0),
            follow_redirects=False,
        )
    except (ValueError, ImportError, httpx.InvalidURL):
        raise SprintdError(
            "the proxy that the environment names cannot be used; correct HTTPS_PROXY"
        ) from None
    return Client(
        client=http,
        auth=token,
        base_url=base_url,
        notion_version=NOTION_VERSION,
        retry=False,
        timeout_ms=round(read_seconds * 1_000),
        logger=silent,
        log_level=logging.CRITICAL,
    )


def _title(payload: Mapping[str, Any], key: str) -> str:
    title = " ".join(str(payload.get("title") or "").split())
    return cut_text(title or key, TEXT_LIMIT)


def _explain_answer(failure: HTTPResponseError, host: str) -> SendError:
    """What an answer with an error status means: refused, later, or in doubt."""
    status = failure.status
    if status in _LATER:
        why = {409: "was busy with the same page", 429: "asks to write less often"}
        return SendLater(
            f"{host} {why.get(status, 'is overloaded')} ({status})",
            retry_after_seconds=told_to_wait(dict(failure.headers)),
        )
    if status >= 500 or status == 408:
        return SendUncertain(f"{host} failed ({status})")
    if not isinstance(failure, APIResponseError):
        return SendRefused(f"there is no Notion API at {host} ({status}); correct notion.base_url")
    said = redact(" ".join(str(failure).split()))[:300]
    return SendRefused(
        f"{host} refuses the page ({status} {failure.code.value}, Notion-Version {NOTION_VERSION}): "
        f"{said}; {_cure(failure.code.value, said)}"
    )


def _cure(code: str, said: str) -> str:
    if code in ("unauthorized", "restricted_resource"):
        return "put a valid token with the right to insert content into the secret notion_token"
    if KEY_PROPERTY.lower() in said.lower():
        return f"add a property of the kind text named {KEY_PROPERTY} to the data source"
    words = ("data source", "data_source", "database", "is_id", "uuid")
    if code in ("object_not_found", "invalid_request_url") or any(w in said.lower() for w in words):
        return _ID_CURE
    return "what it complains of must be changed before the page can be written"


def _explain_transport(error: Exception, host: str) -> SendError:
    """A failure below HTTP. Only one that surely came before the request is no cause for doubt."""
    cause = error.__context__ if isinstance(error, RequestTimeoutError) else error
    if isinstance(cause, httpx.ConnectError | httpx.ConnectTimeout | httpx.PoolTimeout):
        return SendLater(f"{host} cannot be reached ({type(cause).__name__})")
    name = type(cause or error).__name__
    return SendUncertain(f"the exchange with {host} broke ({name})")
