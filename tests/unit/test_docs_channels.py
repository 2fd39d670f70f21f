"""docs/slack.md, its manifest and docs/notion.md against the code: scopes, codes, columns, versions."""

from __future__ import annotations

import ast
import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from daemon.config.sections import NotionSection, Section, SlackSection, WebSection
from daemon.notify import slack_app
from daemon.notify.notion_errors import NOTION_VERSION
from daemon.notify.notion_places import KEY_PROPERTY, KINDS, TITLES
from daemon.notify.senders import SECRETS
from daemon.web import slack as web_slack

ROOT = Path(__file__).parents[2]
SLACK = (ROOT / "docs" / "slack.md").read_text("utf-8")
NOTION = (ROOT / "docs" / "notion.md").read_text("utf-8")
MANIFEST: dict[str, Any] = yaml.safe_load(
    (ROOT / "docs" / "slack-app-manifest.yaml").read_text("utf-8")
)
BOT_SCOPES = [scope.name for scope in slack_app.BOT_SCOPES]
# Of no method: what Slack sends is asked for by these two.
EVENT_SCOPES = {"app_mention": "app_mentions:read", "/sprintd": "commands"}


def first_cells(text: str) -> Iterator[str]:
    """Everything in backticks in the first column of a page's tables."""
    for row in re.findall(r"^\| (.*?) \|", text, re.M):
        yield from re.findall(r"`([^`]+)`", row)


def called_methods() -> set[str]:
    """The methods of Slack's client that the rooms call."""
    found = set()
    for path in sorted((ROOT / "daemon" / "notify").glob("slack*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Attribute):
                holder = node.value
                name = (
                    holder.attr if isinstance(holder, ast.Attribute) else getattr(holder, "id", "")
                )
                if name in ("client", "_web") and "_" in node.attr and node.attr[0] != "_":
                    found.add(node.attr)
    return found - {"send_bytes"}


def test_the_manifest_has_the_scopes_that_the_code_names_and_no_others() -> None:
    """In the same order, so that a difference is seen at once."""
    assert MANIFEST["oauth_config"]["scopes"] == {"bot": BOT_SCOPES}


def test_every_method_that_is_called_has_a_scope_in_the_manifest() -> None:
    """And each scope of the manifest is needed by a method or by what Slack sends."""
    called = called_methods()
    assert called == set(slack_app.METHODS)
    granted = {*BOT_SCOPES, slack_app.APP_SCOPE, slack_app.OPTIONAL_SCOPE.name}
    for method in called:
        wanted = slack_app.METHODS[method]
        assert not wanted or granted & set(wanted), method
    used = {scope for scopes in slack_app.METHODS.values() for scope in scopes}
    assert granted == used | set(EVENT_SCOPES.values())


def test_the_manifest_asks_for_what_comes_in_over_a_socket() -> None:
    """Mentions, presses and one command; no public address, no tokens that end by themselves."""
    settings, features = MANIFEST["settings"], MANIFEST["features"]
    assert settings["event_subscriptions"]["bot_events"] == ["app_mention"]
    assert settings["interactivity"] == {"is_enabled": True}
    assert settings["socket_mode_enabled"] is True
    assert settings["token_rotation_enabled"] is False
    assert [one["command"] for one in features["slash_commands"]] == ["/sprintd"]
    assert "url" not in features["slash_commands"][0]


def test_the_manifest_keeps_to_the_lengths_that_slack_takes() -> None:
    """A name of 35, a description of 140 characters; else it cannot be pasted."""
    about = MANIFEST["display_information"]
    assert len(about["name"]) <= 35
    assert len(about["description"]) <= 140
    assert re.fullmatch(r"#[0-9a-f]{6}", about["background_color"])
    assert len(MANIFEST["features"]["bot_user"]["display_name"]) <= 80


def test_the_lines_for_http_name_the_addresses_that_are_served() -> None:
    """Each with one host, which stands in the lines for config.toml too."""
    (lines,) = re.findall(r"```yaml\n(.*?)```", SLACK, re.DOTALL)
    urls = re.findall(r"https://\S+", lines)
    source = Path(web_slack.__file__).read_text("utf-8")
    served = re.findall(r'@app\.post\("(/slack/\w+)"\)', source)
    assert {re.sub(r"https://[^/]+", "", url) for url in urls} == set(served)
    parsed = yaml.safe_load(lines)
    assert set(parsed) <= set(MANIFEST)
    assert set(parsed["settings"]) <= set(MANIFEST["settings"])


def test_the_settings_of_the_pages_are_sound() -> None:
    """They can be pasted into config.toml as they stand."""
    sections: dict[str, type[Section]] = {
        "slack": SlackSection,
        "notion": NotionSection,
        "web": WebSection,
    }
    examples = re.findall(r"^ *```toml\n(.*?)```", SLACK + NOTION, re.DOTALL | re.M)
    assert len(examples) == 3
    for text in examples:
        for name, values in tomllib.loads(text).items():
            sections[name].model_validate_json(json.dumps(values))


def test_every_code_with_a_cure_stands_in_the_table() -> None:
    """Whoever reads Slack's word in an error finds what to do."""
    told = set(first_cells(SLACK))
    codes = {*slack_app.CURES, *slack_app.SOCKET_CURES, *slack_app.LINE_CURES}
    assert len(codes) > 10
    assert codes - told == set()


def test_every_scope_stands_in_the_table_with_what_is_lost_without_it() -> None:
    """Nobody gives a right without knowing what for."""
    told = set(first_cells(SLACK))
    scopes = {*BOT_SCOPES, slack_app.APP_SCOPE, slack_app.OPTIONAL_SCOPE.name}
    assert scopes - told == set()


def test_every_secret_is_told_of_where_it_comes_from() -> None:
    """By the name that its file has."""
    for name in SECRETS:
        assert f"`{name}`" in SLACK + NOTION


def test_the_page_on_notion_has_every_database_and_column() -> None:
    """By the names that stand in Notion."""
    rows = {row[0]: row[1] for row in re.findall(r"^\| ([\w ]+) \| .+? \| (.+?) \|$", NOTION, re.M)}
    for place, title in TITLES.items():
        assert rows[title].split(", ") == list(KINDS[place])
    assert f"`{KEY_PROPERTY}`" in NOTION
    assert f"version {NOTION_VERSION}" in NOTION


def test_the_commands_that_the_pages_name_are_there() -> None:
    """Each is a section of docs/cli.md."""
    headings = set(re.findall(r"^## (sprintd .+)$", (ROOT / "docs" / "cli.md").read_text(), re.M))
    named = set(re.findall(r"`(sprintd [a-z]+(?: [a-z]+)?)", SLACK + NOTION))
    assert len(named) > 5
    for command in named:
        assert command in headings or " ".join(command.split()[:2]) in headings, command
