"""What the daemon that runs here answers with and where its page is, for other programs."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime

from daemon.config.phrases import Phrases
from daemon.store import control
from daemon.store.database import Database

_SERVING = "serving"


@dataclass(frozen=True)
class Serving:
    """`pid` is that of the process that owns the workspace; `page` is an address, or empty. `channels`
    are those with a way out; None where an earlier version wrote it, which told none."""

    pid: int
    provider: str
    page: str
    channels: tuple[str, ...] | None = None


def provider_line(name: str, described: str, phrases: Phrases) -> str:
    """A provider by its name, in words where there are some, else as it describes itself."""
    key = f"provider.{name}"
    return phrases.text(key) if phrases.has(key) else described


def keep_serving(db: Database, serving: Serving, now: datetime) -> None:
    """Written at the start of each life. Raises StoreError."""
    control.put(db, _SERVING, asdict(serving), now)


def find_serving(db: Database, pid: int | None) -> Serving | None:
    """What was written by the process `pid`; None where that one wrote nothing (None: no process)."""
    kept = control.get(db, _SERVING)
    if not kept or pid is None or kept["pid"] != pid:
        return None
    channels = kept.get("channels")
    return Serving(**{**kept, "channels": None if channels is None else tuple(channels)})
