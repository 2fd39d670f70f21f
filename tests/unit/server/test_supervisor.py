"""The watchdog is put off only while the worker lives, and a stop has a bound."""

from __future__ import annotations

import logging
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from daemon.clock import Heartbeat, ManualClock
from daemon.notify.systemd import Systemd
from daemon.server.supervisor import (
    ABANDONED_SECONDS,
    StopRequest,
    Supervisor,
    longest_stop_seconds,
)
from tests.standins.workshop import Workshop
from tests.workspaces import NOON

PATIENCE = 30.0


class Scene:
    """A worker with one job, and whoever looks after it; `abandoned` opens what the job waits for."""

    def __init__(
        self, address: str, *, grace_seconds: float = 0.0, folder: Path | None = None
    ) -> None:
        self.clock = ManualClock(NOON)
        self.stop, self.entered = threading.Event(), threading.Event()
        self.abandoned = threading.Event()
        self.beats = {
            name: Heartbeat(self.clock, stale_after_seconds=120)
            for name in ("worker", "scheduler")
        }  # fmt: skip
        self.shop = Workshop(
            folder or Path(address).parent,
            {"long": self._long},
            clock=self.clock,
            heartbeat=self.beats["worker"],
            stop=self.stop,
        )
        self.worker = self.shop.worker
        self.supervisor = Supervisor(
            Systemd(address, watchdog_seconds=60),
            self.worker,
            self.beats,
            stop=self.stop,
            grace_seconds=grace_seconds,
            abandon=self.abandoned.set,
        )
        for beat in self.beats.values():
            beat.beat()

    def _long(self) -> None:
        self.entered.set()
        assert self.abandoned.wait(PATIENCE)


@pytest.fixture
def systemd(tmp_path: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as channel:
        channel.settimeout(PATIENCE)
        channel.bind(str(tmp_path / "notify"))
        yield channel


@contextmanager
def running(scene: Scene) -> Iterator[Scene]:
    scene.worker.start()
    scene.supervisor.start()
    try:
        yield scene
    finally:
        scene.abandoned.set()
        scene.stop.set()
        assert scene.supervisor.join()


def words(channel: socket.socket) -> list[bytes]:
    """What arrived until now."""
    channel.setblocking(False)
    found = []
    try:
        while True:
            found.append(channel.recv(200))
    except BlockingIOError:
        return found
    finally:
        channel.settimeout(PATIENCE)


@pytest.mark.parametrize("name", ["worker", "scheduler"])
def test_the_watchdog_is_put_off_only_while_both_beat(systemd: socket.socket, name: str) -> None:
    """One of them silent is enough to say nothing; the next beat puts it off again."""
    scene = Scene(systemd.getsockname())
    assert scene.supervisor.look()
    assert words(systemd) == [b"WATCHDOG=1"]
    scene.clock.advance(timedelta(seconds=121))
    for other in set(scene.beats) - {name}:
        scene.beats[other].beat()
    assert not scene.supervisor.look()
    assert words(systemd) == []
    scene.beats[name].beat()
    assert scene.supervisor.look()
    assert words(systemd) == [b"WATCHDOG=1"]


def test_a_long_model_call_that_was_announced_is_no_silence(systemd: socket.socket) -> None:
    """A call of five minutes is life; the same silence without a word is not."""
    scene = Scene(systemd.getsockname())
    scene.beats["worker"].expect(300)
    scene.clock.advance(timedelta(seconds=400))
    scene.beats["scheduler"].beat()
    assert scene.supervisor.look()
    scene.clock.advance(timedelta(seconds=30))
    assert not scene.supervisor.look()


def test_silence_is_logged_once_and_so_is_its_end(
    systemd: socket.socket, caplog: pytest.LogCaptureFixture
) -> None:
    """With the age, and with what systemd will do."""
    caplog.set_level(logging.INFO)
    scene = Scene(systemd.getsockname())
    scene.clock.advance(timedelta(seconds=121))
    scene.beats["scheduler"].beat()
    scene.supervisor.look()
    scene.supervisor.look()
    scene.beats["worker"].beat()
    scene.supervisor.look()
    assert [record.getMessage() for record in caplog.records] == [
        "the worker is silent for 121 s; systemd will restart the service",
        "the worker beats again",
    ]


def test_ready_comes_first_and_stopping_as_soon_as_a_stop_is_asked_for(
    systemd: socket.socket,
) -> None:
    """STOPPING does not wait for the worker, and asks for as long as the end may take."""
    with running(Scene(systemd.getsockname(), grace_seconds=7)) as scene:
        assert systemd.recv(200) == b"READY=1"
        assert systemd.recv(200) == b"WATCHDOG=1"
        scene.shop.ask("long")
        assert scene.entered.wait(PATIENCE)
        scene.stop.set()
        micros = round(longest_stop_seconds(7) * 1_000_000)
        assert systemd.recv(200) == f"STOPPING=1\nEXTEND_TIMEOUT_USEC={micros}".encode()
        assert not scene.abandoned.is_set()


def test_what_outlasts_the_grace_is_given_up(systemd: socket.socket) -> None:
    """With a grace of 0 at once; the worker then ends."""
    with running(Scene(systemd.getsockname(), grace_seconds=0)) as scene:
        scene.shop.ask("long")
        assert scene.entered.wait(PATIENCE)
        scene.stop.set()
        assert scene.abandoned.wait(PATIENCE)
        assert scene.supervisor.join()


def test_what_ends_within_the_grace_is_not_given_up(
    systemd: socket.socket, caplog: pytest.LogCaptureFixture
) -> None:
    """The job comes to its own end, and nothing is abandoned."""
    with running(Scene(systemd.getsockname(), grace_seconds=PATIENCE)) as scene:
        scene.shop.ask("long")
        assert scene.entered.wait(PATIENCE)
        scene.stop.set()
        scene.abandoned.set()  # here: the gate that the job waits for
        assert scene.supervisor.join()
    assert "given up" not in caplog.text


def test_a_worker_that_never_started_has_ended(tmp_path: Path) -> None:
    """A start that broke half way is stopped like any other."""
    assert Scene("", folder=tmp_path).supervisor.join()


def test_the_end_has_a_bound() -> None:
    """Grace, what an abandoned call may still take, and the closing."""
    assert longest_stop_seconds(0) > ABANDONED_SECONDS
    assert longest_stop_seconds(20) - longest_stop_seconds(0) == 20


def test_a_second_signal_in_the_middle_of_the_first_does_not_wait_for_itself() -> None:
    """As a handler that interrupts a handler: the second one comes while the event's lock is held."""

    class Interrupted(threading.Event):
        def set(self) -> None:
            request.ask()
            super().set()

    stop = Interrupted()
    request = StopRequest(stop)
    request.ask()
    assert stop.is_set()


def test_only_our_own_watchdog_is_ours() -> None:
    """What systemd left is taken out of the environment; another process's watchdog is not ours."""
    pid = os.getpid()
    left = {"NOTIFY_SOCKET": "/run/notify", "WATCHDOG_USEC": "60000000", "WATCHDOG_PID": str(pid)}
    environ = {**left, "HOME": "/"}
    assert Systemd.take_from(environ, pid) == Systemd("/run/notify", 60.0)
    assert environ == {"HOME": "/"}
    assert Systemd.take_from({**left}, pid + 1) == Systemd("/run/notify", None)
    assert Systemd.take_from({**left, "WATCHDOG_USEC": "soon"}, pid).watchdog_seconds is None
    assert Systemd.take_from({"WATCHDOG_USEC": "60000000"}, pid) == Systemd(None, None)
    assert Systemd.take_from({}, pid) == Systemd(None, None)
