"""The silence alarm: one line that says the daemon is alive and why there was nothing to tell."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

from daemon.clock import utc_text
from daemon.config.phrases import Phrases
from daemon.governance import halt_words
from daemon.governance.states import current_state
from daemon.notify import message
from daemon.reports.daily import backlog_lines
from daemon.reports.plain_text import one_line
from daemon.reports.written import Written
from daemon.store import reports
from daemon.store.database import Database

QUIET = timedelta(hours=24)


def write_silence(
    db: Database, slot: datetime, now: datetime, backlog: Mapping[str, int], phrases: Phrases
) -> Written | None:
    """None where a digest was written in the 24 hours before `slot`, or since.

    `backlog` is how the items stand now, empty if that is unknown.
    """
    if reports.was_written(db, "digest", slot - QUIET, max(slot, now)):
        return None
    state = current_state(db)
    name = state.name if state else "idle"
    reason = one_line(state.reason, 500).rstrip(".") if state else ""
    values = {"reason": reason or "?"}
    key = "silence.idle"
    if state and state.name == "halted":
        key, values["since"] = "silence.halted", utc_text(state.since)
    elif state and state.name == "paused_budget":
        key, values["until"] = "silence.paused", utc_text(state.until) if state.until else "?"
    body = phrases.text(key, **values)
    body = " ".join([body, *backlog_lines(backlog, phrases)])
    buttons = [halt_words.resume_button(phrases)] if name == "halted" else []
    parts = (message.text(body), *([message.buttons(buttons)] if buttons else []))
    return Written(body, {"state": name, "reason": reason, "backlog": dict(backlog)}, parts)
