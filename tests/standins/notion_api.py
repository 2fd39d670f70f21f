"""A stand-in for Notion's API on loopback: strict about version, ids and limits, scripted.

with NotionApi() as notion:
    NotionSender(token=notion.token, data_source=notion.data_source, base_url=notion.base_url)
    assert notion.pages[0].key == ...
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from tests.standins.far_side import Answer, FarSide, Fault, Received

VERSION = "2026-03-11"
MOST_CHILDREN = 100
MOST_PIECES = 100
TEXT_CHARACTERS = 2_000
PAYLOAD_BYTES = 500_000
BLOCKS = {
    "paragraph", "heading_1", "heading_2", "heading_3", "bulleted_list_item",
    "numbered_list_item", "quote",
}  # fmt: skip
PAGE_KEYS = {"parent", "properties", "icon", "cover", "content", "children", "markdown",
             "template", "position"}  # fmt: skip


@dataclass
class Page:
    """One page of the data source, its blocks in order."""

    id: str
    properties: dict[str, Any]
    blocks: list[dict[str, Any]] = field(default_factory=list)

    @property
    def full_key(self) -> str:
        return _plain(self.properties["External ID"]["rich_text"])

    @property
    def key(self) -> str:
        """Without the workspace's mark."""
        return self.full_key.partition("#")[0]

    @property
    def title(self) -> str:
        return _plain(self.properties["title"]["title"])

    @property
    def texts(self) -> list[str]:
        return [_plain(block[block["type"]]["rich_text"]) for block in self.blocks]


def error(status: int, code: str, message: str, **headers: str) -> Fault:
    """An error in Notion's own form, without effect."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Fault(answer=_error(status, code, message, named))


def rate_limited(seconds: int) -> Fault:
    return error(429, "rate_limited", "You have been rate limited.", retry_after=str(seconds))


def overloaded() -> Fault:
    """529 has a code that the SDK does not know."""
    return error(529, "service_overload", "Notion is overloaded.")


class NotionApi(FarSide):
    """One data source, shared with the integration, with the properties of `schema`."""

    def __init__(
        self,
        *,
        token: str = "ntn_test0123456789",
        data_source: str = "1f2e3d4c-0000-4000-8000-00000000d5d5",
        schema: tuple[str, ...] = ("title", "External ID"),
        chance: Callable[[Received], Fault | None] = lambda request: None,
    ) -> None:
        super().__init__(chance)
        self.token, self.data_source, self.schema = token, data_source, schema
        self.database = "1f2e3d4c-0000-4000-8000-0000000000db"
        self.pages: list[Page] = []

    @property
    def base_url(self) -> str:
        return f"http://{self.host}"

    @property
    def keys(self) -> list[str]:
        return [page.key for page in self.pages]

    def act(self, request: Received) -> Answer:
        for complaint in self._complaints(request):
            return complaint
        route = (request.method, *request.path.removeprefix("/v1/").split("/"))
        match route:
            case ("POST", "pages"):
                return self._create(request)
            case ("PATCH", "blocks", block, "children"):
                return self._append(block, request)
            case ("GET", "blocks", block, "children"):
                return self._list(block, request)
            case ("POST", "data_sources", source, "query"):
                return self._query(source, request)
        return _error(400, "invalid_request_url", "Invalid request URL.")

    def _complaints(self, request: Received) -> Iterator[Answer]:
        if request.headers.get("authorization") != f"Bearer {self.token}":
            yield _error(401, "unauthorized", "API token is invalid.")
        if request.headers.get("notion-version") != VERSION:
            yield _error(400, "missing_version", f"Notion-Version header should be {VERSION!r}.")
        if len(request.raw) > PAYLOAD_BYTES:
            yield _error(413, "validation_error", "body too large")
        if request.method != "GET" and not request.is_json:
            yield _error(400, "invalid_json", "Error parsing JSON body.")
        for fault in _block_faults(request.fields.get("children", [])):
            yield _error(400, "validation_error", f"body failed validation: {fault}")

    def _create(self, request: Received) -> Answer:
        body = request.fields
        extra = set(body) - PAGE_KEYS
        if extra:
            return _error(400, "validation_error", f"body.{extra.pop()} should be not present")
        parent = body.get("parent", {})
        if parent.get("type") != "data_source_id":
            return _many_sources()
        found = self._check_source(parent.get("data_source_id", ""))
        if found:
            return found
        for name in body["properties"]:
            if name not in self.schema:
                return _error(400, "validation_error", f"{name} is not a property that exists.")
        page = Page(f"1f2e3d4c-0000-4000-8000-{len(self.pages):012x}", body["properties"])
        page.blocks.extend(body.get("children", []))
        self.pages.append(page)
        return Answer(200, {"object": "page", "id": page.id})

    def _append(self, block: str, request: Received) -> Answer:
        page = self._page(block)
        if page is None:
            return _missing("block", block)
        if not request.fields.get("children"):
            return _error(400, "validation_error", "body.children should be defined")
        page.blocks.extend(request.fields["children"])
        return Answer(200, {"object": "list", "results": request.fields["children"]})

    def _list(self, block: str, request: Received) -> Answer:
        page = self._page(block)
        if page is None:
            return _missing("block", block)
        start, size = int(request.fields.get("start_cursor", 0)), int(request.fields["page_size"])
        more = start + size < len(page.blocks)
        results = page.blocks[start : start + size]
        cursor = str(start + size) if more else None
        return Answer(200, {"results": results, "has_more": more, "next_cursor": cursor})

    def _query(self, source: str, request: Received) -> Answer:
        found = self._check_source(source)
        if found:
            return found
        wanted = request.fields["filter"]
        if wanted["property"] not in self.schema:
            name = wanted["property"]
            return _error(400, "validation_error", f"Could not find property with name: {name}")
        results = [
            {"object": "page", "id": page.id}
            for page in self.pages
            if page.full_key == wanted["rich_text"]["equals"]
        ]
        return Answer(200, {"results": results[: request.fields["page_size"]], "has_more": False})

    def _check_source(self, source: str) -> Answer | None:
        if not re.fullmatch(r"[0-9a-f]{8}(-?[0-9a-f]{4}){3}-?[0-9a-f]{12}", source):
            return _error(400, "validation_error", "body.parent.data_source_id should be a uuid")
        return None if source == self.data_source else _missing("data source", source)

    def _page(self, block: str) -> Page | None:
        return next((page for page in self.pages if page.id == block), None)


def _many_sources() -> Answer:
    words = "Databases with multiple data sources are not supported in this API version."
    return _error(400, "validation_error", words)


def _missing(kind: str, found: str) -> Answer:
    words = f"Could not find {kind} with ID: {found}. Make sure it is shared with your integration."
    return _error(404, "object_not_found", words)


def _error(status: int, code: str, message: str, headers: dict[str, str] | None = None) -> Answer:
    body = {"object": "error", "status": status, "code": code, "message": message}
    return Answer(status, body, headers or {})


def _plain(pieces: list[dict[str, Any]]) -> str:
    return "".join(piece["text"]["content"] for piece in pieces)


def _block_faults(children: Any) -> Iterator[str]:
    if not isinstance(children, list) or len(children) > MOST_CHILDREN:
        yield f"children.length should be <= {MOST_CHILDREN}"
        return
    for block in children:
        kind = block.get("type")
        if kind not in BLOCKS or set(block) - {"object", "type", kind}:
            yield f"unknown block {kind}"
            return
        pieces = block[kind]["rich_text"]
        if len(pieces) > MOST_PIECES:
            yield f"rich_text.length should be <= {MOST_PIECES}"
        for piece in pieces:
            units = len(piece["text"]["content"].encode("utf-16-le")) // 2
            if units > TEXT_CHARACTERS:
                yield f"text.content.length should be <= {TEXT_CHARACTERS}"
