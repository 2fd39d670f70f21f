"""What Notion is told: taken from the store and the last good files, in a form that never wavers."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from daemon.config.phrases import Phrases
from daemon.notify.notion_places import KINDS
from daemon.reports.notion_rows import Known, NotionRow, finding_row, take_rows
from daemon.reports.notion_sync import SyncEnd, carry_out, plan_sync
from daemon.store import items, notion, outbox, sprints
from daemon.store.database import Database
from daemon.store.findings import FindingRow
from daemon.store.items import list_item_states
from daemon.workspace.board import read_board
from daemon.workspace.loader import load_workspace
from tests.unit.cli.small import write_small
from tests.unit.reports.money import NOON

FINDING = FindingRow("memory/findings/KC1/B01-1.md", 1, "B01", "KC1", "analyst", "Boats", "4,388.",
                     87, ("harbour.boats",), NOON)  # fmt: skip


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_small(tmp_path / "small")


def known(db: Database, root: Path, language: str = "en") -> Known:
    workspace = load_workspace(root)
    board = read_board(workspace, list_item_states(db), date(2026, 11, 30))
    return Known(db, board, workspace.criteria, Phrases(language))  # type: ignore[arg-type]


def test_every_row_names_only_columns_that_setup_makes(db: Database, root: Path) -> None:
    """Of every place; and each id once."""
    ended = sprints.open_sprint(db, "REGULAR", None, NOON)
    sprints.close_sprint(db, ended, "completed", "Done.", NOON)
    sprints.open_sprint(db, "REGULAR", None, NOON)
    rows = [*take_rows(known(db, root)), finding_row(FINDING)]
    assert [row.external_id for row in rows] == [
        "item/B01", "item/B02", "item/B03", "item/B04", "criterion/KC1", "criterion/KC2",
        f"sprint/{ended}", "finding/1",
    ]  # fmt: skip
    for row in rows:
        assert set(row.properties) == set(KINDS[row.place]), row.external_id


def test_words_are_of_the_workspaces_language_and_columns_are_not(db: Database, root: Path) -> None:
    """So that setup knows its columns again whatever the language is."""
    english, spanish = (next(take_rows(known(db, root, name))) for name in ("en", "es"))
    assert set(english.properties) == set(spanish.properties)
    assert english.properties["Standing"] == "eligible"
    assert spanish.properties["Standing"] != "eligible"


def test_a_row_counts_as_changed_where_anything_that_people_see_changed() -> None:
    """Its body is no part of that: it is written once."""
    row = NotionRow("item/B01", "backlog", "B01", {"Priority": 1})
    assert row.sha256 == replace(row, file="memory/x.md").sha256
    assert row.sha256 != replace(row, title="B02").sha256
    assert row.sha256 != replace(row, properties={"Priority": 2}).sha256


def test_a_findings_body_is_its_file_without_front_matter(root: Path) -> None:
    """One that is gone, or leads elsewhere, leaves an empty body and stops nothing."""
    file = root / FINDING.path
    file.parent.mkdir(parents=True)
    file.write_text("---\nid: x\n---\n\n# Boats\n\n4,388 boats.\n")
    row = finding_row(FINDING)
    assert row.payload(root)["body"] == "# Boats\n\n4,388 boats."
    assert row.properties["Score"] == "0.87"
    file.unlink()
    assert row.payload(root)["body"] == ""
    file.symlink_to(root / "config.toml")
    assert row.payload(root)["body"] == ""


def test_only_places_that_are_there_are_compared(db: Database, root: Path) -> None:
    """And what is left alone is counted apart from what did not change."""
    plan = plan_sync(known(db, root), ["criteria"])
    assert [row.external_id for row in plan.changed] == ["criterion/KC1", "criterion/KC2"]
    end = carry_out(db, root, plan, NOON, ask=None, phrases=Phrases("en"))
    assert end == SyncEnd("handed_over", 2)
    notion.give_up(db, "criterion/KC2", "criteria", "thrown away", NOON)
    plan = plan_sync(known(db, root), ["criteria"])
    assert (plan.changed, plan.unchanged, plan.left_alone) == ((), 1, 1)
    items.mark_done(db, "B01", NOON)
    plan = plan_sync(known(db, root), ["criteria"])
    assert [row.external_id for row in plan.changed] == ["criterion/KC1"]
    assert len(outbox.list_open(db)) == 2
