"""The whole daemon: started, asked, refused, stopped, killed and started again."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import stat
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from daemon.store import attempts, sprints
from daemon.store.database import open_read_only
from tests.standins.daemon_process import PATIENCE, DaemonProcess
from tests.workspaces import copy_sample

JSON = {"Content-Type": "application/json"}


@pytest.fixture
def venture(tmp_path: Path) -> Path:
    return copy_sample(tmp_path / "venture")


def bearer(venture: Path) -> dict[str, str]:
    token = (venture / "state" / "token").read_text().strip()
    return JSON | {"Authorization": f"Bearer {token}"}


def kill(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)


def rows_of(venture: Path) -> tuple[list[str], list[tuple[str, int, str]]]:
    """All sprints' states and all attempts, as a program that looks on reads them."""
    db = open_read_only(venture / "state" / "sprintd.db")
    try:
        told = list(reversed(sprints.list_sprints(db, 100)))
        tried = [row for sprint in told for row in attempts.list_for_sprint(db, sprint.id)]
        return [row.state for row in told], [(row.item, row.number, row.state) for row in tried]
    finally:
        db.close()


def test_from_start_to_orderly_end(venture: Path) -> None:
    """One line, a first sprint, its digest; a healthy page; reset; SIGTERM; exit 0; nothing left."""
    with DaemonProcess(venture) as daemon:
        first = daemon.wait_for_line("sprintd")
        assert "extractive" in first
        assert "20.00 USD" in first
        assert len(first) <= 110
        host, port = daemon.address
        assert f"http://{host}:{port}/" in first
        daemon.wait_for_line("memory/findings/")
        daemon.wait_until(lambda: daemon.health()["state"]["name"] == "idle", "the idle state")
        found = daemon.health()
        assert found["last_sprint"]["state"] == "completed"
        assert found["backlog"]["done"] == 2
        assert daemon.ask("GET", "/")[0] == 200
        token = venture / "state" / "token"
        assert stat.S_IMODE(token.stat().st_mode) == 0o600
        refused = daemon.ask("POST", "/reset-failures", b"{}", JSON)
        assert refused[0] == 401
        assert (
            daemon.ask(
                "POST", "/reset-failures", b"{}", bearer(venture) | {"Host": "evil.example"}
            )[0]
            == 403
        )
        assert daemon.ask("POST", "/reset-failures", b'{"task": "T99"}', bearer(venture))[0] == 404
        assert daemon.ask("POST", "/reset-failures", b"{}", bearer(venture))[0] == 200
        daemon.wait_until(lambda: len(rows_of(venture)[0]) == 2, "the sprint that a reset wakes")
        assert daemon.stop() == 0
        assert daemon.out[0] == first
        assert daemon.out[-1].strip() == "sprintd stopped"
        assert token.read_text().strip() not in daemon.said()
        assert "Traceback" not in daemon.said()
    assert not (venture / "state" / "address").exists()
    assert not (venture / "state" / "daemon.lock").exists()
    assert "running" not in rows_of(venture)[0]


def test_a_second_daemon_is_refused_naming_the_first(venture: Path) -> None:
    """One clear line with pid and since when, exit 4, and the first one goes on."""
    with DaemonProcess(venture) as first:
        first.wait_for_line("memory/findings/")
        with DaemonProcess(venture) as second:
            assert second.wait() == 4
            assert str(first.worker_pid()) in "".join(second.err)
            assert len(second.err) == 1
            assert second.out == []
        assert first.health()["ok"]
        assert first.stop() == 0


def test_a_port_in_use_is_one_clear_line(venture: Path) -> None:
    """Address and setting are named, exit 2, no retries, nothing started."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with DaemonProcess(venture, "--port", str(port)) as daemon:
            assert daemon.wait() == 2
            assert len(daemon.err) == 1
            assert f"127.0.0.1:{port}" in daemon.err[0]
            assert "web.port" in daemon.err[0]
            assert daemon.out == []
    assert rows_of(venture)[0] == []


def test_a_folder_without_a_workspace_is_refused(tmp_path: Path) -> None:
    """With the command that makes one, and without leaving a trace in it."""
    with DaemonProcess(tmp_path) as daemon:
        assert daemon.wait() == 1
        assert "sprintd init" in daemon.err[0]
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_database_ends_the_start(venture: Path) -> None:
    """One clear line and exit 3; the file is left as it is."""
    (venture / "state").mkdir(mode=0o700)
    file = venture / "state" / "sprintd.db"
    file.write_bytes(b"not a database" * 500)
    with DaemonProcess(venture) as daemon:
        assert daemon.wait() == 3
        assert "sprintd.db" in daemon.err[-1]
        assert "Traceback" not in daemon.said()
    assert file.read_bytes() == b"not a database" * 500


def test_an_error_while_booting_ends_everything(venture: Path) -> None:
    """The process is not started again and again; its error and its exit code are the daemon's."""
    with DaemonProcess(venture, "--break-boot") as daemon:
        assert daemon.wait() == 3
        assert daemon.said().count("the disk failed just now") == 1
        assert "Traceback" not in daemon.said()
    with DaemonProcess(venture) as again:
        again.wait_for_line("memory/findings/")
        assert again.stop() == 0


def test_there_is_always_exactly_one_worker(venture: Path) -> None:
    """Gunicorn's signals for one worker more, for none, and for a second server do nothing."""
    with DaemonProcess(venture) as daemon:
        daemon.wait_for_line("memory/findings/")
        owner = daemon.worker_pid()
        for number in (signal.SIGTTIN, signal.SIGTTOU, signal.SIGUSR2):
            seen = daemon.said().count("exactly one worker")
            daemon.process.send_signal(number)
            daemon.wait_until(
                lambda seen=seen: daemon.said().count("exactly one worker") > seen, "the refusal"
            )
        assert daemon.health()["ok"]
        assert daemon.worker_pid() == owner
        lock = json.loads((venture / "state" / "daemon.lock").read_bytes())
        assert lock["stop_pid"] == daemon.process.pid, "the one whose end ends all"
        assert daemon.stop() == 0
    assert "interrupted" not in rows_of(venture)[0]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP, signal.SIGQUIT])
def test_every_way_of_asking_ends_in_order(venture: Path, tmp_path: Path, number: int) -> None:
    """Ctrl-C reaches all processes of the terminal; a model call under way does not hold the end."""
    gate = tmp_path / "gate"
    (venture / "config.toml").write_text("[daemon]\nstop_grace_seconds = 1\n")
    with DaemonProcess(venture, "--gate", str(gate)) as daemon:
        daemon.wait_until(gate.with_name("gate.entered").exists, "a model call")
        assert daemon.health()["state"]["name"] == "working"
        os.killpg(daemon.process.pid, number)
        assert daemon.wait() == 0
        assert "Traceback" not in daemon.said()
    assert not (venture / "state" / "daemon.lock").exists(), daemon.said()


@pytest.mark.parametrize("who", ["worker", "both"])
def test_what_a_kill_cut_off_is_put_back_once(venture: Path, tmp_path: Path, who: str) -> None:
    """kill -9 in the middle of a model call: interrupted, put back, worked again exactly once."""
    gate = tmp_path / "gate"
    with ExitStack() as stack:
        daemon = stack.enter_context(DaemonProcess(venture, "--gate", str(gate)))
        daemon.wait_until(gate.with_name("gate.entered").exists, "a model call")
        killed = daemon.worker_pid()
        if who == "both":
            kill(daemon.process.pid)
        kill(killed)
        gate.touch()
        if who == "both":
            daemon.wait()
            daemon = stack.enter_context(DaemonProcess(venture))
        daemon.wait_for_line("memory/findings/")
        assert daemon.worker_pid() != killed
        assert daemon.health()["budget"]["reserved_micros"] == 0
        assert daemon.stop() == 0
    states, tried = rows_of(venture)
    assert states == ["interrupted", "completed"]
    first = tried[0][0]
    assert [(n, state) for item, n, state in tried if item == first] == [
        (1, "interrupted"), (2, "accepted"),
    ]  # fmt: skip


def test_an_arbiter_that_is_killed_takes_its_worker_along(venture: Path) -> None:
    """No worker is left behind that would own the workspace for ever."""
    with DaemonProcess(venture) as daemon:
        daemon.wait_for_line("memory/findings/")
        kill(daemon.process.pid)
        daemon.wait_until(lambda: not (venture / "state" / "daemon.lock").exists(), "the end")
    with DaemonProcess(venture) as again:
        again.wait_for_line("memory/findings/")
        assert again.stop() == 0


def test_a_job_longer_than_gunicorns_timeout_is_not_killed(venture: Path, tmp_path: Path) -> None:
    """The timeout watches the web loop only; the sprint ends in the process that began it."""
    gate = tmp_path / "gate"
    with DaemonProcess(venture, "--gate", str(gate), "--timeout", "2") as daemon:
        daemon.wait_until(gate.with_name("gate.entered").exists, "a model call")
        owner = daemon.worker_pid()
        began = daemon.health()["worker"]["age_seconds"]
        daemon.wait_until(
            lambda: daemon.health()["worker"]["age_seconds"] - began > 4, "twice the timeout"
        )
        gate.touch()
        daemon.wait_for_line("memory/findings/")
        assert daemon.worker_pid() == owner
        assert "TIMEOUT" not in daemon.said()
        assert daemon.stop() == 0


def test_health_does_not_wait_for_slow_requests(venture: Path) -> None:
    """Three requests whose bodies do not come: /health is answered while all three still wait."""
    with DaemonProcess(venture) as daemon, ExitStack() as stack:
        daemon.wait_for_line("memory/findings/")
        slow = [stack.enter_context(slow_request(daemon, venture)) for _ in range(3)]
        assert daemon.health()["ok"]
        assert all(not has_answer(connection) for connection in slow)
        for connection in slow:
            connection.sendall(b"{}")
            assert connection.recv(100).startswith(b"HTTP/1.1 200")
        assert daemon.stop() == 0


def test_clients_that_stall_cannot_silence_health(venture: Path) -> None:
    """As many as there are threads stop in the middle of their request: they are given up."""
    with DaemonProcess(venture, "--stall", "1") as daemon, ExitStack() as stack:
        daemon.wait_for_line("memory/findings/")
        for _ in range(4):
            connection = stack.enter_context(socket.create_connection(daemon.address))
            connection.sendall(b"GET / HTTP/1.1\r\nHost: local")
        bodies = stack.enter_context(slow_request(daemon, venture))
        assert daemon.health()["ok"]
        assert bodies.recv(100).startswith(b"HTTP/1.1 400")
        daemon.wait_until(lambda: daemon.said().count("stopped in the middle") == 4, "the warnings")
        assert "Traceback" not in daemon.said()
        assert daemon.stop() == 0


def slow_request(daemon: DaemonProcess, venture: Path) -> socket.socket:
    """A reset whose head is complete and whose body of two bytes is still to come."""
    connection = socket.create_connection(daemon.address, timeout=PATIENCE)
    headers: dict[str, Any] = {"Host": "localhost", "Content-Length": 2, **bearer(venture)}
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    connection.sendall(f"POST /reset-failures HTTP/1.1\r\n{head}\r\n".encode())
    return connection


def has_answer(connection: socket.socket) -> bool:
    connection.setblocking(False)
    try:
        return bool(connection.recv(1, socket.MSG_PEEK))
    except BlockingIOError:
        return False
    finally:
        connection.settimeout(PATIENCE)


def test_a_daemon_whose_state_folder_was_deleted_asks_nothing_more(
    venture: Path, tmp_path: Path
) -> None:
    """It turns red while its call is under way, and leaves alone what its successor wrote."""
    gate, state = tmp_path / "gate", venture / "state"
    entered = gate.with_name("gate.entered")
    with DaemonProcess(venture, "--gate", str(gate)) as first:
        first.wait_until(entered.exists, "a model call")
        host, port = first.address
        state.rename(tmp_path / "deleted")
        shutil.rmtree(tmp_path / "deleted")
        with pytest.raises(HTTPError) as caught:
            urlopen(f"http://{host}:{port}/health", timeout=PATIENCE)
        found = json.loads(caught.value.read())
        assert (caught.value.code, found["ok"]) == (503, False)
        assert "state folder was deleted or replaced" in found["problems"][0]
        with DaemonProcess(venture) as second:
            second.wait_for_line("memory/findings/")
            assert second.health()["ok"]
            entered.unlink()
            gate.touch()
            first.wait_until(lambda: "the job sprint stopped" in first.said(), "the end")
            assert first.stop() == 0
            assert not entered.exists()
            assert second.health()["ok"]  # at the address that it wrote
            assert second.stop() == 0
    assert rows_of(venture)[0] == ["completed"]
