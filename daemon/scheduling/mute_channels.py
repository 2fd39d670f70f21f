"""Tells at a start of channels through which nothing leaves: else their messages wait in silence."""

from __future__ import annotations

import logging

from daemon.bootstrap import Services
from daemon.errors import StoreError
from daemon.governance import incidents
from daemon.governance.incidents import Voice
from daemon.reports.mute import CHANNELS, find_mute, mute_cure, mute_text

_log = logging.getLogger(__name__)


def tell_mute_channels(services: Services) -> None:
    """One incident a channel, until a start at which it has a way out. Never raises StoreError."""
    try:
        found = find_mute(services.db, services.config, services.outbox.channels)
        now = services.clock.now()
        for name in {*CHANNELS} - {one.channel for one in found}:
            incidents.recovered(services.db, _cause(name), now, voice=_elsewhere(services, name))
        for mute in found:
            detail = mute_text(mute, services.phrases)
            cure = mute_cure(mute, services.phrases)
            _log.warning("%s %s", detail, cure)
            incidents.note(
                services.db,
                cause=_cause(mute.channel),
                detail=detail,
                cure=cure,
                place="outbox",
                now=now,
                channels=_elsewhere(services, mute.channel).channels,
            )
    except StoreError as error:
        _log.warning("whether every channel has a way out is not known: %s", error)


def _cause(channel: str) -> str:
    return f"outbox/{channel}/mute"


def _elsewhere(services: Services, channel: str) -> Voice:
    others = tuple(name for name in services.outbox.channels if name not in (channel, "notion"))
    return Voice(services.phrases, others)
