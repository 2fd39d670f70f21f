"""Which days a report covers."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from daemon.reports.written import whole_days

MONDAY = datetime(2026, 11, 30, tzinfo=UTC)


@pytest.mark.parametrize("hour", [0, 6, 13, 23])
def test_only_days_that_are_over_are_covered(hour: int) -> None:
    """The day of the slot is never among them, at whatever hour the slot is."""
    slot = MONDAY + timedelta(hours=hour, minutes=59 if hour else 0)
    assert whole_days(slot, 1) == (MONDAY - timedelta(days=1), MONDAY)
    assert whole_days(slot, 7) == (MONDAY - timedelta(days=7), MONDAY)
