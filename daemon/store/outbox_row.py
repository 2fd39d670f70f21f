"""One message on its way out, as it stands in the database: read whole, or with what is damaged."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, Literal

from daemon.clock import from_text
from daemon.store.stored_text import from_json

OutboxState = Literal["waiting", "sending", "sent", "set_aside"]

# As bytes, what a damaged disk may have left no text in: a text that is none fails the whole query.
COLUMNS: Final = """key, channel, state, sequence, attempts, uncertain,
    CAST(payload AS BLOB) AS payload, CAST(remote_id AS BLOB) AS remote_id,
    CAST(error AS BLOB) AS error, CAST(next_try_at AS BLOB) AS next_try_at,
    CAST(created_at AS BLOB) AS created_at, CAST(ended_at AS BLOB) AS ended_at"""
_UNKNOWN_TIME = datetime(2000, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class OutboxRow:
    """`sequence` orders a channel. `uncertain`: an earlier try may have arrived. `remote_id` is the
    far side's own name for it, None before it is known to have arrived; `error` why the last try
    did not succeed, None where there was none; `damage` why the row cannot be read whole, empty for
    a sound one: its payload is empty then, and it can only be set aside."""

    key: str
    channel: str
    payload: Mapping[str, Any]
    state: OutboxState
    sequence: int
    attempts: int
    uncertain: bool
    next_try_at: datetime
    remote_id: str | None
    error: str | None
    created_at: datetime
    ended_at: datetime | None
    damage: str = ""


def read_row(row: Mapping[str, Any]) -> OutboxRow:
    """From the COLUMNS. One damaged row must not stop the others of its channel: this raises nothing."""
    damage = []

    def read(name: str, parse: Callable[[str], Any], instead: Any) -> Any:
        try:
            return None if row[name] is None else parse(row[name].decode())
        except (ValueError, RecursionError) as error:
            damage.append(f"its {name} cannot be read: {error}")
            return instead

    return OutboxRow(
        **{
            **row,
            "payload": read("payload", _payload, {}),
            "uncertain": bool(row["uncertain"]),
            "next_try_at": read("next_try_at", from_text, _UNKNOWN_TIME),
            "remote_id": read("remote_id", str, None),
            "error": row["error"].decode("utf-8", "replace") if row["error"] is not None else None,
            "created_at": read("created_at", from_text, _UNKNOWN_TIME),
            "ended_at": read("ended_at", _moment, None),
            "damage": "; ".join(damage),
        }
    )


def read_moment(stored: bytes | None) -> datetime | None:
    """A moment of the COLUMNS by itself; None where there is none, or none that can be read."""
    try:
        return _moment(stored.decode()) if stored is not None else None
    except ValueError:
        return None


def _moment(text: str) -> datetime | None:
    return from_text(text) if text else None


def _payload(text: str) -> Mapping[str, Any]:
    found = from_json(text)
    if not isinstance(found, dict):
        raise ValueError("it is no object")
    return found
