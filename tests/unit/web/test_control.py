"""POST /reset-failures: only for who has the token, and only as documented."""

from __future__ import annotations

import json
from typing import Any

import pytest

from daemon.governance import recovery
from daemon.governance.states import current_state
from daemon.store import items
from tests.unit.web.watched import BEARER, TOKEN, Watched
from tests.workspaces import NOON

JSON = {"Content-Type": "application/json"}


@pytest.fixture
def halted(watched: Watched) -> Watched:
    """Halted after three failures, with two items blocked."""
    db = watched.services.db
    for _ in range(3):
        recovery.record_outcome(db, "failed", "the provider broke", NOON, limit=3)
    recovery.halt(db, "the diagnosis failed", NOON)
    for item in ("T01", "T07"):
        items.count_rejection(db, item, "too short", 1, NOON)
    return watched


def state_of(watched: Watched) -> tuple[Any, int, list[str]]:
    db = watched.services.db
    blocked = [s.item for s in items.list_item_states(db).values() if s.state == "blocked"]
    return current_state(db), recovery.consecutive_failures(db), sorted(blocked)


def post(watched: Watched, body: Any, headers: dict[str, str]) -> Any:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return watched.client.post("/reset-failures", data=data, headers=headers)


@pytest.mark.parametrize("body", [b"", b"{}"])
def test_the_token_resets_everything_and_wakes_the_work(halted: Watched, body: bytes) -> None:
    """The breaker closes, the blocked items go back, the answer says so."""
    answer = post(halted, body, BEARER | JSON)
    assert answer.status_code == 200
    assert answer.get_json() == {
        "task": None, "failures": 3, "was_halted": True, "unblocked": ["T01", "T07"],
    }  # fmt: skip
    state, failures, blocked = state_of(halted)
    assert (state.name, failures, blocked) == ("idle", 0, [])
    assert halted.woken == 1


def test_one_item_can_be_put_back_alone(halted: Watched) -> None:
    """The breaker and the other items stay as they are."""
    answer = post(halted, {"task": "T07"}, BEARER | JSON)
    assert answer.get_json()["unblocked"] == ["T07"]
    state, failures, blocked = state_of(halted)
    assert (state.name, failures, blocked) == ("halted", 3, ["T01"])


def test_an_item_that_is_not_blocked_changes_nothing(halted: Watched) -> None:
    """Known but not blocked: 200, and the list of what was put back is empty."""
    before = state_of(halted)
    assert post(halted, {"task": "T02"}, BEARER | JSON).get_json()["unblocked"] == []
    assert state_of(halted) == before


REFUSED = [
    pytest.param(b"{}", JSON, 401, id="no token"),
    pytest.param(b"{}", JSON | {"Authorization": "Bearer wrong"}, 401, id="wrong token"),
    pytest.param(b"{}", JSON | {"Authorization": "Bearer "}, 401, id="empty token"),
    pytest.param(b"{}", JSON | {"Authorization": f"Basic {TOKEN}"}, 401, id="wrong scheme"),
    pytest.param(b"{}", JSON | {"Authorization": f"Bearer {TOKEN}é"}, 401, id="token and more"),
    pytest.param(b"{}", BEARER | JSON | {"Host": "evil.example"}, 403, id="other host"),
    pytest.param(b"{}", BEARER | JSON | {"Host": ""}, 403, id="empty host"),
    pytest.param(b"{}", BEARER | {"Content-Type": "text/plain"}, 415, id="text"),
    pytest.param(b"{}", BEARER, 415, id="no type"),
    pytest.param(b"task=T01", BEARER | {"Content-Type": "application/x-www-form-urlencoded"}, 415, id="form"),
    pytest.param(b"{", BEARER | JSON, 400, id="no JSON"),
    pytest.param(b"[]", BEARER | JSON, 400, id="a list"),
    pytest.param(b"null", BEARER | JSON, 400, id="null"),
    pytest.param(b'{"item": "T01"}', BEARER | JSON, 400, id="unknown key"),
    pytest.param(b'{"task": 7}', BEARER | JSON, 400, id="a number"),
    pytest.param(b'{"task": null}', BEARER | JSON, 400, id="a null task"),
    pytest.param(b'{"task": "\\ud800"}', BEARER | JSON, 400, id="half a character"),
    pytest.param(b'{"task": "T01", "task": "T07"}', BEARER | JSON, 400, id="a key twice"),
    pytest.param(b"\xff{}", BEARER | JSON, 400, id="no UTF-8"),
    pytest.param(b"[" * 16_000, BEARER | JSON, 400, id="too deep"),
    pytest.param(b'{"task": "T99"}', BEARER | JSON, 404, id="unknown item"),
    pytest.param(b'{"task": "' + b"T" * 20_000 + b'"}', BEARER | JSON, 413, id="too large"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "headers", "status"), REFUSED)
def test_any_fault_is_refused_and_changes_nothing(
    halted: Watched, body: bytes, headers: dict[str, str], status: int
) -> None:
    """The answer is JSON with one line, and the daemon stays as it was."""
    before = state_of(halted)
    answer = post(halted, body, headers)
    assert answer.status_code == status
    assert answer.get_json()["error"]
    assert TOKEN not in answer.get_data(as_text=True)
    assert state_of(halted) == before
    assert halted.woken == 0


def test_a_page_of_another_site_cannot_reset(halted: Watched) -> None:
    """The request that a browser sends without asking: text/plain, another origin, no token."""
    before = state_of(halted)
    answer = post(halted, b"{}", {"Content-Type": "text/plain", "Origin": "http://evil.example"})
    assert answer.status_code == 401
    assert "Access-Control-Allow-Origin" not in answer.headers
    asked_first = halted.client.options(
        "/reset-failures", headers={"Origin": "http://evil.example",
                                    "Access-Control-Request-Method": "POST"}
    )  # fmt: skip
    assert "Access-Control-Allow-Origin" not in asked_first.headers
    assert state_of(halted) == before


def test_looking_is_no_reset(halted: Watched) -> None:
    """GET is refused with what is allowed."""
    answer = halted.client.get("/reset-failures", headers=BEARER)
    assert answer.status_code == 405
    assert "POST" in answer.headers["Allow"]
    assert "GET" in answer.get_json()["error"]


def test_a_refusal_without_a_token_says_which_scheme(halted: Watched) -> None:
    """As HTTP asks for."""
    answer = post(halted, b"{}", JSON)
    assert answer.headers["WWW-Authenticate"].lower().startswith("bearer")
