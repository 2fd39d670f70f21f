"""Short ways to write and read rows, for the tests of this folder."""

from __future__ import annotations

from daemon.store.database import Database

PUT = "INSERT INTO control (name, value, changed_at) VALUES (?, ?, '')"

# How a script of `other_programs` begins; its first argument is the database's path.
OPEN = """
import os, sys
from pathlib import Path
from daemon.store.database import open_database
PUT = "INSERT INTO control (name, value, changed_at) VALUES (?, ?, '')"
path = Path(sys.argv[1])
"""


def put(db: Database, name: str, value: str = "1") -> None:
    """One row in a transaction of its own."""
    with db.immediate() as tx:
        tx.execute(PUT, (name, value))


def put_all(db: Database, *rows: tuple[str, str], then: Exception | None = None) -> None:
    """Several rows in one transaction, which ends with the exception `then` where one is given."""
    with db.immediate() as tx:
        for row in rows:
            tx.execute(PUT, row)
        if then is not None:
            raise then


def names(db: Database) -> list[str]:
    """The names of all rows, sorted."""
    return [row["name"] for row in db.rows("SELECT name FROM control ORDER BY name")]
