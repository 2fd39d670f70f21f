"""From an empty file to the present schema, in whole steps."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from daemon import __version__
from daemon.errors import SchemaTooNew, StoreError
from daemon.store.connection import Connection
from daemon.store.database import Database, open_database, open_read_only
from daemon.store.migrations import (
    Step,
    apply_pending,
    check_current,
    load_steps,
    render_schema,
    split_statements,
)
from tests.unit.store.other_programs import ROOT, run_script

FIRST = Step(1, "0001_first", "CREATE TABLE a (x TEXT) STRICT;\n")
SECOND = Step(2, "0002_second", "CREATE TABLE b (x TEXT) STRICT;\nINSERT INTO a VALUES ('b');\n")
BROKEN = Step(
    2, "0002_broken", "CREATE TABLE b (x TEXT) STRICT;\nINSERT INTO nowhere VALUES (1);\n"
)


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[Connection]:
    path = tmp_path / "steps.db"
    path.touch()
    with closing(Connection(path, "rw", 5.0)) as opened:
        yield opened


def _tables(connection: Connection) -> set[str]:
    found = connection.fetch("SELECT name FROM sqlite_master WHERE type = 'table'")
    return {row["name"] for row in found}


def test_all_steps_in_order_give_the_documented_schema() -> None:
    """docs/schema.sql is what `python -m daemon.store.migrations` writes now."""
    documented = (ROOT / "docs" / "schema.sql").read_text("utf-8")
    written = run_script("from daemon.store.migrations import main; main()")
    assert written == documented.strip() == render_schema().strip()


def test_the_shipped_steps_are_numbered_without_a_gap() -> None:
    """1, 2, 3 and so on: the order of the files is the order of the steps."""
    steps = load_steps()
    assert [step.number for step in steps] == list(range(1, len(steps) + 1))
    assert steps[0].name == "0001_first"


def test_every_table_is_strict(db: Database) -> None:
    """No column takes a value of another type: text in a money column is refused."""
    tables = db.rows(
        "SELECT name, strict FROM pragma_table_list WHERE schema = 'main' AND type <> 'view'"
    )
    loose = {row["name"] for row in tables if not row["strict"]}
    assert loose == {"sqlite_schema"}


def test_every_step_is_recorded_with_the_program_that_applied_it(connection: Connection) -> None:
    """The record tells an operator how the database came to be."""
    assert apply_pending(connection, [FIRST, SECOND]) == ["0001_first", "0002_second"]
    program = f"sprintd {__version__}"
    assert connection.fetch("SELECT * FROM schema_step") == [
        {"number": 1, "name": "0001_first", "program": program},
        {"number": 2, "name": "0002_second", "program": program},
    ]


def test_applied_steps_are_not_applied_again(connection: Connection) -> None:
    """A second start does nothing; a later version applies only what is new."""
    apply_pending(connection, [FIRST])
    assert apply_pending(connection, [FIRST]) == []
    assert apply_pending(connection, [FIRST, SECOND]) == ["0002_second"]
    assert connection.fetch("SELECT x FROM a") == [{"x": "b"}]


def test_a_failing_step_leaves_nothing_half_applied(connection: Connection) -> None:
    """Its table and its record are undone, the step before it stays, the repaired one runs."""
    with pytest.raises(StoreError, match="no such table: nowhere"):
        apply_pending(connection, [FIRST, BROKEN])
    assert _tables(connection) == {"schema_step", "a"}
    assert connection.fetch("SELECT number FROM schema_step") == [{"number": 1}]
    assert apply_pending(connection, [FIRST, SECOND]) == ["0002_second"]


def test_a_failing_first_step_leaves_an_empty_file(connection: Connection) -> None:
    """Not even the table of records stays."""
    broken = Step(1, "0001_broken", BROKEN.sql)
    with pytest.raises(StoreError):
        apply_pending(connection, [broken])
    assert _tables(connection) == set()


def test_two_starters_apply_each_step_once(connection: Connection) -> None:
    """Eight at the same moment: each step runs in one of them, and nobody fails."""
    connection.use_write_ahead_log()

    def start(_: int) -> list[str]:
        with closing(Connection(connection.path, "rw", 10.0)) as own:
            return apply_pending(own, [FIRST, SECOND])

    with ThreadPoolExecutor(8) as pool:
        applied = [name for names in pool.map(start, range(8)) for name in names]
    assert sorted(applied) == ["0001_first", "0002_second"]
    assert connection.fetch("SELECT x FROM a") == [{"x": "b"}]


def test_a_database_of_a_newer_sprintd_is_refused(path: Path) -> None:
    """Both numbers and the cure are named; neither reader nor writer opens it, nothing changes."""
    with closing(open_database(path)) as db, db.immediate() as tx:
        tx.execute("INSERT INTO schema_step VALUES (9000, '9000_future', 'sprintd 99.0')")
    for opening in (open_database, open_read_only):
        with pytest.raises(SchemaTooNew, match=r"has schema 9000, .* install the newer sprintd"):
            opening(path)
    with pytest.raises(SchemaTooNew):
        open_database(path)


def test_a_reader_does_not_apply_what_is_pending(connection: Connection) -> None:
    """It says that the daemon must be started once, and leaves the file as it is."""
    apply_pending(connection, [FIRST])
    with pytest.raises(StoreError, match="older sprintd; start the daemon once"):
        check_current(connection, [FIRST, SECOND])
    assert _tables(connection) == {"schema_step", "a"}


def test_statements_end_where_sqlite_says(connection: Connection) -> None:
    """A semicolon in a comment, in a text or in a trigger's body ends nothing."""
    script = """-- one; two
CREATE TABLE a (x TEXT);  -- here; it ends
INSERT INTO a VALUES ('semi;colon');
CREATE TRIGGER t AFTER INSERT ON a BEGIN
    DELETE FROM a WHERE x = 'no;thing';
END;
-- the end
"""
    statements = list(split_statements(script))
    assert len(statements) == 3
    with connection.immediate():
        for statement in statements:
            connection.change(statement)
    assert connection.fetch("SELECT x FROM a") == [{"x": "semi;colon"}]


def test_a_script_that_stops_in_the_middle_is_refused() -> None:
    """A forgotten last semicolon must not drop the statement."""
    with pytest.raises(ValueError, match="no semicolon: CREATE TABLE b"):
        list(split_statements("CREATE TABLE a (x);\nCREATE TABLE b (x)\n"))
