"""The doctor's look at Slack: token, scopes, channel, way in and deciders. Posts nothing.

What Slack tells it is asked for with the secrets that are seen from here; where it cannot be reached
the look ends there, as a warning.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from daemon.bootstrap import state_dir_of
from daemon.cli.doctor_result import Result, fault, ok, warn
from daemon.cli.doctor_settings import Place
from daemon.config.secrets import find_secret
from daemon.errors import SendError, SendRefused, SprintdError
from daemon.notify import slack_app
from daemon.notify.senders import SLACK_APP_TOKEN, SLACK_SIGNING_SECRET, SLACK_TOKEN
from daemon.notify.slack_calls import SlackRefused
from daemon.notify.slack_probe import Bot, Room, SlackProbe, app_of_token, check_line

BASE_URL = "https://slack.com/api/"
READ_SECONDS = 4.0
MOST_DECIDERS = 10  # looked up one by one
_SECRET = re.compile(r"[0-9a-f]{32}")
_PERSON = re.compile(r"[UW][A-Z0-9]{2,30}")
_KINDS = {
    "xoxb-": "a bot token",
    "xoxe": "a token that ends after twelve hours (token rotation is on for the app)",
    "xoxp-": "the token of a person",
    "xapp-": "an app-level token",
}
_PERSON_CURE = (
    "in Slack open the person's profile, choose the three dots and Copy member ID, and put that id "
    "into slack.deciders"
)
_ADD_SCOPE = (
    "at api.slack.com/apps choose the app, OAuth & Permissions, Scopes, Add an OAuth Scope, add it "
    "under Bot Token Scopes, then Reinstall to the workspace"
)


def check_slack(place: Place) -> Iterator[Result]:
    """Nothing where no channel is configured, or its token is not seen from here (which
    `check_tokens` tells)."""
    if not place.config.slack.channel:
        return
    token = _secret(place, SLACK_TOKEN)
    if token is None:
        return
    wrong = _wrong_kind(token, "xoxb-")
    if wrong:
        yield fault("slack token", wrong, slack_app.BOT_TOKEN)
    else:
        yield from _check_with_token(place, token)
    yield from _check_way_in(place)


def judge_scopes(scopes: Collection[str], room: Room | None) -> Iterator[Result]:
    """Those that the channel's kind needs (where that is unknown, one of each two will do): in one
    result what is needed, in one more what is merely of use, for the cure is the same."""
    wanted = [one for one in slack_app.BOT_SCOPES if _is_wanted(one, scopes, room)]
    missing = [one for one in wanted if one.name not in scopes]
    for grade, needed in ((fault, True), (warn, False)):
        uses = [f"{one.name}, with which {one.use}" for one in missing if one.needed is needed]
        if uses:
            yield grade("slack scopes", f"the app lacks {'; '.join(uses)}", _ADD_SCOPE)
    if not missing:
        yield ok("slack scopes", f"the app may do what it has to ({len(wanted)} scopes)")


def judge_room(room: Room, channel: str, *, public: bool) -> Result:
    """The worst that there is to say of the channel; `public` as configured."""
    check, name = "slack channel", f"#{room.name} ({channel})"
    if room.is_archived:
        return fault(check, f"{name} is archived", slack_app.CURES["is_archived"])
    if not room.is_member:
        return fault(check, f"the app is not in {name}", slack_app.INVITE)
    if room.is_outside and not public:
        cure = (
            "name a channel of your own in slack.channel; or set slack.public = true, and the agents' "
            "powers are judged by that (sprintd trifecta)"
        )
        return fault(check, f"people of another company are in {name}, or were invited", cure)
    kind = "private" if room.is_private else "public"
    return ok(check, f"the app is in the {kind} channel {name}")


def _check_with_token(place: Place, token: str) -> Iterator[Result]:
    """Steps: whose token it is; the channel; the scopes for it; the people; the app's own id."""
    probe = SlackProbe(token, place.config.slack.base_url or BASE_URL, READ_SECONDS)
    try:
        bot = probe.bot()
        if not bot.bot:
            message = f"it is a token of {bot.user or 'a person'}, not of the app's bot"
            yield fault("slack token", message, slack_app.BOT_TOKEN)
            return
        yield ok("slack token", f"is valid: {bot.user} in the workspace {bot.team} ({bot.team_id})")
        room, result = _look_into_room(probe, place, bot)
        yield result
        if bot.scopes is not None:
            yield from judge_scopes(bot.scopes, room)
        yield from _check_people(probe, place, bot)
        yield from _check_app(probe, place, bot)
    except SlackRefused as error:
        yield fault("slack token", f"Slack says {error.code}", _cure(error.code))
    except SendRefused as error:
        yield fault("slack token", str(error), "correct slack.base_url")
    except SendError as error:
        yield _not_answered("slack token", error)


def _look_into_room(probe: SlackProbe, place: Place, bot: Bot) -> tuple[Room | None, Result]:
    """The channel, None where the app may not ask for it; then reading it shows whether it is in."""
    check, channel = "slack channel", place.config.slack.channel
    try:
        room = probe.room(channel)
        return room, judge_room(room, channel, public=place.config.slack.public)
    except SlackRefused as error:
        if error.code != "missing_scope":
            return None, fault(check, f"{channel}: Slack says {error.code}", _cure(error.code))
    try:
        probe.app_seen_in(channel, bot.bot)
    except SlackRefused as error:
        return None, fault(check, f"{channel}: Slack says {error.code}", _cure(error.code))
    message = f"the app is in {channel}; who else is there it may not ask"
    return None, warn(check, message, f"add channels:read (or groups:read): {_ADD_SCOPE}")


def _check_people(probe: SlackProbe, place: Place, bot: Bot) -> Iterator[Result]:
    check, deciders = "slack deciders", place.config.slack.deciders
    if not deciders:
        return  # `check_tokens` says so
    odd = [name for name in deciders if not _PERSON.fullmatch(name)]
    if odd:
        yield fault(check, f"{', '.join(odd)[:200]} is no id of a person", _PERSON_CURE)
    if bot.scopes is not None and slack_app.OPTIONAL_SCOPE.name not in bot.scopes:
        yield ok(
            check,
            f"{len(deciders)} named, and not looked up: for that the app needs the scope "
            f"{slack_app.OPTIONAL_SCOPE.name}",
        )
        return
    well = []
    for user in [name for name in deciders if name not in odd][:MOST_DECIDERS]:
        result = _judge_person(probe, user, bot.team_id)
        if result is None:
            return
        if result.grade == "ok":
            well.append(result.message)
        else:
            yield result
    if well:
        more = max(0, len(deciders) - len(odd) - MOST_DECIDERS)
        others = f" ({more} more were not looked up)" if more else ""
        yield ok(check, f"{', '.join(well)} may decide{others}")


def _judge_person(probe: SlackProbe, user: str, team: str) -> Result | None:
    """None where nobody may be looked up."""
    check = "slack deciders"
    try:
        found = probe.person(user)
    except SlackRefused as error:
        if error.code == "missing_scope":
            return None
        return fault(check, f"{user}: Slack says {error.code}", _PERSON_CURE)
    who = f"{user} ({found.name})"
    if found.is_deleted:
        return fault(check, f"the account {who} is deactivated", "take it out of slack.deciders")
    if found.is_bot:
        return fault(check, f"{who} is a bot, and only people decide", _PERSON_CURE)
    if found.team_id and team and found.team_id != team:
        message = f"{who} is of another workspace ({found.team_id})"
        return warn(check, message, "take the id out of slack.deciders unless that is meant")
    if found.is_guest:
        return warn(check, f"{who} is a guest", "take the id out unless a guest is to decide")
    return ok(check, who)


def _check_app(probe: SlackProbe, place: Place, bot: Bot) -> Iterator[Result]:
    """Whether both tokens are of one app: presses go to the app that posted the buttons."""
    token = _secret(place, SLACK_APP_TOKEN) if place.config.slack.mode == "socket" else None
    named = app_of_token(token or "")
    if not named:
        return
    try:
        seen = ""
        if bot.scopes is not None and slack_app.OPTIONAL_SCOPE.name in bot.scopes:
            seen = probe.app_of(bot.bot)
        seen = seen or probe.app_seen_in(place.config.slack.channel, bot.bot)
    except SlackRefused:
        return
    if seen and seen != named:
        message = f"slack_app_token is of the app {named}, slack_bot_token of {seen}"
        cure = f"take both from one app; for {seen}: {slack_app.APP_TOKEN}"
        yield fault("slack app", message, cure)
    elif seen:
        yield ok("slack app", f"both tokens are of the app {named}")
    else:
        yield ok("slack app", f"{named}; once it has posted, both tokens can be compared")


def _check_way_in(place: Place) -> Iterator[Result]:
    check, section = "slack way in", place.config.slack
    if section.mode == "http":
        yield from _check_http(place)
        return
    token = _secret(place, SLACK_APP_TOKEN)
    if token is None:
        return
    wrong = _wrong_kind(token, "xapp-")
    if wrong:
        yield fault(check, wrong, slack_app.APP_TOKEN)
        return
    try:
        check_line(token, section.base_url or BASE_URL, READ_SECONDS)
    except SlackRefused as error:
        cure = slack_app.SOCKET_CURES.get(error.code) or slack_app.LINE_CURES.get(error.code)
        message = f"Slack opens no connection: {error.code}"
        yield fault(check, message, cure or slack_app.LINE_CURES["link_disabled"])
    except SendError as error:
        yield _not_answered(check, error)
    else:
        yield ok(check, "Socket Mode: Slack opens a connection for the app-level token")


def _check_http(place: Place) -> Iterator[Result]:
    check, web = "slack way in", place.config.web
    secret = _secret(place, SLACK_SIGNING_SECRET)
    if secret is None:
        return
    if not _SECRET.fullmatch(secret):
        wrong = _wrong_kind(secret, "") or "slack_signing_secret is not 32 digits of 0-9 and a-f"
        yield fault(check, wrong, slack_app.SIGNING_SECRET)
    elif not web.allowed_hosts and not web.address:
        cure = "put the public host name into web.allowed_hosts, and restart"
        yield fault(check, "no public host name is served, so Slack gets 403", cure)
    else:
        yield ok(check, "HTTP: the signing secret has the right form; Slack must reach /slack/")


def _is_wanted(scope: slack_app.Scope, scopes: Collection[str], room: Room | None) -> bool:
    if not scope.where:
        return True
    if room is not None:
        return room.is_private == (scope.where == "private")
    other = {"channels": "groups", "groups": "channels"}
    family, _, right = scope.name.partition(":")
    return f"{other[family]}:{right}" not in scopes and family == "channels"


def _wrong_kind(secret: str, right: str) -> str:
    """What a secret holds by its beginning, where that is another thing than it should be."""
    for beginning, name in _KINDS.items():
        if secret.startswith(beginning) and beginning != right:
            return f"the secret holds {name} ({beginning}...)"
    return ""


def _cure(code: str) -> str:
    return slack_app.CURES.get(code, "docs/slack.md lists what Slack may say")


def _not_answered(check: str, error: SendError) -> Result:
    return warn(check, str(error), "nothing can be said of it now; try again")


def _secret(place: Place, name: str) -> str | None:
    """None where it is not seen from here or cannot be used, which `check_tokens` tells."""
    try:
        return find_secret(name, environ=place.environ, state_dir=state_dir_of(place.root))
    except SprintdError:
        return None
