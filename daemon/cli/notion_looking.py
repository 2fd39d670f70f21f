"""notion sync and notion status: hand over what changed; how Notion stands."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from daemon.bootstrap import state_dir_of
from daemon.cli.approvals_desk import Desk, open_desk
from daemon.cli.group import Command
from daemon.cli.opening import Look, look_at
from daemon.cli.options import json_option
from daemon.cli.output import say, say_json, width
from daemon.clock import day_of
from daemon.config.phrases import Phrases
from daemon.config.secrets import find_secret
from daemon.config.sections import Config
from daemon.errors import SprintdError
from daemon.notify.notion_places import TITLES
from daemon.notify.senders import NOTION_TOKEN
from daemon.reports.notion_rows import Known
from daemon.reports.notion_sync import SyncEnd, SyncPlan, carry_out, places_of, plan_sync, refused
from daemon.reports.plain_text import one_line, wrap
from daemon.store import notion, outbox
from daemon.store.database import Database
from daemon.store.items import list_item_states
from daemon.workspace.board import read_board
from daemon.workspace.loader import load_workspace

_NO_PLACE = "Notion is not set up for this workspace: sprintd notion setup PAGE"
_TOLD = {
    "handed_over": "Pages handed over: {pages}.",
    "asked": "Pages that wait for a person, since people outside can read them: {pages} "
    "({approval}; sprintd approvals)",
    "waits_for_answer": "Pages are asked about already ({approval}): sprintd approvals",
    "refused_before": "Notion refused pages before: mend that first (sprintd notion status), then run: "
    "sprintd outbox retry --all",
    "nothing": "Nothing has changed since the last time.",
}
_MOST_SHOWN = 20


@click.command(cls=Command)
@click.option("--dry-run", is_flag=True, help="Only say what would be handed over.")
@click.option(
    "--again", is_flag=True, help="Everything, also what did not change or is left alone."
)
@json_option
@click.pass_obj
def sync(workspace: Path, dry_run: bool, again: bool, as_json: bool) -> None:  # noqa: FBT001
    """Hand over what changed since the last time.

    The daemon does so by itself after each sprint. Pages leave while it runs. Where notion.public is
    true they wait for a person first. --again hands everything over anew: it puts back values that
    people changed in our columns, and takes up pages that were left alone.

    \b
    Examples:
      sprintd notion sync --dry-run
      sprintd notion sync --again
    """
    if dry_run:
        with look_at(workspace) as look:
            plan = _plan(look.root, look.config, look.db, look.clock.now())
        _show_plan(plan, again=again, as_json=as_json)
        return
    end = sync_now(workspace, again=again)
    if as_json:
        say_json({"how": end.how, "pages": end.pages, "approval": end.approval or None})
    else:
        say(told(end))


@click.command(cls=Command)
@json_option
@click.pass_obj
def status(workspace: Path, as_json: bool) -> None:  # noqa: FBT001
    """Show the databases, what waits, and what is left alone.

    \b
    Examples:
      sprintd notion status
      sprintd notion status --json | jq '.refused'
    """
    with look_at(workspace) as look:
        facts = _facts(look)
    if as_json:
        say_json(facts)
    else:
        say("\n".join(line for text in _lines(facts) for line in wrap(text, width())))


def sync_now(workspace: Path, *, again: bool = False) -> SyncEnd:
    """Hand over what changed, beside a daemon that may run. Raises SprintdError without a place."""
    with open_desk(workspace) as desk:
        return _sync(desk, again=again)


def told(end: SyncEnd) -> str:
    """What came of a sync, in one line."""
    return _TOLD[end.how].format(pages=end.pages, approval=end.approval)


def _sync(desk: Desk, *, again: bool) -> SyncEnd:
    now = desk.clock.now()
    _places(desk.db, desk.config)
    if again:
        notion.forget_contents(desk.db)
    plan = _plan(desk.root, desk.config, desk.db, now)
    ask = desk.approvals.ask if desk.config.notion.public else None
    return carry_out(desk.db, desk.root, plan, now, ask=ask, phrases=desk.phrases)


def _plan(root: Path, config: Config, db: Database, now: Any) -> SyncPlan:
    workspace = load_workspace(root)
    board = read_board(workspace, list_item_states(db), day_of(now))
    known = Known(db, board, workspace.criteria, Phrases(config.daemon.language))
    return plan_sync(known, _places(db, config))


def _places(db: Database, config: Config) -> tuple[str, ...]:
    found = places_of(db, config.notion.findings_data_source)
    if not found:
        raise SprintdError(_NO_PLACE)
    return found


def _show_plan(plan: SyncPlan, *, again: bool, as_json: bool) -> None:
    ids = [row.external_id for row in plan.changed]
    more = plan.unchanged + plan.left_alone if again else 0
    if as_json:
        say_json({
            "would_hand_over": ids, "unchanged": plan.unchanged, "left_alone": plan.left_alone,
            "again": more,
        })  # fmt: skip
        return
    lines = [f"{row.external_id}: {one_line(row.title)}" for row in plan.changed[:_MOST_SHOWN]]
    if len(ids) > _MOST_SHOWN:
        lines.append(f"and {len(ids) - _MOST_SHOWN} more")
    lines.append(
        f"Pages that would be handed over: {len(ids) + more}; as they were: {plan.unchanged}; left "
        f"alone: {plan.left_alone}."
    )
    say("\n".join(lines))


def _facts(look: Look) -> dict[str, Any]:
    db, counts = look.db, notion.count_pages(look.db)
    places = notion.list_places(db)
    token = find_secret(NOTION_TOKEN, environ=os.environ, state_dir=state_dir_of(look.root))
    waiting = [row for row in outbox.list_open(db) if row.channel == "notion"]
    return {
        "token": token is not None,
        "public": look.config.notion.public,
        "places": [
            {
                "place": name,
                "title": TITLES.get(name, name),  # type: ignore[call-overload]
                "database_id": row.database_id,
                "data_source_id": row.data_source_id,
                "pages": counts.get(name, (0, 0))[0],
                "known_to_be_there": counts.get(name, (0, 0))[1],
            }
            for name, row in places.items()
        ],
        "findings_data_source": look.config.notion.findings_data_source or None,
        "waiting": len(waiting),
        "waiting_error": waiting[0].error if waiting else None,
        "refused": [{"key": row.key, "error": row.error} for row in refused(db)],
        "left_alone": [
            {"external_id": row.external_id, "why": row.given_up}
            for row in notion.list_given_up(db)
        ],
    }


def _lines(facts: dict[str, Any]) -> Iterator[str]:
    if not facts["places"] and not facts["findings_data_source"]:
        yield _NO_PLACE
    if not facts["token"]:
        yield "There is no secret notion_token here; a daemon that systemd started may have one."
    for place in facts["places"]:
        address = f"https://www.notion.so/{place['database_id'].replace('-', '')}"
        yield f"{place['title']}: {place['known_to_be_there']} of {place['pages']} pages are there; {address}"
    if facts["findings_data_source"]:
        yield f"Findings go to the data source of the configuration, {facts['findings_data_source']}"
    if facts["public"]:
        yield "People outside can read them, so every page waits for a person: sprintd approvals"
    why = f" ({one_line(facts['waiting_error'], 300)})" if facts["waiting_error"] else ""
    yield f"On their way: {facts['waiting']}{why}"
    for error, number in Counter(row["error"] for row in facts["refused"]).items():
        yield f"Refused, {number}: {one_line(error or '', 1_000)}; then run: sprintd outbox retry --all"
    for page in facts["left_alone"][:_MOST_SHOWN]:
        yield f"Left alone: {page['external_id']}, {page['why']}"
    if len(facts["left_alone"]) > _MOST_SHOWN:
        yield f"and {len(facts['left_alone']) - _MOST_SHOWN} more"
