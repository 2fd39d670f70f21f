"""What the Slack app must be allowed to do, and what a person changes where Slack says no.

The manifest in docs/slack-app-manifest.yaml has these scopes, and docs/slack.md every code below.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

Where = Literal["public", "private", ""]


@dataclass(frozen=True)
class Scope:
    """`use` is what does not work without it; `where` the kind of channel that it is for, empty:
    any. Without one that is `needed` no message is sent safely."""

    name: str
    use: str
    needed: bool = False
    where: Where = ""


BOT_SCOPES: Final = (
    Scope("chat:write", "messages are posted and edited", needed=True),
    Scope(
        "channels:history",
        "a message whose fate is unknown is looked for, so that none is posted twice",
        needed=True,
        where="public",
    ),
    Scope(
        "groups:history",
        "a message whose fate is unknown is looked for, so that none is posted twice",
        needed=True,
        where="private",
    ),
    Scope("files:write", "a report that is too long for a message goes along as a file"),
    Scope("app_mentions:read", "a mention of the app is answered with the status"),
    Scope("commands", "/sprintd status is answered"),
    Scope(
        "channels:read",
        "the doctor sees who else is in the channel",
        where="public",
    ),
    Scope(
        "groups:read",
        "the doctor sees who else is in the channel",
        where="private",
    ),
)
# Asked for by no manifest: with it the doctor also looks up people and the app's own id.
OPTIONAL_SCOPE: Final = Scope("users:read", "the doctor looks up who may decide")
APP_SCOPE: Final = "connections:write"  # of the app-level token

# Each method of the Web API that is called, and the scopes of which it needs one (none: any token).
METHODS: Final[Mapping[str, tuple[str, ...]]] = {
    "auth_test": (),
    "chat_postMessage": ("chat:write",),
    "chat_update": ("chat:write",),
    "conversations_history": ("channels:history", "groups:history"),
    "conversations_replies": ("channels:history", "groups:history"),
    "conversations_info": ("channels:read", "groups:read"),
    "files_getUploadURLExternal": ("files:write",),
    "files_completeUploadExternal": ("files:write",),
    "users_info": ("users:read",),
    "bots_info": ("users:read",),
    "apps_connections_open": (APP_SCOPE,),
}

PAGE: Final = "api.slack.com/apps"
INVITE: Final = "in Slack open the channel and type: /invite @sprintd (the app's name)"
BOT_TOKEN: Final = (
    "at api.slack.com/apps choose the app, OAuth & Permissions, copy the Bot User OAuth Token into "  # noqa: S105
    "the secret slack_bot_token, and restart"
)
APP_TOKEN: Final = (
    "at api.slack.com/apps choose the app, Basic Information, App-Level Tokens, Generate Token and "  # noqa: S105
    "Scopes, add connections:write, copy the token (xapp-...) into the secret slack_app_token, and "
    "restart"
)
SIGNING_SECRET: Final = (
    "at api.slack.com/apps choose the app, Basic Information, App Credentials, Signing Secret, Show; "  # noqa: S105
    "copy it into the secret slack_signing_secret, and restart"
)
CHANNEL_ID: Final = (
    "in Slack click the channel's name; its id (such as C0123456789) stands at the bottom of About; "
    "put it into slack.channel and restart"
)

_TOKEN_CODES = (
    "invalid_auth", "not_authed", "account_inactive", "token_revoked", "token_expired",
    "not_allowed_token_type",
)  # fmt: skip

# The app may do nothing: no message of any channel is taken.
SHUT_OUT: Final = frozenset((
    *_TOKEN_CODES, "access_denied", "ekm_access_denied", "enterprise_is_restricted",
    "org_login_required", "team_access_not_granted",
))  # fmt: skip
# No message is taken in this one channel.
SHUT_CHANNEL: Final = frozenset((
    "channel_not_found", "not_in_channel", "is_archived", "restricted_action",
))  # fmt: skip

# What cures a refusal of a message.
CURES: Final[Mapping[str, str]] = {
    **dict.fromkeys(_TOKEN_CODES, BOT_TOKEN),
    "missing_scope": "give the app the scopes chat:write and channels:history (groups:history for a "
    f"private channel): {PAGE}, the app, OAuth & Permissions, Scopes, Add an OAuth Scope; then "
    "Reinstall to the workspace",
    "channel_not_found": f"{CHANNEL_ID}, unless the message was for another place: then ask for it "
    f"again with that one's id; of a private channel the app knows nothing before it is invited: {INVITE}",
    "not_in_channel": f"invite the app to that channel: {INVITE}",
    "is_archived": "name a channel that is not archived in slack.channel and restart, or open the "
    "archived one again in Slack",
    "restricted_action": "the workspace lets only some post in this channel: in Slack click the "
    "channel's name, Settings, Posting permissions, and let everyone (or this app) post",
}

# What cures a refusal to open a connection for what people press.
SOCKET_CURES: Final[Mapping[str, str]] = {
    **dict.fromkeys(_TOKEN_CODES, APP_TOKEN),
    **dict.fromkeys(("missing_scope", "no_permission", "forbidden_team"), APP_TOKEN),
}

# What a person changes where an open connection was ended with this reason.
LINE_CURES: Final[Mapping[str, str]] = {
    "link_disabled": "Socket Mode is switched off for the app; switch it on in its settings: "
    f"{PAGE}, the app, Socket Mode, Enable Socket Mode",
    "too_many_websockets": "ten other connections are open with this token; end those programs",
}
