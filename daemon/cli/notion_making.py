"""notion setup: make or adopt the four databases below a page; again changes nothing."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import click

from daemon.bootstrap import database_of, state_dir_of
from daemon.cli.group import Command
from daemon.cli.notion_looking import sync_now, told
from daemon.cli.opening import check_not_gone, find_root, start_logging
from daemon.cli.options import json_option
from daemon.cli.output import progress, say, say_json
from daemon.clock import Clock, SystemClock
from daemon.config.secrets import find_secret
from daemon.config.sections import Config
from daemon.config.toml_file import load_config
from daemon.errors import SendError, SprintdError
from daemon.notify.notion_connection import NotionConnection
from daemon.notify.notion_places import TITLES
from daemon.notify.notion_setup import Found, page_id_of, set_up
from daemon.notify.senders import NOTION_TOKEN
from daemon.reports.notion_sync import refused
from daemon.store import notion as rows
from daemon.store import outbox, outbox_hold
from daemon.store.database import Database, open_database

_HOW = {"known": "is there already", "adopted": "was there, and is used from now on",
        "created": "was made"}  # fmt: skip
_LEAVE = "Pages leave while the daemon runs; restart it where it was started without the secret notion_token."


@click.command(cls=Command)
@click.argument("page")
@json_option
@click.pass_obj
def setup(workspace: Path, page: str, as_json: bool) -> None:  # noqa: FBT001
    """Make or adopt the four databases below a page.

    PAGE is the page's link or id. Share it with the integration first: in Notion, open the page,
    choose ... and Connections, and add the integration. A database of the right name that has the
    property External ID is adopted and given the columns that it lacks; columns and options of
    people are never changed. Doing it again changes nothing. What waits is then handed over.

    \b
    Examples:
      sprintd notion setup https://www.notion.so/Venture-1f2e3d4c00004000800000000000abcd
      sprintd notion setup 1f2e3d4c-0000-4000-8000-00000000abcd --json
    """
    page_id = page_id_of(page)
    with _open(workspace) as (root, db):
        config, clock = load_config(root), SystemClock()
        found = _set_up(root, config, db, clock, page_id)
        retried = [key for row in refused(db) for key in outbox.retry(db, clock.now(), key=row.key)]
        outbox_hold.hurry(db, ("notion",), clock.now())
        end = sync_now(workspace)
    if as_json:
        handed = {"how": end.how, "pages": end.pages, "approval": end.approval or None}
        say_json({
            "page": page_id, "places": [_as_json(one) for one in found],
            "retried": retried, "sync": handed,
        })  # fmt: skip
        return
    say("\n".join([*_lines(found), told(end), _LEAVE]))


def _set_up(
    root: Path, config: Config, db: Database, clock: Clock, page_id: str
) -> Sequence[Found]:
    token = find_secret(NOTION_TOKEN, environ=os.environ, state_dir=state_dir_of(root))
    if token is None:
        raise SprintdError(
            "there is no secret notion_token: make an integration at notion.so/profile/integrations "
            "with the rights to read, insert and update content, and put its token into "
            "state/secrets/notion_token with mode 0600 (or set NOTION_TOKEN)"
        )

    def keep(found: Found) -> None:
        place = rows.PlaceRow(found.place, found.database_id, found.data_source_id, clock.now())
        rows.save_place(db, place)
        progress(f"{TITLES[found.place]} stands")

    known = {name: row.database_id for name, row in rows.list_places(db).items()}
    try:
        with closing(NotionConnection(token=token, base_url=config.notion.base_url)) as connection:
            return set_up(connection, page_id, known, keep)
    except SendError as error:
        raise SprintdError(f"{error}; what was done so far stands: run setup again then") from None


@contextmanager
def _open(workspace: Path) -> Iterator[tuple[Path, Database]]:
    """Also before the first run."""
    root = find_root(workspace)
    start_logging(root, level="WARNING")
    check_not_gone(root)
    with closing(open_database(database_of(root))) as db:
        yield root, db


def _lines(found: Sequence[Found]) -> Iterator[str]:
    for one in found:
        title = TITLES[one.place]
        yield f"{title} {_HOW[one.how]}: {address_of(one.database_id)}"
        if one.added and one.how != "created":
            yield f"  columns added: {', '.join(one.added)}"
        for name in one.foreign:
            yield f"  the column {name} is of another kind; it is left alone and not filled"
        for double in one.doubles:
            yield f"  not used: another database named {title}, {address_of(double)}; delete it if it is empty"


def address_of(database_id: str) -> str:
    """Where a browser finds it."""
    return f"https://www.notion.so/{database_id.replace('-', '')}"


def _as_json(found: Found) -> dict[str, Any]:
    return {
        "place": found.place,
        "how": found.how,
        "database_id": found.database_id,
        "data_source_id": found.data_source_id,
        "added": list(found.added) if found.how != "created" else [],
        "left_alone": list(found.foreign),
        "doubles": list(found.doubles),
    }
