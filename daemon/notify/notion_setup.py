"""Makes or adopts our four databases below one page of Notion; doing it again changes nothing.

A database is ours where its title is and it has the property External ID. Two setups at once may make
one twice: each looks before and after, and both go on with the one that was made first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Literal
from urllib.parse import parse_qs, urlsplit

from daemon.errors import SendRefused, SprintdError
from daemon.notify.notion_connection import Facts, NotionConnection
from daemon.notify.notion_errors import NotionRefused
from daemon.notify.notion_places import (
    KEY_PROPERTY,
    TITLES,
    Place,
    columns,
    foreign_columns,
    missing_columns,
)

How = Literal["known", "adopted", "created"]
_ID = re.compile(r"[0-9a-f]{32}")
_SHARE = "open the page in Notion, choose ... and Connections, and add the integration; then run setup again"


@dataclass(frozen=True)
class Found:
    """One of our databases. `added` are columns that were missing; `foreign` columns of our name but
    another kind, which stay as people made them and are not filled; `doubles` other databases that
    look the same and are not used."""

    place: Place
    database_id: str
    data_source_id: str
    how: How
    added: tuple[str, ...] = ()
    foreign: tuple[str, ...] = ()
    doubles: tuple[str, ...] = ()


def page_id_of(page: str) -> str:
    """The id in what a person gave: an id, with or without hyphens, or a page's address.

    Raises SprintdError where there is none.
    """
    names: list[str] = []
    with suppress(ValueError):  # an address with half a bracket
        url = urlsplit(page.strip(" \t\r\n<>{}"))
        names = [*parse_qs(url.query).get("p", []), url.path.rstrip("/").rpartition("/")[2]]
    for name in names:  # My-page-1f2e..., or a plain id with or without hyphens
        found = _ID.fullmatch(name.replace("-", "")[-32:].lower())
        if found:
            return found[0]
    raise SprintdError(
        f"there is no page id in {page[:200]!r}; copy the page's link in Notion (Share, Copy link): "
        "it ends in 32 hexadecimal digits"
    )


def set_up(
    notion: NotionConnection,
    page_id: str,
    known: Mapping[str, str],
    done: Callable[[Found], None],
) -> tuple[Found, ...]:
    """Make or adopt every database. `known` has the ids of databases of an earlier setup by place;
    `done` hears of each as soon as it stands.

    Raises SprintdError with what to do where the page cannot be used, SendError otherwise.
    """
    _check_page(notion, page_id)
    found: list[Found] = []
    for place in TITLES:
        one = _known(notion, place, known.get(place, "")) or _adopt(notion, place, page_id)
        found.append(one or _create(notion, place, page_id))
        done(found[-1])
    return tuple(found)


def _check_page(notion: NotionConnection, page_id: str) -> None:
    try:
        page = notion.page(page_id)
    except NotionRefused as error:
        if error.is_missing:
            raise SprintdError(
                f"the integration does not see the page {page_id}: {_SHARE}. It must be a page, not a "
                "database"
            ) from None
        raise
    if page.get("in_trash"):
        raise SprintdError(f"the page {page_id} is in the trash; restore it, or give another one")


def _known(notion: NotionConnection, place: Place, database_id: str) -> Found | None:
    """The database of an earlier setup, wherever people moved it; None where it is gone."""
    if not database_id:
        return None
    try:
        return _look_into(notion, place, database_id, "known")
    except NotionRefused as error:
        if error.is_missing:
            return None
        raise


def _adopt(notion: NotionConnection, place: Place, page_id: str) -> Found | None:
    """The oldest database below the page that is ours; the others of that kind are its doubles."""
    below = [
        block
        for block in notion.children(page_id)
        if block.get("type") == "child_database" and not block.get("in_trash")
        and block["child_database"].get("title", "").strip() == TITLES[place]
    ]  # fmt: skip
    below.sort(key=lambda block: (str(block.get("created_time")), str(block["id"])))
    ours = [one for block in below if (one := _seen(notion, place, str(block["id"])))]
    if not ours:
        return None
    doubles = tuple(one.database_id for one in ours[1:])
    return replace(ours[0], doubles=doubles)


def _seen(notion: NotionConnection, place: Place, database_id: str) -> Found | None:
    """None of one that the integration cannot open, as a view of a database elsewhere: not ours."""
    try:
        return _look_into(notion, place, database_id, "adopted")
    except NotionRefused as error:
        if error.is_missing:
            return None
        raise


def _create(notion: NotionConnection, place: Place, page_id: str) -> Found:
    try:
        made = notion.create_database(page_id, TITLES[place], columns(place))
    except NotionRefused as error:
        if error.is_missing:
            raise SprintdError(f"nothing can be made below the page {page_id}: {_SHARE}") from None
        raise
    database_id, source = str(made["id"]), str(made["data_sources"][0]["id"])
    oldest = _adopt(notion, place, page_id)
    if oldest is not None and oldest.database_id != database_id:
        return oldest  # another setup was quicker; ours is named among its doubles
    doubles = oldest.doubles if oldest else ()
    return Found(place, database_id, source, "created", doubles=doubles)


def _look_into(notion: NotionConnection, place: Place, database_id: str, how: How) -> Found | None:
    """The database, its missing columns added; None where it is in the trash or not ours.

    Of several data sources it takes the one that has the property External ID. Raises SendRefused
    where several have it: only a person knows which one is meant. A known one is ours even where
    people renamed that property, so that no second database is made: it gets the property again.
    """
    database = notion.database(database_id)
    if database.get("in_trash"):
        return None
    sources = [notion.data_source(str(one["id"])) for one in database.get("data_sources", [])]
    ours = [source for source in sources if _is_ours(source)]
    if not ours and sources and how == "known":
        ours = [_without_key(place, sources)]
    if len(ours) > 1:
        ids = ", ".join(str(source["id"]) for source in ours)
        raise SendRefused(
            f"the database {TITLES[place]} has {len(ours)} data sources with the property "
            f"{KEY_PROPERTY} ({ids}), and only a person knows which one is meant; delete that property "
            "from all but one, and run setup again"
        )
    if not ours:
        return None
    there = ours[0]["properties"]
    missing = missing_columns(place, there)
    if missing:
        notion.add_properties(str(ours[0]["id"]), missing)
    return Found(
        place,
        str(database["id"]),
        str(ours[0]["id"]),
        how,
        added=tuple(missing),
        foreign=foreign_columns(place, there),
    )


def _without_key(place: Place, sources: list[Facts]) -> Facts:
    """The one data source of a known database. Raises SendRefused where it cannot get its key."""
    if len(sources) == 1 and KEY_PROPERTY not in sources[0]["properties"]:
        return sources[0]
    raise SendRefused(
        f"the database {TITLES[place]} has lost its property {KEY_PROPERTY} of the kind text, by which "
        "its pages are known; give it that name and kind again (one of another kind must have another "
        "name), and run setup again"
    )


def _is_ours(source: Facts) -> bool:
    column: dict[str, Any] = source["properties"].get(KEY_PROPERTY, {})
    return column.get("type") == "rich_text"
