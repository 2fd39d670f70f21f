"""The requests to Notion, one method each: no retries, a deadline for each, errors of ours."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import httpx
from notion_client import Client
from notion_client.errors import HTTPResponseError

from daemon.config.addresses import host_of, is_this_machine
from daemon.errors import SendError, SendUncertain, SprintdError
from daemon.notify.exchange import Busy, within
from daemon.notify.notion_blocks import rich_text
from daemon.notify.notion_errors import (
    NOTION_VERSION,
    NotionRefused,
    explain_answer,
    explain_transport,
)
from daemon.notify.notion_places import KEY_PROPERTY

BASE_URL = "https://api.notion.com"
READ_SECONDS = 20.0
_PAGE = 100

Facts = dict[str, Any]


class NotionConnection:
    """`base_url` is empty for Notion itself. `read_seconds` is the longest silence of an answer, and
    twice that the longest of one exchange.

    Every method raises SendRefused (NotionRefused where Notion said why), SendLater, SendUncertain.
    """

    def __init__(
        self,
        *,
        token: str,
        base_url: str = "",
        read_seconds: float = READ_SECONDS,
        busy: Busy | None = None,
    ) -> None:
        base_url = (base_url or BASE_URL).rstrip("/")
        self.host = host_of(base_url)
        self._longest = 2 * read_seconds
        self._busy = busy
        self._client = _make_client(token, base_url, read_seconds)

    def me(self) -> Facts:
        """The integration that the token is of; it needs no right."""
        return self._call(self._client.users.me)

    def trash_page(self, page_id: str) -> None:
        """Put a page into the trash, where people can restore it for 30 days."""
        self._call(partial(self._client.pages.update, page_id, in_trash=True))

    def create_page(
        self, source: str, properties: Mapping[str, Any], *, children: Sequence[Facts]
    ) -> str:
        """A new page of a data source; its id."""
        parent = {"type": "data_source_id", "data_source_id": source}
        made = self._call_source(
            partial(
                self._client.pages.create,
                parent=parent, properties=dict(properties), children=list(children),
            )
        )  # fmt: skip
        return str(made["id"])

    def update_page(self, page_id: str, properties: Mapping[str, Any]) -> None:
        """Write these properties; all others stay as people left them."""
        self._call(partial(self._client.pages.update, page_id, properties=dict(properties)))

    def find_page(self, source: str, key: str) -> str | None:
        """The id of the page that bears the key, None where none does (or it is in the trash)."""
        wanted = {"property": KEY_PROPERTY, "rich_text": {"equals": key}}
        found = self._call_source(
            partial(self._client.data_sources.query, source, filter=wanted, page_size=1)
        )
        return str(found["results"][0]["id"]) if found["results"] else None

    def append(self, block_id: str, children: Sequence[Facts]) -> None:
        """More blocks at the end."""
        self._call(partial(self._client.blocks.children.append, block_id, children=list(children)))

    def children(self, block_id: str) -> Iterator[Facts]:
        """The blocks of a page, in order."""
        position: dict[str, str] = {}
        while True:
            answer = self._call(
                partial(self._client.blocks.children.list, block_id, page_size=_PAGE, **position)
            )
            yield from answer["results"]
            if not answer.get("next_cursor"):
                return
            position = {"start_cursor": answer["next_cursor"]}

    def page(self, page_id: str) -> Facts:
        return self._call(partial(self._client.pages.retrieve, page_id))

    def database(self, database_id: str) -> Facts:
        return self._call(partial(self._client.databases.retrieve, database_id))

    def data_source(self, source: str) -> Facts:
        return self._call_source(partial(self._client.data_sources.retrieve, source))

    def create_database(self, page_id: str, title: str, properties: Mapping[str, Any]) -> Facts:
        """A new database with one data source, below a page."""
        return self._call(
            partial(
                self._client.databases.create,
                parent={"type": "page_id", "page_id": page_id},
                title=rich_text(title),
                is_inline=False,
                initial_data_source={"properties": dict(properties)},
            )
        )

    def add_properties(self, source: str, properties: Mapping[str, Any]) -> Facts:
        """More columns; those that are there are not named, so they stay."""
        return self._call(
            partial(self._client.data_sources.update, source, properties=dict(properties))
        )

    def close(self) -> None:
        self._client.close()

    def _call_source(self, call: Callable[[], Any]) -> Facts:
        """The same, of a database: a refusal says so."""
        try:
            return self._call(call)
        except NotionRefused as error:
            error.of_source = True
            raise

    def _call(self, call: Callable[[], Any]) -> Facts:
        """The answer. An error of the library becomes one of ours, without its chain."""
        error: SendError
        try:
            answer = within(self._longest, call, self.host, self._busy)
            if isinstance(answer, dict):
                return answer
            error = SendUncertain(f"{self.host} gave an answer that is not Notion's")
        except SendError:
            raise
        except HTTPResponseError as failure:
            error = explain_answer(failure, self.host)
        except Exception as failure:  # noqa: BLE001 - whatever comes, it may have arrived
            error = explain_transport(failure, self.host)
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
