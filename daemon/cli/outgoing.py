"""outbox: what has not left yet, and what needs a person."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from daemon.cli.group import Command
from daemon.cli.opening import did_you_mean, look_despite_faults, open_existing
from daemon.cli.options import json_option
from daemon.cli.output import say, say_json, width
from daemon.clock import SystemClock, to_text, utc_text
from daemon.errors import NotFound
from daemon.reports.plain_text import one_line, wrap
from daemon.store import outbox as store
from daemon.store import outbox_hold
from daemon.store.database import Database
from daemon.store.outbox import OutboxRow
from daemon.store.outbox_hold import Hold


@click.command(cls=Command)
@click.argument("action", required=False, type=click.Choice(["retry"]))
@click.argument("key", required=False)
@click.option("--set-aside", "aside", is_flag=True, help="Only what was set aside for a person.")
@click.option("--all", "everything", is_flag=True, help="With retry: all that was set aside.")
@json_option
@click.pass_obj
def outbox(
    workspace: Path,
    action: str | None,
    key: str | None,
    aside: bool,  # noqa: FBT001
    everything: bool,  # noqa: FBT001
    as_json: bool,  # noqa: FBT001
) -> None:
    """List messages that have not left yet, or retry what was set aside.

    A message that Slack or Notion refuses is tried once and set aside with the reason. Mend that,
    then retry it: the far side is asked first, so it never stands there twice. Where a channel takes
    nothing at all (a token was revoked, a right taken away), everything waits, and is tried again by
    itself each quarter of an hour; retry --all tries it at once. Messages leave while the daemon runs.

    \b
    Examples:
      sprintd outbox
      sprintd outbox --set-aside --json | jq -r '.messages[].error'
      sprintd outbox retry finding/17
      sprintd outbox retry --all
    """
    if action == "retry":
        _retry(workspace, key, everything=everything, as_json=as_json)
        return
    if everything:
        raise click.UsageError("--all goes with retry")
    with look_despite_faults(workspace) as look:
        rows, holds = store.list_set_aside(look.db), outbox_hold.find_holds(look.db)
        if not aside:
            rows = [*store.list_open(look.db), *rows]
    if as_json:
        say_json({"messages": [message_as_json(row) for row in rows], "held": _held_as_json(holds)})
    else:
        lines = [*render_holds(holds, width()), *render_messages(rows, width())]
        say("\n".join(lines) or "No message waits or was set aside.")


def message_as_json(row: OutboxRow) -> dict[str, Any]:
    """One message without its text."""
    return {
        "key": row.key,
        "channel": row.channel,
        "state": row.state,
        "attempts": row.attempts,
        "in_doubt": row.uncertain or row.state == "sending",
        "created_at": to_text(row.created_at),
        "next_try_at": None if row.state == "set_aside" else to_text(row.next_try_at),
        "error": row.error,
    }


def render_messages(rows: Sequence[OutboxRow], columns: int) -> Iterator[str]:
    """What each waits for, and why."""
    for row in rows:
        tries = f"{row.attempts} {'try' if row.attempts == 1 else 'tries'}"
        state = row.state.replace("_", " ")
        when = "" if row.state == "set_aside" else f", next at {utc_text(row.next_try_at)}"
        line = f"{one_line(row.key)} to {row.channel}: {state} since {utc_text(row.created_at)}, "
        yield from wrap(f"{line}{tries}{when}", columns)
        if row.error:
            yield from wrap(one_line(row.error, 1_000), columns, indent="  ")


def render_holds(holds: Mapping[str, Hold], columns: int) -> Iterator[str]:
    """Which channels take nothing at all, and why."""
    for channel, held in sorted(holds.items()):
        line = f"{channel} takes no message since {utc_text(held.since)}; all of them wait:"
        yield from wrap(line, columns)
        yield from wrap(one_line(held.why, 1_000), columns, indent="  ")


def _held_as_json(holds: Mapping[str, Hold]) -> dict[str, Any]:
    return {name: {"since": to_text(one.since), "why": one.why} for name, one in holds.items()}


def _retry(workspace: Path, key: str | None, *, everything: bool, as_json: bool) -> None:
    if (key is None) != everything:
        raise click.UsageError("retry takes the KEY of one message, or --all")
    with open_existing(workspace) as (_root, db):
        why_not = "nothing was set aside" if key is None else _why_not(db, key)
        now = SystemClock().now()
        retried = store.retry(db, now, key=key)
        channels = outbox_hold.hurry(db, outbox_hold.find_holds(db), now) if everything else []
    if as_json:
        say_json({"retried": retried, "channels": channels})
    elif retried or channels:
        what = [*(f"all that waits for {channel}" for channel in channels), *retried]
        say(f"Will be tried again while the daemon runs: {', '.join(what)}.")
    else:
        say(f"Nothing was changed: {why_not}.")


def _why_not(db: Database, key: str) -> str:
    """What a message is, in case it was not set aside. Raises NotFound where there is none."""
    row = store.find_message(db, key)
    if row is None:
        near = did_you_mean(key, [found.key for found in store.list_set_aside(db)])
        raise NotFound(f"no message has the key {key!r}{near}; list them with: sprintd outbox")
    return f"{key} is {row.state.replace('_', ' ')}"
