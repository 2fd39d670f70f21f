"""What a failure of Notion means: refused, later, or in doubt; and what cures a refusal."""

from __future__ import annotations

import json
from contextlib import suppress

import httpx
from notion_client.errors import APIResponseError, HTTPResponseError, RequestTimeoutError

from daemon.config.redaction import redact
from daemon.errors import SendError, SendHeld, SendLater, SendRefused, SendUncertain
from daemon.notify.exchange import told_to_wait
from daemon.notify.notion_places import KEY_PROPERTY

NOTION_VERSION = "2026-03-11"  # the only place; every request bears it
DATA_SOURCE_CURE = (
    "notion.findings_data_source must be the id of a data source, not that of its database or of a "
    "page (in Notion: the database's settings, Manage data sources, Copy data source ID), and the "
    "data source must be shared with the integration"
)
PLACE_CURE = (
    "in Notion, open the page that you gave to setup, choose ... and Connections, and add the "
    "integration there; then run again: sprintd notion setup PAGE (its ids are those of data sources)"
)
_SHUT_OUT = ("unauthorized", "restricted_resource", "missing_version")
_LATER = (409, 429, 529)
_ID_WORDS = ("data source", "data_source", "database", "is_id", "uuid")
_LIMIT_WORDS = ("block limit", "limit of blocks", "blocks limit", "upgrade")
_TRASH_WORDS = ("archived", "in trash", "in the trash")


class NotionRefused(SendRefused):
    """An answer that will stay the same until a person changes something.

    `code` is Notion's own name for it, `said` what it says, without secrets. `of_source`: a database was
    asked, or given a page; no page of it was.
    """

    of_source = False

    def __init__(self, host: str, status: int, code: str, said: str, cure: str = "") -> None:
        self.host, self.status, self.code, self.said = host, status, code, said
        super().__init__(
            f"{host} refuses the page ({status} {code}, Notion-Version {NOTION_VERSION}): {said.rstrip('.')}; "
            f"{cure or _cure(code, said, DATA_SOURCE_CURE)}"
        )

    def for_place(self) -> NotionRefused:
        """The same for a data source that setup made or adopted, whose id nobody typed."""
        cure = _cure(self.code, self.said, PLACE_CURE)
        again = NotionRefused(self.host, self.status, self.code, self.said, cure)
        again.of_source = self.of_source
        return again

    @property
    def shuts_out(self) -> bool:
        """Whether every page meets it: the token, the rights, or the database itself is the cause."""
        if self.code in _SHUT_OUT:
            return True
        words = self.said.lower()
        about = (*_ID_WORDS, *_TRASH_WORDS, KEY_PROPERTY.lower())
        return self.of_source and (
            self.code in ("object_not_found", "invalid_request_url")
            or any(word in words for word in about)
        )

    @property
    def is_trash(self) -> bool:
        """Whether what was to be changed lies in the trash."""
        words = self.said.lower()
        return self.code == "validation_error" and any(word in words for word in _TRASH_WORDS)

    @property
    def is_missing(self) -> bool:
        """Whether it is not there, or not for this integration."""
        return self.code == "object_not_found"


def explain_answer(failure: HTTPResponseError, host: str) -> SendError:
    """What an answer with an error status means."""
    status = failure.status
    if status in _LATER:
        why = {
            409: "was busy with the same page",
            429: f"asks to write less often{_whose(failure)}",
        }
        return SendLater(
            f"{host} {why.get(status, 'is overloaded')} ({status})",
            retry_after_seconds=told_to_wait(dict(failure.headers)),
        )
    if status >= 500 or status == 408:
        return SendUncertain(f"{host} failed ({status})")
    code, said = _told(failure)
    if not code:
        return SendHeld(f"there is no Notion API at {host} ({status}); correct notion.base_url")
    return NotionRefused(host, status, code, redact(" ".join(said.split()))[:300])


def explain_transport(error: Exception, host: str) -> SendError:
    """A failure below HTTP. Only one that surely came before the request is no cause for doubt."""
    cause = error.__context__ if isinstance(error, RequestTimeoutError) else error
    if isinstance(cause, httpx.ConnectError | httpx.ConnectTimeout | httpx.PoolTimeout):
        return SendLater(f"{host} cannot be reached ({type(cause).__name__})")
    name = type(cause or error).__name__
    return SendUncertain(f"the exchange with {host} broke ({name})")


def _told(failure: HTTPResponseError) -> tuple[str, str]:
    """Notion's code and words, also for a code that the SDK does not know; empty for another server's
    answer."""
    if isinstance(failure, APIResponseError):
        return failure.code.value, str(failure)
    with suppress(ValueError, AttributeError):
        facts = json.loads(failure.body)
        if facts.get("object") == "error":
            return redact(str(facts.get("code")))[:60], str(facts.get("message"))
    return "", ""


def _whose(failure: HTTPResponseError) -> str:
    """Which limit was met, where Notion says so: this integration's or the whole workspace's."""
    told = getattr(failure, "additional_data", None) or {}
    reason = told.get("rate_limit_reason") if isinstance(told, dict) else None
    return f", by its limit {redact(str(reason))[:60]}" if reason else ""


def _cure(code: str, said: str, id_cure: str) -> str:
    words = said.lower()
    if any(word in words for word in _LIMIT_WORDS):
        return (
            "a free workspace with more than one member takes 1,000 blocks for life, and deleting "
            "gives none back: use a workspace of one member, or a paid plan"
        )
    if code == "unauthorized":
        return (
            "copy the integration's secret again (notion.so/profile/integrations, the integration, "
            "Configuration, Show) into the secret notion_token, and restart"
        )
    if code == "restricted_resource":
        return (
            "give the integration the right to read, insert and update content "
            "(notion.so/profile/integrations, the integration, Configuration, Capabilities)"
        )
    if KEY_PROPERTY.lower() in words:
        return (
            f"add a property of the kind text named {KEY_PROPERTY} to the data source, or give yours its "
            "name back; one of another kind must have another name"
        )
    if (
        code in ("object_not_found", "invalid_request_url")
        or any(word in words for word in (*_ID_WORDS, *_TRASH_WORDS))
    ):  # fmt: skip
        return id_cure
    return "what it complains of must be changed before the page can be written"
