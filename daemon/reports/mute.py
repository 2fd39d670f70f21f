"""Channels through which nothing leaves, though something should."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from daemon.config.phrases import Phrases
from daemon.config.sections import Config
from daemon.notify.senders import NOTION_TOKEN, SLACK_TOKEN
from daemon.reports.notion_sync import places_of
from daemon.store import outbox
from daemon.store.database import Database

CHANNELS = ("notion", "slack")


@dataclass(frozen=True)
class Mute:
    """`missing` is the secret or the setting without which nothing leaves; `waiting` how many messages
    wait for it, 0 where none was handed over."""

    channel: str
    missing: str
    waiting: int

    def as_json(self) -> dict[str, Any]:
        return dict(vars(self))


def find_mute(db: Database, config: Config, channels: Collection[str]) -> tuple[Mute, ...]:
    """Of the channels that are configured, or for which messages wait, those that are not among
    `channels`, the ones with a way out. Raises StoreError."""
    waiting = outbox.count_waiting(db)
    wanted = {
        "notion": bool(places_of(db, config.notion.findings_data_source)),
        "slack": bool(config.slack.channel),
    }
    missing = {
        "notion": NOTION_TOKEN,
        "slack": SLACK_TOKEN if config.slack.channel else "slack.channel",
    }
    return tuple(
        Mute(name, missing[name], waiting.get(name, 0))
        for name in CHANNELS
        if name not in channels and (wanted[name] or waiting.get(name, 0))
    )


def mute_text(mute: Mute, phrases: Phrases) -> str:
    """What is wrong, as a sentence."""
    key = "outbox.mute_waiting" if mute.waiting else "outbox.mute"
    count = {"count": mute.waiting} if mute.waiting else {}
    return phrases.text(key, channel=mute.channel.title(), missing=mute.missing, **count)


def mute_cure(mute: Mute, phrases: Phrases) -> str:
    return phrases.text("outbox.mute_cure", channel=mute.channel, missing=mute.missing)
