"""The doctor's look at Notion: token, databases and columns. Writes nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from typing import Any, cast

from daemon.bootstrap import database_of, state_dir_of
from daemon.cli.doctor_result import Result, fault, ok, warn
from daemon.cli.doctor_settings import Place
from daemon.config.secrets import find_secret
from daemon.errors import SendError, SendRefused, SprintdError, StoreError
from daemon.notify.notion_connection import NotionConnection
from daemon.notify.notion_errors import DATA_SOURCE_CURE, NOTION_VERSION, PLACE_CURE, NotionRefused
from daemon.notify.notion_places import (
    KEY_PROPERTY,
    TITLES,
    foreign_columns,
    missing_columns,
)
from daemon.notify.notion_places import (
    Place as Name,
)
from daemon.notify.senders import NOTION_TOKEN
from daemon.store.database import open_read_only
from daemon.store.notion import list_places

READ_SECONDS = 4.0
_TOKEN_CURE = (
    "at notion.so/profile/integrations open the integration, Configuration, Show and Copy the secret "  # noqa: S105
    "into notion_token, and restart"
)
_AGAIN = "run again: sprintd notion setup PAGE"


def check_notion(place: Place) -> Iterator[Result]:
    """Nothing where the token is not seen from here (which `check_tokens` tells)."""
    try:
        token = find_secret(NOTION_TOKEN, environ=place.environ, state_dir=state_dir_of(place.root))
    except SprintdError:
        return
    if token is None:
        return
    sources = sources_of(place)
    try:
        notion = NotionConnection(
            token=token, base_url=place.config.notion.base_url, read_seconds=READ_SECONDS
        )
    except SprintdError as error:
        yield fault("notion token", str(error), "correct it")
        return
    with closing(notion):
        yield from _look(notion, place, sources)


def sources_of(place: Place) -> dict[str, str]:
    """The id of each database's data source, as the store and the configuration have it."""
    found: dict[str, str] = {}
    path = database_of(place.root)
    if path.exists():
        with suppress(StoreError), closing(open_read_only(path)) as db:
            found = {name: row.data_source_id for name, row in list_places(db).items()}
    own = place.config.notion.findings_data_source
    return {**found, **({"findings": own} if own else {})}


def judge_source(name: Name, source: Mapping[str, Any], *, ours: bool) -> Result:
    """`ours`: setup made or adopted it, so that setup can mend it."""
    check, title = f"notion {name}", TITLES[name]
    columns = source.get("properties") or {}
    if source.get("in_trash") or source.get("archived"):
        cure = f"restore it in Notion, or {_AGAIN}"
        return fault(check, f"the database {title} is in the trash", cure)
    kind = columns.get(KEY_PROPERTY, {}).get("type")
    if kind != "rich_text":
        has = f"has {KEY_PROPERTY} of the kind {kind}" if kind else f"has no {KEY_PROPERTY}"
        cure = f"in Notion add a property of the kind Text named {KEY_PROPERTY}"
        return fault(check, f"{title} {has}", f"{cure}; or {_AGAIN}" if ours else cure)
    missing, foreign = missing_columns(name, columns), foreign_columns(name, columns)
    if foreign:
        message = f"{title}: {', '.join(foreign)} is of another kind and is not filled"
        return warn(check, message, f"rename that column in Notion, then {_AGAIN}")
    if missing and ours:
        message = f"{title} lacks {', '.join(missing)}, which is not filled"
        return warn(check, message, f"unless that is what you want, {_AGAIN}")
    return ok(check, f"{title} can be read and has {KEY_PROPERTY}")


def _look(notion: NotionConnection, place: Place, sources: Mapping[str, str]) -> Iterator[Result]:
    check = "notion token"
    try:
        me = notion.me()
    except NotionRefused as error:
        yield fault(check, f"Notion says {error.code}: {error.said}", _TOKEN_CURE)
        return
    except SendRefused as error:
        yield fault(check, str(error), "correct notion.base_url")
        return
    except SendError as error:
        yield warn(check, str(error), "nothing can be said of it now; try again")
        return
    where = str((me.get("bot") or {}).get("workspace_name") or "its workspace")
    message = f"is valid: {me.get('name') or 'the integration'} in {where}"
    yield ok(check, f"{message}, version {NOTION_VERSION}")
    if not sources:
        cure = "share a page with the integration, then: sprintd notion setup PAGE"
        yield warn("notion places", "no database is known, so no page is written", cure)
    for name, source in sources.items():
        if name in TITLES:
            own = source == place.config.notion.findings_data_source
            yield _check_source(notion, cast("Name", name), source, ours=not own)
    if sources:
        yield ok(
            "notion rights",
            "reading is allowed; inserting and updating is tried by: sprintd notify test "
            "--channel notion",
        )


def _check_source(notion: NotionConnection, name: Name, source: str, *, ours: bool) -> Result:
    try:
        return judge_source(name, notion.data_source(source), ours=ours)
    except NotionRefused as error:
        cure = PLACE_CURE if ours else DATA_SOURCE_CURE
        message = f"{TITLES[name]}: Notion says {error.code}: {error.said}"
        return fault(f"notion {name}", message, cure)
    except SendError as error:
        return warn(f"notion {name}", str(error), "nothing can be said of it now; try again")
