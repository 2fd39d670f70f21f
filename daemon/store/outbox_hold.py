"""Channels that take nothing at all until a person changes something: since when, and why."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from daemon.clock import from_text, to_text
from daemon.store import control
from daemon.store.database import Database
from daemon.store.outbox import MAX_ERROR_CHARACTERS

_NAME = "outbox_held"


@dataclass(frozen=True)
class Hold:
    """`why` is the far side's refusal with what to do, as the newest try heard it."""

    why: str
    since: datetime


def find_holds(db: Database) -> dict[str, Hold]:
    """Every channel that is held, by its name. One that cannot be read counts as not held: the next
    try writes it anew."""
    kept = control.get(db, _NAME)
    found: dict[str, Hold] = {}
    for channel, told in kept.items() if isinstance(kept, dict) else ():
        try:
            found[channel] = Hold(str(told["why"]), from_text(told["since"]))
        except (TypeError, KeyError, ValueError):
            continue
    return found


def hold(db: Database, channel: str, why: str, now: datetime) -> bool:
    """Keep that a channel is held, and the newest reason; whether it was not held before."""
    with db.immediate():
        found = find_holds(db)
        is_new = channel not in found
        since = now if is_new else found[channel].since
        _save(db, {**found, channel: Hold(why[:MAX_ERROR_CHARACTERS], since)}, now)
        return is_new


def release(db: Database, channel: str, now: datetime) -> bool:
    """It takes messages again; whether it was held."""
    if channel not in find_holds(db):
        return False
    with db.immediate():
        found = find_holds(db)
        was_held = found.pop(channel, None) is not None
        _save(db, found, now)
        return was_held


def hurry(db: Database, channels: Collection[str], now: datetime) -> list[str]:
    """Let those of these channels that are held be tried at once; their names, sorted."""
    held = sorted(find_holds(db).keys() & set(channels))
    sql = """UPDATE outbox SET next_try_at = :now
             WHERE channel = :channel AND state = 'waiting' AND next_try_at > :now"""
    with db.immediate() as tx:
        for channel in held:
            tx.execute(sql, {"now": to_text(now), "channel": channel})
    return held


def drop_held(db: Database, prefix: str) -> int:
    """Take out what waits, surely without having arrived, of the messages of held channels whose keys
    begin so; how many they were."""
    sql = """DELETE FROM outbox WHERE state = 'waiting' AND uncertain = 0 AND channel = :channel
             AND substr(key, 1, :length) = :prefix"""
    with db.immediate() as tx:
        return sum(
            tx.execute(sql, {"channel": channel, "length": len(prefix), "prefix": prefix})
            for channel in find_holds(db)
        )


def _save(db: Database, holds: dict[str, Hold], now: datetime) -> None:
    told = {name: {"why": one.why, "since": to_text(one.since)} for name, one in holds.items()}
    control.put(db, _NAME, told, now)
