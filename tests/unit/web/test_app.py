"""All pages: how they are closed off, what they say to a wrong address, and their language."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from daemon.errors import Fault
from daemon.governance.states import enter_state
from daemon.sprint.runner import run_sprint
from daemon.store import attempts, items, sprints
from daemon.web.app import create_app
from daemon.web.watch import Watch
from tests.unit.web.watched import TOKEN, Watched, as_read, text_of, watched_in
from tests.workspaces import NOON

PAGES = ("/", "/backlog", "/items/T01", "/approvals", "/login", "/nothing")


def test_no_text_becomes_markup(watched: Watched) -> None:
    """A model's words, a person's words and an address are shown as they are written."""
    evil = "<script>alert(1)</script>"
    db = watched.services.db
    enter_state(db, "idle", evil, NOON)
    items.count_rejection(db, "T07", evil, 1, NOON)
    sprint = sprints.open_sprint(db, "REGULAR", None, NOON)
    row = attempts.save_asked(
        db, sprint_id=sprint, track=1, item="T07", agent=evil, effect_key="k", prompt={},
        context={}, now=NOON,
    )  # fmt: skip
    attempts.save_answer(db, row.id, f"</pre>{evil}", "end_turn", evil)
    attempts.save_verdict(
        db, row.id, state="rejected", verdict={"defects": [{"message": evil, "rejects": True}]},
        score_hundredths=10, finding_path=None, now=NOON,
    )  # fmt: skip
    sprints.close_sprint(db, sprint, "failed", evil, NOON)
    watched.faults = (Fault(evil, 1, evil, evil),)
    for path in ("/", "/items/T07", "/backlog"):
        page = text_of(watched, path)
        assert "&lt;script&gt;" in page
        assert "<script" not in page
    assert "<script" not in text_of(watched, f"/items/{evil.replace('/', '')}", 404)


def test_an_unknown_item_is_404_with_words(watched: Watched) -> None:
    """And so is any other address; a wrong method is 405."""
    assert "The backlog has no item T99" in text_of(watched, "/items/T99", 404)
    assert "There is nothing at this address" in text_of(watched, "/nothing", 404)
    assert "<title>That did not work (404) – " in text_of(watched, "/nothing", 404)
    assert watched.client.post("/").status_code == 405
    assert "POST is not possible here" in watched.client.post("/").get_data(as_text=True)


@pytest.mark.parametrize("path", [*PAGES, "/health", "/static/sprintd.css", "/static/live.js"])
def test_every_answer_is_closed_off(watched: Watched, path: str) -> None:
    """No script but ours, no frame, no other origin, no guessing of types, no cookie to a reader.

    Only the form of the login gives one, so that nobody else can have made what is sent with it."""
    with watched.client.get(path) as answer:
        headers = answer.headers
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'" in policy
    assert "unsafe" not in policy
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Referrer-Policy"] == "same-origin"
    assert ("Set-Cookie" in headers) is (path == "/login")


def test_the_pages_need_nothing_that_the_policy_forbids(watched: Watched) -> None:
    """No script but ours, no inline style, nothing to load from outside."""
    run_sprint(watched.services.sprint_parts)
    for path in PAGES:
        page = text_of(watched, path, 404 if path == "/nothing" else 200)
        assert not re.search(r"<script|<style|\sstyle=|\son\w+=|src=.https?://", page)


@pytest.mark.parametrize("path", ["/", "/health", "/static/sprintd.css", "/items/T01"])
def test_another_host_is_refused_everywhere(watched: Watched, path: str) -> None:
    """A site that lets its name point here reads nothing."""
    answer = watched.client.get(path, headers={"Host": "evil.example"}, buffered=True)
    assert answer.status_code == 403
    assert "web.allowed_hosts" in answer.get_data(as_text=True)
    assert "T01" not in answer.get_data(as_text=True)


def test_an_error_nobody_expected_tells_the_reader_nothing_of_the_inside(
    watched: Watched, caplog: pytest.LogCaptureFixture
) -> None:
    """The page says that the log knows; the log has the error and its traceback."""

    def explode() -> tuple[Fault, ...]:
        raise ZeroDivisionError("a detail of the inside")

    app = create_app(Watch(watched.services, TOKEN, explode, lambda: None))
    for path in ("/", "/health"):
        answer = app.test_client().get(path)
        assert answer.status_code == 500
        assert "the log says what" in answer.get_data(as_text=True)
        assert "inside" not in answer.get_data(as_text=True)
    assert "GET /health failed" in caplog.text
    assert "a detail of the inside" in caplog.text


def test_the_page_speaks_the_workspace_language(tmp_path: Path) -> None:
    """In Spanish every fixed word is Spanish."""
    with watched_in(tmp_path, '[daemon]\nlanguage = "es"\n') as watched:
        run_sprint(watched.services.sprint_parts)
        page = as_read(text_of(watched))
        assert '<html lang="es">' in page
        for word in (
            "Todo va bien; nada espera por usted",
            "Dinero de hoy",
            "Últimos hallazgos",
            "Tareas pendientes",
            "completado",
            "cita notas, no razona",
            "El día termina el 2026-12-01 a las 00:00 UTC.",
        ):
            assert word in page
        assert "hallazgo" in text_of(watched, "/items/T01")
        assert "antes hay que hacer:" in text_of(watched, "/backlog")
        assert "Nada espera respuesta" in text_of(watched, "/approvals")
        assert "Léalo en el servidor" in text_of(watched, "/login")


def test_every_page_has_its_landmarks_and_says_where_it_is(watched: Watched) -> None:
    """One main part, one heading of the first rank, a way past the menu, a title with the state."""
    enter_state(watched.services.db, "paused_budget", "the cap", NOON)
    for path in PAGES:
        page = text_of(watched, path, 404 if path == "/nothing" else 200)
        assert len(re.findall("<h1", page)) == 1
        assert len(re.findall("<main", page)) == 1
        assert '<a class="skip" href="#content">' in page
        assert re.search(r"<title>[^<]+ – sprintd \(paused\)</title>", page)
    assert 'href="/backlog" aria-current="page"' in text_of(watched, "/items/T01")
