"""The ledger as the daemon holds it: opened late, anchored in the database, closed in order."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from daemon.clock import ManualClock, to_text
from daemon.errors import LedgerError
from daemon.governance.ledger_in_use import LedgerInUse, accept_ledger, known_end
from daemon.ledger.checkpoint import list_sizes
from daemon.store import control
from daemon.store.database import Database, open_database
from tests.workspaces import NOON


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    made = open_database(tmp_path / "state/sprintd.db")
    yield made
    made.close()


def books_in(tmp_path: Path, db: Database) -> LedgerInUse:
    return LedgerInUse(tmp_path / "state", db, ManualClock(NOON))


def test_nothing_is_made_before_the_first_entry(tmp_path: Path, db: Database) -> None:
    """So a command that only looks leaves no ledger and no key behind."""
    books_in(tmp_path, db).close()
    assert not (tmp_path / "state/ledger").exists()
    assert not (tmp_path / "state/keys").exists()
    assert known_end(db) is None


def test_a_checkpoint_is_kept_in_the_database_with_its_note(tmp_path: Path, db: Database) -> None:
    """How long the log was, its last leaf and its root, and when."""
    books = books_in(tmp_path, db)
    receipt = books.append("decision", actor="ana")
    made = books.checkpoint()
    end = known_end(db)
    assert end
    assert (end.size, end.leaf, end.root) == (receipt.seq + 1, receipt.leaf, made.root)
    assert end.note == made.text
    assert end.at == to_text(NOON)
    books.close()


def test_what_was_appended_after_the_anchor_is_no_fault(tmp_path: Path, db: Database) -> None:
    """The log may have grown since, in this life or by a command."""
    books = books_in(tmp_path, db)
    books.append("decision", actor="ana")
    books.checkpoint()
    books.append("decision", actor="ana")
    books.close()
    again = books_in(tmp_path, db)
    assert again.fault() is None
    again.close()


def test_a_restored_database_that_is_older_than_the_ledger_is_no_fault(
    tmp_path: Path, db: Database
) -> None:
    """Its anchor is a part of what is there."""
    books = books_in(tmp_path, db)
    books.append("decision", actor="ana")
    books.checkpoint()
    end = known_end(db)
    books.append("decision", actor="ana")
    books.checkpoint()
    books.close()
    assert end
    control.put(db, "ledger.anchor", vars(end), NOON)
    again = books_in(tmp_path, db)
    assert again.fault() is None
    again.close()


def test_an_outcome_that_cannot_be_written_raises_nothing(tmp_path: Path, db: Database) -> None:
    """The action happened; the fault shows with the next question."""
    (tmp_path / "state/ledger").write_text("in the way")
    books = books_in(tmp_path, db)
    books.settle("outcome", actor="ana", ref=1)
    assert books.fault()
    with pytest.raises(LedgerError):
        books.append("decision", actor="ana")
    (tmp_path / "state/ledger").unlink()
    assert books.fault() is None
    books.append("decision", actor="ana")
    kinds = (tmp_path / "state/ledger/log.jsonl").read_text()
    assert kinds.index('"type":"outcome"') < kinds.index('"type":"decision"')
    books.close()


def test_the_end_signs_what_was_not_signed(tmp_path: Path, db: Database) -> None:
    """A stop in order leaves no window."""
    books = books_in(tmp_path, db)
    receipt = books.append("decision", actor="ana")
    books.close()
    assert list_sizes(tmp_path / "state/ledger")[-1] == receipt.seq + 1
    books.close()


def test_to_accept_without_an_anchor_changes_nothing(db: Database) -> None:
    """There is nothing to forget."""
    assert accept_ledger(db) is None
