"""At a start a channel without a way out is told, once, until it has one."""

from __future__ import annotations

from pathlib import Path

from daemon.bootstrap import Services, build_services
from daemon.clock import ManualClock
from daemon.scheduling.mute_channels import tell_mute_channels
from daemon.store import events, incidents
from tests.workspaces import NOON, copy_sample

CONFIG = '[provider]\nkind = "extractive"\n[slack]\nchannel = "C0123456789"\n'


def start(root: Path, environ: dict[str, str]) -> list[str]:
    """What is told in all by the end of a start, the oldest first."""
    services: Services = build_services(
        root, environ=environ, say=lambda line: None, clock=ManualClock(NOON)
    )
    try:
        tell_mute_channels(services)
        told = [f"{one.kind}: {one.facts['reason']}" for one in events.list_newest(services.db, 9)]
        is_open = incidents.find_open(services.db, "outbox/slack/mute") is not None
        assert is_open == ("SLACK_BOT_TOKEN" not in environ)
        return told[::-1]
    finally:
        services.close()


def test_a_channel_without_its_token_is_told_once_and_again_when_it_has_it(tmp_path: Path) -> None:
    """One alert for any number of starts, with the cure; one line that it is over."""
    root = copy_sample(tmp_path / "venture", CONFIG)
    first = start(root, {})
    assert first == [
        (
            "alert: Nothing leaves for Slack: there is no slack_bot_token. docs/slack.md says where "
            "slack_bot_token belongs; then restart the daemon."
        )
    ]
    assert start(root, {}) == first
    over = start(root, {"SLACK_BOT_TOKEN": "xoxb-not-a-real-one"})
    assert over[:-1] == first
    assert over[-1].startswith("recovered: Nothing leaves for Slack")


def test_where_nobody_configured_a_channel_nothing_is_told(tmp_path: Path) -> None:
    """A workspace that speaks to nobody is whole."""
    root = copy_sample(tmp_path / "venture", '[provider]\nkind = "extractive"\n')
    services = build_services(root, environ={}, say=lambda line: None, clock=ManualClock(NOON))
    try:
        tell_mute_channels(services)
        assert events.list_newest(services.db, 9) == []
    finally:
        services.close()
