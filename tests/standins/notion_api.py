"""A stand-in for Notion's API on loopback: strict about version, ids, rights and limits, scripted.

with NotionApi() as notion:
    connection = NotionConnection(token=notion.token, base_url=notion.base_url)
    NotionSender(connection, shelf, data_source=notion.data_source)
    assert notion.pages[0].key == ...

One page (`notion.page`) is shared with the integration; below it stand databases. The code and words
of the limit of free workspaces are ours: Notion's page on it does not say them where we could read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from tests.standins import notion_rules as rules
from tests.standins.far_side import Answer, FarSide, Fault, Received
from tests.standins.notion_rules import plain
from tests.standins.notion_world import (
    ME,
    Database,
    Page,
    Source,
    child_blocks,
    database_facts,
    kinds_of,
    same_id,
    source_facts,
)

VERSION = "2026-03-11"
_UUID = re.compile(r"[0-9a-f]{8}(-?[0-9a-f]{4}){3}-?[0-9a-f]{12}")


def error(status: int, code: str, message: str, **headers: str) -> Fault:
    """An error in Notion's own form, without effect."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Fault(answer=rules.error(status, code, message, named))


def rate_limited(seconds: int, reason: str = "connection_rate_limit") -> Fault:
    return Fault(
        answer=rules.error(
            429, "rate_limited", "You have been rate limited.", {"retry-after": str(seconds)},
            additional_data={"rate_limit_reason": reason},
        )
    )  # fmt: skip


def overloaded() -> Fault:
    """529 has a code that the SDK does not know."""
    return error(529, "service_overload", "Notion is overloaded.")


class NotionApi(FarSide):
    """A page with one database of one data source, shared with the integration, with the columns of
    `schema`. `rights` is what the integration may do; `block_limit` that of a free workspace."""

    def __init__(
        self,
        *,
        token: str = "ntn_test0123456789",
        data_source: str = "1f2e3d4c-0000-4000-8000-00000000d5d5",
        schema: tuple[str, ...] = ("title", "External ID"),
        chance: Callable[[Received], Fault | None] = lambda request: None,
    ) -> None:
        super().__init__(chance)
        self.token, self.data_source = token, data_source
        self.database = "1f2e3d4c-0000-4000-8000-0000000000db"
        self.page = "0a1b2c3d-0000-4000-8000-000000000001"
        columns = {name: "title" if name == "title" else "rich_text" for name in schema}
        first = Database(self.database, "Notes of ours", [Source(data_source, columns)], 0)
        self.databases = [first]
        self.pages: list[Page] = []
        self.shared = True
        self.rights = {"read", "insert", "update"}
        self.block_limit: int | None = None

    @property
    def base_url(self) -> str:
        return f"http://{self.host}"

    @property
    def keys(self) -> list[str]:
        return [page.key for page in self.pages]

    def named(self, title: str) -> list[Database]:
        return [one for one in self.databases if one.title == title and not one.in_trash]

    def pages_of(self, title: str) -> list[Page]:
        ids = {source.id for one in self.named(title) for source in one.sources}
        return [page for page in self.pages if page.source in ids]

    def make_database(self, title: str, columns: dict[str, str]) -> Database:
        """What a person makes by hand; also a second data source is theirs to add."""
        number = len(self.databases)
        source = Source(f"3f2e3d4c-0000-4000-8000-{number:012x}", dict(columns), title)
        made = Database(f"2f2e3d4c-0000-4000-8000-{number:012x}", title, [source], number)
        self.databases.append(made)
        return made

    def act(self, request: Received) -> Answer:
        for complaint in self._complaints(request):
            return complaint
        route = (request.method, *request.path.removeprefix("/v1/").split("/"))
        match route:
            case ("POST", "pages"):
                return self._create(request)
            case ("GET", "pages", page):
                return self._retrieve(page)
            case ("GET", "users", "me"):
                return Answer(200, ME)
            case ("PATCH", "pages", page):
                return self._update(page, request)
            case ("PATCH", "blocks", block, "children"):
                return self._append(block, request)
            case ("GET", "blocks", block, "children"):
                return self._list(block, request)
        return self._act_on_places(route, request)

    def _act_on_places(self, route: tuple[str, ...], request: Received) -> Answer:
        match route:
            case ("POST", "databases"):
                return self._create_database(request)
            case ("GET", "databases", database):
                return self._retrieve_database(database)
            case ("GET", "data_sources", source):
                return self._retrieve_source(source)
            case ("PATCH", "data_sources", source):
                return self._add_columns(source, request)
            case ("POST", "data_sources", source, "query"):
                return self._query(source, request)
        return rules.error(400, "invalid_request_url", "Invalid request URL.")

    def _complaints(self, request: Received) -> Iterator[Answer]:
        if request.headers.get("authorization") != f"Bearer {self.token}":
            yield rules.error(401, "unauthorized", "API token is invalid.")
        if request.headers.get("notion-version") != VERSION:
            words = f"Notion-Version header should be {VERSION!r}."
            yield rules.error(400, "missing_version", words)
        if len(request.raw) > rules.PAYLOAD_BYTES:
            yield rules.error(413, "validation_error", "body too large")
        if request.method != "GET" and not request.is_json:
            yield rules.error(400, "invalid_json", "Error parsing JSON body.")
        right = {"GET": "read", "PATCH": "update"}.get(request.method, "insert")
        right = "read" if request.path.endswith("/query") else right
        right = "insert" if request.path.endswith("/children") and right == "update" else right
        if right not in self.rights:
            words = "Insufficient permissions for this endpoint."
            yield rules.error(403, "restricted_resource", words)
        for fault in rules.block_faults(request.fields.get("children", [])):
            yield rules.invalid(f"body failed validation: {fault}")

    def _create(self, request: Received) -> Answer:
        body = request.fields
        for complaint in rules.unknown_keys(body, rules.CREATE_KEYS):
            return complaint
        parent = body.get("parent", {})
        if parent.get("type") != "data_source_id":
            return rules.many_sources()
        source = self._source(parent.get("data_source_id", ""))
        if isinstance(source, Answer):
            return source
        for fault in rules.property_faults(body["properties"], source.columns):
            return rules.invalid(fault)
        children = body.get("children", [])
        if self._is_full(1 + len(children)):
            return rules.full()
        page = Page(f"1f2e3d4c-0000-4000-8000-{len(self.pages):012x}", dict(body["properties"]))
        page.source = source.id
        page.blocks.extend(children)
        self.pages.append(page)
        return Answer(200, {"object": "page", "id": page.id})

    def _retrieve(self, page: str) -> Answer:
        if self.shared and same_id(page, self.page):
            return Answer(200, {"object": "page", "id": self.page, "in_trash": False})
        found = self._page(page)
        if found is None:
            return rules.missing("page", page)
        return Answer(200, {"object": "page", "id": found.id, "in_trash": found.in_trash})

    def _update(self, page: str, request: Received) -> Answer:
        for complaint in rules.unknown_keys(request.fields, rules.UPDATE_KEYS):
            return complaint
        found = self._page(page)
        if found is None:
            return rules.missing("page", page)
        if found.in_trash or any(
            one.in_trash and found.source in {source.id for source in one.sources}
            for one in self.databases
        ):
            return rules.in_trash()
        source = self._source(found.source)
        if isinstance(source, Answer):
            return rules.missing("page", page)
        changed = request.fields.get("properties", {})
        for fault in rules.property_faults(changed, source.columns):
            return rules.invalid(fault)
        found.properties.update(changed)
        found.in_trash = bool(request.fields.get("in_trash", found.in_trash))
        return Answer(200, {"object": "page", "id": found.id})

    def _append(self, block: str, request: Received) -> Answer:
        page = self._page(block)
        if page is None:
            return rules.missing("block", block)
        if page.in_trash:
            return rules.in_trash()
        children = request.fields.get("children")
        if not children:
            return rules.invalid("body failed validation: body.children should be defined")
        if self._is_full(len(children)):
            return rules.full()
        page.blocks.extend(children)
        return Answer(200, {"object": "list", "results": children})

    def _list(self, block: str, request: Received) -> Answer:
        page = self._page(block)
        if page is None and not (self.shared and same_id(block, self.page)):
            return rules.missing("block", block)
        blocks = page.blocks if page else child_blocks(self.databases)
        start, size = int(request.fields.get("start_cursor", 0)), int(request.fields["page_size"])
        more = start + size < len(blocks)
        cursor = str(start + size) if more else None
        results = blocks[start : start + size]
        return Answer(200, {"results": results, "has_more": more, "next_cursor": cursor})

    def _create_database(self, request: Received) -> Answer:
        body = request.fields
        for complaint in rules.unknown_keys(body, rules.DATABASE_KEYS):
            return complaint
        parent = body.get("parent", {})
        if parent.get("type") != "page_id":
            return rules.invalid("body failed validation: body.parent.page_id should be defined")
        if not (self.shared and same_id(parent["page_id"], self.page)):
            return rules.missing("page", parent["page_id"])
        properties = body.get("initial_data_source", {}).get("properties", {})
        for fault in rules.column_faults(properties):
            return rules.invalid(f"body failed validation: {fault}")
        columns = kinds_of(properties)
        if list(columns.values()).count("title") != 1:
            return rules.invalid("Title is not provided")
        if self._is_full(1):
            return rules.full()
        made = self.make_database(plain(body["title"]), columns)
        return Answer(200, database_facts(made))

    def _retrieve_database(self, database: str) -> Answer:
        found = next((one for one in self.databases if same_id(one.id, database)), None)
        if found is None or not self.shared:
            return rules.missing("database", database)
        return Answer(200, database_facts(found))

    def _retrieve_source(self, source: str) -> Answer:
        found = self._source(source)
        return found if isinstance(found, Answer) else Answer(200, source_facts(found))

    def _add_columns(self, source: str, request: Received) -> Answer:
        found = self._source(source)
        if isinstance(found, Answer):
            return found
        for complaint in rules.unknown_keys(request.fields, {"title", "properties", "in_trash"}):
            return complaint
        for fault in rules.column_faults(request.fields["properties"]):
            return rules.invalid(f"body failed validation: {fault}")
        found.columns.update(kinds_of(request.fields["properties"]))
        return Answer(200, source_facts(found))

    def _query(self, source: str, request: Received) -> Answer:
        found = self._source(source)
        if isinstance(found, Answer):
            return found
        wanted = request.fields["filter"]
        if wanted["property"] not in found.columns:
            return rules.invalid(f"Could not find property with name: {wanted['property']}")
        results = [
            {"object": "page", "id": page.id}
            for page in self.pages
            if page.source == found.id and not page.in_trash
            and page.full_key == wanted["rich_text"]["equals"]
        ]  # fmt: skip
        return Answer(200, {"results": results[: request.fields["page_size"]], "has_more": False})

    def _source(self, source: str) -> Source | Answer:
        if not _UUID.fullmatch(source):
            return rules.invalid("body.parent.data_source_id should be a uuid")
        for one in self.databases:
            for found in one.sources:
                if same_id(found.id, source) and not one.in_trash and self.shared:
                    return found
        return rules.missing("data source", source)

    def _page(self, block: str) -> Page | None:
        return next((page for page in self.pages if same_id(page.id, block)), None)

    def _is_full(self, more: int) -> bool:
        used = sum(1 + len(page.blocks) for page in self.pages)
        return self.block_limit is not None and used + more > self.block_limit
