"""The sender to Notion: one page for each external id, written once and kept up to date.

A payload is {"place", "external_id", "title", "properties": ours by name, "body": Markdown}. The page
bears its external id, with this database's mark, in the property External ID; it is looked up by that
before it is created, so sending again does no harm. Only our properties are written, and the body only
when the page is made: what people write in a page is theirs. A page that they put into the trash or took
away is left alone from then on.

With "trash": True in place of a body the page of a test goes into the trash.

{"pages": several of these} is what a person approved in one go. A payload without `place` is one of an
earlier version: {"title", "body"} for the findings, by its key.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from typing import Any, cast

from daemon.clock import Clock, SystemClock
from daemon.config.phrases import Phrases
from daemon.errors import SendHeld, SendLater, SendRefused, SendUncertain
from daemon.notify.notion_blocks import batches, blocks_of
from daemon.notify.notion_connection import BASE_URL, READ_SECONDS, NotionConnection
from daemon.notify.notion_errors import NOTION_VERSION, NotionRefused
from daemon.notify.notion_places import KEY_PROPERTY, KINDS, Place, named, page_values
from daemon.notify.shelf import Shelf

__all__ = ["BASE_URL", "KEY_PROPERTY", "NOTION_VERSION", "READ_SECONDS", "NotionSender"]

SCHEMA_SECONDS = 3_600.0  # after which a database's columns are read anew
TEST_PREFIX = "test/"  # of the external ids of pages that a test makes and throws away
_NOT_APPROVED = (
    "notion.public is true, and no person approved this page; approve it (sprintd approvals), or let it "
    "be asked for again with: sprintd notion sync --again"
)


class NotionSender:
    """`data_source` is the one for payloads without a place. `approved` says of a payload whether it
    may leave: everything may where it is None. What every page would meet is raised as SendHeld."""

    def __init__(
        self,
        connection: NotionConnection,
        shelf: Shelf,
        *,
        data_source: str = "",
        approved: Callable[[Mapping[str, Any]], bool] | None = None,
        clock: Clock | None = None,
        phrases: Phrases | None = None,
    ) -> None:
        self._notion = connection
        self._shelf = shelf
        self._data_source = data_source
        self._approved = approved
        self._clock, self._phrases = clock or SystemClock(), phrases or Phrases("en")
        self._schemas: dict[str, tuple[float, Mapping[str, Any]]] = {}  # and when it was read
        self._written: dict[str, dict[str, str]] = {}  # of several pages, those that are done

    def send(self, key: str, payload: Mapping[str, Any]) -> str:
        """The page's id. Raises as `Sender` says."""
        if self._approved is not None and not self._approved(payload):
            raise SendRefused(_NOT_APPROVED)
        with _told_apart():
            return self._send(key, payload)

    def find(self, key: str, payload: Mapping[str, Any], *, since: datetime) -> str | None:  # noqa: ARG002
        """The page's id, its missing blocks appended first; or None.

        None too of a page with a place: `send` looks for it, and has perhaps more to write there.
        """
        if "place" in payload or "pages" in payload:
            return None
        with _told_apart():
            page_id = self._notion.find_page(self._data_source, key)
            if page_id is not None:
                self._complete(page_id, _body(payload))
            return page_id

    def close(self) -> None:
        self._notion.close()

    def _send(self, key: str, payload: Mapping[str, Any]) -> str:
        scope = key.rpartition("#")[2]
        if "pages" in payload:
            return self._write_each(key, payload["pages"])
        if payload.get("trash"):
            return self._throw_away(str(payload["external_id"]))
        if "place" in payload:
            return self._write(scope, payload)
        return self._create(
            self._data_source, named(str(payload.get("title") or ""), key), _body(payload)
        )

    def _write_each(self, key: str, pages: Sequence[Mapping[str, Any]]) -> str:
        """Every page once, whatever tries it takes: with a limit in the middle, a try that began anew
        would never reach the end. A page that is itself refused holds up none of the others."""
        scope, refusals = key.rpartition("#")[2], list[NotionRefused]()
        done = self._written.setdefault(key, {})
        for page in pages:
            external_id = str(page["external_id"])
            try:
                if external_id not in done:
                    done[external_id] = self._write(scope, page)
            except NotionRefused as error:
                if error.shuts_out or error.code != "validation_error":
                    raise
                refusals.append(error)
        if refusals:
            raise refusals[0]
        return " ".join(self._written.pop(key).values())

    def _throw_away(self, external_id: str) -> str:
        """Only pages of a test: all others are for people to throw away."""
        if not external_id.startswith(TEST_PREFIX):
            raise SendRefused("only the pages of a test are thrown away")
        page_id, _ = self._shelf.page(external_id)
        if page_id:
            try:
                self._notion.trash_page(page_id)
            except NotionRefused as error:
                if not (error.is_trash or error.is_missing):
                    raise
            self._shelf.forget(external_id)
        return page_id or external_id

    def _write(self, scope: str, payload: Mapping[str, Any]) -> str:
        """Steps: known and left alone: nothing. Known: update. Else look, and update or create."""
        external_id, place = str(payload["external_id"]), cast("Place", payload["place"])
        page_id, given_up = self._shelf.page(external_id)
        if given_up:
            return page_id or external_id
        source = self._shelf.data_source(place)
        if place not in KINDS:
            raise SendRefused(f"there is no kind of page {str(place)[:80]!r}; nobody can write it")
        if not source:
            raise SendHeld(
                f"Notion has no database {place!r} of this workspace; make it with: "
                "sprintd notion setup PAGE"
            )
        key = f"{external_id}#{scope}"
        try:
            refusal = self._update(page_id, source, key, payload) if page_id else None
            if page_id and refusal is None:
                return page_id
            found = self._notion.find_page(source, key)
            if refusal is not None and found == page_id:
                raise refusal
            if page_id and found is None:
                # Of a database that can be asked, so it is the page alone.
                self._shelf.give_up(
                    external_id, place, "people threw it away, or took it elsewhere"
                )
                return page_id
            found = self._put(found, source, key, payload)
        except NotionRefused as error:
            raise self._cured(error, source) from None
        self._shelf.remember(external_id, place, found)
        return found

    def _put(self, found: str | None, source: str, key: str, payload: Mapping[str, Any]) -> str:
        """Create the page, or finish one whose making was cut off."""
        if found is None:
            parts = batches(_body(payload)) or [[]]
            create = partial(self._notion.create_page, source, children=parts[0])
            made = str(self._fitting(source, key, payload, create))
            self._append(made, parts[1:])
            return made
        self._fitting(source, key, payload, partial(self._notion.update_page, found))
        self._complete(found, _body(payload))
        return found

    def _update(
        self, page_id: str, source: str, key: str, payload: Mapping[str, Any]
    ) -> NotionRefused | None:
        """None where it is done; else why the page is perhaps not there: it is missing, in the trash,
        or it does not take our columns, as in a database of people's own."""
        try:
            self._fitting(source, key, payload, partial(self._notion.update_page, page_id))
        except NotionRefused as error:
            if not (error.is_missing or error.code == "validation_error"):
                raise
            return error
        return None

    def _fitting(
        self,
        source: str,
        key: str,
        payload: Mapping[str, Any],
        write: Callable[[dict[str, Any]], Any],
    ) -> Any:
        """What `write`, one request, gives for the columns that are there; they are read anew where
        people have changed them since. A request that Notion finds invalid had no effect."""
        is_new = not self._is_known(source)
        try:
            return write(self._ours(source, key, payload))
        except NotionRefused as error:
            if is_new or error.code != "validation_error" or error.is_trash:
                raise
        self._schemas.pop(source, None)
        return write(self._ours(source, key, payload))

    def _ours(self, source: str, key: str, payload: Mapping[str, Any]) -> dict[str, Any]:
        if not self._is_known(source):
            columns = self._notion.data_source(source)["properties"]
            self._schemas[source] = self._clock.monotonic(), columns
        values, title = payload.get("properties") or {}, str(payload.get("title") or "")
        columns = self._schemas[source][1]
        return page_values(title, key, values, payload["place"], columns, self._left_out)

    def _left_out(self, count: int) -> str:
        return self._phrases.text("notion.left_out", count=f"{count:,}")

    def _is_known(self, source: str) -> bool:
        """Not for ever: people and setup add columns while the daemon runs."""
        found = self._schemas.get(source)
        return found is not None and self._clock.monotonic() - found[0] < SCHEMA_SECONDS

    def _create(self, source: str, properties: Mapping[str, Any], body: list[Any]) -> str:
        """Create the page with its first blocks, then append the others."""
        parts = batches(body)
        page_id = self._notion.create_page(source, properties, children=parts[0] if parts else [])
        self._append(page_id, parts[1:])
        return page_id

    def _append(self, page_id: str, parts: list[list[dict[str, Any]]]) -> None:
        for part in parts:
            try:
                self._notion.append(page_id, part)
            except SendLater as error:
                # The page is there already: only a look-up may go on with it.
                raise SendUncertain(
                    f"the page is not complete yet: {error}",
                    retry_after_seconds=error.retry_after_seconds,
                ) from None

    def _complete(self, page_id: str, body: list[dict[str, Any]]) -> None:
        """Append what is missing, but only where all that is there is the beginning of ours: where
        people wrote in the page meanwhile, it is theirs."""
        if not body:
            return
        there = [_text_of(block) for block in self._notion.children(page_id)]
        if there == [_text_of(block) for block in body[: len(there)]]:
            self._append(page_id, batches(body[len(there) :]))

    def _cured(self, error: NotionRefused, source: str) -> NotionRefused:
        return error if source == self._data_source else error.for_place()


@contextmanager
def _told_apart() -> Iterator[None]:
    """What concerns every page holds the channel; a page's own fault sets that page aside."""
    try:
        yield
    except NotionRefused as error:
        if error.shuts_out:
            raise SendHeld(str(error)) from None
        raise


def _body(payload: Mapping[str, Any]) -> list[dict[str, Any]]:
    return blocks_of(str(payload.get("body") or ""))


def _text_of(block: Mapping[str, Any]) -> str:
    """A block's words without what Notion may do to blanks; empty for a block without words."""
    pieces = block.get(str(block.get("type")), {}).get("rich_text") or []
    return " ".join(
        "".join(piece["text"]["content"] for piece in pieces if "text" in piece).split()
    )
