"""The digest on a telephone: what was learned, rejected, spent, and what needs somebody."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, get_args

from daemon.config.phrases import Phrases
from daemon.config.sections import Language
from daemon.governance.recovery import halt
from daemon.notify.message import Part
from daemon.reports.digest import Digest, prepare_digest
from daemon.store.database import Database
from daemon.store.items import count_rejection
from tests.unit.reports.test_digest import (
    ALL_KINDS,
    DAY,
    EN,
    FINDING,
    NOON,
    REJECTION,
    record,
)

PAGE = "https://sprintd.example.com"


def digest_of(db: Database, **changes: Any) -> Digest:
    digest = prepare_digest(db, replace(DAY, **changes), EN, PAGE)
    assert digest is not None
    return digest


def part(digest: Digest, type_: str, title: str = "") -> Part:
    (found,) = [
        one
        for one in digest.parts
        if one["type"] == type_ and str(one.get("title", "")).startswith(title)
    ]
    return found


def test_a_finding_is_a_line_with_score_criterion_and_page(db: Database) -> None:
    """The item leads to its page; below its title stand what counts and what it says."""
    record(db, "accepted", FINDING)
    (line,) = part(digest_of(db), "lines", "Learned (1)")["entries"]
    assert line == {
        "words": "Boats", "mark": "B01", "link": f"{PAGE}/items/B01",
        "detail": "score 0.55, KC1. 4,120 boats came in 2024.",
    }  # fmt: skip


def test_a_rejection_says_why(db: Database) -> None:
    """In the words of the verdict."""
    record(db, "rejected", REJECTION, item="B02")
    (line,) = part(digest_of(db), "lines", "Rejected")["entries"]
    assert (line["mark"], line["words"]) == ("B02", "Light")
    assert line["detail"] == "rejection 2: It is too short"


def test_money_is_told_as_in_the_text(db: Database) -> None:
    """0.0072 of 0.02 USD read as 0.01 of 0.02 beside a bar of 36 %."""
    record(db, "accepted", FINDING)
    bar = part(digest_of(db, spent_micros=54_399, remaining_micros=19_545_601), "bar")
    assert bar["label"] == "Money today: 0.054399 of 20.00 USD spent, 19.545601 left."
    assert (bar["part"], bar["whole"]) == (54_399, 20_000_000)


def test_what_needs_a_human_has_its_buttons(db: Database) -> None:
    """Resume where it is halted, unblock for the newest three; each asks first, for it costs."""
    for number in range(1, 6):
        count_rejection(db, f"B0{number}", "bad", 1, NOON)
        record(db, "blocked", REJECTION, item=f"B0{number}")
    halt(db, "the key is wrong.", NOON)
    digest = digest_of(db)
    buttons = part(digest, "buttons")["entries"]
    assert [(one["action"], one["value"]) for one in buttons] == [
        ("daemon.resume", ""), ("item.unblock", "B05"), ("item.unblock", "B04"),
        ("item.unblock", "B03"),
    ]  # fmt: skip
    assert all(one["confirm"] for one in buttons)
    words = [line["words"] for line in part(digest, "lines", "Needs you (6)")["entries"]]
    assert words[0] == "Halted, nothing is spent: the key is wrong"


def test_only_an_item_that_is_shown_has_a_button(db: Database) -> None:
    """Nobody is asked to unblock what the message does not name."""
    for number in range(30):
        count_rejection(db, f"B{number}", "bad", 1, NOON)
        record(db, "blocked", REJECTION, item=f"B{number}")
    digest = digest_of(db)
    shown = [line["mark"] for line in part(digest, "lines", "Needs you (30)")["entries"]]
    buttons = [one["value"] for one in part(digest, "buttons")["entries"]]
    assert buttons == ["B9", "B8", "B7"]
    assert set(buttons) < set(shown)


def test_what_nobody_needs_to_do_any_more_has_no_button(db: Database) -> None:
    """A halt that a person ended, an item that was put back."""
    record(db, "halted", {"reason": "the key was wrong"}, item=None)
    record(db, "blocked", REJECTION, item="B02")
    digest = digest_of(db)
    assert "buttons" not in [one["type"] for one in digest.parts]
    assert len(part(digest, "lines", "Mended by now (2)")["entries"]) == 2


def test_a_long_list_ends_on_the_page(db: Database) -> None:
    """Ten are shown; the last line leads to where the others are."""
    for number in range(25):
        record(db, "accepted", {**FINDING, "title": f"Boats {number}"})
    lines = part(digest_of(db), "lines", "Learned (25)")["entries"]
    assert len(lines) == 11
    assert (lines[-1]["mark"], lines[-1]["link"]) == ("15 more on the page", f"{PAGE}/")
    assert lines[-1]["stands_for"] == 15


def test_a_locked_telephone_shows_how_much_there_is(db: Database) -> None:
    """Counts, not the date."""
    record(db, "accepted", FINDING)
    record(db, "alert", ALL_KINDS["alert"], item=None)
    assert digest_of(db).title == "sprintd: 1 learned, 0 rejected, 1 needs you"


def test_every_kind_of_news_is_in_the_parts_in_every_language(db: Database) -> None:
    """They can be stored, and no sentence or value is missing."""
    for kind, facts in ALL_KINDS.items():
        record(db, kind, facts, item="B01")
    for language in get_args(Language):
        digest = prepare_digest(db, DAY, Phrases(language))
        assert digest is not None
        told = json.dumps(digest.parts, ensure_ascii=False)
        for word in ("Boats", "Light", "the key is wrong", "sprintd check", "80 %", "B03"):
            assert word in told
        assert "http" not in told
