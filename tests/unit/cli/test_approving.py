"""approvals, approve, reject: what a person sees is what is decided, and scripts can tell."""

from __future__ import annotations

import json
import os
import pwd
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from daemon.store import items, outbox
from daemon.store.database import open_database
from tests.unit.cli.small import as_json, clean_environ, command, sprintd
from tests.workspaces import NOON


@pytest.fixture
def desk(small: Path) -> Path:
    """A workspace with a database, in which B01 is blocked."""
    with closing(open_database(small / "state" / "sprintd.db")) as db:
        items.count_rejection(db, "B01", "too short", 1, NOON)
    return small


def is_blocked(desk: Path) -> bool:
    with closing(open_database(desk / "state" / "sprintd.db")) as db:
        return items.find_item_state(db, "B01").state == "blocked"


def ask(desk: Path, *words: str) -> str:
    found: str = as_json(desk, "approvals", "ask", *words)["id"]
    return found


def test_what_waits_is_listed_until_it_is_decided(desk: Path) -> None:
    """And with --all for ever."""
    assert sprintd(desk, "approvals").stdout == "No approval waits.\n"
    asked = sprintd(desk, "approvals", "ask", "unblock", "--item", "B01", "--why", "mended")
    assert asked.stdout.startswith("A1 waits until ")
    assert "A1 unblock: Put B01 back" in sprintd(desk, "approvals").stdout
    assert sprintd(desk, "reject", "A1", "--yes", "--why", "not yet").returncode == 0
    assert sprintd(desk, "approvals").stdout == "No approval waits.\n"
    (row,) = as_json(desk, "approvals", "--all")["approvals"]
    assert (row["state"], row["outcome"], row["payload"]) == (
        "rejected",
        "not yet",
        {"item": "B01"},
    )
    assert is_blocked(desk)


def test_an_approval_is_carried_out_at_once_and_only_once(desk: Path) -> None:
    """The second one exits 9 and says what was decided."""
    ask(desk, "unblock", "--item", "B01")
    done = as_json(desk, "approve", "A1", "--yes")
    assert (done["decision"], done["approval"]["state"]) == ("approved", "done")
    assert not is_blocked(desk)
    again = sprintd(desk, "approve", "a1", "--yes")
    assert again.returncode == 9
    assert "approved and done" in again.stdout


def test_without_a_terminal_it_takes_a_yes(desk: Path) -> None:
    """Nothing is decided by a script that forgot it."""
    ask(desk, "unblock", "--item", "B01")
    refused = sprintd(desk, "approve", "A1")
    assert refused.returncode == 2
    assert "--yes" in refused.stderr
    assert is_blocked(desk)


def test_a_digest_that_is_another_decides_nothing(desk: Path) -> None:
    """The right one does, also its first 16 digits."""
    ask(desk, "unblock", "--item", "B01")
    (row,) = as_json(desk, "approvals")["approvals"]
    assert sprintd(desk, "approve", "A1", "--yes", "--digest", "0" * 64).returncode == 9
    assert is_blocked(desk)
    digits = row["payload_sha256"][:16]
    assert sprintd(desk, "approve", "A1", "--yes", "--digest", digits).returncode == 0
    assert not is_blocked(desk)


def test_an_id_that_is_not_there_is_an_error(desk: Path) -> None:
    unknown = sprintd(desk, "approve", "A7", "--yes")
    assert unknown.returncode == 1
    assert "There is no approval A7" in unknown.stderr


def test_a_post_to_another_place_leaves_with_its_permit(desk: Path) -> None:
    """What was typed is what would be sent."""
    with (desk / "config.toml").open("a", encoding="utf-8") as config:
        config.write('\n[slack]\nchannel = "C0999"\n')
    ask(desk, "post", "--channel", "slack", "--to", "C0123", "--text", "It is found.")
    sprintd(desk, "approve", "A1", "--yes")
    with closing(open_database(desk / "state" / "sprintd.db")) as db:
        (row,) = outbox.list_open(db)
    assert (row.payload["to"], row.payload["text"]) == ("C0123", "It is found.")
    assert row.payload["approval"] == "A1"


def test_what_could_come_to_nothing_after_a_yes_is_not_asked(desk: Path) -> None:
    """An item that is not blocked, a channel's name for its id, a channel that has no place."""
    for words, told in (
        (["unblock", "--item", "B02"], "'B02' is not blocked"),
        (["unblock", "--item", "B99"], "'B99' is not blocked"),
        (["post", "--channel", "slack", "--to", "#general", "--text", "x"], "'#general'"),
        (["post", "--channel", "slack", "--text", "x"], "slack.channel"),
        (["post", "--channel", "slack", "--to", "C0123", "--text", "x"], "slack.channel"),
        (["post", "--channel", "notion", "--text", "x"], "notion.findings_data_source"),
    ):
        refused = sprintd(desk, "approvals", "ask", *words)
        assert refused.returncode in (1, 2)
        assert told in refused.stderr
    assert sprintd(desk, "approvals", "--all").stdout == "No approval was asked for.\n"


def test_a_raise_that_a_person_asks_for_says_what_its_no_means(desk: Path) -> None:
    """Work goes on under the cap as it is; only where the cap stopped it would no model be called."""
    ask(desk, "raise-cap", "--usd", "2.50")
    (row,) = as_json(desk, "approvals")["approvals"]
    assert row["if_unanswered"] == "The cap stays as it is."


def test_a_message_is_published_from_a_file(desk: Path) -> None:
    """Which must hold one, for a place that there is; what is wrong with it is said."""
    file = desk / "page.json"
    for text in ("[1]", "{", ""):
        file.write_text(text)
        bad = sprintd(
            desk, "approvals", "ask", "publish", "--channel", "notion", "--file", str(file)
        )
        assert bad.returncode == 1
        assert "page.json" in bad.stderr
    words = ("approvals", "ask", "publish", "--channel", "notion", "--file", str(file))
    for message, cure in (
        ({"title": "Berths", "text": "t"}, "set notion.findings_data_source"),
        ({"title": "Berths", "place": "findings", "external_id": "x"}, "sprintd notion setup PAGE"),
    ):
        file.write_text(json.dumps(message))
        refused = sprintd(desk, *words)
        assert refused.returncode == 1
        assert cure in refused.stderr
    with (desk / "config.toml").open("a") as config:
        config.write('\n[notion]\nfindings_data_source = "b55c9c91384d452b81dbd1ef79372b75"\n')
    file.write_text(json.dumps({"title": "Berths", "text": "t"}))
    ask(desk, "publish", "--channel", "notion", "--file", str(file))
    (row,) = as_json(desk, "approvals")["approvals"]
    assert row["payload"] == {"channel": "notion", "message": {"title": "Berths", "text": "t"}}


def test_a_raise_shows_in_the_status(desk: Path) -> None:
    """The day's money has it, and says how much of the cap was added."""
    ask(desk, "raise-cap", "--usd", "2.50")
    sprintd(desk, "approve", "A1", "--yes")
    budget = as_json(desk, "status")["budget"]
    assert (budget["cap_usd"], budget["raised_micros"]) == ("22.50", 2_500_000)
    assert "(2.50 of it added today)" in sprintd(desk, "status").stdout


def test_what_nobody_may_grant_is_not_asked(desk: Path) -> None:
    """Only the entry of a decision that was left to a person."""
    assert sprintd(desk, "approvals", "ask", "grant", "--entry", "99").returncode == 3
    ask(desk, "unblock", "--item", "B01")
    wrong = sprintd(desk, "approvals", "ask", "grant", "--entry", "1")
    assert wrong.returncode == 1
    assert "is no decision" in wrong.stderr
    assert sprintd(desk, "approvals", "ask", "grant", "--entry", "99").returncode == 1


def test_a_wish_that_lacks_something_is_wrong_usage(desk: Path) -> None:
    """Nothing is asked by any of them."""
    for words in (
        ["ask"],
        ["ask", "post", "--channel", "slack"],
        ["ask", "publish", "--channel", "notion"],
        ["ask", "unblock"],
        ["ask", "grant"],
        ["ask", "raise-cap", "--usd", "much"],
        ["ask", "raise-cap", "--usd", "-1"],
        ["ask", "raise-cap", "--usd", "1e900000"],
        ["ask", "raise-cap", "--usd", "1e999999999"],
        ["ask", "unblock", "--item", "B01", "--hours", "0"],
    ):
        assert sprintd(desk, "approvals", *words).returncode == 2
    assert sprintd(desk, "approvals", "--all").stdout == "No approval was asked for.\n"


def test_who_answers_is_the_account_whatever_the_environment_says(desk: Path) -> None:
    """LOGNAME is anybody's to set, and the ledger keeps the name."""
    ask(desk, "unblock", "--item", "B01")
    environ = {**clean_environ(), "LOGNAME": "the founder", "USER": "the founder"}
    told = subprocess.run(
        command(desk, "reject", "A1", "--yes", "--json"),
        capture_output=True, check=True, env=environ,
    )  # fmt: skip
    account = pwd.getpwuid(os.getuid()).pw_name
    assert json.loads(told.stdout)["approval"]["decided_by"] == account


def at_a_terminal(desk: Path, typed: str, *words: str) -> subprocess.CompletedProcess[str]:
    """The program with a terminal as its standard input, in which somebody types."""
    mine, its = os.openpty()
    try:
        os.write(mine, typed.encode())
        return subprocess.run(
            command(desk, *words),
            stdin=its,
            capture_output=True,
            text=True,
            check=False,
            env=clean_environ(),
        )
    finally:
        os.close(mine)
        os.close(its)


def test_at_a_terminal_it_shows_what_would_be_done_and_asks_again(desk: Path) -> None:
    """A no leaves the question open; a yes decides what was shown."""
    ask(desk, "unblock", "--item", "B01", "--why", "its notes were mended")
    thought_again = at_a_terminal(desk, "n\n", "approve", "A1")
    for shown in ("Put B01 back", "its notes were mended", "item: B01", "SHA-256: "):
        assert shown in thought_again.stdout
    assert thought_again.returncode == 1
    assert is_blocked(desk)
    assert at_a_terminal(desk, "y\n", "approve", "A1").returncode == 0
    assert not is_blocked(desk)
