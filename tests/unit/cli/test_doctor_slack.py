"""What the doctor says of Slack, from a stand-in that answers as Slack does; it posts nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from daemon.cli.doctor_result import Result
from daemon.cli.doctor_settings import Place
from daemon.cli.doctor_slack import check_slack, judge_room
from daemon.config.sections import Config, SlackSection, WebSection
from daemon.notify.slack_probe import Room, app_of_token
from tests.standins.slack_api import not_ok
from tests.standins.slack_team import ALL_SCOPES, APP_TOKEN, SlackTeam
from tests.unit.cli.small import as_json, sprintd

READING = {"auth.test", "conversations.info", "conversations.history", "users.info", "bots.info",
           "apps.connections.open"}  # fmt: skip


@pytest.fixture
def slack() -> Iterator[SlackTeam]:
    with SlackTeam() as found:
        yield found
        asked = {request.path.removeprefix("/api/") for request in found.requests}
        assert asked <= READING
        assert found.posted == []


def look(
    slack: SlackTeam,
    tmp_path: Path,
    *,
    web: WebSection | None = None,
    secrets: Any = None,
    **more: Any,
) -> dict[str, list[Result]]:
    """What each look came to, with the secrets in the environment; each fault has its cure."""
    fields = {"channel": slack.channel, "base_url": slack.base_url, "deciders": ("U0FOUNDER",)}
    section = SlackSection(**{**fields, **more})
    environ = {"SLACK_BOT_TOKEN": slack.token, "SLACK_APP_TOKEN": APP_TOKEN, **(secrets or {})}
    environ = {name: value for name, value in environ.items() if value}
    place = Place(tmp_path, Config(slack=section, web=web or WebSection()), environ, None)
    found: dict[str, list[Result]] = {}
    for one in check_slack(place):
        assert one.cure or one.grade == "ok", one
        found.setdefault(one.check, []).append(one)
    return found


def only(found: list[Result]) -> Result:
    (one,) = found
    return one


def test_a_sound_app_has_no_fault(slack: SlackTeam, tmp_path: Path) -> None:
    """Token, channel, scopes, deciders, app and way in are each told as well."""
    found = look(slack, tmp_path)
    assert {one.grade for results in found.values() for one in results} == {"ok"}
    assert set(found) == {"slack token", "slack channel", "slack scopes", "slack deciders",
                          "slack app", "slack way in"}  # fmt: skip
    assert "sprintd in the workspace Venture" in only(found["slack token"]).message
    assert "users:read" in only(found["slack deciders"]).message


@pytest.mark.parametrize(
    ("secret", "kind"),
    [
        ("xoxp-1-2", "the token of a person"),
        ("xapp-1-A0-2", "an app-level token"),
        ("xoxe.xoxb-1-2", "ends after twelve hours"),
    ],
)
def test_another_kind_of_token_is_known_by_its_beginning(
    slack: SlackTeam, tmp_path: Path, secret: str, kind: str
) -> None:
    """It is not sent anywhere, and the cure says where the right one stands."""
    found = look(slack, tmp_path, secrets={"SLACK_BOT_TOKEN": secret})
    assert kind in only(found["slack token"]).message
    assert "Bot User OAuth Token" in only(found["slack token"]).cure
    assert not slack.calls("auth.test")


@pytest.mark.parametrize("code", ["invalid_auth", "account_inactive", "token_revoked"])
def test_a_token_that_slack_refuses_is_a_fault(slack: SlackTeam, tmp_path: Path, code: str) -> None:
    """With Slack's own word, and nothing more is asked with it."""
    slack.script(not_ok(code))
    found = look(slack, tmp_path)
    assert code in only(found["slack token"]).message
    assert "slack channel" not in found


def test_the_token_of_a_person_is_a_fault(slack: SlackTeam, tmp_path: Path) -> None:
    """Messages would come from that person."""
    slack.bot = ""
    assert only(look(slack, tmp_path)["slack token"]).grade == "fault"


@pytest.mark.parametrize(
    ("missing", "grade"),
    [("chat:write", "fault"), ("channels:history", "fault"), ("files:write", "warn"),
     ("app_mentions:read", "warn"), ("commands", "warn")],
)  # fmt: skip
def test_each_missing_scope_is_named_with_what_it_is_for(
    tmp_path: Path, missing: str, grade: str
) -> None:
    """A fault only where messages could not leave, or could stand there twice."""
    with SlackTeam(scopes=tuple(one for one in ALL_SCOPES if one != missing)) as slack:
        found = only(look(slack, tmp_path)["slack scopes"])
    assert found.grade == grade
    assert missing in found.message
    assert "Add an OAuth Scope" in found.cure


def test_scopes_that_are_missing_together_are_one_fault_and_one_warning(tmp_path: Path) -> None:
    """The cure, which is the same for all, is told once for each."""
    with SlackTeam(scopes=("channels:read",)) as slack:
        found = look(slack, tmp_path)["slack scopes"]
    assert [one.grade for one in found] == ["fault", "warn"]
    assert found[0].message == (
        "the app lacks chat:write, with which messages are posted and edited; channels:history, "
        "with which a message whose fate is unknown is looked for, so that none is posted twice"
    )
    assert "files:write, with which" in found[1].message
    assert "commands, with which /sprintd status is answered" in found[1].message


def test_only_the_scopes_of_the_channels_kind_are_asked_for(tmp_path: Path) -> None:
    """A private channel needs groups:history, a public one channels:history."""
    scopes = tuple(one for one in ALL_SCOPES if not one.startswith("groups:"))
    with SlackTeam(scopes=scopes) as slack:
        assert only(look(slack, tmp_path)["slack scopes"]).grade == "ok"
        slack.room["is_private"] = True
        private = look(slack, tmp_path)["slack scopes"]
    assert [(one.grade, "groups:history" in one.message) for one in private] == [
        ("fault", True),
        ("warn", False),
    ]


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [("is_member", False, "the app is not in"), ("is_archived", True, "is archived"),
     ("is_ext_shared", True, "another company"), ("is_pending_ext_shared", True, "another company")],
)  # fmt: skip
def test_a_channel_that_is_not_fit_is_a_fault(
    slack: SlackTeam, tmp_path: Path, field: str, value: object, words: str
) -> None:
    """Not in it, archived, or shared with another company."""
    slack.room[field] = value
    found = only(look(slack, tmp_path)["slack channel"])
    assert found.grade == "fault"
    assert words in found.message


def test_a_channel_shared_with_others_is_right_where_the_configuration_says_so() -> None:
    """slack.public = true: the agents' powers are then judged by it."""
    room = Room("press", is_private=False, is_member=True, is_archived=False, is_outside=True)
    assert judge_room(room, "C0123456789", public=True).grade == "ok"
    assert judge_room(room, "C0123456789", public=False).grade == "fault"


def test_a_wrong_channel_is_a_fault_that_says_where_the_id_stands(
    slack: SlackTeam, tmp_path: Path
) -> None:
    """Slack does not say whether it is not there or private."""
    found = only(look(slack, tmp_path, channel="C0000000000")["slack channel"])
    assert "channel_not_found" in found.message
    assert "at the bottom of About" in found.cure


def test_without_the_right_to_ask_reading_shows_whether_the_app_is_in(tmp_path: Path) -> None:
    """The two scopes for reading are enough for that; who else is there stays unknown."""
    with SlackTeam(scopes=ALL_SCOPES[:6]) as slack:
        found = look(slack, tmp_path)
        assert only(found["slack channel"]).grade == "warn"
        assert {one.grade for one in found["slack scopes"]} == {"warn"}
        slack.room["is_member"] = False
        assert only(look(slack, tmp_path)["slack channel"]).grade == "fault"


@pytest.mark.parametrize(
    ("field", "value", "grade"),
    [("deleted", True, "fault"), ("is_bot", True, "fault"), ("team_id", "T0OTHER", "warn"),
     ("is_restricted", True, "warn"), ("real_name", "Ana", "ok")],
)  # fmt: skip
def test_who_may_decide_is_looked_up_where_that_is_allowed(
    tmp_path: Path, field: str, value: object, grade: str
) -> None:
    """No bot, nobody who left; a stranger and a guest are worth a look."""
    with SlackTeam(scopes=(*ALL_SCOPES, "users:read")) as slack:
        slack.people["U0FOUNDER"][field] = value
        assert only(look(slack, tmp_path)["slack deciders"]).grade == grade


def test_an_id_that_is_none_is_a_fault(tmp_path: Path) -> None:
    """An address by mail is refused by the settings; an id of nobody by Slack."""
    with SlackTeam(scopes=(*ALL_SCOPES, "users:read")) as slack:
        found = look(slack, tmp_path, deciders=("U0FOUNDER", "U0NOBODY"))["slack deciders"]
    assert [one.grade for one in found] == ["fault", "ok"]
    assert "Copy member ID" in found[0].cure


def test_tokens_of_two_apps_are_a_fault(tmp_path: Path) -> None:
    """Presses go to the app that posted the buttons, and never come."""
    with SlackTeam(scopes=(*ALL_SCOPES, "users:read")) as slack:
        assert only(look(slack, tmp_path)["slack app"]).grade == "ok"
        slack.app = "A0OTHER"
        found = only(look(slack, tmp_path)["slack app"])
    assert found.grade == "fault"
    assert "A0OTHER" in found.message
    assert (app_of_token(APP_TOKEN), app_of_token("xapp-x")) == ("A0123456789", "")


def test_an_app_token_that_opens_nothing_is_a_fault(slack: SlackTeam, tmp_path: Path) -> None:
    """Another one, another kind, Socket Mode switched off."""
    wrong = look(slack, tmp_path, secrets={"SLACK_APP_TOKEN": "xapp-1-A0-other"})
    assert "connections:write" in only(wrong["slack way in"]).cure
    kind = look(slack, tmp_path, secrets={"SLACK_APP_TOKEN": slack.token})
    assert "a bot token" in only(kind["slack way in"]).message
    slack.line_error = "link_disabled"
    assert "Enable Socket Mode" in only(look(slack, tmp_path)["slack way in"]).cure


def test_http_needs_a_secret_of_the_right_form_and_a_host(slack: SlackTeam, tmp_path: Path) -> None:
    """Without a public name every request of Slack gets 403."""

    def way_in(secret: str, web: WebSection) -> Result:
        secrets = {"SLACK_SIGNING_SECRET": secret}
        return only(look(slack, tmp_path, mode="http", web=web, secrets=secrets)["slack way in"])

    named = WebSection(allowed_hosts=("sprintd.example.org",))
    assert way_in("0123456789abcdef" * 2, named).grade == "ok"
    assert "Signing Secret" in way_in("not-it", named).cure
    assert "a bot token" in way_in("xoxb-1", named).message
    assert "web.allowed_hosts" in way_in("0123456789abcdef" * 2, WebSection()).cure


def test_a_service_in_trouble_is_no_fault_of_ours(slack: SlackTeam, tmp_path: Path) -> None:
    """Slack's limit, or nobody there: a warning, and the look ends."""
    slack.script(not_ok("ratelimited"))
    assert only(look(slack, tmp_path)["slack token"]).grade == "warn"
    nobody = look(slack, tmp_path, base_url="http://127.0.0.1:9/api/")
    assert {one.grade for results in nobody.values() for one in results} == {"warn"}


def test_the_command_asks_slack_and_offline_does_not(worked: Path, slack: SlackTeam) -> None:
    """No secret stands in what it says."""
    lines = f'[slack]\nchannel = "{slack.channel}"\nbase_url = "{slack.base_url}"\n'
    (worked / "config.toml").write_text(f'[provider]\nkind = "extractive"\n{lines}')
    environ = {"SLACK_BOT_TOKEN": slack.token, "SLACK_APP_TOKEN": APP_TOKEN}
    done = sprintd(worked, "doctor", environ=environ)
    assert "ok    slack channel: the app is in the public channel #founders" in done.stdout
    assert slack.token not in done.stdout
    asked = len(slack.requests)
    offline = sprintd(worked, "doctor", "--offline", environ=environ)
    assert len(slack.requests) == asked
    assert "slack channel" not in offline.stdout
    names = {one["check"] for one in as_json(worked, "doctor", "--offline", code=1)["checks"]}
    assert not [name for name in names if name.startswith("endpoint")]
