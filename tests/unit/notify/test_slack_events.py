"""What Slack sends in, read; and what is not of Slack's form, refused without its content."""

from __future__ import annotations

import json
from typing import Any

import pytest

from daemon.notify.slack_events import (
    Sent,
    Unreadable,
    from_payload,
    parse_command,
    parse_envelope,
    parse_event,
    parse_form,
    parse_interaction,
    parse_object,
)
from tests.standins.slack_socket import block_actions, mentioned, pressed, slash


def test_a_press_is_read_without_tokens_and_addresses() -> None:
    """Who, which button, its value, and the message that it stands in."""
    (sent,) = parse_interaction(block_actions(value="A1:00ff"))
    assert (sent.kind, sent.user, sent.action) == ("press", "U0FOUNDER", "approval.approve")
    assert (sent.value, sent.channel, sent.stamp) == ("A1:00ff", "C0123456789", "1796032800.000100")
    assert (sent.app, sent.team) == ("A0123456789", "T0123456789")
    kept = json.dumps(sent.as_payload())
    assert "token" not in kept
    assert "hooks.slack.com" not in kept
    assert from_payload(sent.as_payload()) == sent


def test_the_same_press_has_the_same_key_on_both_ways() -> None:
    """And another press of the same button another one: Slack names each."""
    (by_socket,) = parse_envelope(pressed("E1", trigger="1.1"))
    (again,) = parse_envelope(pressed("E2", trigger="1.1"))
    form = parse_form(b"payload=" + json.dumps(block_actions(trigger="1.1")).encode())
    (by_http,) = parse_interaction(parse_object(form["payload"]))
    (other,) = parse_envelope(pressed("E1", trigger="1.2"))
    assert by_socket.key == again.key == by_http.key != other.key


def test_what_slack_did_not_name_is_named_by_its_content() -> None:
    """A missing trigger is no way to have an effect twice."""
    bare = {**block_actions(), "trigger_id": None}
    (one,), (two,) = parse_interaction(bare), parse_interaction(bare)
    assert one.key == two.key
    assert one.key != parse_interaction({**bare, "user": {"id": "U0OTHER"}})[0].key


def test_several_actions_of_one_press_have_keys_of_their_own() -> None:
    """In their order; the mark that makes an action's id unique in its message is cut off."""
    payload = block_actions(action="item.unblock#2")
    payload["actions"].append({"action_id": "daemon.resume", "value": ""})
    one, two = parse_interaction(payload)
    assert (one.action, two.action) == ("item.unblock", "daemon.resume")
    assert one.key != two.key


def test_typed_words_are_read_without_the_names_in_them() -> None:
    """A mention is answered in its thread, a slash command in the channel."""
    (typed,) = parse_envelope(slash("E1", "  STATUS   now "))
    (said,) = parse_envelope(mentioned("E2", "Status"))
    assert (typed.kind, typed.words, typed.stamp) == ("command", "status now", "")
    assert (said.words, said.stamp) == ("status", "1796032900.000300")


def test_what_bots_and_other_events_say_is_nothing() -> None:
    """Two bots must not talk for ever."""
    event = mentioned("E1", "status")["payload"]
    event["event"]["bot_id"] = "B1"
    assert parse_event(event) == ()
    assert parse_event({"type": "event_callback", "event": {"type": "message"}}) == ()
    assert parse_interaction({"type": "view_submission"}) == ()
    assert parse_envelope({"type": "of_tomorrow", "payload": {}}) == ()
    assert parse_envelope({"type": ["interactive"]}) == ()


WRONG: list[dict[str, Any]] = [
    {"actions": []},
    {"actions": "x"},
    {"actions": [{"action_id": "a"}] * 26},
    {"user": {"id": "someone"}},
    {"user": "U0FOUNDER"},
    {"user": {"id": "U0FOUNDER\n"}},
    {"user": {"id": 7}},
    {"actions": [{"action_id": "a" * 256}]},
    {"actions": [{"action_id": "a", "value": "x" * 2_001}]},
    {"actions": [{"action_id": 3}]},
    {"actions": [{"action_id": "a", "value": {"x": 1}}]},
]


def test_a_press_of_another_form_is_refused_without_its_content() -> None:
    """Each by a sentence that can stand in a log."""
    for wrong in WRONG:
        with pytest.raises(Unreadable) as refusal:
            parse_interaction({**block_actions(value="hush"), **wrong})
        assert "hush" not in str(refusal.value)
        assert "xxx" not in str(refusal.value)
    with pytest.raises(Unreadable):
        parse_command({"text": "status"})
    with pytest.raises(Unreadable):
        parse_envelope({"type": "interactive", "payload": []})
    with pytest.raises(Unreadable):
        from_payload({"kind": "press", "key": "k", "user": "U1", "more": "x"})


def test_places_that_are_none_are_left_out() -> None:
    """They would be put into a request to Slack."""
    (sent,) = parse_interaction(block_actions(channel="#general", stamp="now"))
    assert (sent.channel, sent.stamp) == ("", "")
    payload = {**block_actions(), "channel": 3, "container": [], "message": None, "team": "T"}
    assert parse_interaction(payload)[0].channel == ""


@pytest.mark.parametrize(
    "raw", [b"payload", b"payload=%ff", b"\xff=1", b"payload=1&payload=2", b"a=1&" * 200]
)
def test_a_form_that_is_none_is_refused(raw: bytes) -> None:
    """Also one that says two things at once."""
    with pytest.raises(Unreadable):
        parse_form(raw)


@pytest.mark.parametrize("text", ["", "[1]", "7", "{", "[" * 100_000, b"\xff{}"])
def test_json_that_is_no_object_is_refused(text: str | bytes) -> None:
    """However deep it is nested."""
    with pytest.raises(Unreadable):
        parse_object(text)


def test_a_text_cut_in_a_surrogate_pair_is_kept() -> None:
    """JSON can hold half a character; a key must come of it all the same."""
    (sent,) = parse_interaction(block_actions(trigger="\ud83d"))
    assert sent.key.startswith("press/")
    assert isinstance(sent, Sent)
