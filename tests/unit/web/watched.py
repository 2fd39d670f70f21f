"""The web face over a real workspace and database, without a server."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from flask.testing import FlaskClient

from daemon.bootstrap import Services
from daemon.clock import ManualClock
from daemon.errors import Fault
from daemon.reports.job_states import JobWatch
from daemon.web.app import create_app
from daemon.web.watch import Watch
from tests.workspaces import NOON, copy_sample, services_over

TOKEN = "a-token-of-the-tests-only"
SCRIPT = '<script src="/static/live.js" defer></script>'
BEARER = {"Authorization": f"Bearer {TOKEN}"}


class Watched:
    """`faults` are what the page is told of the files, `jobs` what it is told of the jobs; `woken`
    counts resets that woke the work."""

    def __init__(self, services: Services, clock: ManualClock) -> None:
        self.services, self.clock = services, clock
        self.faults: tuple[Fault, ...] = ()
        self.woken = 0
        self.jobs: tuple[JobWatch, ...] = ()
        page = "http://127.0.0.1:8642/"
        self.watch = Watch(
            services, TOKEN, lambda: self.faults, self._wake, lambda: self.jobs, page
        )
        self.app = create_app(self.watch)
        self.client: FlaskClient = self.app.test_client()

    def _wake(self) -> None:
        self.woken += 1


def text_of(watched: Watched, path: str = "/", status: int = 200) -> str:
    """A page as text without the one script that every page has; it must answer with `status`."""
    answer = watched.client.get(path)
    assert answer.status_code == status
    return answer.get_data(as_text=True).replace(SCRIPT, "")


def as_read(page: str) -> str:
    """A page without the marks that only keep a moment in one line."""
    return re.sub(r'<span class="nowrap">([^<]*)</span>', r"\1", page)


@contextmanager
def watched_in(tmp_path: Path, config: str = "") -> Iterator[Watched]:
    """Both heartbeats have just beaten and the workspace is loaded, as in a running daemon."""
    clock = ManualClock(NOON)
    with services_over(copy_sample(tmp_path / "venture", config), clock=clock) as services:
        services.source.load()
        services.worker_heartbeat.beat()
        services.scheduler_heartbeat.beat()
        services.probe.check()
        yield Watched(services, clock)
