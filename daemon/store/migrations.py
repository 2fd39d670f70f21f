"""The numbered steps from an empty file to the present schema.

Own code, although sqlite-utils has migrations: theirs works out what is pending before it opens a
transaction, and opens a deferred one, so two programs that start together can both apply a step.
Here the question and the answer stand in one BEGIN IMMEDIATE, together with the record.

A step is a file `schema/NNNN_words.sql`. Once released it never changes; a change is a new file.
`python -m daemon.store.migrations` writes the present schema as docs/schema.sql holds it.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from daemon import __version__
from daemon.errors import SchemaTooNew, SchemaTooOld, StoreError
from daemon.store.connection import Connection
from daemon.store.driver import sqlite3

_RECORD = """
CREATE TABLE IF NOT EXISTS schema_step (    -- which steps of daemon/store/schema were applied
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    program TEXT NOT NULL               -- the version of sprintd that applied it
) STRICT"""
_TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
_WRITE_NOTHING = "UPDATE schema_step SET name = name WHERE FALSE"
_HEADER = """\
-- The whole schema of state/sprintd.db, as all steps of daemon/store/schema make it.
-- Written by `python -m daemon.store.migrations`; a test holds the two equal.

"""


@dataclass(frozen=True)
class Step:
    """One numbered step; `sql` is any number of statements, each ending at the end of a line."""

    number: int
    name: str
    sql: str


def load_steps() -> tuple[Step, ...]:
    """The steps that this package ships, in order."""
    folder = resources.files("daemon.store") / "schema"
    files = sorted((entry for entry in folder.iterdir()), key=lambda entry: entry.name)
    return tuple(
        Step(int(entry.name[:4]), entry.name.removesuffix(".sql"), entry.read_text("utf-8"))
        for entry in files
        if entry.name.endswith(".sql")
    )


def apply_pending(connection: Connection, steps: Sequence[Step]) -> list[str]:
    """Bring the database up to the newest step; the names of the steps that were applied.

    Each step is one transaction with its record: a step that fails leaves no trace, and the ones
    before it stay. Raises SchemaTooNew where a newer sprintd was here, StoreError also where
    nothing is pending but the file cannot be written: better at the start than at the first call.
    """
    applied: list[str] = []
    while True:
        with connection.immediate():
            step = _first_pending(connection, steps)
            if step is None:
                connection.change(_WRITE_NOTHING)
                return applied
            _apply(connection, step)
        applied.append(step.name)


def check_current(connection: Connection, steps: Sequence[Step]) -> None:
    """Raise SchemaTooOld where a step is missing, for readers that may not apply it."""
    if _first_pending(connection, steps):
        raise SchemaTooOld(
            f"{connection.path}: was written by an older sprintd; start the daemon once"
        )


def split_statements(sql: str) -> Iterator[str]:
    """The single statements of a script, by SQLite's own idea of where one ends."""
    statement = ""
    for line in sql.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement.strip()
            statement = ""
    if _has_words(statement):
        raise ValueError(f"the last statement has no semicolon: {statement.strip()[:60]}")


def render_schema() -> str:
    """The present schema as text, comments included; made by applying every step to a new file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "schema.db"
        path.touch()
        with closing(Connection(path, "rw", 1.0)) as connection:
            apply_pending(connection, load_steps())
            return _HEADER + connection.schema + "\n"


def main() -> None:
    sys.stdout.write(render_schema())


def _first_pending(connection: Connection, steps: Sequence[Step]) -> Step | None:
    done = _applied_numbers(connection)
    newest = steps[-1].number
    if max(done, default=0) > newest:
        raise SchemaTooNew(
            f"{connection.path}: has schema {max(done)}, this sprintd {__version__} knows "
            f"{newest}; install the newer sprintd again, or put back the backup from before it"
        )
    return next((step for step in steps if step.number not in done), None)


def _applied_numbers(connection: Connection) -> set[int]:
    tables = {str(row["name"]) for row in connection.fetch(_TABLES)}
    if not tables:
        return set()
    if "schema_step" not in tables:
        raise StoreError(f"{connection.path}: is the database of another program; move it aside")
    return {int(row["number"]) for row in connection.fetch("SELECT number FROM schema_step")}


def _apply(connection: Connection, step: Step) -> None:
    connection.change(_RECORD)
    for statement in split_statements(step.sql):
        connection.change(statement)
    record = "INSERT INTO schema_step (number, name, program) VALUES (?, ?, ?)"
    connection.change(record, (step.number, step.name, f"sprintd {__version__}"))


def _has_words(text: str) -> bool:
    return any(line.strip() and not line.strip().startswith("--") for line in text.splitlines())


if __name__ == "__main__":
    main()
