"""Words to systemd arrive whole, and nobody listening is no trouble."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from daemon.notify.systemd import tell_systemd


def listening(address: str) -> socket.socket:
    channel = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    channel.settimeout(30)
    channel.bind(address)
    return channel


def test_a_message_arrives_at_a_path(tmp_path: Path) -> None:
    """As systemd gives it in NOTIFY_SOCKET."""
    with listening(str(tmp_path / "notify")) as systemd:
        tell_systemd(str(tmp_path / "notify"), "READY=1")
        assert systemd.recv(100) == b"READY=1"


def test_a_message_arrives_at_an_abstract_name() -> None:
    """Written with @ where the kernel has a NUL."""
    name = f"sprintd-test-{os.getpid()}"
    with listening("\0" + name) as systemd:
        tell_systemd("@" + name, "STOPPING=1")
        assert systemd.recv(100) == b"STOPPING=1"


@pytest.mark.parametrize("address", [None, ""])
def test_without_systemd_nothing_is_said(
    address: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    """No address, no message, no warning."""
    tell_systemd(address, "READY=1")
    assert not caplog.records


def test_a_systemd_that_is_gone_is_a_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The daemon works on without it."""
    tell_systemd(str(tmp_path / "nobody"), "READY=1")
    assert "systemd could not be told READY=1" in caplog.text
