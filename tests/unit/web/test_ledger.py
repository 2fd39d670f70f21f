"""The pages of the ledger: length, check, search, one entry with its proof."""

from __future__ import annotations

import json
import re
import threading
from datetime import timedelta

import pytest

from daemon.governance.ledger_in_use import known_end
from daemon.ledger.verify_proof import check_proof
from daemon.web import ledger_desk
from daemon.web.ledger_desk import LedgerDesk
from tests.unit.web.lived import lived, page_of
from tests.unit.web.watched import TOKEN, Watched

__all__ = ["lived"]


def desk_of(watched: Watched) -> LedgerDesk:
    services = watched.services
    return LedgerDesk(services.state_dir / "ledger", services.db, services.clock)


def await_rest() -> None:
    for thread in threading.enumerate():
        if thread.name == "ledger-desk":
            thread.join(60)


def test_length_and_checkpoint_stand_on_top(lived: Watched) -> None:
    """How many entries, which of them are signed, and the checkpoint to take away."""
    page = page_of(lived, "/ledger")
    end = known_end(lived.services.db)
    assert end is not None
    assert re.search(r"<strong>\d+</strong> <span>entries", page)
    assert end.root[:16] in page
    taken = lived.client.get("/ledger/checkpoint.txt")
    assert taken.get_data(as_text=True) == end.note
    assert "attachment" in taken.headers["Content-Disposition"]


def test_entries_are_searched_by_every_field(lived: Watched) -> None:
    """What is typed stays in the form; nothing found is said."""
    page = page_of(
        lived, "/ledger?text=T01&effect=DONE&tool=memory.write&actor=sprint&day=2026-11-30"
    )
    assert len(re.findall(r'class="short"><a href="/ledger/\d+"', page)) == 1
    assert "memory/findings/KC1/T01-1.md" in page
    assert 'name="text" value="T01"' in page
    assert "No entry is like that." in page_of(lived, "/ledger?actor=nobody")
    assert page_of(lived, "/ledger?day=9999-12-31&effect=x&before=y").count("rowheader") > 10


def test_an_entry_comes_with_a_proof_that_holds(lived: Watched) -> None:
    """The file that is taken away is accepted by the checker."""
    page = page_of(lived, "/ledger/3")
    assert "Entry 3 is one of the" in page
    proof = lived.client.get("/ledger/3/proof.json").get_data(as_text=True)
    assert json.loads(proof)["seq"] == 3
    assert check_proof(proof, []).kind == "intact"
    assert "What came of entry" in page_of(lived, "/ledger/4")
    assert "no entry 99999" in page_of(lived, "/ledger/99999", 404)


def test_an_entry_that_is_not_signed_yet_says_so(lived: Watched) -> None:
    """With the command that signs it."""
    books = lived.services.sprint_parts.actions.books
    seq = [books.append("decision", actor="ana", tool="x").seq for _ in range(3)][-1]
    assert "sprintd ledger checkpoint" in page_of(lived, f"/ledger/{seq}")
    assert lived.client.get(f"/ledger/{seq}/proof.json").status_code == 404


def test_the_check_runs_beside_the_page_and_is_kept(lived: Watched) -> None:
    """Who asked gets the page at once; what was found is known after a restart, and for a moment nobody
    can have it checked again, so that clicks do not keep a processor busy."""
    desk = desk_of(lived)
    assert desk.last_check() is None
    assert desk.start_check()
    await_rest()
    found = desk_of(lived).last_check()
    assert found is not None
    assert (found.kind, found.message) == ("intact", "nothing was changed")
    assert found.entries >= found.signed > 10
    again = desk.check_again_at()
    assert again is not None
    assert (again - found.at).total_seconds() >= ledger_desk.PAUSE_SECONDS
    assert not desk_of(lived).start_check()
    page = page_of(lived, "/ledger")
    assert "checked again after" in page
    assert "Check all of it now" not in page
    lived.clock.advance(again - found.at)
    assert "Check all of it now" in page_of(lived, "/ledger")
    assert "entries read in" in page_of(lived, "/ledger")


def test_a_ledger_that_was_changed_is_told(watched: Watched) -> None:
    """The page says which line; it is no all-clear of an earlier check."""
    books = watched.services.sprint_parts.actions.books
    for _ in range(3):
        books.append("decision", actor="ana", tool="x")
    books.checkpoint()
    log = watched.services.state_dir / "ledger" / "log.jsonl"
    log.write_bytes(log.read_bytes().replace(b'"actor":"ana"', b'"actor":"eve"', 1))
    desk = desk_of(watched)
    desk.start_check()
    await_rest()
    page = page_of(watched, "/ledger")
    assert 'badge bad">damaged' in page
    assert "does not follow from the line before it" in page


def test_only_one_thing_is_under_way(lived: Watched) -> None:
    """Twenty visitors who press at once start one check."""
    lived.clock.advance(timedelta(hours=1))
    desk = desk_of(lived)
    started = [desk.start_check() for _ in range(20)]
    await_rest()
    assert sum(started) == 1


def test_the_proof_of_a_long_log_is_made_when_it_is_asked_for(lived: Watched) -> None:
    """The page does not wait: it offers to make it, and has it afterwards."""
    desk = desk_of(lived)
    beyond = ledger_desk.AT_ONCE_BYTES + 1
    assert desk.proof_of(3, beyond) is None
    assert desk.start_proof(3)
    await_rest()
    proof = desk.proof_of(3, beyond)
    assert not isinstance(proof, str)
    assert proof is not None
    assert check_proof(json.dumps(dict(proof)), []).kind == "intact"
    desk.start_proof(10**6)
    await_rest()
    assert "there is no entry" in str(desk.proof_of(10**6, beyond))


@pytest.mark.parametrize("path", ["/ledger/check", "/ledger/3/proof"])
def test_nobody_starts_a_check_from_another_site(lived: Watched, path: str) -> None:
    """The form has a secret, as every form; a program may send the token."""
    assert lived.client.post(path).status_code == 403
    assert lived.client.post(path, data={"token": TOKEN}).status_code == 303
    await_rest()


def test_without_a_ledger_the_page_says_so(watched: Watched) -> None:
    """As on the first day; no entry is missing from what has not begun."""
    assert watched.client.get("/ledger/1").status_code == 404
    page = page_of(watched, "/ledger")
    assert "The ledger begins with the first decision" in page
    assert "<form" not in page.split("<main")[1]
    assert watched.client.get("/ledger/checkpoint.txt").status_code == 404
    assert watched.client.get("/ledger/0").status_code == 404


def test_a_ledger_that_is_gone_is_no_new_one(watched: Watched) -> None:
    """Where one was signed before, its absence is told with its path."""
    watched.services.sprint_parts.actions.books.append("decision", actor="ana", tool="x")
    watched.services.sprint_parts.actions.books.checkpoint()
    (watched.services.state_dir / "ledger" / "log.jsonl").unlink()
    assert "log.jsonl: there is no ledger yet" in page_of(watched, "/ledger")
