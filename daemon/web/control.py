"""POST /reset-failures: what programs end a halt with, so it must prove who sends it."""

from __future__ import annotations

import json
from typing import Any

from flask import Response, jsonify, request
from werkzeug.datastructures import WWWAuthenticate
from werkzeug.exceptions import BadRequest, NotFound, Unauthorized, UnsupportedMediaType

from daemon.governance import recovery
from daemon.store import items
from daemon.web.tokens import bearer_of_request, is_right_token
from daemon.web.watch import Watch

_LONGEST_ID = 200


def reset_failures(watch: Watch) -> Response:
    """Close the circuit breaker and put blocked items back, or only the item named as "task".

    Answers what was reset. Any fault of the request is refused before anything changes.
    """
    services = watch.services
    _check_token(watch)
    task = _read_task(watch)
    if task is not None:
        _check_known(watch, task)
    voice = services.sprint_parts.voice
    reset = recovery.reset_failures(services.db, services.clock.now(), item=task, voice=voice)
    watch.after_reset()
    return jsonify(
        task=task,
        failures=reset.failures,
        was_halted=reset.was_halted,
        unblocked=list(reset.unblocked),
    )


def _check_token(watch: Watch) -> None:
    sent = bearer_of_request()
    if not sent or not is_right_token(watch, sent):
        raise Unauthorized(
            watch.services.phrases.text("page.token_wrong"),
            www_authenticate=WWWAuthenticate("bearer"),
        )


def _read_task(watch: Watch) -> str | None:
    """The item to put back, or None for all; an empty body is an empty object.

    A browser sends application/json to another origin only after asking, which nobody answers.
    """
    say = watch.services.phrases.text
    if request.mimetype != "application/json":
        raise UnsupportedMediaType(say("page.json_only"))
    problem = ""
    try:
        body = json.loads(request.get_data() or b"{}", object_pairs_hook=_without_doubles)
        problem = _problem_of(body)
    except (ValueError, RecursionError) as error:
        problem = str(error)
    if problem:
        raise BadRequest(say("page.bad_body", problem=problem))
    task: str | None = body.get("task")
    return task


def _problem_of(body: Any) -> str:
    """What is wrong with a body, or nothing."""
    if not isinstance(body, dict):
        return f"it is a {type(body).__name__}"
    unknown = sorted(set(body) - {"task"})
    if unknown:
        return f"unknown key {unknown[0][:_LONGEST_ID]!r}"
    if "task" in body and not isinstance(body["task"], str):
        return f"task is a {type(body['task']).__name__}"
    if not body.get("task", "").isprintable():
        return "task is no item's id"
    return ""


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands in it twice")
    return found


def _check_known(watch: Watch, task: str) -> None:
    """An item that the backlog no longer names can still be put back."""
    workspace = watch.services.source.latest
    if workspace and any(item.id == task for item in workspace.items):
        return
    if items.find_item_state(watch.services.db, task).changed_at is None:
        raise NotFound(watch.services.phrases.text("page.no_item", item=task[:_LONGEST_ID]))
