"""What is built from a configuration, and what must not leak from it."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from daemon.bootstrap import build_services, find_secrets
from tests.workspaces import copy_sample

CONFIG = """
[slack]
channel = "C0123456789"
[notion]
findings_data_source = "1f2e3d4c-0000-4000-8000-00000000d5d5"
"""
TOKENS = {"SLACK_BOT_TOKEN": "xoxb-private", "NOTION_TOKEN": "ntn_private"}


def test_every_secret_is_known_to_the_redaction(tmp_path: Path) -> None:
    """The key and both tokens, wherever each of them is kept."""
    place = tmp_path / "state" / "secrets" / "anthropic_api_key"
    place.parent.mkdir(parents=True)
    place.write_text("sk-ant-private\n")
    place.chmod(0o600)
    found = find_secrets(tmp_path, TOKENS)
    assert sorted(found) == ["ntn_private", "sk-ant-private", "xoxb-private"]


def test_reports_go_to_slack_and_findings_to_notion(tmp_path: Path) -> None:
    """A report never becomes a page among the findings; both channels have a sender."""
    root = copy_sample(tmp_path, CONFIG)
    with closing(build_services(root, environ=TOKENS, say=lambda line: None)) as services:
        assert services.outbox.channels == ("slack", "notion")
        assert services.channels == ("slack",)
        assert services.sprint_parts.channels == ("slack", "notion")
        assert list(services.heartbeats) == ["worker", "scheduler", "delivery"]
    with closing(build_services(root, environ={}, say=lambda line: None)) as services:
        assert services.channels == services.outbox.channels == ()
        assert list(services.heartbeats) == ["worker", "scheduler"]
