"""What an address on the network means."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit


def is_this_machine(host: str) -> bool:
    """Whether a host name or an address is the machine itself (loopback)."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def host_of(url: str) -> str:
    """Host and port of an address, without a user's name or password; for messages."""
    return urlsplit(url).netloc.rpartition("@")[2]
