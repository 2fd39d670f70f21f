"""report: what was written for people, to read again, to print, or as it would be now."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import click

from daemon.bootstrap import state_dir_of
from daemon.cli.group import Command
from daemon.cli.opening import Look, look_despite_faults
from daemon.cli.options import json_option, utc_day
from daemon.cli.output import say, say_json, width
from daemon.clock import to_text, utc_text
from daemon.config.phrases import Phrases
from daemon.errors import NotFound, SprintdError, WorkspaceInvalid
from daemon.ledger.durable import replace
from daemon.reports.blocks import blocks_of, report_markdown
from daemon.reports.daily import write_daily
from daemon.reports.day_figures import take_daily
from daemon.reports.digest import prepare_digest
from daemon.reports.files import FILED, file_name, reports_folder
from daemon.reports.plain_text import counted, hang, one_line, render_table
from daemon.reports.review import take_review
from daemon.reports.review_text import write_review
from daemon.reports.written import Written
from daemon.store import reports
from daemon.store.reports import ReportKind, ReportRow
from daemon.workspace.board import Board
from daemon.workspace.loader import load_workspace

_MOST_LISTED = 30


@dataclass(frozen=True)
class Shown:
    """A report; `stored` is False for one that was made for this look and is kept nowhere."""

    row: ReportRow
    stored: bool


@click.command(cls=Command)
@click.argument("kind", type=click.Choice(FILED), required=False)
@click.option(
    "--date",
    "day",
    type=utc_day,
    metavar="DATE",
    help="Those that were due on that UTC day (2026-11-30); a daily report is about the day before.",
)
@click.option(
    "--now", "made_now", is_flag=True, help="Make one from how it stands now; keeps nothing."
)
@click.option("--list", "listed", is_flag=True, help="Only list the newest stored ones.")
@click.option(
    "--pdf",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Write a PDF in place of the text.",
)
@json_option
@click.pass_obj
def report(
    workspace: Path,
    kind: ReportKind | None,
    day: datetime | None,
    made_now: bool,  # noqa: FBT001
    listed: bool,  # noqa: FBT001
    pdf: Path | None,
    as_json: bool,  # noqa: FBT001
) -> None:
    """Show a report: the newest daily one, or of another kind or day.

    Where none of that kind is stored yet, one is made from how it stands now. That, as --now, asks no
    model, sends nothing and is kept nowhere. Works with and without a running daemon.

    \b
    Examples:
      sprintd report
      sprintd report digest --date 2026-11-30
      sprintd report review --now
      sprintd report daily --pdf daily.pdf
      sprintd report --list --json | jq '.reports[].slot'
    """
    if day and (made_now or listed):
        raise click.UsageError("--date looks for stored reports; leave out --now and --list.")
    with look_despite_faults(workspace) as look:
        if listed:
            _list(look, kind, as_json=as_json)
            return
        found = _find(look, kind or "daily", day, made_now=made_now)
        if pdf:
            _print(found, pdf)
        if as_json:
            say_json({"reports": [_as_json(look, one) for one in found]})
        elif pdf:
            say(f"{pdf}: {counted(len(found), 'report')}")
        else:
            say("\n\n".join("\n".join(_lines(one)) for one in found))


def _find(look: Look, kind: ReportKind, day: datetime | None, *, made_now: bool) -> list[Shown]:
    """At least one. Raises NotFound."""
    if day:
        rows = reports.list_of_day(look.db, kind, day, day + timedelta(days=1))
        if not rows:
            raise NotFound(
                f"no {kind} report was due on {day:%Y-%m-%d}; which there are shows: "
                f"sprintd report {kind} --list"
            )
        return [Shown(row, stored=True) for row in rows]
    last = None if made_now else reports.last_report(look.db, kind)
    return [Shown(last, stored=True)] if last else [_made(look, kind)]


def _made(look: Look, kind: ReportKind) -> Shown:
    now, phrases = look.clock.now(), Phrases(look.config.daemon.language)
    makers: dict[str, Callable[[], Written]] = {
        "daily": lambda: write_daily(take_daily(look.db, now, now, _board(look)), phrases),
        "digest": lambda: _digest(look, phrases),
        "review": lambda: _review(look, now, phrases),
    }
    if kind not in makers:
        raise NotFound(
            f"no {kind} of the daemon is kept yet (one by hand: sprintd memory status); what one "
            "would do shows: sprintd memory consolidate --dry-run"
        )
    made = makers[kind]()
    return Shown(ReportRow(kind, now, made.body, made.facts, now), stored=False)


def _digest(look: Look, phrases: Phrases) -> Written:
    digest = prepare_digest(look.db, look.budget.today(), phrases)
    if digest is None:
        raise NotFound(
            "nothing happened since the last digest; earlier ones: sprintd report digest --list"
        )
    return Written(digest.text, {"last_event": digest.last_event})


def _review(look: Look, now: datetime, phrases: Phrases) -> Written:
    criteria = load_workspace(look.root).criteria
    return write_review(take_review(look.root, look.db, criteria, look.board(), now), phrases)


def _board(look: Look) -> Board | None:
    """None where the files have faults: the figures are worth showing without them."""
    try:
        return look.board()
    except WorkspaceInvalid:
        return None


def _list(look: Look, kind: ReportKind | None, *, as_json: bool) -> None:
    rows = [
        row
        for row in reports.list_heads(look.db, _MOST_LISTED * 10, kind=kind)
        if row.kind in FILED
    ][:_MOST_LISTED]
    if as_json:
        say_json({"reports": [_head_as_json(look, Shown(row, stored=True)) for row in rows]})
        return
    lines = [(utc_text(row.slot), row.kind, one_line(row.body.partition("\n")[0])) for row in rows]
    say(
        render_table(("due", "kind", "report"), lines, width=width()) if lines else "No report yet."
    )


def _print(found: Sequence[Shown], path: Path) -> None:
    # Imported here because the library takes long to load, which a look need not wait for.
    from daemon.reports.pdf import render_pdf

    first, last = found[0].row, found[-1].row
    until = f" - {utc_text(last.slot)}" if len(found) > 1 else ""
    footer = f"sprintd · {first.kind} · {utc_text(first.slot)}{until}"
    content = render_pdf([one.row.body for one in found], footer)
    try:
        replace(path.absolute(), content)
    except OSError as error:
        raise SprintdError(f"{path} cannot be written: {error.strerror or error}") from error


def _lines(one: Shown) -> Iterator[str]:
    if not one.stored:
        yield "Made now, from how it stands; kept nowhere."
    room = width()
    for block in blocks_of(one.row.body):
        if block.kind == "code":
            yield from block.lines  # as it is: it is there to be copied
            continue
        marks = ("  - ", "    ") if block.kind == "item" else ("", "")
        for number, line in enumerate(block.lines):
            yield from hang(marks[number > 0] + line, room)


def _as_json(look: Look, one: Shown) -> dict[str, Any]:
    return {
        **_head_as_json(look, one),
        "body": one.row.body,
        "markdown": report_markdown(one.row.body),
        "facts": dict(one.row.facts),
    }


def _head_as_json(look: Look, one: Shown) -> dict[str, Any]:
    row = one.row
    path = reports_folder(state_dir_of(look.root)) / file_name(row.kind, row.slot)
    return {
        "kind": row.kind,
        "slot": to_text(row.slot),
        "stored": one.stored,
        "written_at": to_text(row.created_at),
        "title": one_line(row.body.partition("\n")[0]),
        "file": str(path) if one.stored and path.is_file() else None,
    }
