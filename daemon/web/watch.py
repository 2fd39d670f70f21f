"""What the routes look at; handed in by the server."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from daemon.bootstrap import Services
from daemon.errors import Fault
from daemon.reports.job_states import JobWatch


@dataclass(frozen=True)
class Watch:
    """`faults` tells the workspace's faults as last looked at; `after_reset` wakes the work; `jobs`
    tells from memory how each job stands. `page` is the address of the page, or empty.

    `token` is what a caller must send to change anything.
    """

    services: Services
    token: str
    faults: Callable[[], tuple[Fault, ...]]
    after_reset: Callable[[], object]
    jobs: Callable[[], tuple[JobWatch, ...]] = tuple
    page: str = ""
