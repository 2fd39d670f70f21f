"""One process that lets messages leave, for tests that kill it and start the next.

`python -m tests.standins.sending_process DATABASE --slack URL --notion URL --began ISO`: delivers until
nothing waits. Its clock runs two thousand times as fast as the world since `began`, so that waits of
minutes pass in milliseconds, also over several lives. With --blind nothing is ever found on the far side.
"""

from __future__ import annotations

import argparse
import threading
from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

from daemon.clock import SystemClock
from daemon.notify.notifier import Sender
from daemon.notify.notion import NotionSender
from daemon.notify.notion_connection import NotionConnection
from daemon.notify.outbox import Outbox
from daemon.notify.slack import SlackSender
from daemon.store.database import open_database
from daemon.store.notion import NotionShelf

SPEED = 2_000
READ_SECONDS = 0.4


class FastClock(SystemClock):
    """The world's clock, sped up from a moment on."""

    def __init__(self, began: datetime) -> None:
        self._began = began

    def now(self) -> datetime:
        return self._began + (super().now() - self._began) * SPEED


class Blind:
    """A sender that never finds anything: what would happen without looking."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    def send(self, key: str, payload: Mapping[str, Any]) -> str:
        return self._sender.send(key, payload)

    def find(self, key: str, payload: Mapping[str, Any], *, since: datetime) -> str | None:
        return None

    def close(self) -> None:
        self._sender.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("database", type=Path)
    parser.add_argument("--slack", nargs=3, metavar=("URL", "TOKEN", "CHANNEL"), required=True)
    parser.add_argument("--notion", nargs=3, metavar=("URL", "TOKEN", "SOURCE"), required=True)
    parser.add_argument("--began", type=datetime.fromisoformat, required=True)
    parser.add_argument("--blind", action="store_true")
    given = parser.parse_args()
    slack_url, slack_token, channel = given.slack
    notion_url, notion_token, source = given.notion
    clock = FastClock(given.began)
    db = open_database(given.database)
    senders: dict[str, Sender] = {
        "slack": SlackSender(token=slack_token, channel=channel, base_url=slack_url,
                             read_seconds=READ_SECONDS),
        "notion": NotionSender(
            NotionConnection(token=notion_token, base_url=notion_url, read_seconds=READ_SECONDS),
            NotionShelf(db, clock), data_source=source),
    }  # fmt: skip
    if given.blind:
        senders = {name: Blind(sender) for name, sender in senders.items()}
    outbox = Outbox(db, clock, senders, jitter=Random(1).random)
    while outbox.pending():
        outbox.deliver_due(clock.now())
        threading.Event().wait(timedelta(seconds=1) / timedelta(seconds=SPEED))
    db.close()


if __name__ == "__main__":
    main()
