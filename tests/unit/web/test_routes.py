"""Every route and every key of /health is documented."""

from __future__ import annotations

import re

from tests.unit.web.watched import Watched
from tests.workspaces import ROOT

DOC = (ROOT / "docs" / "http.md").read_text()


def test_every_route_is_documented(watched: Watched) -> None:
    """docs/http.md names each one with its method."""
    for rule in watched.app.url_map.iter_rules():
        if rule.endpoint == "static":
            continue
        path = re.sub(r"<(?:\w+:)?(\w+)>", lambda match: match[1].upper(), rule.rule)
        for method in rule.methods - {"HEAD", "OPTIONS"}:
            assert f"`{method} {path}`" in DOC


def test_every_key_of_health_is_documented(watched: Watched) -> None:
    """And no documented key is missing from the answer."""
    section = DOC.split("| `ok`")[1].split("Without the database")[0]
    documented = set()
    for line in f"| `ok`{section}".splitlines():
        documented |= set(re.findall(r"`(\w+)`", line.split("|")[1])) if "|" in line else set()
    assert documented == set(watched.client.get("/health").get_json())
