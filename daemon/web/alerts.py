"""The page at /alerts: what is wrong now and what to do about it, and what was wrong before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from flask import Flask, render_template, request, url_for

from daemon.errors import Fault
from daemon.governance.states import current_state
from daemon.store import incidents
from daemon.store.incidents import IncidentRow
from daemon.store.outbox import OutboxCounts, count_messages
from daemon.web.watch import Watch
from daemon.web.wording import number_of

MOST_ON_PAGE = 30
MOST_FAULTS = 50


@dataclass(frozen=True)
class AlertsView:
    """`open` and `closed` are incidents; all repeats of one error are one. `halted` is why the daemon
    halted, empty where it did not. `faults` are those of the workspace's files."""

    halted: str
    is_halted: bool
    open: tuple[IncidentRow, ...]
    faults: tuple[Fault, ...]
    faults_more: int
    outbox: OutboxCounts
    closed: tuple[IncidentRow, ...]
    newest: str
    older: str

    @property
    def is_quiet(self) -> bool:
        """Whether nothing is wrong now."""
        return not (self.is_halted or self.open or self.faults or self.outbox.set_aside)


def register(app: Flask, watch: Watch) -> None:
    """/alerts"""

    @app.get("/alerts")
    def alerts_page() -> str:
        return render_template("alerts.html", view=alerts_view(watch, request.args))


def alerts_view(watch: Watch, asked: Mapping[str, str]) -> AlertsView:
    """`asked` may have `before`: the number of an incident, for the history's next page."""
    db, before = watch.services.db, number_of(asked.get("before"))
    state, faults = current_state(db), watch.faults()
    found = incidents.list_closed(db, MOST_ON_PAGE + 1, before)
    closed = tuple(found[:MOST_ON_PAGE])
    is_cut = len(found) > MOST_ON_PAGE
    is_halted = state is not None and state.name == "halted"
    return AlertsView(
        halted=state.reason if state and is_halted else "",
        is_halted=is_halted,
        open=tuple(incidents.list_open(db)),
        faults=faults[:MOST_FAULTS],
        faults_more=max(0, len(faults) - MOST_FAULTS),
        outbox=count_messages(db),
        closed=closed,
        newest=url_for("alerts_page") if before is not None else "",
        older=url_for("alerts_page", before=closed[-1].id) if is_cut else "",
    )
