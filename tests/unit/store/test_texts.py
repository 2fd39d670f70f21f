"""Texts are kept once, under their own digest."""

from __future__ import annotations

import hashlib

from daemon.store.database import Database
from daemon.store.texts import find_text, save_text


def test_a_text_is_found_under_the_digest_of_its_bytes(db: Database) -> None:
    """SHA-256 of the UTF-8 bytes, in hex; anybody can check it."""
    body = "Preis: 5 €\n"
    sha256 = save_text(db, body)
    assert sha256 == hashlib.sha256(body.encode()).hexdigest()
    assert find_text(db, sha256) == body


def test_the_same_text_is_kept_once(db: Database) -> None:
    """A second save gives the same digest and no second row."""
    assert save_text(db, "same") == save_text(db, "same")
    assert db.row("SELECT COUNT(*) AS n FROM source_text") == {"n": 1}


def test_a_damaged_text_has_the_digest_of_what_is_stored(db: Database) -> None:
    """The stored text proves itself: its digest is its key."""
    sha256 = save_text(db, "cut \ud83d")
    assert find_text(db, sha256) == "cut \ufffd"
    assert sha256 == hashlib.sha256("cut \ufffd".encode()).hexdigest()


def test_an_unknown_digest_is_none(db: Database) -> None:
    """And an empty text is a text."""
    assert find_text(db, "0" * 64) is None
    assert find_text(db, save_text(db, "")) == ""
