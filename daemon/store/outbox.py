"""Messages on their way out. A row is written in the transaction of what it reports.

A message is `waiting`, then `sending` (written before the request leaves), then `sent`; or `waiting`
again until its next try; or `set_aside` for a person. A row found `sending` is one whose outcome
nobody knows: it is looked up on the far side before it is sent again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from daemon.clock import to_text
from daemon.store import control
from daemon.store.database import Database
from daemon.store.outbox_row import COLUMNS, OutboxRow, OutboxState, read_moment, read_row
from daemon.store.stored_text import to_json

__all__ = ["OutboxRow", "OutboxState"]  # a message as whoever asks here knows it

MAX_ERROR_CHARACTERS = 1_000
_OPEN = "state IN ('waiting', 'sending')"


@dataclass(frozen=True)
class OutboxCounts:
    """How many wait (those under way included) and are set aside; the oldest of each, None without
    any; and why the oldest one waits, None where it was not tried or nothing is known."""

    waiting: int
    oldest_waiting_at: datetime | None
    waiting_error: str | None
    set_aside: int
    oldest_set_aside_at: datetime | None


def enqueue(
    db: Database, *, key: str, channel: str, payload: Mapping[str, Any], now: datetime
) -> bool:
    """Hand over a message, to leave once; False where the key is there already.

    Call it inside the transaction that writes what the message is about: both stand or neither.
    What a payload holds is said by the channel's sender in `daemon/notify`.
    """
    sql = """INSERT INTO outbox
                  (key, channel, payload, state, sequence, next_try_at, created_at)
              SELECT :key, :channel, :payload, 'waiting',
                     (SELECT coalesce(max(sequence), 0) + 1 FROM outbox WHERE channel = :channel),
                     :now, :now
              WHERE NOT EXISTS (SELECT 1 FROM outbox WHERE key = :key)"""
    values = {"key": key, "channel": channel, "payload": to_json(payload), "now": to_text(now)}
    with db.immediate() as tx:
        return tx.execute(sql, values) == 1


def find_scope(db: Database, now: datetime) -> str:
    """What tells this database's messages from another's on the far side; made at the first use.

    Two workspaces may share a channel, and a new database begins its keys anew.
    """
    known = control.get(db, "outbox_scope")
    if known is None:
        with db.immediate() as tx:
            made = tx.rows("SELECT lower(hex(randomblob(4))) AS scope")[0]["scope"]
            known = control.get(db, "outbox_scope") or made
            control.put(db, "outbox_scope", known, now)
    return str(known)


def find_head(db: Database, channel: str) -> OutboxRow | None:
    """The message of a channel that is next, whether it is due or not; None where none waits."""
    sql = f"SELECT {COLUMNS} FROM outbox WHERE channel = ? AND {_OPEN} ORDER BY sequence LIMIT 1"  # noqa: S608
    row = db.row(sql, (channel,))
    return read_row(row) if row else None


def find_message(db: Database, key: str) -> OutboxRow | None:
    """The message of a key, in whatever state."""
    row = db.row(f"SELECT {COLUMNS} FROM outbox WHERE key = ?", (key,))  # noqa: S608
    return read_row(row) if row else None


def free_key(db: Database, key: str) -> str:
    """The key; with a number where a message bears it already (a clock that was wrong, the same
    content again)."""
    number, free = 1, key
    while find_message(db, free) is not None:
        number += 1
        free = f"{key}/{number}"
    return free


def find_edit(db: Database, row: OutboxRow) -> OutboxRow | None:
    """The newest message that arrived and takes the place of this one, or of what this one is to take
    the place of; None where none did."""
    sql = f"""SELECT {COLUMNS} FROM outbox WHERE channel = ? AND sequence > ? AND state = 'sent'
             AND CASE WHEN json_valid(payload) THEN json_extract(payload, '$.edits') END IN (?, ?)
             ORDER BY sequence DESC LIMIT 1"""  # noqa: S608
    found = db.row(
        sql, (row.channel, row.sequence, row.key, str(row.payload.get("edits") or row.key))
    )
    return read_row(found) if found else None


def channels_of(db: Database, prefix: str) -> list[str]:
    """The channels that have a message whose key is `prefix` and the channel's name."""
    sql = """SELECT channel FROM outbox WHERE key >= :prefix AND key < :after
             AND key = :prefix || channel ORDER BY channel"""
    after = prefix[:-1] + chr(ord(prefix[-1]) + 1)
    return [row["channel"] for row in db.rows(sql, {"prefix": prefix, "after": after})]


def list_open(db: Database, limit: int = 1_000) -> list[OutboxRow]:
    """What has not left yet, the oldest first."""
    sql = f"SELECT {COLUMNS} FROM outbox WHERE {_OPEN} ORDER BY outbox.created_at, channel, sequence LIMIT ?"  # noqa: S608
    return [read_row(row) for row in db.rows(sql, (limit,))]


def list_set_aside(db: Database) -> list[OutboxRow]:
    """What waits for a person, the oldest first; at most 1,000."""
    sql = f"""SELECT {COLUMNS} FROM outbox WHERE state = 'set_aside'
             ORDER BY outbox.created_at, channel, sequence LIMIT 1000"""  # noqa: S608
    return [read_row(row) for row in db.rows(sql)]


def count_messages(db: Database) -> OutboxCounts:
    """What waits and what is set aside; counts in the indexes, so it is quick for any number."""
    waiting = count_waiting(db)
    heads = [head for channel in waiting if (head := find_head(db, channel))]
    oldest = min(heads, key=lambda head: head.created_at, default=None)
    aside = db.row(
        """SELECT count(*) AS n, CAST(min(created_at) AS BLOB) AS at FROM outbox
           WHERE state = 'set_aside'"""
    )
    return OutboxCounts(
        waiting=sum(waiting.values()),
        oldest_waiting_at=oldest.created_at if oldest else None,
        waiting_error=oldest.error if oldest else None,
        set_aside=aside["n"] if aside else 0,
        oldest_set_aside_at=read_moment(aside["at"]) if aside else None,
    )


def count_waiting(db: Database) -> dict[str, int]:
    """How many messages of each channel have not left yet, those under way included."""
    sql = f"SELECT channel, count(*) AS n FROM outbox WHERE {_OPEN} GROUP BY channel"  # noqa: S608
    return {row["channel"]: row["n"] for row in db.rows(sql)}


def count_refused(db: Database, channel: str) -> int:
    """The messages of a channel that are set aside, or are tried again after an error."""
    sql = f"""SELECT (SELECT count(*) FROM outbox WHERE state = 'set_aside' AND channel = :channel)
              + (SELECT count(*) FROM outbox WHERE {_OPEN} AND channel = :channel
                 AND error IS NOT NULL) AS number"""  # noqa: S608
    return int(db.rows(sql, {"channel": channel})[0]["number"])


def begin_sending(db: Database, key: str, *, look_up_at: datetime) -> bool:
    """Write that the request is about to leave; False where the message is not waiting any more.

    Should nobody ever write its end, it may be looked up from `look_up_at` on.
    """
    sql = f"""UPDATE outbox SET state = 'sending', attempts = attempts + 1, next_try_at = ?
              WHERE key = ? AND {_OPEN}"""  # noqa: S608
    with db.immediate() as tx:
        return tx.execute(sql, (to_text(look_up_at), key)) == 1


def mark_sent(db: Database, key: str, remote_id: str, now: datetime) -> bool:
    """It arrived; False where that was known already."""
    sql = f"""UPDATE outbox SET state = 'sent', uncertain = 0, remote_id = ?, error = NULL,
              ended_at = ? WHERE key = ? AND {_OPEN}"""  # noqa: S608
    with db.immediate() as tx:
        return tx.execute(sql, (remote_id, to_text(now), key)) == 1


def put_back(db: Database, key: str, *, next_try_at: datetime, error: str, uncertain: bool) -> bool:
    """It did not arrive, or nobody knows (`uncertain`); it stays at the head of its channel."""
    sql = f"""UPDATE outbox SET state = 'waiting', next_try_at = ?, error = ?, uncertain = ?
              WHERE key = ? AND {_OPEN}"""  # noqa: S608
    values = (to_text(next_try_at), error[:MAX_ERROR_CHARACTERS], int(uncertain), key)
    with db.immediate() as tx:
        return tx.execute(sql, values) == 1


def set_aside(db: Database, key: str, *, error: str, now: datetime) -> bool:
    """It will not arrive until a person changes something; the next of its channel goes on."""
    sql = f"""UPDATE outbox SET state = 'set_aside', error = ?, ended_at = ?
              WHERE key = ? AND {_OPEN}"""  # noqa: S608
    values = (error[:MAX_ERROR_CHARACTERS], to_text(now), key)
    with db.immediate() as tx:
        return tx.execute(sql, values) == 1


def retry(db: Database, now: datetime, *, key: str | None = None) -> list[str]:
    """Let what was set aside be tried again: one message, or all of them (None); their keys.

    They keep their place, so they leave before what waits already. Each is looked up on the far side
    first, for a part of it may be there.
    """
    sql = """UPDATE outbox SET state = 'waiting', uncertain = 1, next_try_at = :now,
             ended_at = NULL
             WHERE state = 'set_aside' AND (:key IS NULL OR key = :key) RETURNING key"""
    with db.immediate() as tx:
        return sorted(row["key"] for row in tx.rows(sql, {"now": to_text(now), "key": key}))


def drop_refused(db: Database, prefix: str) -> int:
    """Take out what was set aside of the messages whose keys begin so; how many they were."""
    sql = "DELETE FROM outbox WHERE state = 'set_aside' AND substr(key, 1, ?) = ?"
    with db.immediate() as tx:
        return tx.execute(sql, (len(prefix), prefix))


def replace_content(db: Database, prefix: str, *, key: str, payload: Mapping[str, Any]) -> bool:
    """Give the newest message whose key begins with `prefix`, and that is not on its way just now, a
    newer content and the new `key`; False where there is none.

    It keeps its place, its doubts and why it was set aside. The key changes so that whoever is about
    to send the old content finds nothing to send.
    """
    sql = """UPDATE outbox SET key = :key, payload = :payload WHERE key =
             (SELECT key FROM outbox WHERE key >= :prefix AND key < :after
              AND state IN ('waiting', 'set_aside') ORDER BY sequence DESC LIMIT 1)"""
    after = prefix[:-1] + chr(ord(prefix[-1]) + 1)
    values = {"key": key, "payload": to_json(payload), "prefix": prefix, "after": after}
    with db.immediate() as tx:
        return tx.execute(sql, values) == 1


def shorten_waits(db: Database, now: datetime) -> int:
    """Try everything that waits at once; for a clock that was set back. How many they were."""
    sql = "UPDATE outbox SET next_try_at = :now WHERE state = 'waiting' AND next_try_at > :now"
    with db.immediate() as tx:
        return tx.execute(sql, {"now": to_text(now)})
