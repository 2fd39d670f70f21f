"""approvals, approve, reject: what waits for a person, and their answer; also while the daemon runs."""

from __future__ import annotations

import os
import pwd
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from daemon.cli.approvals_asking import ASKED_KINDS, Wish, question_of
from daemon.cli.approvals_desk import Desk, open_desk
from daemon.cli.group import Command
from daemon.cli.opening import look_despite_faults
from daemon.cli.options import json_option
from daemon.cli.output import program_name, say, say_json, width
from daemon.clock import to_text, utc_text
from daemon.config.phrases import Phrases
from daemon.errors import NotFound
from daemon.governance.approval_standing import Standing, standing_of
from daemon.governance.approval_words import details, end_line
from daemon.governance.approvals import Decision
from daemon.reports.plain_text import one_line, wrap
from daemon.store import approvals as rows
from daemon.store.approvals import ApprovalRow

NOT_DECIDED = 9
_MOST_SHOWN = 200


@click.command(cls=Command)
@click.argument("action", required=False, type=click.Choice(["ask"]))
@click.argument("kind", required=False, type=click.Choice(ASKED_KINDS))
@click.option("--all", "everything", is_flag=True, help="Also what was decided or expired.")
@click.option("--channel", metavar="NAME", help="For post and publish: slack or notion.")
@click.option("--to", metavar="ID", help="For post: another place than the channel's own.")
@click.option("--text", metavar="TEXT", help="For post: what is said.")
@click.option("--file", type=click.Path(path_type=Path), help="For publish: the message, as JSON.")
@click.option("--item", metavar="ITEM", help="For unblock: the item.")
@click.option("--usd", metavar="USD", help="For raise-cap: how much.  [default: as configured]")
@click.option("--entry", type=int, metavar="N", help="For grant: the ledger's entry that asks.")
@click.option("--why", metavar="TEXT", default="", help="Why, for whoever answers.")
@click.option("--hours", type=float, help="Until no answer is a no.  [default: as configured]")
@json_option
@click.pass_obj
def approvals(
    workspace: Path,
    /,
    action: str | None,
    kind: str | None,
    everything: bool,  # noqa: FBT001
    as_json: bool,  # noqa: FBT001
    **wish: Any,
) -> None:
    """List what waits for a person, or ask for something.

    What goes out of the workspace or cannot be taken back is asked first, with exactly what would be
    done. Answer with approve or reject, on the page, or with the buttons in Slack; no answer is a
    no. KIND is one of post, publish, raise-cap, unblock, grant.

    \b
    Examples:
      sprintd approvals
      sprintd approvals --all --json | jq -r '.approvals[].outcome'
      sprintd approvals ask raise-cap --usd 5 --why "two items are nearly done"
      sprintd approvals ask post --channel slack --to C0123 --text "We found the register."
    """
    if action is None:
        rows_found = _listed(workspace, everything=everything)
        if as_json:
            say_json({"approvals": [approval_as_json(*one) for one in rows_found]})
        else:
            none = "No approval was asked for." if everything else "No approval waits."
            say("\n".join(render_approvals(rows_found, width())) or none)
        return
    if kind is None:
        raise click.UsageError(f"ask takes a KIND: {', '.join(ASKED_KINDS)}")
    with open_desk(workspace) as desk:
        row = desk.approvals.ask(question_of(desk, kind, Wish(**wish), _me()))
    if as_json:
        say_json(approval_as_json(row))
    else:
        program = program_name()
        say(f"{row.id} waits until {utc_text(row.expires_at)}: {one_line(row.title)}")
        say(f"To answer: {program} approve {row.id} or {program} reject {row.id}")


@click.command(cls=Command)
@click.argument("id")
@click.option("--digest", metavar="SHA256", help="Only if what would be done has this digest.")
@click.option("--yes", is_flag=True, help="Do not ask again.")
@json_option
@click.pass_obj
def approve(
    workspace: Path,
    id: str,  # noqa: A002
    digest: str | None,
    yes: bool,  # noqa: FBT001
    as_json: bool,  # noqa: FBT001
) -> None:
    """Let what was asked for happen, once.

    Shows exactly what would be done and asks again; without a terminal it takes --yes. Exits 9 where
    nothing came of it: it was decided before, its time was over, or it was changed.

    \b
    Examples:
      sprintd approve A7
      sprintd approve A7 --digest 0a456cb363b71a50 --yes --json
    """
    _answer(workspace, id, digest, "", approve=True, sure=yes, as_json=as_json)


@click.command(cls=Command)
@click.argument("id")
@click.option("--digest", metavar="SHA256", help="Only if what would be done has this digest.")
@click.option("--why", metavar="TEXT", default="", help="Kept with the answer.")
@click.option("--yes", is_flag=True, help="Do not ask again.")
@json_option
@click.pass_obj
def reject(
    workspace: Path,
    id: str,  # noqa: A002
    digest: str | None,
    why: str,
    yes: bool,  # noqa: FBT001
    as_json: bool,  # noqa: FBT001
) -> None:
    """Say no to what was asked for.

    Exits 9 where it was decided before, its time was over, or it was changed.

    \b
    Examples:
      sprintd reject A7
      sprintd reject A7 --why "not before the review" --yes
    """
    _answer(workspace, id, digest, why, approve=False, sure=yes, as_json=as_json)


def approval_as_json(row: ApprovalRow, standing: Standing | None = None) -> dict[str, Any]:
    """One approval with what would be executed; times null where it has none. `standing` None: that
    of its state."""
    moments = {
        name: to_text(moment) if (moment := getattr(row, name)) else None
        for name in ("asked_at", "expires_at", "decided_at", "ended_at")
    }
    names = (
        "id", "kind", "state", "title", "why", "if_unanswered", "asked_by", "payload_sha256",
        "decided_by", "decided_through", "outcome",
    )  # fmt: skip
    return {
        **{name: getattr(row, name) for name in names},
        **moments,
        "standing": standing or row.state,
        "payload": dict(row.payload),
    }


def render_approvals(found: Sequence[tuple[ApprovalRow, Standing]], columns: int) -> Iterator[str]:
    """Each with when it ends, or what came of it."""
    phrases = Phrases("en")
    for row, standing in found:
        ends = f"waits until {utc_text(row.expires_at)}, asked by {one_line(row.asked_by)}"
        yield from wrap(f"{row.id} {row.kind}: {one_line(row.title)}", columns)
        line = ends if row.state == "pending" else end_line(row, phrases, standing)
        yield from wrap(one_line(line, 1_000), columns, indent="  ")


def _listed(workspace: Path, *, everything: bool) -> list[tuple[ApprovalRow, Standing]]:
    with look_despite_faults(workspace) as look:
        if everything:
            found = rows.list_newest(look.db, _MOST_SHOWN)
        else:
            found = rows.list_in_state(look.db, "pending", "approved")
        return [(row, standing_of(look.db, row)) for row in found]


def _answer(
    workspace: Path,
    approval_id: str,
    digest: str | None,
    why: str,
    *,
    approve: bool,
    sure: bool,
    as_json: bool,
) -> None:
    with open_desk(workspace) as desk:
        row = desk.approvals.find(approval_id)
        if row is not None and row.state == "pending" and not sure:
            _confirm(row, desk, approve=approve)
        decision = desk.approvals.decide(
            approval_id,
            approve=approve,
            by=_me(),
            through="cli",
            digest=digest or (row.payload_sha256 if row else ""),
            why=why,
        )
    if decision.outcome == "unknown":
        raise NotFound(f"{decision.words} List them with: sprintd approvals --all")
    _tell(decision, as_json=as_json)


def _confirm(row: ApprovalRow, desk: Desk, *, approve: bool) -> None:
    """Raises click.Abort where the person thinks again."""
    if not sys.stdin.isatty():
        raise click.UsageError("without a terminal say --yes, best with --digest")
    text = details(row, desk.phrases).splitlines()
    say("\n".join(part for line in text for part in wrap(line, width())))
    click.confirm("Approve this?" if approve else "Reject this?", abort=True)


def _tell(decision: Decision, *, as_json: bool) -> None:
    row = decision.row
    if as_json:
        told = approval_as_json(row) if row else None
        say_json({"decision": decision.outcome, "words": decision.words, "approval": told})
    else:
        say("\n".join(wrap(decision.words, width())))
    nothing = decision.outcome not in ("approved", "rejected")
    if nothing or (row and decision.outcome == "approved" and row.state == "refused"):
        click.get_current_context().exit(NOT_DECIDED)


def _me() -> str:
    """The account that types, by its number: LOGNAME may say anything."""
    number = os.getuid()
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return f"uid {number}"
