"""The page of configuration: what is in force, where it stands, and never a secret."""

from __future__ import annotations

from pathlib import Path

from daemon.config.sections import Config
from daemon.config.toml_file import load_config
from daemon.web.powers import PowersDesk
from daemon.web.settings import SecretState, Setting, list_secrets, list_settings
from tests.unit.web.lived import page_of
from tests.unit.web.watched import Watched, watched_in

CONFIG = '[daemon]\nname = "Acme"\n\n[budget]\ndaily_cap_usd = 35.5\nwarn_at_percent = 80\n'


def settings_of(root: Path, config: Config) -> dict[str, Setting]:
    found = list_settings(root, config)
    return {f"{name}.{one.key}": one for name, section in found for one in section}


def test_each_setting_says_whether_it_was_changed_and_where(tmp_path: Path) -> None:
    """A key that is written with its default is not changed, but has its line."""
    (tmp_path / "config.toml").write_text(CONFIG)
    found = settings_of(tmp_path, load_config(tmp_path))
    cap = found["budget.daily_cap_usd"]
    assert (cap.value, cap.default, cap.is_changed, cap.line) == ("35.5", "20", True, 5)
    warn = found["budget.warn_at_percent"]
    assert (warn.value, warn.is_changed, warn.line) == ("80", False, 6)
    assert (found["web.port"].value, found["web.port"].line) == ("8642", 0)
    assert set(found) == {
        f"{name}.{key}"
        for name, field in Config.model_fields.items()
        for key in field.annotation.model_fields
    }


def test_what_waits_for_a_restart_is_told(tmp_path: Path) -> None:
    """The file says something else than what is in force."""
    (tmp_path / "config.toml").write_text("[web]\nport = 9000\n")
    assert settings_of(tmp_path, Config())["web.port"].waits == "9000"
    (tmp_path / "config.toml").write_text("nonsense")
    assert settings_of(tmp_path, Config())["web.port"].waits == ""
    (tmp_path / "config.toml").unlink()
    assert settings_of(tmp_path, Config())["web.port"].line == 0


def test_secrets_are_there_or_not_and_never_shown(tmp_path: Path) -> None:
    """One that cannot be used says why, without its text."""
    folder = tmp_path / "secrets"
    folder.mkdir()
    (folder / "notion_token").write_text("hunter2-of-notion")
    (folder / "notion_token").chmod(0o644)
    names = ("anthropic_api_key", "slack_bot_token", "notion_token")
    found = list_secrets(names, {"ANTHROPIC_API_KEY": "sk-ant-hunter2"}, tmp_path)
    assert found[:2] == (
        SecretState("anthropic_api_key", is_there=True),
        SecretState("slack_bot_token", is_there=False),
    )
    assert "chmod 0600" in found[2].problem
    assert "hunter2" not in str(found)


def test_the_page_shows_settings_agents_teams_and_the_map(tmp_path: Path) -> None:
    """All that `sprintd check` would need to be asked for."""
    with watched_in(tmp_path, CONFIG) as watched:
        watched.services.sprint_parts.map.load()
        page = page_of(watched, "/configuration")
        for words in (
            "35.5",
            "config.toml:5",
            "default 20",
            "2 differ from the default",
            "anthropic_api_key",
        ):
            assert words in page
        workspace = watched.services.source.load()
        for agent in workspace.agents:
            assert agent.file in page
        for team in workspace.teams:
            assert team.purpose in page
        assert "knowledge.yaml" in page


def test_the_three_powers_are_worked_out_beside_the_page(watched: Watched) -> None:
    """Nobody of the sample holds all three, and each yes has its way."""
    parts = watched.services.sprint_parts
    chart, workspace = parts.map.load(), watched.services.source.load()
    desk = PowersDesk(watched.services.root, watched.clock)
    rows = None
    for _ in range(200):  # at most some seconds on a slow machine
        rows = desk.rows(watched.services.config, workspace, chart)
        if rows is not None:
            break
    assert rows is not None
    assert [one.agent for one in rows] == [agent.id for agent in workspace.agents]
    assert not any(one.holds_all for one in rows)
    ways = dict(rows[0].ways)
    assert ways["PRIVATE_DATA"][0].startswith("unit ")
    assert ways["EXTERNAL_COMMUNICATION"] == ()
