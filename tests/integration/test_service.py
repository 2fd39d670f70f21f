"""The daemon as a service: words to systemd, a bounded stop, logs, metrics, the doctor, stale locks."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from daemon.store import attempts, sprints
from daemon.store.database import open_read_only
from tests.standins.daemon_process import PATIENCE, DaemonProcess
from tests.workspaces import copy_sample


@pytest.fixture
def venture(tmp_path: Path) -> Path:
    return copy_sample(tmp_path / "venture")


def rows_of(venture: Path) -> tuple[list[str], list[tuple[str, int, str]]]:
    """All sprints' states and all attempts, as a program that looks on reads them."""
    db = open_read_only(venture / "state" / "sprintd.db")
    try:
        told = list(reversed(sprints.list_sprints(db, 100)))
        tried = [row for sprint in told for row in attempts.list_for_sprint(db, sprint.id)]
        return [row.state for row in told], [(row.item, row.number, row.state) for row in tried]
    finally:
        db.close()


def test_a_call_that_ends_within_the_grace_is_kept(venture: Path, tmp_path: Path) -> None:
    """SIGTERM in the middle of a model call: its answer is stored and judged, nothing is given up."""
    gate = tmp_path / "gate"
    (venture / "config.toml").write_text("[daemon]\nstop_grace_seconds = 60\n")
    with DaemonProcess(venture, "--gate", str(gate)) as daemon:
        daemon.wait_until(gate.with_name("gate.entered").exists, "a model call")
        daemon.process.send_signal(signal.SIGTERM)
        daemon.wait_until(lambda: "it may go on for 60 s" in daemon.said(), "the stop")
        gate.touch()
        assert daemon.wait() == 0
        assert "given up" not in daemon.said()
    states, tried = rows_of(venture)
    assert states == ["completed"]
    assert [state for _, _, state in tried] == ["accepted"]


def test_systemd_is_told_when_it_is_ready_and_not_before(venture: Path, tmp_path: Path) -> None:
    """READY comes once, from the process that works, after the page can be asked."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.settimeout(PATIENCE)
        systemd.bind(str(tmp_path / "notify"))
        environ = {"NOTIFY_SOCKET": str(tmp_path / "notify"), "WATCHDOG_USEC": "300000"}
        with DaemonProcess(venture, environ=environ) as daemon:
            assert systemd.recv(200) == b"READY=1"
            assert daemon.health()["worker"]["fresh"]
            assert [systemd.recv(200) for _ in range(3)] == [b"WATCHDOG=1"] * 3
            assert daemon.stop() == 0
            while (word := systemd.recv(200)) == b"WATCHDOG=1":
                pass
            assert word == b"STOPPING=1\nEXTEND_TIMEOUT_USEC=40000000"
        systemd.setblocking(False)
        with pytest.raises(BlockingIOError):
            systemd.recv(200)


def test_every_line_of_a_json_log_is_an_object_with_its_ids(venture: Path) -> None:
    """Standard output and error, messages for people included; sprint, item and call are there."""
    (venture / "config.toml").write_text('[daemon]\nlog_format = "json"\n')
    with DaemonProcess(venture) as daemon:
        daemon.wait_until(lambda: "memory/findings/" in daemon.said(), "the digest")
        assert daemon.stop() == 0
    told = [json.loads(line) for line in [*daemon.out, *daemon.err]]
    assert all({"at", "level", "room", "message"} <= line.keys() for line in told)
    begun = [line for line in told if line.get("sprint") == 1]
    assert len(begun) > 2
    assert {line["item"] for line in begun if "item" in line} <= {f"T{n:02}" for n in range(1, 38)}
    assert [line for line in told if line["room"] == "messages" and "findings/" in line["message"]]


def test_the_daemon_writes_into_state_and_memory_only(venture: Path) -> None:
    """Whatever people edit stays byte for byte, and nothing is added beside it."""

    def others() -> dict[str, bytes]:
        files = (path for path in venture.rglob("*") if path.is_file())
        kept = (
            path for path in files if path.relative_to(venture).parts[0] not in ("state", "memory")
        )
        return {str(path): path.read_bytes() for path in kept}

    before = others()
    with DaemonProcess(venture) as daemon:
        daemon.wait_for_line("memory/findings/")
        assert daemon.stop() == 0
    assert others() == before


def test_the_doctor_is_content_with_a_running_daemon(venture: Path) -> None:
    """It names the process, asks its health, changes nothing in it, and finds no fault."""
    with DaemonProcess(venture) as daemon:
        daemon.wait_for_line("memory/findings/")
        done = subprocess.run(
            [sys.executable, "-m", "daemon", "--workspace", str(venture), "doctor", "--json"],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        found = json.loads(done.stdout)
        assert (done.returncode, found["faults"]) == (0, 0), done.stdout
        told = {one["check"]: one["message"] for one in found["checks"]}
        assert str(daemon.worker_pid()) in told["lock"]
        assert "the daemon answers and is well" in told["health"]
        assert daemon.stop() == 0


def test_the_real_server_serves_prometheus_and_withstands_odd_requests(venture: Path) -> None:
    """A header that says under which path we are is not believed; a form whose chunks are none, and a
    name that is none, are the sender's faults; what the server itself refuses is closed off too."""
    with DaemonProcess(venture) as daemon:
        daemon.wait_for_line("memory/findings/")
        status, text = daemon.ask("GET", "/metrics")
        assert status == 200
        assert "sprintd_healthy 1.0" in str(text)
        page = raw_answer(daemon, "GET /backlog", "SCRIPT_NAME: /evil", "PATH_INFO: /evil")
        assert page.startswith("HTTP/1.1 200")
        assert "/evil" not in page
        chunked = ("Transfer-Encoding: chunked", "Content-Type: application/x-www-form-urlencoded")
        assert raw_answer(daemon, "POST /login", *chunked, body="zz\r\nx").startswith(
            "HTTP/1.1 400"
        )
        assert raw_answer(daemon, "GET /", host="localhost..").startswith("HTTP/1.1 403")
        for refused, status in (("GET *", 400), (f"GET /{'a' * 9_000}", 414)):
            answer = raw_answer(daemon, refused)
            assert answer.startswith(f"HTTP/1.1 {status}")
            head, _, page = answer.partition("\r\n\r\n")
            assert "Content-Security-Policy: default-src 'none'" in head
            assert "X-Content-Type-Options: nosniff" in head
            assert f"Content-Length: {len(page)}" in head
        assert "Traceback" not in daemon.said()
        assert daemon.stop() == 0


def raw_answer(
    daemon: DaemonProcess, request: str, *headers: str, host: str = "localhost", body: str = ""
) -> str:
    """The whole answer to a request as it is written here."""
    lines = (f"{request} HTTP/1.1", f"Host: {host}", "Connection: close", *headers, "", body)
    with socket.create_connection(daemon.address, timeout=PATIENCE) as connection:
        connection.sendall("\r\n".join(lines).encode())
        with connection.makefile("rb") as answer:
            return answer.read().decode()


@pytest.mark.parametrize("left", ["", "{", '{"pid": PID, "process_start": 1, "since": "x"}'])
def test_a_lock_file_that_was_left_behind_is_taken_over_and_told(venture: Path, left: str) -> None:
    """Empty, torn, or with the pid of a living process that is another one by now: it starts."""
    (venture / "state").mkdir(mode=0o700)
    (venture / "state" / "daemon.lock").write_text(left.replace("PID", str(os.getppid())))
    with DaemonProcess(venture) as daemon:
        daemon.wait_for_line("memory/findings/")
        assert "did not end in order" in daemon.said()
        assert daemon.worker_pid() != os.getppid()
        assert daemon.stop() == 0
