"""What a crash left and what cannot be kept now: the daemon starts, counts no failure, and waits for a cure."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from daemon.clock import ManualClock
from daemon.governance.recovery import consecutive_failures
from daemon.sprint.runner import recover, run_sprint
from daemon.store import attempts, findings, incidents, sprints
from tests.standins.life_on_a_clock import life
from tests.workspaces import NOON, copy_sample, services_over


class Killed(BaseException):
    """The process ends here."""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace whose last life ended between an answer's verdict and its commit; a link stands where
    the findings belong."""
    root = copy_sample(tmp_path / "venture")

    def at(place: str) -> None:
        if place == "track/1/verdict":
            raise Killed

    with services_over(root) as services, pytest.raises(Killed):
        run_sprint(replace(services.sprint_parts, at=at))
    (root / "memory/findings").symlink_to(tmp_path)
    return root


def test_an_answer_that_cannot_be_kept_ends_no_start(root: Path, tmp_path: Path) -> None:
    """It stays open, the sprint is closed, and nothing is written through the link. Twice the same."""
    for _ in range(2):
        with services_over(root) as services:
            said = recover(services.sprint_parts)
            assert "the stored answer waits: cannot write memory/findings/" in said[0]
            assert not sprints.list_running(services.db)
            assert len(attempts.list_open(services.db)) == 1
    assert not list(tmp_path.rglob("T*.md"))


def test_a_daemon_waits_for_the_cure_counts_nothing_and_goes_on(root: Path) -> None:
    """Three hours of tries are one incident and no failed sprint; no diagnosis is made for it."""
    clock = ManualClock(NOON)
    with life(root, clock) as living:
        living.go_on_until(NOON + timedelta(hours=3))
        assert consecutive_failures(living.db) == 0
        assert [one.cause for one in incidents.list_open(living.db)] == ["memory_unwritable"]
        (root / "memory/findings").unlink()
        living.go_on_until(NOON + timedelta(hours=4))
        assert not incidents.list_open(living.db)
        assert findings.list_findings(living.db)
        assert {one.kind for one in sprints.list_sprints(living.db, 50)} == {"REGULAR"}
