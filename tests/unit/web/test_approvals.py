"""The pages of approvals: to be read by anybody who reads the page, to be answered with the token."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from werkzeug.test import TestResponse

from daemon.governance.approvals import Question
from daemon.store import items
from daemon.store.approvals import ApprovalRow
from tests.unit.web.watched import TOKEN, Watched, as_read, watched_in
from tests.workspaces import NOON

HOSTILE = '<script>alert(1)</script> & "quoted"'
UNBLOCK = Question("unblock", f"Put T01 back {HOSTILE}", HOSTILE, "ana", {"item": "T01"})


@pytest.fixture
def asked(watched: Watched) -> ApprovalRow:
    items.count_rejection(watched.services.db, "T01", "too short", 1, NOON)
    return watched.services.approvals.ask(UNBLOCK)


def answer(watched: Watched, row: ApprovalRow, **changes: str) -> TestResponse:
    form = {"token": TOKEN, "digest": row.payload_sha256, "answer": "approve", **changes}
    return watched.client.post(f"/approvals/{row.id}", data=form)


def is_blocked(watched: Watched) -> bool:
    return items.find_item_state(watched.services.db, "T01").state == "blocked"


def test_the_list_and_the_question_show_what_would_be_done(
    watched: Watched, asked: ApprovalRow
) -> None:
    """Whatever stands in it is text, and the digest is that which the form sends."""
    assert "No approval was ever" not in watched.client.get("/approvals").text
    for path in ("/approvals", "/approvals/A1", "/approvals/a1"):
        page = watched.client.get(path)
        assert page.status_code == 200
        assert "<script>" not in page.text
        assert "Put T01 back &lt;script&gt;" in page.text
    text = watched.client.get("/approvals/A1").text
    assert "item: T01" in text
    assert f'value="{asked.payload_sha256}"' in text
    assert TOKEN not in text


def test_an_answered_question_says_who_when_and_what_came_of_it(
    watched: Watched, asked: ApprovalRow
) -> None:
    """Each once: the state is its mark, the reason a sentence of its own."""
    answer(watched, asked, answer="reject", why="too dear")
    page = as_read(watched.client.get("/approvals/A1").text)
    assert '<span dir="auto">page, 2026-11-30 12:00 UTC</span>' in page
    assert page.count("too dear") == 1


def test_a_form_is_sent_only_to_this_server(watched: Watched) -> None:
    """The browser is told so on every page, whatever a model wrote into it."""
    watched.services.approvals.ask(UNBLOCK)
    for path in ("/", "/approvals", "/approvals/A1"):
        assert "form-action 'self'" in watched.client.get(path).headers["Content-Security-Policy"]


def test_the_token_approves_and_wakes_the_work(watched: Watched, asked: ApprovalRow) -> None:
    """The page that follows says who decided and what came of it; its form is gone."""
    done = answer(watched, asked)
    assert (done.status_code, done.headers["Location"]) == (303, "/approvals/A1")
    assert not is_blocked(watched)
    assert watched.woken == 1
    text = watched.client.get("/approvals/A1").text
    assert "T01 is put back" in text
    assert 'name="answer"' not in text


def test_a_rejection_wakes_nobody(watched: Watched, asked: ApprovalRow) -> None:
    assert answer(watched, asked, answer="reject").status_code == 303
    assert (is_blocked(watched), watched.woken) == (True, 0)


@pytest.mark.parametrize("token", ["wrong", TOKEN + "x", TOKEN[:-1], "ünïcode"])
def test_a_wrong_token_decides_nothing(watched: Watched, asked: ApprovalRow, token: str) -> None:
    """And is counted; nor does a page of another site decide, which cannot know it."""
    refused = answer(watched, asked, token=token)
    assert refused.status_code == 401
    assert TOKEN not in refused.text
    assert '<a href="/approvals/A1">Back to the question</a>' in refused.text
    assert watched.services.approvals.find("A1") == asked


def csrf_of(watched: Watched) -> str:
    """The secret of this visitor's forms, as the page has it."""
    found = re.search(r'name="csrf" value="(\w+)"', watched.client.get("/approvals/A1").text)
    assert found
    return found[1]


def test_whoever_proved_to_know_the_token_needs_it_no_more(
    watched: Watched, asked: ApprovalRow
) -> None:
    """The first answer begins a session; from then on the form has no field for the token."""
    assert 'name="token"' in watched.client.get("/approvals/A1").text
    assert answer(watched, asked, token="", csrf=csrf_of(watched)).status_code == 401
    watched.client.post("/login", data={"token": TOKEN})
    assert 'name="token"' not in watched.client.get("/approvals/A1").text
    assert answer(watched, asked, token="", csrf=csrf_of(watched)).status_code == 303
    assert not is_blocked(watched)


def test_an_answer_without_the_secret_of_the_form_decides_nothing(
    watched: Watched, asked: ApprovalRow
) -> None:
    """So a form of another site does nothing for whoever is logged in; an old one neither."""
    before = csrf_of(watched)
    watched.client.post("/login", data={"token": TOKEN})
    for csrf in ("", "0" * 64, before):
        refused = answer(watched, asked, token="", csrf=csrf)
        assert refused.status_code == 403
        assert "Load the page again" in refused.text
    assert is_blocked(watched)


def test_what_cannot_be_decided_is_a_conflict(watched: Watched, asked: ApprovalRow) -> None:
    """Another digest leaves it open; a second answer finds it decided."""
    assert answer(watched, asked, digest="0" * 64).status_code == 409
    assert is_blocked(watched)
    assert answer(watched, asked).status_code == 303
    late = answer(watched, asked, answer="reject")
    assert late.status_code == 409
    assert "approved and done" in late.text


def test_a_form_with_a_fault_is_refused(watched: Watched, asked: ApprovalRow) -> None:
    """An answer that is none, an id that is none, another method, a name that is not served."""
    assert answer(watched, asked, answer="maybe").status_code == 400
    assert watched.client.get("/approvals/A9").status_code == 404
    gone = watched.client.post("/approvals/A9", data={"token": TOKEN, "answer": "approve"})
    assert gone.status_code == 404
    assert watched.client.put("/approvals/A1").status_code == 405
    other = watched.client.post("/approvals/A1", headers={"Host": "evil.example"})
    assert other.status_code == 403
    assert watched.services.approvals.find("A1") == asked


def test_without_a_ledger_the_page_says_that_nothing_was_decided(tmp_path: Path) -> None:
    """503, and the question waits on."""
    with watched_in(tmp_path) as watched:
        row = watched.services.approvals.ask(UNBLOCK)
        watched.services.sprint_parts.actions.close()
        ledger = tmp_path / "venture/state/ledger"
        ledger.rename(ledger.with_name("aside"))
        ledger.write_text("no folder")
        assert answer(watched, row).status_code == 503
        assert watched.services.approvals.find("A1") == row


def test_the_front_page_says_that_something_waits(watched: Watched, asked: ApprovalRow) -> None:
    """With a link; once it is answered the line is gone."""
    assert "1 question waits for a person" in watched.client.get("/").text
    answer(watched, asked)
    assert "wait for a person" not in watched.client.get("/").text
