"""Which Host headers are served."""

from __future__ import annotations

import pytest

from daemon.config.sections import WebSection
from daemon.web.hosts import is_served

SECTION = WebSection(host="10.0.0.5", allowed_hosts=("venture.example", "Other.Example"))


@pytest.mark.parametrize(
    "host",
    ["localhost", "localhost:8642", "LOCALHOST", "127.0.0.1", "127.0.0.1:1", "127.8.8.8", "[::1]", "[::1]:8642",
     "10.0.0.5:8642", "venture.example", "venture.example:443", "other.example", "venture.example."],
)  # fmt: skip
def test_loopback_and_what_the_configuration_names_is_served(host: str) -> None:
    """With any port, in any case."""
    assert is_served(host, SECTION)


@pytest.mark.parametrize(
    "host",
    ["", " ", "evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "10.0.0.6", "localhost@evil.example",
     "localhost:80:80", "localhost:evil", "[::1", "[::1]evil", "[::2]", "venture.example/evil", "0x7f000001", "."],
)  # fmt: skip
def test_any_other_or_malformed_host_is_not_served(host: str) -> None:
    """A name that another site controls can point here."""
    assert not is_served(host, SECTION)


def test_an_ipv6_host_of_the_configuration_is_served() -> None:
    """Written without brackets in config.toml, with brackets by browsers."""
    assert is_served("[fd00::5]:8642", WebSection(host="fd00::5"))


def test_the_address_that_links_lead_to_is_served() -> None:
    """Its host by whatever port, and no other because of it."""
    section = WebSection(address="https://sprintd.example.com/team")
    assert is_served("sprintd.example.com", section)
    assert is_served("sprintd.example.com:443", section)
    assert not is_served("example.com", section)
    assert not is_served("", section)
