"""Short words to systemd (sd_notify(3)): READY=1, STOPPING=1. Silent where nobody listens."""

from __future__ import annotations

import logging
import socket

_log = logging.getLogger(__name__)


def tell_systemd(address: str | None, message: str) -> None:
    """Send a message to NOTIFY_SOCKET's address; None or an empty one: not under systemd.

    Never raises: a message that did not arrive is logged, systemd has its own timeouts.
    """
    if not address:
        return
    name = "\0" + address[1:] if address.startswith("@") else address
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as channel:
            channel.settimeout(1.0)
            channel.connect(name)
            channel.sendall(message.encode())
    except OSError as error:
        _log.warning("systemd could not be told %s: %s", message, error)
