"""Notion is brought up to date by the tick, and can spoil no sprint."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from daemon.bootstrap import build_services
from daemon.clock import ManualClock
from daemon.scheduling.jobs import Jobs
from daemon.scheduling.syncing import sync_notion
from daemon.store import events, notion, outbox, sprints
from daemon.store.notion import PlaceRow
from tests.workspaces import NOON, copy_sample

TOKENS = {"NOTION_TOKEN": "ntn_0123456789private"}
PLACE = PlaceRow("backlog", "d1", "s1", NOON)


def test_a_tick_hands_over_what_changed_and_does_not_wait_for_notion(tmp_path: Path) -> None:
    """The worker only writes messages; with one place there are its pages alone."""
    root = copy_sample(tmp_path / "venture")
    with closing(
        build_services(root, environ=TOKENS, say=lambda line: None, clock=ManualClock(NOON))
    ) as services:
        notion.save_place(services.db, PLACE)
        Jobs(services, post=lambda text: None, next_sprint_at=lambda: None).sprint()
        assert [row.state for row in sprints.list_sprints(services.db, 9)] == ["completed"]
        waiting = [r for r in outbox.list_open(services.db) if r.key.startswith("notion/")]
        assert {row.payload["place"] for row in waiting} == {"backlog"}
        assert len(waiting) == len(services.sprint_parts.source.load().items)


def test_what_goes_wrong_is_told_once_and_ends_when_it_goes_well(tmp_path: Path) -> None:
    """A question that cannot be written into the ledger is an incident; the tick goes on."""
    root = copy_sample(tmp_path / "venture", "[notion]\npublic = true\n")
    with closing(
        build_services(root, environ=TOKENS, say=lambda line: None, clock=ManualClock(NOON))
    ) as services:
        services.sprint_parts.source.load()
        notion.save_place(services.db, PLACE)
        ledger = root / "state" / "ledger"
        ledger.mkdir(parents=True, exist_ok=True)
        for path in ledger.iterdir():
            path.unlink()
        ledger.rmdir()
        ledger.write_text("no folder")
        for _ in range(2):
            assert sync_notion(services) is None
        told = [e for e in events.list_after(services.db, 0) if e.kind == "alert"]
        assert ["Notion was not brought up to date" in e.facts["reason"] for e in told] == [True]
        ledger.unlink()
        end = sync_notion(services)
        assert end is not None
        assert end.how == "asked"


def test_without_a_token_nothing_is_handed_over(tmp_path: Path) -> None:
    """Nobody would send it."""
    root = copy_sample(tmp_path / "venture")
    with closing(
        build_services(root, environ={}, say=lambda line: None, clock=ManualClock(NOON))
    ) as services:
        services.sprint_parts.source.load()
        notion.save_place(services.db, PLACE)
        assert sync_notion(services) is None
        assert outbox.list_open(services.db) == []
