"""POST /slack/...: presses and commands over HTTP, for those who have a public address.

Nothing is read before the signature over the raw body is right. What arrives is kept, then answered;
it is worked off by the inbox's thread. The same request a second time is known and has no effect.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flask import Flask, Response, jsonify, request
from werkzeug.exceptions import (
    BadRequest,
    Forbidden,
    NotFound,
    UnsupportedMediaType,
)

from daemon.clock import Clock
from daemon.notify.slack_events import (
    Sent,
    Unreadable,
    parse_command,
    parse_event,
    parse_form,
    parse_interaction,
    parse_object,
)
from daemon.web.body import read_body
from daemon.web.watch import Watch

SOURCE = "slack.http"
MOST_BYTES = 524_288  # a press comes with the whole message that it stands in
LONGEST_CHALLENGE = 500
_FORM, _JSON = "application/x-www-form-urlencoded", "application/json"
_STAMP, _SIGNATURE = "X-Slack-Request-Timestamp", "X-Slack-Signature"
_LONGEST_STAMP = 12


def add_slack_routes(app: Flask, watch: Watch) -> None:
    """The three addresses that an app's settings name."""

    @app.post("/slack/interactions")
    def interactions() -> Response:
        raw = _signed_body(watch, _FORM)
        return _taken(watch, lambda: parse_interaction(parse_object(_payload(parse_form(raw)))))

    @app.post("/slack/commands")
    def commands() -> Response:
        raw = _signed_body(watch, _FORM)
        return _taken(watch, lambda: parse_command(parse_form(raw)))

    @app.post("/slack/events")
    def events() -> Response:
        raw = _signed_body(watch, _JSON)
        challenge = _challenge(raw)
        if challenge is not None:
            return Response(challenge, content_type="text/plain; charset=utf-8")
        return _taken(watch, lambda: parse_event(parse_object(raw)))


def is_signed(secret: str, raw: bytes, stamp: str, signature: str, clock: Clock) -> bool:
    """Whether Slack sent this body within five minutes of now, before or after.

    The rule is Slack's (docs.slack.dev, "Verifying requests from Slack"), and its SDK applies it; but
    that raises for a stamp that is no number, a body that is no UTF-8 and a signature outside ASCII.
    """
    # Imported here: only who has a public address needs the SDK in this process.
    from slack_sdk.signature import SignatureVerifier

    if not stamp.isascii() or not stamp.isdigit() or len(stamp) > _LONGEST_STAMP:
        return False
    if not signature.isascii():
        return False
    verifier = SignatureVerifier(secret, _Moment(clock))  # type: ignore[arg-type]
    try:
        raw.decode("utf-8")
        return bool(verifier.is_valid(raw, stamp, signature))
    except ValueError:
        return False


class _Moment:
    """Our clock as the SDK asks for it."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def now(self) -> float:
        return self._clock.now().timestamp()


def _signed_body(watch: Watch, form: str) -> bytes:
    """The body as it came, if Slack signed it and it has the right form; else a refusal is raised."""
    inbound, say = watch.services.inbound, watch.services.phrases.text
    if inbound.way != "http" or not inbound.signing_secret:
        raise NotFound
    request.max_content_length = MOST_BYTES
    raw = read_body()
    stamp, signature = request.headers.get(_STAMP, ""), request.headers.get(_SIGNATURE, "")
    if not is_signed(inbound.signing_secret, raw, stamp, signature, watch.services.clock):
        inbound.turn_away("a request to /slack that Slack did not sign, or too long ago")
        raise Forbidden(say("page.not_signed"))
    if request.mimetype != form:
        raise UnsupportedMediaType(say("page.form_wanted", form=form))
    inbound.is_up()
    return raw


def _taken(watch: Watch, read: Callable[[], tuple[Sent, ...]]) -> Response:
    """Keep what was sent, then say so; a StoreError becomes 503, and Slack sends it again."""
    inbound = watch.services.inbound
    try:
        found = read()
    except Unreadable as error:
        raise BadRequest(watch.services.phrases.text("page.bad_slack", problem=error)) from error
    inbound.receive(SOURCE, found)
    answer = inbound.answer_at_once(found)
    return jsonify(response_type="ephemeral", text=answer) if answer else Response(status=200)


def _payload(fields: dict[str, str]) -> str:
    if "payload" not in fields:
        raise Unreadable("it has no payload")
    return fields["payload"]


def _challenge(raw: bytes) -> str | None:
    """What Slack wants to read back when the address is entered; None for an event."""
    try:
        found: dict[str, Any] = parse_object(raw)
    except Unreadable:
        return None
    challenge = found.get("challenge")
    if found.get("type") != "url_verification" or not isinstance(challenge, str):
        return None
    return challenge[:LONGEST_CHALLENGE]
