"""What Slack sends in, read into what a person did; pure, and nothing in it is believed.

Socket Mode hands over an envelope with a payload, HTTP a form or JSON; the payloads are the same. What
is kept leaves out tokens, response addresses and the message that Slack sends back along with a press.
Who pressed is for `governance/interactions` to judge; that Slack sent it, for the door it came through.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal
from urllib.parse import parse_qs

Kind = Literal["press", "command"]

SEAL = "seal"  # in what is kept: what shows that this program kept it
MOST_ACTIONS = 25  # Slack takes as many elements into one block of buttons
LONGEST_VALUE = 2_000
LONGEST_NAME = 255
LONGEST_WORDS = 200
_USER = re.compile(r"[UW][A-Z0-9]{2,30}")
_PLACE = re.compile(r"[CDG][A-Z0-9]{2,30}")
_STAMP = re.compile(r"[0-9]{1,12}\.[0-9]{1,9}")
_NAMED = re.compile(r"<[^>]*>")


@dataclass(frozen=True)
class Sent:
    """One thing that a person did. The same one has the same `key`, however often it arrives.

    A press has `action` and `value` of its button, and the `stamp` of the message it stands in. A
    command has the `words` that were typed; `stamp` is the message to answer in the thread of, empty
    for a slash command. Empty `channel`, `app` or `team`: Slack did not say.
    """

    kind: Kind
    key: str
    user: str
    action: str = ""
    value: str = ""
    words: str = ""
    channel: str = ""
    stamp: str = ""
    app: str = ""
    team: str = ""

    def as_payload(self) -> dict[str, str]:
        """As it is kept in the store; `from_payload` is the reverse."""
        return {name: value for name, value in asdict(self).items() if value}


class Unreadable(ValueError):
    """It has not the form that Slack documents; says what is wrong, without its content."""


def from_payload(payload: Mapping[str, Any]) -> Sent:
    """What `as_payload` gave, sealed or not. Raises Unreadable for anything else."""
    try:
        found = Sent(**{name: value for name, value in payload.items() if name != SEAL})
    except TypeError as error:
        raise Unreadable("it was not kept by this program") from error
    if not all(isinstance(value, str) for value in asdict(found).values()):
        raise Unreadable("it was not kept by this program")
    return found


def parse_envelope(envelope: Mapping[str, Any]) -> tuple[Sent, ...]:
    """What an envelope of Socket Mode says; empty for kinds that nobody here waits for.

    Raises Unreadable.
    """
    kind, payload = envelope.get("type"), envelope.get("payload")
    readers = {
        "interactive": parse_interaction,
        "slash_commands": parse_command,
        "events_api": parse_event,
    }
    if not isinstance(kind, str) or kind not in readers:
        return ()
    if not isinstance(payload, dict):
        raise Unreadable("its payload is no object")
    return readers[kind](payload)


def parse_interaction(payload: Mapping[str, Any]) -> tuple[Sent, ...]:
    """The presses of a `block_actions` payload, in order; empty for other interactions.

    Raises Unreadable.
    """
    if payload.get("type") != "block_actions":
        return ()
    actions = payload.get("actions")
    if not isinstance(actions, list) or not 1 <= len(actions) <= MOST_ACTIONS:
        raise Unreadable("it has no list of actions")
    user = _matching(_USER, _part(payload, "user").get("id"), "user")
    place, app = _place_of(payload), _short(payload.get("api_app_id"))
    key = _key("press", payload.get("trigger_id"), payload)
    pressed = [entry for entry in actions if isinstance(entry, dict)]
    return tuple(
        Sent(
            "press", f"{key}/{number}" if number else key, user,
            action=_text(entry.get("action_id"), LONGEST_NAME, "action_id").partition("#")[0],
            value=_text(entry.get("value"), LONGEST_VALUE, "value"),
            app=app, team=_short(_part(payload, "team").get("id")), **place,
        )
        for number, entry in enumerate(pressed)
    )  # fmt: skip


def parse_command(payload: Mapping[str, Any]) -> tuple[Sent, ...]:
    """A slash command. Raises Unreadable."""
    user = _matching(_USER, payload.get("user_id"), "user_id")
    found = Sent(
        "command", _key("command", payload.get("trigger_id"), payload), user,
        words=_words(payload.get("text")),
        channel=_if_matching(_PLACE, payload.get("channel_id")),
        app=_short(payload.get("api_app_id")), team=_short(payload.get("team_id")),
    )  # fmt: skip
    return (found,)


def parse_event(payload: Mapping[str, Any]) -> tuple[Sent, ...]:
    """A mention of the app; empty for other events and for what bots wrote. Raises Unreadable."""
    event = payload.get("event")
    if payload.get("type") != "event_callback" or not isinstance(event, dict):
        return ()
    if event.get("type") != "app_mention" or event.get("bot_id"):
        return ()
    user = _matching(_USER, event.get("user"), "user")
    found = Sent(
        "command", _key("event", payload.get("event_id"), payload), user,
        words=_words(event.get("text")),
        channel=_if_matching(_PLACE, event.get("channel")),
        stamp=_if_matching(_STAMP, event.get("thread_ts") or event.get("ts")),
        app=_short(payload.get("api_app_id")), team=_short(payload.get("team_id")),
    )  # fmt: skip
    return (found,)


def parse_form(raw: bytes) -> dict[str, str]:
    """The fields of a form as it arrived, each once. Raises Unreadable."""
    try:
        fields = parse_qs(
            raw.decode("utf-8"), keep_blank_values=True, strict_parsing=True,
            max_num_fields=100, errors="strict",
        )  # fmt: skip
    except ValueError as error:
        raise Unreadable("it is no form") from error
    if any(len(values) > 1 for values in fields.values()):
        raise Unreadable("a field stands in it twice")
    return {name: values[0] for name, values in fields.items()}


def parse_object(text: str | bytes) -> dict[str, Any]:
    """A JSON object. Raises Unreadable."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Unreadable("it is no JSON") from error
    if not isinstance(found, dict):
        raise Unreadable("it is no JSON object")
    return found


def _key(kind: str, named: Any, payload: Mapping[str, Any]) -> str:
    """Slack names every press, command and event; what it did not name is named by its content."""
    if not isinstance(named, str) or not named:
        try:
            named = json.dumps(payload, sort_keys=True, default=str)
        except RecursionError as error:  # what can just be read cannot always be written
            raise Unreadable("it is too deep") from error
    return f"{kind}/{hashlib.sha256(named.encode('utf-8', 'surrogatepass')).hexdigest()}"


def _place_of(payload: Mapping[str, Any]) -> dict[str, str]:
    holder = _part(payload, "container")
    channel = _part(payload, "channel").get("id") or holder.get("channel_id")
    stamp = _part(payload, "message").get("ts") or holder.get("message_ts")
    return {"channel": _if_matching(_PLACE, channel), "stamp": _if_matching(_STAMP, stamp)}


def _words(text: Any) -> str:
    """What was typed without the names in it (of the app itself, for one), in small letters."""
    typed = _NAMED.sub(" ", text) if isinstance(text, str) else ""
    return " ".join(typed.split())[:LONGEST_WORDS].lower()


def _part(payload: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = payload.get(name)
    return found if isinstance(found, dict) else {}


def _text(value: Any, longest: int, name: str) -> str:
    """A text of the button; a missing one is empty. Raises Unreadable."""
    if value is None:
        return ""
    if not isinstance(value, str) or len(value) > longest:
        raise Unreadable(f"its {name} is no text of at most {longest} characters")
    return value


def _short(value: Any) -> str:
    return value[:40] if isinstance(value, str) else ""


def _matching(form: re.Pattern[str], value: Any, name: str) -> str:
    found = _if_matching(form, value)
    if not found:
        raise Unreadable(f"its {name} is no id")
    return found


def _if_matching(form: re.Pattern[str], value: Any) -> str:
    return value if isinstance(value, str) and form.fullmatch(value) else ""
