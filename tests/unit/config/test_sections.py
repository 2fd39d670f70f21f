"""config.example.toml and docs/configuration.md say what the section classes say."""

from __future__ import annotations

import re
import tomllib
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from daemon.config.sections import Config, WebSection
from daemon.config.toml_file import parse_config
from daemon.errors import WorkspaceInvalid

ROOT = Path(__file__).parents[3]
EXAMPLE = ROOT / "config.example.toml"
DOCUMENT = ROOT / "docs" / "configuration.md"
DEFAULTS = Config().model_dump()
KEYS = [(section, key) for section, keys in DEFAULTS.items() for key in keys]


def plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def test_the_example_has_every_key_with_its_default_and_nothing_else() -> None:
    """Copying the example changes nothing."""
    raw = tomllib.loads(EXAMPLE.read_text("utf-8"), parse_float=Decimal)
    expected = {
        section: {key: plain(value) for key, value in keys.items()}
        for section, keys in DEFAULTS.items()
    }
    assert raw == expected
    assert parse_config(EXAMPLE.read_bytes(), EXAMPLE.name) == Config()


def test_every_key_of_the_example_stands_below_a_comment() -> None:
    """One comment for each key."""
    lines = EXAMPLE.read_text("utf-8").splitlines()
    bare = [
        line
        for before, line in zip(["", *lines], lines, strict=False)
        if re.match(r"[a-z_]+ =", line) and not before.startswith("# ")
    ]
    assert bare == []


@pytest.mark.parametrize(("section", "key"), KEYS)
def test_every_key_is_documented_with_its_default(section: str, key: str) -> None:
    """The table of the key's section has a row with its name and its default."""
    text = DOCUMENT.read_text("utf-8")
    table = text.split(f"### `[{section}]`")[1].split("\n#")[0]
    row = re.search(rf"^\| `{key}` \| `([^`]*)` \| \S.*\|$", table, re.MULTILINE)
    assert row, f"{section}.{key} has no row in docs/configuration.md"
    shown = tomllib.loads(f"x = {row.group(1)}", parse_float=Decimal)["x"]
    assert shown == plain(DEFAULTS[section][key])


def test_no_documented_key_is_unknown() -> None:
    """The document does not promise keys that are errors."""
    text = DOCUMENT.read_text("utf-8").split("## Settings")[1].split("\n## ")[0]
    documented = re.findall(r"^\| `([a-z_]+)` \|", text, re.MULTILINE)
    assert sorted(documented) == sorted(key for _section, key in KEYS)


def test_the_threshold_of_the_score_is_not_set_here() -> None:
    """quality.toml is its only place, so that two files cannot disagree."""
    with pytest.raises(WorkspaceInvalid, match="quality"):
        parse_config("[quality]\nthreshold_hundredths = 30\n", "config.toml")


@pytest.mark.parametrize(
    ("section", "address"),
    [
        ({}, "http://127.0.0.1:8642"),
        ({"host": "0.0.0.0"}, "http://127.0.0.1:8642"),
        ({"host": "::1", "port": 80}, "http://[::1]:80"),
        ({"port": 0}, ""),
        ({"address": "https://a.example/team/"}, "https://a.example/team"),
        ({"address": "https://a.example", "port": 0}, "https://a.example"),
    ],
)
def test_links_lead_to_the_page(section: dict[str, Any], address: str) -> None:
    """Where founders open it, or else on this machine; nowhere where the port is not known."""
    assert WebSection(**section).page_address == address


@pytest.mark.parametrize(
    "address", ["a.example", "ftp://a.example", "https://a.example?x=1", "https://a|b", "https://"]
)
def test_the_pages_address_is_one_that_a_link_can_have(address: str) -> None:
    """What would be no address, or would break a message, is refused at the start."""
    with pytest.raises(ValueError, match="expects the page's address"):
        WebSection(address=address)
