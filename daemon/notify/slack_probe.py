"""Asks Slack what a token may do and who is in a channel; posts nothing and changes nothing."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from daemon.notify.slack_calls import HEADERS, SlackCalls

_APP_OF_TOKEN = re.compile(r"xapp-[0-9]+-(A[A-Z0-9]{2,30})-")
_RECENT = 50  # messages in which the app may be known by one of its own


@dataclass(frozen=True)
class Bot:
    """Whose token it is. `scopes` is None where Slack does not say; `bot` is empty for a token that
    is no bot's."""

    team: str
    team_id: str
    user: str
    bot: str
    scopes: frozenset[str] | None


@dataclass(frozen=True)
class Room:
    """A channel. `is_outside`: people of other companies are in it, or were asked to come."""

    name: str
    is_private: bool
    is_member: bool
    is_archived: bool
    is_outside: bool


@dataclass(frozen=True)
class Person:
    """Somebody's account. `team_id` is empty where Slack does not say."""

    name: str
    is_bot: bool
    is_deleted: bool
    is_guest: bool
    team_id: str


class SlackProbe:
    """Every method raises SendError: SlackRefused with Slack's code where it said no."""

    def __init__(self, token: str, base_url: str, read_seconds: float) -> None:
        self._calls = SlackCalls(token, base_url, read_seconds)

    def bot(self) -> Bot:
        found = self._calls.ask(self._calls.client.auth_test)
        headers = {name.lower(): value for name, value in dict(found.get(HEADERS) or {}).items()}
        told = headers.get("x-oauth-scopes")
        scopes = None if told is None else frozenset(filter(None, re.split(r"[,\s]+", told)))
        return Bot(
            team=_text(found, "team"),
            team_id=_text(found, "team_id"),
            user=_text(found, "user"),
            bot=_text(found, "bot_id"),
            scopes=scopes,
        )

    def room(self, channel: str) -> Room:
        """Needs channels:read, or groups:read for a private channel."""
        answer = self._calls.ask(lambda: self._calls.client.conversations_info(channel=channel))
        found = _part(answer, "channel")
        outside = ("is_ext_shared", "is_pending_ext_shared")
        return Room(
            _text(found, "name"),
            is_private=bool(found.get("is_private")),
            is_member=bool(found.get("is_member")),
            is_archived=bool(found.get("is_archived")),
            is_outside=any(found.get(name) for name in outside),
        )

    def app_seen_in(self, channel: str, bot: str) -> str:
        """The id of the app as one of its newest messages bears it; empty where there is none.

        Reads the channel as a look-up before sending again does: it is refused where that would be.
        """
        client = self._calls.client
        found = self._calls.ask(
            lambda: client.conversations_history(channel=channel, limit=_RECENT)
        )
        ours = [one for one in found.get("messages") or () if one.get("bot_id") == bot]
        named = (_text(one, "app_id") or _text(_part(one, "bot_profile"), "app_id") for one in ours)
        return next(filter(None, named), "")

    def app_of(self, bot: str) -> str:
        """The id of the app that a bot belongs to. Needs users:read."""
        answer = self._calls.ask(lambda: self._calls.client.bots_info(bot=bot))
        return _text(_part(answer, "bot"), "app_id")

    def person(self, user: str) -> Person:
        """Needs users:read."""
        answer = self._calls.ask(lambda: self._calls.client.users_info(user=user))
        found = _part(answer, "user")
        return Person(
            _text(found, "real_name") or _text(found, "name"),
            is_bot=bool(found.get("is_bot")) or user == "USLACKBOT",
            is_deleted=bool(found.get("deleted")),
            is_guest=bool(found.get("is_restricted") or found.get("is_ultra_restricted")),
            team_id=_text(found, "team_id"),
        )


def check_line(app_token: str, base_url: str, read_seconds: float) -> None:
    """Ask for an address of Socket Mode, which is not gone to. Raises SendError."""
    calls = SlackCalls(app_token, base_url, read_seconds)
    calls.ask(lambda: calls.client.apps_connections_open(app_token=app_token))


def app_of_token(app_token: str) -> str:
    """The id of the app that an app-level token names; empty for a token of another form."""
    found = _APP_OF_TOKEN.match(app_token)
    return found[1] if found else ""


def _part(found: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = found.get(name)
    return part if isinstance(part, dict) else {}


def _text(found: Mapping[str, Any], name: str) -> str:
    value = found.get(name)
    return value if isinstance(value, str) else ""
