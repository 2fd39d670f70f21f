"""The pages of reports: all that jobs wrote for people, and one, to read, print or take away."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import get_args

from flask import Flask, Response, abort, render_template, request, url_for

from daemon.clock import from_text, to_text
from daemon.reports.blocks import Block, blocks_of, report_markdown
from daemon.reports.files import file_name
from daemon.store import reports
from daemon.store.reports import ReportKind, ReportRow
from daemon.web.watch import Watch
from daemon.web.wording import first_line

MOST_ON_PAGE = 30
KINDS: tuple[ReportKind, ...] = get_args(ReportKind)
_PROSE: tuple[ReportKind, ...] = ("diagnosis",)


@dataclass(frozen=True)
class ReportLine:
    """A report in the list; `title` is its first line, `beginning` what follows it."""

    row: ReportRow
    address: str
    title: str
    beginning: str


@dataclass(frozen=True)
class ReportsView:
    """`kind` is what is looked at, None for all; `newest` and `older` are addresses, or empty."""

    lines: tuple[ReportLine, ...]
    kind: ReportKind | None
    kinds: tuple[tuple[str, str, bool], ...]
    newest: str
    older: str


@dataclass(frozen=True)
class ReportView:
    """One report; `download` is where its text is. `is_prose`: a model wrote all of it, as Markdown; any
    other is `blocks`, without its title, in which every sign means itself."""

    row: ReportRow
    title: str
    text: str
    is_prose: bool
    blocks: Sequence[Block]
    download: str


def register(app: Flask, watch: Watch) -> None:
    """/reports, /reports/<kind>/<slot> and the same with .md."""

    @app.get("/reports")
    def reports_page() -> str:
        return render_template("reports.html", view=reports_view(watch, request.args))

    @app.get("/reports/<kind>/<slot>")
    def report_page(kind: str, slot: str) -> str:
        return render_template("report.html", view=report_view(watch, kind, slot))

    @app.get("/reports/<kind>/<slot>.md")
    def report_file(kind: str, slot: str) -> Response:
        return _as_file(_found(watch, kind, slot))


def reports_view(watch: Watch, asked: Mapping[str, str]) -> ReportsView:
    """`asked` may have `kind`, and `before` (written at, kind and slot of a row)."""
    say = watch.services.phrases.text
    kind = next((one for one in KINDS if one == asked.get("kind")), None)
    before = _place(asked.get("before", ""))
    found = reports.list_heads(watch.services.db, MOST_ON_PAGE + 1, kind=kind, before=before)
    rows = found[:MOST_ON_PAGE]
    older = _place_of(rows[-1]) if len(found) > MOST_ON_PAGE else ""
    return ReportsView(
        lines=tuple(_line(row) for row in rows),
        kind=kind,
        kinds=(
            (say("page.all"), url_for("reports_page"), kind is None),
            *(
                (say(f"reports.kind_{one}"), url_for("reports_page", kind=one), one == kind)
                for one in KINDS
            ),
        ),
        newest=url_for("reports_page", kind=kind) if before else "",
        older=url_for("reports_page", kind=kind, before=older) if older else "",
    )


def report_view(watch: Watch, kind: str, slot: str) -> ReportView:
    """Ends the request with 404 where there is no such report."""
    row = _found(watch, kind, slot)
    title, text = first_line(row.body)
    address = url_for("report_file", kind=row.kind, slot=to_text(row.slot))
    is_prose = row.kind in _PROSE
    blocks = [] if is_prose else [one for one in blocks_of(row.body) if one.kind != "title"]
    return ReportView(row, title, text, is_prose, blocks, address)


def _line(row: ReportRow) -> ReportLine:
    title, rest = first_line(row.body)
    address = url_for("report_page", kind=row.kind, slot=to_text(row.slot))
    return ReportLine(row, address, title, _in_one(rest))


def _in_one(text: str) -> str:
    """Lines and items of a list as one paragraph; a dot stands where a line ended."""
    lines = [line.strip().removeprefix("- ") for line in text.splitlines() if line.strip()]
    return " · ".join(lines).replace(": · ", ": ")


def _found(watch: Watch, kind: str, slot: str) -> ReportRow:
    known = next((one for one in KINDS if one == kind), None)
    try:
        row = reports.find_report(watch.services.db, known, from_text(slot)) if known else None
    except ValueError:
        row = None
    if row is None:
        abort(404, watch.services.phrases.text("reports.unknown", name=f"{kind} {slot}"[:100]))
    return row


def _as_file(row: ReportRow) -> Response:
    """As the file in state/reports: what is no Markdown by itself is made such, with nothing alive in it."""
    text = row.body if row.kind in _PROSE else report_markdown(row.body)
    name = file_name(row.kind, row.slot)
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(text, content_type="text/markdown; charset=utf-8", headers=headers)


def _place_of(row: ReportRow) -> str:
    return f"{to_text(row.created_at)},{row.kind},{to_text(row.slot)}"


def _place(text: str) -> tuple[datetime, str, datetime] | None:
    parts = text.split(",")
    try:
        return (from_text(parts[0]), parts[1], from_text(parts[2])) if len(parts) == 3 else None
    except ValueError:
        return None
