"""Who may read the pages: on loopback anybody, from elsewhere whoever has the token."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from daemon.web.app import create_app
from daemon.web.tries import FREE_TRIES
from daemon.web.watch import Watch
from tests.unit.web.watched import BEARER, TOKEN, Watched, watched_in

FAR = {"Host": "sprintd.example", "X-Forwarded-For": "203.0.113.9"}
SERVED = '[web]\nallowed_hosts = ["sprintd.example"]\n'
PAGES = ("/", "/backlog", "/items/T01", "/approvals", "/approvals/A1", "/nothing")


def csrf_in(page: str) -> str:
    found = re.search(r'name="csrf" value="(\w+)"', page)
    assert found
    return found[1]


def log_in(client: FlaskClient, token: str = TOKEN, **form: str) -> tuple[int, str]:
    """The answer's status, and where it leads or what it says."""
    data = {"token": token, "csrf": csrf_in(client.get("/login", headers=FAR).text), **form}
    answer = client.post("/login", data=data, headers=FAR)
    return answer.status_code, answer.headers.get("Location") or answer.get_data(as_text=True)


def test_whoever_comes_from_elsewhere_sees_only_the_login(tmp_path: Path) -> None:
    """Also no state, no name of a page, and no number of what waits."""
    with watched_in(tmp_path, SERVED) as watched:
        for path in PAGES:
            answer = watched.client.get(path, headers=FAR)
            assert answer.status_code == 303
            assert answer.headers["Location"] == f"/login?next={path}"
        page = watched.client.get("/login", headers=FAR).get_data(as_text=True)
        assert "<nav" not in page
        assert "starting" not in page
        assert watched.client.post("/approvals/A1", headers=FAR).status_code == 403


def test_programs_from_elsewhere_learn_no_more_than_whether_all_is_well(tmp_path: Path) -> None:
    """With the token everything, on this machine without it; a monitor with a wrong one still learns
    that much."""
    with watched_in(tmp_path, SERVED) as watched:
        get = watched.client.get
        at_home = {"Authorization": f"Bearer {TOKEN}"}
        for more in ({}, {"Authorization": "Bearer wrong"}):
            assert get("/health", headers=FAR | more).status_code == 200
            assert set(get("/health", headers=FAR | more).json or {}) == {"ok", "at"}
            refused = get("/metrics", headers=FAR | more)
            assert refused.status_code == 401
            assert "sprintd_" not in refused.text
            assert refused.headers["WWW-Authenticate"] == "Bearer"
        assert "budget" in get("/health", headers=FAR | at_home).text
        assert "sprintd_state" in get("/metrics", headers=FAR | at_home).text
    with watched_in(tmp_path / "here") as watched:
        assert "budget" in watched.client.get("/health").text
        assert "sprintd_state" in watched.client.get("/metrics").text


@pytest.mark.parametrize(
    ("method", "path", "headers", "status"),
    [
        ("get", "/", {"Host": "evil.example"}, 403),
        ("get", "/", {"Host": "localhost.."}, 403),
        ("get", "/", {"Host": "localhost:99999"}, 303),
        ("get", "/", {"Host": "ⓛocalhost".encode().decode("latin-1")}, 403),
        ("post", "/login", {**FAR, "Origin": "http://[bad"}, 403),
        ("post", "/login", {**FAR, "Origin": "http://sprintd.example]["}, 403),
        ("delete", "/", FAR, 401),
        ("get", "/nothing\x00", FAR, 303),
    ],
)
def test_a_refusal_at_the_door_is_a_sentence_and_shows_nothing(
    tmp_path: Path, method: str, path: str, headers: dict[str, str], status: int
) -> None:
    """No menu and no state to one of whom nobody knows yet who it is, and never a 500."""
    with watched_in(tmp_path, SERVED) as watched:
        answer = getattr(watched.client, method)(path, headers=headers, data=b"")
        assert answer.status_code == status
        if status >= 400:
            assert "<nav" not in answer.text
            assert "starting" not in answer.text


def test_the_token_opens_every_page_and_leads_where_one_wanted_to_go(tmp_path: Path) -> None:
    with watched_in(tmp_path, SERVED) as watched:
        assert log_in(watched.client, next="/backlog?standing=blocked") == (
            303, "/backlog?standing=blocked",
        )  # fmt: skip
        assert watched.client.get("/backlog", headers=FAR).status_code == 200


@pytest.mark.parametrize(
    "after",
    [
        "https://evil.example/",
        "//evil.example/",
        "/\\evil.example",
        "evil",
        "",
        "/a\nb",
        "\\\\evil",
    ],
)
def test_nobody_is_led_away_after_the_login(tmp_path: Path, after: str) -> None:
    with watched_in(tmp_path, SERVED) as watched:
        assert log_in(watched.client, next=after) == (303, "/")


def test_the_cookie_is_closed_to_scripts_and_other_sites(tmp_path: Path) -> None:
    """Secure where the visitor came by TLS; it names no token."""
    with watched_in(tmp_path, SERVED) as watched:
        for more, secure in (({}, False), ({"X-Forwarded-Proto": "https"}, True)):
            answer = watched.client.post("/login", data={"token": TOKEN}, headers=FAR | more)
            cookie = answer.headers["Set-Cookie"]
            assert "HttpOnly" in cookie
            assert "SameSite=Strict" in cookie
            assert "Path=/" in cookie
            assert ("Secure" in cookie) is secure
            assert TOKEN not in cookie
    with watched_in(tmp_path / "tls", '[web]\naddress = "https://sprintd.example"\n') as watched:
        answer = watched.client.post("/login", data={"token": TOKEN}, headers=FAR)
        assert "Secure" in answer.headers["Set-Cookie"]


def test_the_form_of_the_login_makes_a_visitor_known_as_nobody(tmp_path: Path) -> None:
    """Its cookie is closed like any other, ends with the browser, opens nothing, and is exchanged for
    another one by the login."""
    with watched_in(tmp_path, SERVED) as watched:
        answer = watched.client.get("/login", headers=FAR)
        cookie = answer.headers["Set-Cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=Strict" in cookie
        assert "Expires" not in cookie
        assert watched.client.get("/", headers=FAR).status_code == 303
        before = csrf_in(answer.text)
        assert before == csrf_in(watched.client.get("/login", headers=FAR).text)
        assert before != csrf_in(watched.app.test_client().get("/login", headers=FAR).text)
        assert log_in(watched.client)[0] == 303
        assert before != csrf_in(watched.client.get("/", headers=FAR).text)


def test_a_session_ends_with_the_logout_with_time_and_with_the_token(tmp_path: Path) -> None:
    """A forged one is none."""
    with watched_in(tmp_path, SERVED) as watched:
        client = watched.client
        log_in(client)
        other = create_app(Watch(watched.services, "another-token", tuple, lambda: None))
        cookie = client.get_cookie("sprintd-8642", domain="sprintd.example")
        stranger = other.test_client()
        if cookie is not None:
            stranger.set_cookie("sprintd-8642", cookie.value, domain="sprintd.example")
        assert stranger.get("/", headers=FAR).status_code == 303
        csrf = csrf_in(client.get("/", headers=FAR).text)
        assert client.post("/logout", headers=FAR).status_code == 403
        assert client.get("/", headers=FAR).status_code == 200
        assert client.post("/logout", data={"csrf": csrf}, headers=FAR).status_code == 303
        assert client.get("/", headers=FAR).status_code == 303
        if cookie is not None:  # one that somebody kept, also after the daemon's next start
            client.set_cookie("sprintd-8642", cookie.value, domain="sprintd.example")
        assert client.get("/", headers=FAR).status_code == 303
        again = create_app(watched.watch).test_client()
        if cookie is not None:
            again.set_cookie("sprintd-8642", cookie.value, domain="sprintd.example")
        assert again.get("/", headers=FAR).status_code == 303
        log_in(client)
        assert again.get("/", headers=FAR).status_code == 303
        watched.clock.advance(timedelta(days=13, hours=23))
        assert client.get("/", headers=FAR).status_code == 200
        watched.clock.advance(timedelta(hours=2))
        assert client.get("/", headers=FAR).status_code == 303


def test_guessing_is_slowed_whichever_way_it_comes(tmp_path: Path) -> None:
    """Login, a form with a token and the reset count together. The right one always passes: whoever
    guesses behind the same proxy does not lock the owner out."""
    with watched_in(tmp_path, SERVED) as watched:
        client = watched.client
        for number in range(FREE_TRIES):
            if number % 2:
                sent = client.post("/logout", data={"token": f"wrong{number}"}, headers=FAR)
                assert sent.status_code == 401
            else:
                assert log_in(client, f"wrong{number}")[0] == 401
        assert log_in(client, "wrong")[0] == 429
        json = {"Content-Type": "application/json"}
        for token, status in (("wrong", 429), (TOKEN, 200), ("wrong", 401)):
            bearer = {"Authorization": f"Bearer {token}", **json}
            assert client.post("/reset-failures", headers=bearer).status_code == status
        assert log_in(client)[0] == 303


def test_a_wrong_token_is_said_in_the_form(tmp_path: Path) -> None:
    """And is not repeated there."""
    with watched_in(tmp_path, SERVED) as watched:
        status, page = log_in(watched.client, "my-secret-of-elsewhere")
        assert status == 401
        assert "The token is wrong" in page
        assert "my-secret-of-elsewhere" not in page


@pytest.mark.parametrize(
    ("config", "headers", "address"),
    [
        ("", {"X-Forwarded-For": "203.0.113.9"}, "127.0.0.1"),
        ("", {"Forwarded": "for=203.0.113.9"}, "127.0.0.1"),
        ("", {"Via": "1.1 proxy"}, "127.0.0.1"),
        ("", {"X-Forwarded-Proto": "https"}, "127.0.0.1"),
        ("", {"CF-Connecting-IP": "203.0.113.9"}, "127.0.0.1"),
        ("", {"x-forwarded-scheme": "https"}, "127.0.0.1"),
        ("", {"X-Original-URI": "/"}, "127.0.0.1"),
        ("", {"True-Client-IP": "203.0.113.9"}, "127.0.0.1"),
        ("", {"X-Amzn-Trace-Id": "Root=1"}, "127.0.0.1"),
        (SERVED, {}, "127.0.0.1"),
        ("", {}, "203.0.113.9"),
        ('[web]\naddress = "https://sprintd.example"\n', {}, "127.0.0.1"),
        ('[web]\nhost = "0.0.0.0"\n', {}, "127.0.0.1"),
        (SERVED, {"Host": "sprintd.example"}, "127.0.0.1"),
    ],
)
def test_what_could_come_from_elsewhere_has_to_log_in(
    tmp_path: Path, config: str, headers: dict[str, str], address: str
) -> None:
    """A proxy on this machine that hides whom it speaks for is found by the address in config.toml."""
    with watched_in(tmp_path, config) as watched:
        came = {"REMOTE_ADDR": address}
        answer = watched.client.get("/", headers=headers, environ_overrides=came)
        assert answer.status_code == 303


def test_a_proxy_that_says_nothing_is_known_by_its_old_protocol(watched: Watched) -> None:
    """As nginx is with a bare proxy_pass; no browser speaks HTTP/1.0."""
    for protocol, status in (("HTTP/1.0", 303), ("HTTP/1.1", 200)):
        came = {"SERVER_PROTOCOL": protocol}
        assert watched.client.get("/", environ_overrides=came).status_code == status


def test_a_body_that_breaks_off_is_no_answer(watched: Watched) -> None:
    """Half of a form could leave out what mattered; it is refused before anything reads it."""
    for path, kind in (("/login", "x-www-form-urlencoded"), ("/reset-failures", "json")):
        cut: dict[str, Any] = {"CONTENT_LENGTH": "100", "CONTENT_TYPE": f"application/{kind}"}
        for server in ({}, {"wsgi.input_terminated": True}):  # the second is as ours tells it
            answer = watched.client.post(
                path, data=b"{}", headers=BEARER, environ_overrides=cut | server
            )
            assert answer.status_code == 400
            assert "broke off" in answer.text


@pytest.mark.parametrize("host", ["127.0.0.1:8642", "localhost", "[::1]:8642"])
def test_on_this_machine_nobody_has_to_log_in_to_read(watched: Watched, host: str) -> None:
    """As through an ssh tunnel; no cookie is set."""
    answer = watched.client.get("/", headers={"Host": host})
    assert answer.status_code == 200
    assert "Set-Cookie" not in answer.headers


@pytest.mark.parametrize("headers", [{"Sec-Fetch-Site": "cross-site"}, {"Origin": "http://evil"}])
def test_a_form_of_another_site_does_nothing(watched: Watched, headers: dict[str, str]) -> None:
    """Not even with the right token in it."""
    answer = watched.client.post("/login", data={"token": TOKEN}, headers=headers)
    assert answer.status_code == 403
    assert "another site" in answer.get_data(as_text=True)
    assert "Set-Cookie" not in answer.headers
