"""A channel is there where its place and its secret are, and costs nothing before its first use."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from daemon.config.sections import Config, NotionSection, SlackSection
from daemon.notify.senders import build_senders
from tests.standins.shelf import MemoryShelf

SOURCE = "1f2e3d4c-0000-4000-8000-00000000d5d5"
BOTH = Config(
    slack=SlackSection(channel="C0123456789"), notion=NotionSection(findings_data_source=SOURCE)
)
SECRETS = {"SLACK_BOT_TOKEN": "xoxb-1", "NOTION_TOKEN": "ntn_1"}


def channels(config: Config, environ: dict[str, str], state_dir: Path) -> list[str]:
    return list(
        build_senders(
            config, environ, state_dir, lambda seconds: None,
            shelf=MemoryShelf(), approved=lambda payload: True,
        )
    )  # fmt: skip


def test_a_channel_needs_its_place_and_its_secret(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A place without a secret is logged; Slack's secret without a place is not used. Notion's places
    are made later, by setup, also while the daemon runs."""
    assert channels(BOTH, SECRETS, tmp_path) == ["slack", "notion"]
    assert channels(Config(), SECRETS, tmp_path) == ["notion"]
    assert channels(Config(), {}, tmp_path) == []
    assert caplog.text == ""
    assert channels(BOTH, {"NOTION_TOKEN": "ntn_1"}, tmp_path) == ["notion"]
    assert "slack.channel is set but there is no secret slack_bot_token" in caplog.text


def test_the_sdks_are_loaded_at_the_first_use() -> None:
    """Building the parts of a workspace imports neither."""
    code = (
        "import sys, daemon.bootstrap, daemon.notify.senders as s; from pathlib import Path;"
        "from tests.unit.notify.test_senders import BOTH, SECRETS;"
        "from tests.standins.shelf import MemoryShelf;"
        "s.build_senders(BOTH, SECRETS, Path('/nowhere'), print, shelf=MemoryShelf(), approved=bool);"
        "print([m for m in ('slack_sdk', 'notion_client', 'httpx') if m in sys.modules])"
    )
    root = Path(__file__).parents[3]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True,
                          check=True)  # fmt: skip
    assert done.stdout == "[]\n"


@pytest.mark.parametrize(
    ("section", "facts", "words"),
    [
        (SlackSection, {"channel": "#general"}, "not its name"),
        (SlackSection, {"channel": "C0123456789\n"}, "not its name"),
        (SlackSection, {"base_url": "http://slack.example/api/"}, "must begin with https://"),
        (NotionSection, {"findings_data_source": "Findings"}, "32 hexadecimal digits"),
        (NotionSection, {"base_url": "https://api.notion.com/v1"}, "must not end with /v1"),
    ],
)
def test_a_place_that_cannot_work_is_refused_at_the_start(
    section: type, facts: dict[str, str], words: str
) -> None:
    """Before any token is sent anywhere."""
    with pytest.raises(ValueError, match=words):
        section(**facts)


def test_a_stand_in_on_this_machine_needs_no_encryption() -> None:
    for url in ("http://127.0.0.1:9/api/", "http://localhost:9", "http://[::1]:9", "https://a.b"):
        assert SlackSection(base_url=url).base_url == url
        assert NotionSection(base_url=url).base_url == url
