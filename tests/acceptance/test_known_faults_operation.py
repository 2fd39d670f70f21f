"""Faults of running such a program, as they were reported in public, tried on the real daemon."""

from __future__ import annotations

import http.client
import json
import socket
from pathlib import Path
from typing import Any

import pytest

from daemon.governance import recovery
from daemon.governance.states import current_state
from daemon.store import events, items
from daemon.store.database import open_read_only
from tests.standins.daemon_process import PATIENCE, DaemonProcess
from tests.workspaces import NOON, claude_config, copy_sample, services_over

KEY = "sk-ant-api03-0123456789-private"
GUNICORNS_TIMEOUT = 2
MOST_SECONDS = 2.0
OTHER_SITE = {"Content-Type": "text/plain", "Origin": "http://evil.example"}
JSON = {"Content-Type": "application/json"}


@pytest.fixture
def venture(tmp_path: Path) -> Path:
    return copy_sample(tmp_path / "venture")


def health_within(daemon: DaemonProcess, seconds: float) -> dict[str, Any]:
    """GET /health on a new connection; raises TimeoutError where the answer takes longer."""
    connection = http.client.HTTPConnection(*daemon.address, timeout=seconds)
    try:
        connection.request("GET", "/health")
        answer = connection.getresponse()
        found: dict[str, Any] = json.loads(answer.read())
    finally:
        connection.close()
    assert answer.status == 200, found
    return found


def request_without_its_body(daemon: DaemonProcess) -> socket.socket:
    """The head of a reset with a token, whose two bytes of body are still to come."""
    token = (daemon.workspace / "state" / "token").read_text().strip()
    connection = socket.create_connection(daemon.address, timeout=PATIENCE)
    head = {"Host": "localhost", "Content-Length": 2, "Authorization": f"Bearer {token}", **JSON}
    lines = "".join(f"{name}: {value}\r\n" for name, value in head.items())
    connection.sendall(f"POST /reset-failures HTTP/1.1\r\n{lines}\r\n".encode())
    return connection


def test_neither_a_long_job_nor_a_slow_request_meets_the_servers_timeout(
    venture: Path, tmp_path: Path
) -> None:
    """A job and a request, both twice as long as gunicorn's timeout: both end in their process.

    All the while /health answers within two seconds. Reported as benoitc/gunicorn#1801,
    benoitc/gunicorn#2327, BerriAI/litellm#17571, benoitc/gunicorn#2467 and harvard-lil/perma#3855.
    """
    gate = tmp_path / "gate"
    options = ("--gate", str(gate), "--timeout", str(GUNICORNS_TIMEOUT))
    with DaemonProcess(venture, *options) as daemon:
        daemon.wait_until(gate.with_name("gate.entered").exists, "a model call")
        owner = daemon.worker_pid()
        with request_without_its_body(daemon) as slow:
            began = health_within(daemon, MOST_SECONDS)["worker"]["age_seconds"]
            daemon.wait_until(
                lambda: (
                    health_within(daemon, MOST_SECONDS)["worker"]["age_seconds"] - began
                    > 2 * GUNICORNS_TIMEOUT
                ),
                "twice the timeout",
            )
            slow.sendall(b"{}")
            assert slow.recv(100).startswith(b"HTTP/1.1 200")
        gate.touch()
        daemon.wait_for_line("memory/findings/")
        assert daemon.worker_pid() == owner
        assert "TIMEOUT" not in daemon.said()
        assert daemon.stop() == 0


def halt_and_block(venture: Path) -> None:
    """A daemon that a person has to look at, with one blocked item."""
    with services_over(venture) as services:
        recovery.halt(services.db, "the key was refused", NOON)
        items.count_rejection(services.db, "T01", "too short", 1, NOON)


def state_of(venture: Path) -> tuple[str, str, int]:
    """The daemon's state, the item's, and how many resets there were."""
    db = open_read_only(venture / "state" / "sprintd.db")
    try:
        state = current_state(db)
        resets = [event for event in events.list_after(db, 0) if event.kind == "reset"]
        return state.name if state else "", items.find_item_state(db, "T01").state, len(resets)
    finally:
        db.close()


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        (OTHER_SITE, 401),
        (OTHER_SITE | {"Host": "evil.example"}, 403),
        (JSON | {"Origin": "http://evil.example"}, 401),
        ({"Content-Type": "text/plain", "Authorization": "Bearer TOKEN"}, 415),
    ],
    ids=["other site", "other host", "other site with JSON", "text with the token"],
)
def test_a_reset_from_elsewhere_is_refused_and_changes_nothing(
    venture: Path, headers: dict[str, str], status: int
) -> None:
    """No token, another host's name or text in place of JSON: the halt and the blocked item stay.

    The page is on 127.0.0.1 alone unless a person says otherwise. Reported as
    open-mercato/cezar#426 and moadim-io/daemon#266.
    """
    halt_and_block(venture)
    with DaemonProcess(venture) as daemon:
        daemon.wait_for_line("sprintd")
        token = (venture / "state" / "token").read_text().strip()
        sent = {name: value.replace("TOKEN", token) for name, value in headers.items()}
        assert daemon.ask("POST", "/reset-failures", b'{"task": "T01"}', sent)[0] == status
        assert daemon.ask("POST", "/reset-failures", b"{}", sent)[0] == status
        assert state_of(venture) == ("halted", "blocked", 0)
        host, port = daemon.address
        assert host == "127.0.0.1"
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.2", port), timeout=PATIENCE)
        assert daemon.stop() == 0


def test_the_key_is_in_no_log_when_the_service_cannot_be_reached(tmp_path: Path) -> None:
    """The service's port is closed and everything is logged: the host is told, the key is not.

    Neither does the database hold it. Reported as Shweta-Mishra-ai/github-autopilot#96,
    jo20ow/Obsyd#97 and rmusser01/tldw_server#474.
    """
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        more = 'max_tries = 1\n[daemon]\nlog_level = "DEBUG"\n'
        root = copy_sample(tmp_path / "venture", claude_config(f"http://{address}", more))
        with DaemonProcess(root, environ={"ANTHROPIC_API_KEY": KEY}) as daemon:
            daemon.wait_until(lambda: "sprint 1 interrupted" in daemon.said(), "the end")
            assert daemon.stop() == 0
            assert address in daemon.said()
            assert KEY not in daemon.said()
            assert "private" not in daemon.said()
    kept = [path for path in (root / "state").rglob("*") if path.is_file()]
    assert kept
    assert not [path for path in kept if KEY.encode() in path.read_bytes()]
