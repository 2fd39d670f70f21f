"""A shelf in memory: what a sender to Notion is told, for tests that need no store."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class MemoryShelf:
    """`sources` has the data source of each place."""

    sources: dict[str, str] = field(default_factory=dict)
    pages: dict[str, tuple[str, str]] = field(default_factory=dict)

    def data_source(self, place: str) -> str:
        return self.sources.get(place, "")

    def page(self, external_id: str) -> tuple[str, str]:
        return self.pages.get(external_id, ("", ""))

    def remember(self, external_id: str, place: str, page_id: str) -> None:
        self.pages[external_id] = (page_id, "")

    def give_up(self, external_id: str, place: str, why: str) -> None:
        self.pages[external_id] = (self.page(external_id)[0], why)

    def forget(self, external_id: str) -> None:
        self.pages.pop(external_id, None)
