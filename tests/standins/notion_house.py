"""A workspace that keeps pages in the stand-in for Notion: its parts, without threads."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from daemon.bootstrap import Services, build_services
from daemon.clock import ManualClock
from daemon.notify.notion_connection import NotionConnection
from daemon.notify.notion_setup import set_up
from daemon.reports.notion_sync import SyncEnd
from daemon.scheduling.syncing import sync_notion
from daemon.store import items, notion
from daemon.store.notion import PlaceRow
from tests.standins.notion_api import NotionApi
from tests.workspaces import NOON

TOKENS = {"NOTION_TOKEN": "ntn_0123456789private"}


class House:
    """One workspace and its daemon's parts, without threads."""

    def __init__(self, services: Services, clock: ManualClock, api: NotionApi) -> None:
        self.services, self.clock, self.api, self.db = services, clock, api, services.db

    def set_up(self) -> None:
        connection = NotionConnection(token=self.api.token, base_url=self.api.base_url)
        found = set_up(connection, self.api.page, {}, lambda one: None)
        for one in found:
            row = PlaceRow(one.place, one.database_id, one.data_source_id, NOON)
            notion.save_place(self.db, row)
        connection.close()

    def sync(self) -> SyncEnd | None:
        return sync_notion(self.services)

    def deliver(self, rounds: int = 3) -> None:
        for _ in range(rounds):
            self.services.outbox.deliver_due(self.clock.now())
            self.clock.advance(timedelta(seconds=30))

    def block(self, item: str) -> None:
        for _ in range(3):
            items.count_rejection(self.db, item, "It says nothing.", 3, self.clock.now())

    def first_item(self) -> str:
        source = self.services.sprint_parts.source
        return (source.latest or source.load()).items[0].id


def open_house(root: Path, api: NotionApi) -> House:
    clock = ManualClock(NOON)
    services = build_services(root, environ=TOKENS, say=lambda line: None, clock=clock)
    services.sprint_parts.source.load()
    return House(services, clock, api)
