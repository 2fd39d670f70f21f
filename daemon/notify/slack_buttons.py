"""Buttons as Slack takes them, and what they and all else of a message look like."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from daemon.config.phrases import Phrases
from daemon.notify.slack_text import plain_text
from daemon.notify.text_parts import utf16_units

_LABEL_LIMIT, _VALUE_LIMIT = 75, 2_000
_ACTION_LIMIT = 250  # of 255: its number may come behind it
_CONFIRM_TITLE, _CONFIRM_TEXT, _CONFIRM_LABEL = 100, 300, 30

Block = dict[str, Any]
Part = Mapping[str, Any]


@dataclass(frozen=True)
class Look:
    """How messages look. `address` is where the page is: links lead there and nowhere else (empty:
    there are none). `is_public` says that founders reach it from where they read Slack."""

    phrases: Phrases
    address: str = ""
    is_public: bool = False


def draw_button(button: Part, look: Look) -> Block:
    """What `message.button` gives. Raises ValueError for a value that Slack does not take."""
    drawn: Block = {
        "type": "button",
        "text": plain_text(button["label"], _LABEL_LIMIT),
        "action_id": str(button["action"])[:_ACTION_LIMIT],
    }
    value = str(button.get("value") or "")
    if sum(map(utf16_units, value)) > _VALUE_LIMIT:
        raise ValueError("a button's value is longer than Slack takes")  # cut, it means another
    if value:
        drawn["value"] = value
    if button.get("style"):
        drawn["style"] = button["style"]
    if button["action"].endswith(".details") and look.is_public:
        approval = quote(value.partition(":")[0], safe="")
        drawn["url"] = f"{look.address}/approvals/{approval}"
    if button.get("confirm"):
        drawn["confirm"] = _confirm(button, look)
    return drawn


def name_apart(blocks: Sequence[Block]) -> None:
    """No two buttons of a message may have one action_id."""
    seen: dict[str, int] = {}
    for block in blocks:
        for button in block.get("elements", ()) if block["type"] == "actions" else ():
            action = button["action_id"]
            seen[action] = seen.get(action, 0) + 1
            if seen[action] > 1:
                button["action_id"] = f"{action}#{seen[action]}"


def _confirm(button: Part, look: Look) -> Block:
    say = look.phrases.text
    return {
        "title": plain_text(button["label"], _CONFIRM_TITLE),
        "text": plain_text(button["confirm"], _CONFIRM_TEXT),
        "confirm": plain_text(say("slack.yes"), _CONFIRM_LABEL),
        "deny": plain_text(say("slack.no"), _CONFIRM_LABEL),
    }
