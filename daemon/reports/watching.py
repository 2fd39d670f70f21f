"""What `sprintd watch` shows: how it stands, what runs, what happened last, what waits for a person."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from daemon.clock import day_of, to_text
from daemon.config.phrases import Phrases
from daemon.errors import Fault
from daemon.governance.budget import Budget
from daemon.reports.digest_words import finding_values, sentence_of, values_of
from daemon.reports.mute import Mute, mute_text
from daemon.reports.plain_text import counted, one_line
from daemon.reports.serving import Serving
from daemon.reports.status import Status, sprint_as_json, take_status
from daemon.store import approvals, attempts, events, sprints, steps
from daemon.store.attempts import AttemptState
from daemon.store.database import Database
from daemon.store.events import EventRow
from daemon.store.items import ItemState, list_item_states
from daemon.store.sprints import SprintRow
from daemon.workspace.board import count_standings
from daemon.workspace.definitions import Workspace

MOST_EVENTS = 50
_MOST_WAITING = 20
_ENGLISH = Phrases("en")  # as all commands


@dataclass(frozen=True)
class Track:
    """One assignment of the sprint that runs, with its newest attempt."""

    item: str
    title: str
    agent: str
    state: AttemptState


@dataclass(frozen=True)
class Happened:
    """An event as a sentence; `id` rises."""

    id: int
    at: datetime
    kind: str
    words: str


@dataclass(frozen=True)
class Waiting:
    """Something that a person has to do, and the command for it."""

    words: str
    command: str


@dataclass(frozen=True)
class Watching:
    """`holder` is what the owner lock says of the process that runs, None for none. `sprint` is the
    one that runs, or None; `step` the last thing that it has finished, or empty. `events` are the
    newest first."""

    at: datetime
    status: Status
    holder: Mapping[str, Any] | None
    sprint: SprintRow | None
    step: str
    tracks: tuple[Track, ...]
    events: tuple[Happened, ...]
    waiting: tuple[Waiting, ...]

    def as_json(self) -> dict[str, Any]:
        """For machines: the status of `sprintd status --json` with what runs, happened and waits."""
        running = self.sprint and {
            **sprint_as_json(self.sprint),
            "last_step": self.step or None,
            "tracks": [vars(track) for track in self.tracks],
        }
        return {
            "at": to_text(self.at),
            **self.status.as_json(runs=self.holder is not None),
            "process": dict(self.holder) if self.holder else None,
            "running": running,
            "events": [{**vars(one), "at": to_text(one.at)} for one in self.events],
            "waiting": [vars(one) for one in self.waiting],
        }


def take_watching(
    db: Database,
    budget: Budget,
    *,
    at: datetime,
    provider: str,
    workspace: Workspace | None,
    faults: tuple[Fault, ...],
    holder: Mapping[str, Any] | None,
    serving: Serving | None,
    mute: tuple[Mute, ...] = (),
) -> Watching:
    """Read it all; `workspace` is None where its files cannot be read. Raises StoreError."""
    states = list_item_states(db)
    counts = count_standings(workspace, states, day_of(at)) if workspace else {}
    status = take_status(
        db,
        budget,
        provider=provider,
        backlog={str(name): number for name, number in counts.items()},
        faults=faults,
        serving=serving,
        mute=mute,
        at=at,
    )
    titles = {item.id: item.title for item in workspace.items} if workspace else {}
    running = sprints.list_running(db)
    sprint = running[0] if running else None
    done = steps.list_steps(db, sprint.id) if sprint else []
    return Watching(
        at=at,
        status=status,
        holder=holder,
        sprint=sprint,
        step=done[-1].name if done else "",
        tracks=tracks_of(db, sprint, titles) if sprint else (),
        events=tuple(map(happened, events.list_newest(db, MOST_EVENTS))),
        waiting=tuple(_waiting(db, status, states, titles)),
    )


def happened(event: EventRow) -> Happened:
    """As the digest says it; of what the digest leaves out, what kind it is."""
    return Happened(event.id, event.at, event.kind, one_line(_sentence(event), 500))


def tracks_of(db: Database, sprint: SprintRow, titles: Mapping[str, str]) -> tuple[Track, ...]:
    """Each assignment of a sprint; none while it still plans. `titles` by item."""
    newest = {row.track: row for row in attempts.list_for_sprint(db, sprint.id)}
    return tuple(
        Track(row.item, titles.get(row.item, ""), row.agent, row.state)
        for _number, row in sorted(newest.items())
    )


def _sentence(event: EventRow) -> str:
    try:
        if event.kind == "accepted":
            values = finding_values(event, _ENGLISH)
            return f"learned: {_ENGLISH.text('digest.finding', **values)}"
        values_of(event)
        kind = f"{event.kind}: " if event.kind in ("rejected", "blocked") else ""
        return kind + sentence_of(event, _ENGLISH)
    except (KeyError, TypeError, ValueError):  # a kind without a sentence
        if event.kind.startswith("approval_"):
            return _of_approval(event)
        what = event.kind.removeprefix("sprint_").replace("_", " ")
        about = event.item or (f"sprint {event.sprint_id}" if event.sprint_id else "")
        return f"{about}: {what}" if about else what


def _of_approval(event: EventRow) -> str:
    """Which one, how it stands, and what it is about, as far as the event says."""
    told = {name: str(event.facts.get(name) or "") for name in ("id", "state", "title")}
    return f"approval {told['id']} {told['state']}: {told['title']}"


def _waiting(
    db: Database, status: Status, states: Mapping[str, ItemState], titles: Mapping[str, str]
) -> Iterator[Waiting]:
    """What is urgent first."""
    if status.state and status.state.name == "halted":
        yield Waiting(f"halted: {one_line(status.state.reason, 300)}", "sprintd reset-failures")
    for row in approvals.list_in_state(db, "pending")[:_MOST_WAITING]:
        yield Waiting(f"{row.id} {row.kind}: {one_line(row.title)}", f"sprintd approve {row.id}")
    for name, state in sorted(states.items()):
        if state.state == "blocked" and (not titles or name in titles):
            words = f"{name} {titles.get(name, '')}".strip()
            reason = one_line(state.reason, 300)
            yield Waiting(f"{words} is blocked: {reason}", f"sprintd unblock {name}")
    if status.outbox.set_aside:
        yield Waiting(
            f"{counted(status.outbox.set_aside, 'message')} set aside", "sprintd outbox --set-aside"
        )
    for one in status.mute:
        yield Waiting(mute_text(one, _ENGLISH), "sprintd doctor")
    if status.faults:
        yield Waiting(
            f"{counted(len(status.faults), 'fault')}: {one_line(str(status.faults[0]))}",
            "sprintd check",
        )
