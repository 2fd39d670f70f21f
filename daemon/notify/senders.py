"""The ways out that a workspace has configured."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from daemon.config.phrases import Phrases
from daemon.config.secrets import find_secret
from daemon.config.sections import Config
from daemon.notify.exchange import Busy
from daemon.notify.notifier import Sender
from daemon.notify.shelf import Shelf

SLACK_TOKEN = "slack_bot_token"  # noqa: S105 - the secret's name
SLACK_APP_TOKEN = "slack_app_token"  # noqa: S105
SLACK_SIGNING_SECRET = "slack_signing_secret"  # noqa: S105
NOTION_TOKEN = "notion_token"  # noqa: S105
SECRETS = (SLACK_TOKEN, SLACK_APP_TOKEN, SLACK_SIGNING_SECRET, NOTION_TOKEN)
_log = logging.getLogger(__name__)
Approved = Callable[[Mapping[str, Any]], bool]


def build_senders(
    config: Config,
    environ: Mapping[str, str],
    state_dir: Path,
    busy: Busy,
    *,
    shelf: Shelf,
    approved: Approved,
) -> dict[str, Sender]:
    """The sender of each configured channel, by the channel's name.

    A channel is configured where config.toml names its place and there is its secret; a place
    without a secret is logged. Notion is there where its secret is: its places are made later, by
    setup, and `shelf` knows them. `busy` is told before each exchange how many seconds it may take.
    `approved` says whether a person approved a page, which public pages need.
    Raises SprintdError for a secret that cannot be used.
    """
    found: dict[str, Sender] = {}
    slack = _secret_for("slack.channel", config.slack.channel, SLACK_TOKEN, environ, state_dir)
    if slack:
        found["slack"] = _Lazy(partial(_slack, config, slack, busy))
    notion = find_secret(NOTION_TOKEN, environ=environ, state_dir=state_dir)
    if notion:
        found["notion"] = _Lazy(partial(_notion, config, notion, busy, shelf, approved))
    elif config.notion.findings_data_source:
        _secret_missing("notion.findings_data_source", NOTION_TOKEN)
    return found


class _Lazy:
    """Builds its sender at the first use: the SDKs take a fifth of a second each to import."""

    def __init__(self, build: Callable[[], Sender]) -> None:
        self._build = build
        self._built: Sender | None = None

    def send(self, key: str, payload: Mapping[str, Any]) -> str:
        return self._sender().send(key, payload)

    def find(self, key: str, payload: Mapping[str, Any], *, since: datetime) -> str | None:
        return self._sender().find(key, payload, since=since)

    def close(self) -> None:
        if self._built:
            self._built.close()

    def _sender(self) -> Sender:
        self._built = self._built or self._build()
        return self._built


def _secret_for(
    setting: str, place: str, name: str, environ: Mapping[str, str], state_dir: Path
) -> str | None:
    if not place:
        return None
    secret = find_secret(name, environ=environ, state_dir=state_dir)
    if secret is None:
        _secret_missing(setting, name)
    return secret


def _secret_missing(setting: str, name: str) -> None:
    _log.warning("%s is set but there is no secret %s, so nothing is sent there", setting, name)


def _slack(config: Config, token: str, busy: Busy) -> Sender:
    from daemon.notify.slack import SlackSender
    from daemon.notify.slack_buttons import Look

    phrases, page = Phrases(config.daemon.language), config.web
    return SlackSender(
        token=token,
        channel=config.slack.channel,
        base_url=config.slack.base_url,
        busy=busy,
        look=Look(phrases, page.page_address, is_public=bool(page.address)),
    )


def _notion(config: Config, token: str, busy: Busy, shelf: Shelf, approved: Approved) -> Sender:
    from daemon.notify.notion import NotionSender
    from daemon.notify.notion_connection import NotionConnection

    return NotionSender(
        NotionConnection(token=token, base_url=config.notion.base_url, busy=busy),
        shelf,
        data_source=config.notion.findings_data_source,
        approved=approved if config.notion.public else None,
        phrases=Phrases(config.daemon.language),
    )
