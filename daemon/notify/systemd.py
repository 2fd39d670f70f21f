"""Short words to systemd (sd_notify(3)): ready, alive, stopping. Silent where nobody listens."""

from __future__ import annotations

import logging
import socket
from collections.abc import MutableMapping
from dataclasses import dataclass
from typing import Self

_MICROS = 1_000_000
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Systemd:
    """The service manager that started us. `address` None: none did, and every word is dropped.

    `watchdog_seconds` is the longest silence that it allows (WatchdogSec), None: it does not watch.
    """

    address: str | None = None
    watchdog_seconds: float | None = None

    @classmethod
    def take_from(cls, environ: MutableMapping[str, str], pid: int) -> Self:
        """Read what systemd left in the environment, and take it out: no child is to speak for us.

        `pid` is the process that systemd started; a watchdog that is meant for another one (of a
        service that started us) is not ours.
        """
        address = environ.pop("NOTIFY_SOCKET", None)
        micros, meant = environ.pop("WATCHDOG_USEC", ""), environ.pop("WATCHDOG_PID", "")
        ours = micros.isdigit() and int(micros) > 0 and meant in ("", str(pid))
        return cls(address, int(micros) / _MICROS if ours and address else None)

    def ready(self) -> None:
        """Everything that works is running."""
        tell_systemd(self.address, "READY=1")

    def alive(self) -> None:
        """Put off the watchdog once more."""
        tell_systemd(self.address, "WATCHDOG=1")

    def stopping(self, within_seconds: float) -> None:
        """The end has begun; it may take this long, also where TimeoutStopSec is shorter."""
        micros = round(within_seconds * _MICROS)
        tell_systemd(self.address, f"STOPPING=1\nEXTEND_TIMEOUT_USEC={micros}")


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
        first = message.partition("\n")[0]
        _log.warning("systemd could not be told %s: %s", first, error)
