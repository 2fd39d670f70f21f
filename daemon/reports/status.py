"""What the daemon does right now, from constant-time reads: for /health, page and `status`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from daemon import __version__
from daemon.clock import Heartbeat, from_text, to_text, utc_text
from daemon.config.phrases import Phrases
from daemon.errors import Fault
from daemon.governance.budget import Budget, BudgetDay, usd_text
from daemon.governance.gate import rate_limit
from daemon.governance.ledger_in_use import KnownEnd, known_end
from daemon.governance.recovery import consecutive_failures
from daemon.governance.states import DaemonState, current_state
from daemon.memory.sizes import last_sizes
from daemon.reports.mute import Mute, mute_cure, mute_text
from daemon.reports.plain_text import one_line, wrap
from daemon.reports.serving import Serving
from daemon.store import sprints
from daemon.store.approvals import count_waiting
from daemon.store.database import Database
from daemon.store.outbox import OutboxCounts, count_messages
from daemon.store.owner_lock import ways_to_stop
from daemon.store.sprints import SprintRow

OVERDUE_CURE = "See why with: sprintd doctor"
_MOST_FAULTS = 10
_GRACE = timedelta(minutes=2)
_ENGLISH = Phrases("en")


@dataclass(frozen=True)
class Status:
    """`state` is None before the daemon's first run, `last_sprint` before the first sprint.

    `serving` is what the daemon that runs answers with; None where none does, and `provider` is then
    what the configuration asks for. `next_sprint_at` is None where no sprint is due, and `overdue`
    where that moment passed minutes ago, as on a full disk or where the process hangs. `ledger` is None
    before anything was signed. `approvals` is how many questions wait for a person. `memory` is
    None before the first consolidation. `mute` are channels through which the daemon that runs can
    send nothing.
    """

    provider: str
    state: DaemonState | None
    day: BudgetDay
    backlog: Mapping[str, int]
    last_sprint: SprintRow | None
    consecutive_failures: int
    database_bytes: int
    faults: tuple[Fault, ...]
    outbox: OutboxCounts
    serving: Serving | None = None
    next_sprint_at: datetime | None = None
    ledger: KnownEnd | None = None
    approvals: int = 0
    memory: Mapping[str, Any] | None = None
    mute: tuple[Mute, ...] = ()
    overdue: bool = False

    def as_json(self, *, runs: bool = True) -> dict[str, Any]:
        """For machines: money in micro-dollars and as text in USD, times as UTC text. `runs`: whether a
        daemon runs."""
        last = self.last_sprint
        return {
            "version": __version__,
            **provider_as_json(self.provider, self.serving),
            "state": _state_as_json(self.state, runs=runs),
            "budget": budget_as_json(self.day),
            "backlog": dict(self.backlog),
            "last_sprint": sprint_as_json(last) if last else None,
            "consecutive_failures": self.consecutive_failures,
            "outbox": outbox_as_json(self.outbox),
            "mute": [one.as_json() for one in self.mute],
            "approvals": {"waiting": self.approvals},
            "ledger": ledger_as_json(self.ledger),
            "memory": dict(self.memory) if self.memory else None,
            "database_bytes": self.database_bytes,
            "workspace_faults": [str(fault) for fault in self.faults],
        }


def take_status(
    db: Database,
    budget: Budget,
    *,
    provider: str,
    backlog: Mapping[str, int],
    faults: tuple[Fault, ...],
    serving: Serving | None = None,
    mute: tuple[Mute, ...] = (),
    at: datetime | None = None,
) -> Status:
    """Read it all; `backlog` has the counts of a board, `at` is now, where somebody else than the daemon
    looks. Raises StoreError."""
    state = current_state(db)
    due = _next_sprint_at(db, state)
    return Status(
        provider=serving.provider if serving else provider,
        state=state,
        day=budget.today(),
        backlog=backlog,
        last_sprint=sprints.last_sprint(db),
        consecutive_failures=consecutive_failures(db),
        database_bytes=db.size_bytes(),
        faults=faults,
        outbox=count_messages(db),
        serving=serving,
        next_sprint_at=due,
        ledger=known_end(db),
        approvals=count_waiting(db),
        memory=last_sizes(db),
        mute=mute,
        overdue=bool(due and at and at - due > _GRACE),
    )


def render_status(status: Status, holder: Mapping[str, Any] | None, width: int) -> str:
    """For people; `holder` is what the owner lock says of the process that runs, None for none."""
    asked_for = "" if status.serving else "configured: "
    lines = [f"sprintd {__version__}, {asked_for}{one_line(status.provider)}", _process(holder)]
    if status.serving and status.serving.page:
        lines.append(f"Page: {one_line(status.serving.page)}")
    lines += [*_state(status, holder), f"Money: {render_money(status.day)}"]
    counts = ", ".join(f"{number} {standing}" for standing, number in status.backlog.items())
    lines.append(f"Backlog: {counts or 'unknown, see the faults'}")
    lines.append(f"Last sprint: {_last_sprint(status.last_sprint)}")
    lines.append(f"Failed sprints in a row: {status.consecutive_failures}")
    lines += [line for line in (render_outbox(status.outbox), _ledger(status.ledger)) if line]
    for one in status.mute:
        lines.append(f"{mute_text(one, _ENGLISH)} {mute_cure(one, _ENGLISH)}")
    if status.approvals:
        lines.append(f"Questions that wait for a person: {status.approvals} (sprintd approvals)")
    if status.faults:
        lines.append(f"Faults in the workspace's files: {len(status.faults)} (sprintd check)")
        lines += [f"- {one_line(str(fault), 500)}" for fault in status.faults[:_MOST_FAULTS]]
    return "\n".join(part for line in lines for part in wrap(line, width))


def render_money(day: BudgetDay) -> str:
    """One UTC day's money as a sentence."""
    raised = f" ({usd_text(day.raised_micros)} of it added today)" if day.raised_micros else ""
    return (
        f"{usd_text(day.spent_micros)} USD spent today, {usd_text(day.reserved_micros)} reserved, "
        f"{usd_text(day.remaining_micros)} left of the cap of {usd_text(day.cap_micros)}{raised}; "
        f"the day ends at {utc_text(day.ends_at)}"
    )


def state_name(state: DaemonState, *, runs: bool) -> str:
    """The last word of a daemon that ended in order is that it is stopping; after that it is stopped."""
    return "stopped" if state.name == "stopping" and not runs else state.name


def _state_as_json(state: DaemonState | None, *, runs: bool) -> dict[str, Any] | None:
    return {**state.as_json(), "name": state_name(state, runs=runs)} if state else None


def ledger_as_json(end: KnownEnd | None) -> dict[str, Any] | None:
    """How the ledger ended when it was signed last; None before the first time."""
    return {"entries": end.size, "root": end.root, "signed_at": end.at} if end else None


def _ledger(end: KnownEnd | None) -> str:
    if end is None:
        return ""
    entries = "1 entry" if end.size == 1 else f"{end.size:,} entries"
    return f"Ledger: {entries}, root {end.root[:16]}, signed {utc_text(from_text(end.at))}"


def render_outbox(counts: OutboxCounts) -> str:
    """Messages that wait or need a person, as a sentence; empty where there are none."""
    found = []
    if counts.oldest_waiting_at:
        why = f" ({one_line(counts.waiting_error, 300)})" if counts.waiting_error else ""
        found.append(f"{counts.waiting} wait since {utc_text(counts.oldest_waiting_at)}{why}")
    if counts.oldest_set_aside_at:
        found.append(
            f"{counts.set_aside} set aside since {utc_text(counts.oldest_set_aside_at)} "
            "(sprintd outbox --set-aside)"
        )
    return f"Messages on their way out: {'; '.join(found)}" if found else ""


def since_utc(holder: Mapping[str, Any]) -> str:
    """Since when the owner lock is held, as people read it; as it stands where it is no moment."""
    try:
        return utc_text(from_text(str(holder["since"])))
    except ValueError:
        return one_line(str(holder["since"]))


def provider_as_json(provider: str, serving: Serving | None) -> dict[str, Any]:
    """The same for `status` and /health; `page` is null where no daemon runs."""
    return {
        "provider": provider,
        "provider_is": "running" if serving else "configured",
        "page": serving.page or None if serving else None,
    }


def heartbeat_as_json(heartbeat: Heartbeat) -> dict[str, Any]:
    """`age_seconds` is None where there was no beat yet."""
    age = heartbeat.age_seconds()
    return {"age_seconds": None if age is None else round(age, 1), "fresh": heartbeat.is_fresh()}


def outbox_as_json(counts: OutboxCounts) -> dict[str, Any]:
    """How many messages wait and are set aside; times null where there are none."""
    waiting, aside = counts.oldest_waiting_at, counts.oldest_set_aside_at
    return {
        "waiting": counts.waiting,
        "oldest_waiting_at": to_text(waiting) if waiting else None,
        "waiting_error": counts.waiting_error,
        "set_aside": counts.set_aside,
        "oldest_set_aside_at": to_text(aside) if aside else None,
    }


def budget_as_json(day: BudgetDay) -> dict[str, Any]:
    """One UTC day's money, in micro-dollars and in USD."""
    return {
        "day": day.day.isoformat(),
        "cap_micros": day.cap_micros,
        "raised_micros": day.raised_micros,
        "spent_micros": day.spent_micros,
        "reserved_micros": day.reserved_micros,
        "remaining_micros": day.remaining_micros,
        "cap_usd": usd_text(day.cap_micros),
        "spent_usd": usd_text(day.spent_micros),
        "reserved_usd": usd_text(day.reserved_micros),
        "remaining_usd": usd_text(day.remaining_micros),
        "ends_at": to_text(day.ends_at),
    }


def sprint_as_json(row: SprintRow) -> dict[str, Any]:
    """One sprint without its plan's details."""
    return {
        "id": row.id,
        "kind": row.kind,
        "focus": row.focus or (row.plan or {}).get("focus"),
        "state": row.state,
        "reason": row.reason,
        "started_at": to_text(row.started_at),
        "ended_at": to_text(row.ended_at) if row.ended_at else None,
    }


def _process(holder: Mapping[str, Any] | None) -> str:
    if holder is None:
        return "Process: none runs on this workspace"
    if holder.get("pid") is None:
        return "Process: one runs on this workspace, its pid is not known"
    runs = f"Process: {holder['pid']} runs on this workspace since {since_utc(holder)}"
    return f"{runs}; to stop it: {ways_to_stop(holder)}"


def _next_sprint_at(db: Database, state: DaemonState | None) -> datetime | None:
    """An idle daemon rests until its next sprint, unless the service told it to wait."""
    if state is None or state.name != "idle" or rate_limit(db, state.since) is not None:
        return None
    return state.until


def _state(status: Status, holder: Mapping[str, Any] | None) -> list[str]:
    state = status.state
    if state is None:
        return ["State: nothing ran here yet"]
    until = f", until {utc_text(state.until)}" if state.until else ""
    if status.next_sprint_at:
        until = ""
    name = state_name(state, runs=holder is not None)
    last = "" if holder or name in ("halted", "stopped") else " (when it last ran)"
    reason = one_line(state.reason, 1_000)
    lines = [f"State: {name}{last} since {utc_text(state.since)}{until}: {reason}"]
    if status.next_sprint_at and holder:
        late = f"; it has not begun. {OVERDUE_CURE}" if status.overdue else ""
        lines.append(f"Next sprint: {utc_text(status.next_sprint_at)}{late}")
    if state.name == "halted":
        lines.append("Nothing is spent until a person mends this and runs: sprintd reset-failures")
    return lines


def _last_sprint(row: SprintRow | None) -> str:
    if row is None:
        return "none yet"
    ended = (
        f"ended {utc_text(row.ended_at)}" if row.ended_at else f"began {utc_text(row.started_at)}"
    )
    reason = f": {one_line(row.reason, 1_000)}" if row.reason else ""
    return f"{row.id} {row.state}, {ended}{reason}"
