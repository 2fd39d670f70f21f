"""However much was done, a page reads a bounded part of the tables that grow. No clock is read here."""

from __future__ import annotations

from tests.integration.test_large_workspaces import statements_of, walks
from tests.unit.web.lived import lived, page_of
from tests.unit.web.watched import Watched

__all__ = ["lived"]

PAGES = (
    "/", "/money", "/backlog", "/items/T01", "/approvals", "/sprints", "/sprints?state=failed",
    "/sprints?before=3", "/sprints/1", "/findings", "/findings?criterion=KC1",
    "/findings?agent=grant-writer&before=2026-11-30T12:00:00.000000Z,3", "/findings/1", "/criteria",
    "/reports", "/reports?kind=daily", "/alerts", "/alerts?before=9", "/ledger", "/configuration",
)  # fmt: skip


def test_no_page_walks_through_a_table_that_grows(lived: Watched) -> None:
    """Every statement of it finds its rows by an index; a list is cut by its LIMIT."""
    db = lived.services.db
    found = []
    for path in PAGES:
        with statements_of(db) as asked:
            page_of(lived, path)
        assert asked
        found += [(path, sql) for sql in asked if not sql.startswith("PRAGMA") and walks(db, sql)]
    assert found == []
