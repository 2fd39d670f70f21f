"""Which news still stand: an error that is over, a halt that was ended, an item put back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from daemon.governance.states import current_state
from daemon.store.database import Database
from daemon.store.events import EventRow
from daemon.store.items import list_item_states


def drop_what_works_again(news: Sequence[EventRow]) -> list[EventRow]:
    """Without alerts and faults of which a later event tells that they are over, and of files'
    faults only the newest list, for each one takes the place of the one before."""
    over: dict[object, int] = {}
    for event in news:
        if event.kind == "recovered":
            over[event.facts.get("incident")] = over[event.facts.get("cause")] = event.id
    newest = max((e.id for e in news if e.kind == "workspace_faults"), default=0)
    return [event for event in news if not _is_over(event, over, newest)]


def mended_by_now(db: Database, news: Iterable[EventRow]) -> frozenset[int]:
    """The ids of the halts and blocked items among the news that a person has put right since."""
    news = [event for event in news if event.kind in ("halted", "blocked")]
    if not news:
        return frozenset()
    state, items = current_state(db), list_item_states(db)
    halts = [event.id for event in news if event.kind == "halted"]
    standing = {halts[-1]} if halts and state and state.name == "halted" else set()
    blocked = {name for name, item in items.items() if item.state == "blocked"}
    standing |= {event.id for event in news if event.kind == "blocked" and event.item in blocked}
    return frozenset(event.id for event in news) - standing


def _is_over(event: EventRow, over: dict[object, int], newest_faults: int) -> bool:
    if event.kind == "alert":
        incident = event.facts.get("incident")
        return incident is not None and over.get(incident, 0) > event.id
    if event.kind == "workspace_faults":
        return event.id != newest_faults or over.get("workspace_faults", 0) > event.id
    return False
