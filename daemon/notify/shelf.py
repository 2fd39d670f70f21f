"""What is known here of the pages in Notion. Two keep it: the store, and tests in memory."""

from __future__ import annotations

from typing import Protocol


class Shelf(Protocol):
    """Asked and told by the sender to Notion, in the delivery's thread."""

    def data_source(self, place: str) -> str:
        """The id of a place's data source; empty where there is none."""

    def page(self, external_id: str) -> tuple[str, str]:
        """A page's id and why it is left alone; each empty where it is not known, or is not."""

    def remember(self, external_id: str, place: str, page_id: str) -> None:
        """The page is there, and whole."""

    def give_up(self, external_id: str, place: str, why: str) -> None:
        """Leave the page alone from now on."""

    def forget(self, external_id: str) -> None:
        """The page was one of a test, and is gone."""
