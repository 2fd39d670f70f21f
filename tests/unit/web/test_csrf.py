"""Forms of other sites do nothing here."""

from __future__ import annotations

import pytest
from flask import Flask, session

from daemon.web.csrf import csrf_token, has_csrf_token, is_from_here

HERE = "127.0.0.1:8642"


@pytest.mark.parametrize(
    ("headers", "passes"),
    [
        ({}, True),  # a program that is no browser
        ({"Sec-Fetch-Site": "same-origin"}, True),
        ({"Sec-Fetch-Site": "same-origin", "Origin": "null"}, True),
        ({"Sec-Fetch-Site": "none"}, True),
        ({"Sec-Fetch-Site": "cross-site"}, False),
        ({"Sec-Fetch-Site": "same-site"}, False),  # another port of this machine
        ({"Sec-Fetch-Site": "cross-site", "Origin": f"http://{HERE}"}, False),
        ({"Origin": f"http://{HERE}"}, True),
        ({"Origin": f"https://{HERE}"}, True),  # behind a proxy with TLS
        ({"Origin": "http://127.0.0.1:8643"}, False),
        ({"Origin": "https://evil.example"}, False),
        ({"Origin": "null"}, False),
        ({"Origin": ""}, False),
        ({"Origin": HERE}, False),
        ({"Origin": "http://[bad"}, False),
        ({"Origin": f"http://{HERE}", "X-Forwarded-Proto": "https"}, False),  # made on the line
        ({"Origin": f"https://{HERE}", "X-Forwarded-Proto": "https"}, True),
    ],
)
def test_a_form_is_taken_only_from_a_page_of_this_server(
    headers: dict[str, str], passes: bool
) -> None:
    """By what the browser says, which no page can change."""
    with Flask("t").test_request_context("/", base_url=f"http://{HERE}", headers=headers):
        assert is_from_here() is passes


def test_the_secret_is_of_one_visitor_and_one_daemon() -> None:
    """Another visitor or another daemon has another; anything else, and a form of one whom nobody ever
    gave a page, is none."""
    app = Flask("t")
    found = []
    for key, visitor in (("a", "y"), ("a", "x"), ("b", "y"), ("b", "x")):
        app.secret_key = key
        with app.test_request_context("/"):
            session["id"] = visitor
            found.append(csrf_token())
    assert len(set(found)) == 4
    app.secret_key = "a"
    for visitor, sent, right in (
        ("y", found[0], True), ("y", found[1], False), ("y", found[2], False), ("y", "", False),
        ("y", "ü", False), ("", found[0], False), ("", "", False),
    ):  # fmt: skip
        with app.test_request_context("/", method="POST", data={"csrf": sent}):
            session["id"] = visitor
            assert has_csrf_token() is right


def test_two_who_did_not_log_in_have_two_secrets() -> None:
    """And each keeps the own one from page to page."""
    app = Flask("t")
    app.secret_key = "a"
    app.add_url_rule("/", view_func=csrf_token)
    one, other = app.test_client(), app.test_client()
    first = one.get("/").text
    assert one.get("/").text == first
    assert other.get("/").text != first
