"""A service that quotes secrets in its errors: none of them leaves the process or is kept."""

from __future__ import annotations

import json
from pathlib import Path

from tests.standins.daemon_process import DaemonProcess
from tests.standins.messages_api import MessagesApi, error
from tests.standins.slack_api import SlackApi
from tests.unit.cli.small import write_small
from tests.workspaces import claude_config

OTHERS = {
    "another bot token": "xoxb-999999999-OTHERTOKENabcdef",
    "another key": "sk-ant-OTHERKEY0123456789abcdef",
    "a bearer": "abcdefghijklmnop1234",
    "a password": "pa55word",
}


def test_secrets_in_the_services_error_reach_neither_people_nor_the_database(
    tmp_path: Path,
) -> None:
    """Its own Slack token and four others, by the real library: Slack, page, database, streams."""
    with MessagesApi() as api, SlackApi() as slack:
        root = write_small(tmp_path / "small")
        channel = f'[slack]\nchannel = "{slack.channel}"\nbase_url = "{slack.base_url}"\n'
        config = claude_config(api.base_url, "max_tries = 1\n") + channel
        (root / "config.toml").write_text(config)
        said = (
            f"upstream said: token {slack.token} and {OTHERS['another bot token']} and "
            f"{OTHERS['another key']} Bearer {OTHERS['a bearer']} https://u:pa55word@h/x"
        )
        api.script(*(error(500, "api_error", said) for _ in range(12)))
        environ = {"ANTHROPIC_API_KEY": api.api_key, "SLACK_BOT_TOKEN": slack.token}
        with DaemonProcess(root, environ=environ) as daemon:
            daemon.wait_until(lambda: slack.posted, "a message in Slack")
            health, page = daemon.health(), daemon.ask("GET", "/")[1]
            assert daemon.stop() == 0
            streams = daemon.said()
    kept = b"".join(path.read_bytes() for path in (root / "state").glob("sprintd.db*"))
    places = {
        "Slack": json.dumps([message.body for message in slack.posted]),
        "/health": json.dumps(health),
        "the page": str(page),
        "the database": kept.decode("latin-1"),
        "the streams": streams,
    }
    assert "upstream said" in places["Slack"]
    assert "upstream said" in places["the database"]
    secrets = {"its own token": slack.token, **OTHERS}
    found = [(at, name) for at, text in places.items() for name in secrets if secrets[name] in text]
    assert found == []
