"""approvals ask: what a person wants to have asked, as a question."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import click

from daemon.cli.approvals_desk import Desk
from daemon.config.sections import MICROS_PER_USD
from daemon.errors import NotFound, SprintdError
from daemon.governance.approvals import Question
from daemon.governance.approved import PLACE
from daemon.governance.budget import Budget
from daemon.governance.proven import proven_raises
from daemon.governance.questions import grant_payload, grants_for, raise_question
from daemon.knowledge.action import TARGET_KINDS, Action, Target, digest
from daemon.knowledge.tools import TOOLS
from daemon.llm.prices import load_prices
from daemon.store import items
from daemon.store.notion import NotionShelf

ASKED_KINDS = ("post", "publish", "raise-cap", "unblock", "grant")
_LONGEST_SHOWN = 60
_MOST_USD = 1_000_000
_MOST_BYTES = 100_000


@dataclass(frozen=True)
class Wish:
    """The options of `approvals ask`; None where one was not given."""

    channel: str | None
    to: str | None
    text: str | None
    file: Path | None
    item: str | None
    usd: str | None
    entry: int | None
    why: str
    hours: float | None


def question_of(desk: Desk, kind: str, wish: Wish, by: str) -> Question:
    """Raises click.UsageError where an option is missing, SprintdError where one cannot be used."""
    if wish.hours is not None and not 0 < wish.hours <= 720:
        raise click.UsageError("--hours is more than 0 and at most 720")
    match kind:
        case "post":
            return _post(desk, wish, by)
        case "publish":
            return _publish(desk, wish, by)
        case "raise-cap":
            return _raise_cap(desk, wish, by)
        case "unblock":
            return _unblock(desk, wish, by)
        case _:
            return _grant(desk, wish, by)


def _unblock(desk: Desk, wish: Wish, by: str) -> Question:
    """Raises SprintdError for an item that is not blocked: nothing would come of the yes."""
    item = _given("--item", wish.item, "unblock")
    if items.find_item_state(desk.db, item).state != "blocked":
        raise SprintdError(f"{item!r} is not blocked; see: sprintd backlog --standing blocked")
    return Question("unblock", f"Put {item} back", wish.why, by, {"item": item},
                    dedupe=f"unblock/{item}", hours=wish.hours)  # fmt: skip


def _post(desk: Desk, wish: Wish, by: str) -> Question:
    """Raises SprintdError where the channel has no place for it, which would show after the yes."""
    channel, text = _given("--channel", wish.channel, "post"), _given("--text", wish.text, "post")
    _check_place(desk, channel, wish.to)
    place = {"to": wish.to} if wish.to else {}
    message = {"kind": "post", "title": _shown(text), "text": text, "body": text, **place}
    title = f"Post to {wish.to or channel}: {_shown(text)}"
    payload = {"channel": channel, "message": message}
    return Question("post", title, wish.why, by, payload, hours=wish.hours)


def _check_place(desk: Desk, channel: str, to: str | None) -> None:
    if channel == "slack":
        if to and not PLACE.fullmatch(to):
            raise click.UsageError(f"--to is the id of a channel such as C0123456789, not {to!r}")
        if not desk.config.slack.channel:
            raise SprintdError(
                "nothing goes to Slack here, so a yes would send nothing: set slack.channel in "
                "config.toml first (docs/slack.md)"
            )
    if channel == "notion" and not desk.config.notion.findings_data_source:
        raise SprintdError(
            "Notion has no place for a message: set notion.findings_data_source, or post to slack"
        )


def _publish(desk: Desk, wish: Wish, by: str) -> Question:
    """Raises SprintdError where the channel has no place for it."""
    channel = _given("--channel", wish.channel, "publish")
    if wish.file is None:
        raise click.UsageError("publish takes --file, the message as JSON")
    message = _read(wish.file)
    _check_places(desk, channel, message)
    title = f"Publish to {channel}: {_shown(str(message.get('title') or wish.file.name))}"
    payload = {"channel": channel, "message": message}
    return Question("publish", title, wish.why, by, payload, hours=wish.hours)


def _check_places(desk: Desk, channel: str, message: Mapping[str, Any]) -> None:
    """A page may name the database of ours that it goes to; any other message is as a post."""
    pages = message.get("pages") or [message]
    named = [one["place"] for one in pages if isinstance(one, dict) and one.get("place")]
    if channel != "notion" or not named:
        to = message.get("to")
        return _check_place(desk, channel, to if isinstance(to, str) else None)
    shelf = NotionShelf(desk.db, desk.clock, findings=desk.config.notion.findings_data_source)
    for place in named:
        if not shelf.data_source(str(place)):
            raise SprintdError(
                f"Notion has no database {str(place)[:40]!r} of this workspace; make it with: "
                "sprintd notion setup PAGE"
            )
    return None


def _raise_cap(desk: Desk, wish: Wish, by: str) -> Question:
    micros = desk.config.approvals.raise_cap_micros
    if wish.usd is not None:
        try:
            usd = Decimal(wish.usd)
            micros = int(usd * MICROS_PER_USD) if usd < _MOST_USD else -1
        except (ArithmeticError, ValueError):
            raise click.UsageError(f"--usd is no amount: {wish.usd!r}") from None
    if micros <= 0:
        raise click.UsageError(f"--usd is more than 0 and less than {_MOST_USD:,}")
    raised = proven_raises(desk.db, desk.gate.books)
    budget = Budget(desk.db, load_prices(desk.root), desk.config.budget, desk.clock, raised)
    day = budget.today()
    asked = raise_question(day, micros, wish.why, by, desk.voice)
    return replace(asked, if_unanswered=desk.phrases.text("approval.cap_stays"))


def _grant(desk: Desk, wish: Wish, by: str) -> Question:
    """For an action that the gate left to a person, by its entry in the ledger."""
    if wish.entry is None:
        raise click.UsageError("grant takes --entry, the number of the entry that was not allowed")
    entry = desk.gate.books.entry(wish.entry)
    if entry is None:
        raise NotFound(f"the ledger has no entry {wish.entry}; see: sprintd ledger tail")
    action = _action_of(entry)
    ruling, given = desk.gate.rule_on(action, ()), grants_for(desk.gate, action)
    if not given:
        raise SprintdError(f"nobody can grant entry {wish.entry}: {ruling.effect}, {ruling.reason}")
    title = f"Let {action.actor} do {action.tool} once"
    return Question(
        "grant",
        title,
        wish.why or ruling.reason,
        by,
        grant_payload(action, given),
        dedupe=f"grant/{digest(action)}",
        hours=wish.hours,
    )


def _action_of(entry: Mapping[str, Any]) -> Action:
    """Raises SprintdError where the entry is no decision about a whole action."""
    told = entry["action"]
    pairs = [str(target).partition(":") for target in told["targets"]]
    whole = all(kind in TARGET_KINDS for kind, _, _value in pairs)
    if entry["type"] != "decision" or not whole or told["tool"] not in TOOLS:
        raise SprintdError(f"entry {entry['seq']} is no decision that a person could change")
    targets = tuple(Target(kind, value) for kind, _, value in pairs)  # type: ignore[arg-type]
    return Action(entry["actor"], told["tool"], targets, told["args_sha256"])


def _read(file: Path) -> dict[str, Any]:
    """Raises SprintdError for a file that holds no message."""
    try:
        raw = file.expanduser().read_bytes()
        found = json.loads(raw[: _MOST_BYTES + 1])
    except (OSError, ValueError, RecursionError) as error:
        raise SprintdError(f"{file}: is no message in JSON: {error}") from error
    if len(raw) > _MOST_BYTES or not isinstance(found, dict):
        raise SprintdError(f"{file}: is no JSON object of at most {_MOST_BYTES:,} bytes")
    return found


def _given(option: str, value: str | None, kind: str) -> str:
    if not value:
        raise click.UsageError(f"{kind} takes {option}")
    return value


def _shown(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_SHOWN else f"{line[: _LONGEST_SHOWN - 1]}…"
