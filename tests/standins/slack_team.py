"""The stand-in for Slack's Web API with what is asked of a workspace: tokens, channel, people.

with SlackTeam(scopes=(...)) as slack:
    slack.room["is_member"] = False
    slack.people["U0FOUNDER"]["deleted"] = True
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tests.standins.far_side import Answer, Received
from tests.standins.slack_api import SlackApi

ALL_SCOPES = (
    "chat:write", "channels:history", "groups:history", "files:write", "app_mentions:read",
    "commands", "channels:read", "groups:read",
)  # fmt: skip
APP = "A0123456789"
APP_TOKEN = f"xapp-1-{APP}-1234567890-abcdef"
BOT = "B0123456789"
_OWN = {
    "auth.test": (),
    "conversations.info": ("channels:read", "groups:read"),
    "users.info": ("users:read",),
    "bots.info": ("users:read",),
    "apps.connections.open": (),
}


class SlackTeam(SlackApi):
    """`room` and `people` are what Slack says of the channel and of each account; `app` is the id of
    the app that the bot token is of; `bot` empty: the token is a person's."""

    def __init__(self, *, scopes: tuple[str, ...] = ALL_SCOPES, **more: Any) -> None:
        super().__init__(scopes=scopes, **more)
        self.app_token = APP_TOKEN
        self.app, self.bot = APP, BOT
        self.line_error = ""
        self.room: dict[str, Any] = {
            "id": self.channel, "name": "founders", "is_private": False, "is_member": True,
            "is_archived": False, "is_ext_shared": False, "is_pending_ext_shared": False,
        }  # fmt: skip
        self.people: dict[str, dict[str, Any]] = {
            "U0FOUNDER": {"real_name": "Ana", "team_id": "T0123456789"}
        }

    def act(self, request: Received) -> Answer:
        """Every answer tells the token's scopes."""
        answer = super().act(request)
        return replace(answer, headers={"x-oauth-scopes": ",".join(self.scopes), **answer.headers})

    def _methods(self) -> dict[str, Callable[[Received], Answer]]:
        return {
            **super()._methods(),
            "auth.test": self._who,
            "conversations.info": self._info,
            "users.info": self._person,
            "bots.info": self._bot,
            "apps.connections.open": self._open,
        }

    def _complaint(self, request: Received) -> str | None:
        method = request.path.removeprefix("/api/")
        if method not in _OWN:
            return super()._complaint(request) or self._not_in(method)
        token = self.app_token if method == "apps.connections.open" else self.token
        if request.headers.get("authorization") != f"Bearer {token}":
            return "invalid_auth"
        if _OWN[method] and not set(_OWN[method]) & set(self.scopes):
            return "missing_scope"
        return None

    def _not_in(self, method: str) -> str | None:
        reads = method in ("conversations.history", "chat.postMessage")
        return None if self.room["is_member"] or not reads else "not_in_channel"

    def _who(self, _request: Received) -> Answer:
        bot = {"bot_id": self.bot} if self.bot else {}
        who = {"team": "Venture", "team_id": "T0123456789", "user": "sprintd", "user_id": "U0BOT"}
        return Answer(200, {"ok": True, "url": "https://venture.slack.com/", **who, **bot})

    def _info(self, request: Received) -> Answer:
        if request.fields.get("channel") != self.channel:
            return Answer(200, {"ok": False, "error": "channel_not_found"})
        return Answer(200, {"ok": True, "channel": self.room})

    def _person(self, request: Received) -> Answer:
        found = self.people.get(str(request.fields.get("user")))
        if found is None:
            return Answer(200, {"ok": False, "error": "user_not_found"})
        return Answer(200, {"ok": True, "user": {"id": request.fields["user"], **found}})

    def _bot(self, request: Received) -> Answer:
        if request.fields.get("bot") != self.bot:
            return Answer(200, {"ok": False, "error": "bot_not_found"})
        return Answer(200, {"ok": True, "bot": {"id": self.bot, "app_id": self.app}})

    def _open(self, _request: Received) -> Answer:
        if self.line_error:
            return Answer(200, {"ok": False, "error": self.line_error})
        return Answer(200, {"ok": True, "url": "wss://wss-primary.slack.com/link/?ticket=1"})
