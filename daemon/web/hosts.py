"""Which names this server answers to.

A page of another site can make its name point to 127.0.0.1 and then talk to us from the visitor's
browser (DNS rebinding). The browser still sends that site's name as Host, so the name is checked.
"""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

from daemon.config.sections import WebSection


def is_served(host: str, section: WebSection) -> bool:
    """Whether a Host header names loopback, `web.host`, `web.address` or one of
    `web.allowed_hosts`.

    The port does not matter; a missing or malformed header is not served.
    """
    name = host_name(host)
    if not name:
        return False
    allowed = {
        host_name(entry) or entry.lower()
        for entry in (section.host, *section.allowed_hosts, urlsplit(section.address).netloc)
    }
    return is_loopback(name) or name in allowed


def host_name(host: str) -> str:
    """The name in lower case, an IPv6 address without brackets; empty where it is malformed."""
    text = host.strip().lower()
    if text.startswith("["):
        name, closed, port = text[1:].partition("]")
        port = port.removeprefix(":") if closed else "?"
    elif text.count(":") > 1:  # an IPv6 address as it is written in config.toml
        name, port = text, ""
    else:
        name, _, port = text.partition(":")
    if (port and not port.isdigit()) or any(char in name for char in "/@?#\\ "):
        return ""
    bare = name.removesuffix(".")
    return "" if ".." in name or not bare.isascii() else bare


def is_loopback(name: str) -> bool:
    """Of a name as `host_name` gives it: localhost, or an address of loopback."""
    try:
        return name == "localhost" or ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False
