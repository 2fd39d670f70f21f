"""What a tick tells the journal."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from daemon.bootstrap import build_services
from daemon.clock import ManualClock
from daemon.governance.states import current_state
from daemon.llm.extractive import ExtractiveProvider
from daemon.scheduling.jobs import Jobs
from daemon.store import sprints
from tests.workspaces import NOON, copy_sample


def test_a_ledger_that_holds_the_work_up_is_in_the_journal_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Without a channel nothing else tells before the digest; no sprint is opened."""
    root, clock = copy_sample(tmp_path / "venture"), ManualClock(NOON)
    (root / "state").mkdir()
    (root / "state/ledger").write_text("in the way")
    services = build_services(
        root, environ={}, say=lambda _line: None, clock=clock, provider=ExtractiveProvider()
    )
    soon = NOON + timedelta(minutes=15)
    jobs = Jobs(services, post=lambda _text: None, next_sprint_at=lambda: soon)
    jobs.sprint()
    jobs.sprint()
    told = [line.getMessage() for line in caplog.records if line.getMessage().startswith("held: ")]
    assert len(told) == 1
    assert "ledger" in told[0]
    state = current_state(services.db)
    assert state is not None
    assert state.reason.startswith("held: ")
    assert not sprints.list_sprints(services.db, 9)
    services.close()
