"""Where the page shows what a report tells of."""

from __future__ import annotations

from urllib.parse import quote


def item_page(address: str, item: str) -> str:
    """The page of a backlog item; empty where the page has no address."""
    return f"{address}/items/{quote(item, safe='')}" if address else ""
