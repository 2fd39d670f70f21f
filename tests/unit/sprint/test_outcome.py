"""Which end of a sprint follows from which ends of its parts."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from daemon.config.phrases import Phrases
from daemon.errors import (
    Fault,
    OutcomeUnknown,
    ProviderBusy,
    ProviderError,
    StoreError,
    WorkspaceInvalid,
)
from daemon.governance.budget import Refusal
from daemon.governance.known_causes import Trouble
from daemon.llm.prices import UnknownPrice
from daemon.memory.writing import MemoryUnwritable
from daemon.sprint.outcome import AssignmentEnd, end_by_trouble, end_by_work

ENGLISH = Phrases("en")
ACCEPTED = AssignmentEnd("T01", "accepted")
REJECTED = AssignmentEnd("T02", "rejected", "too short")
FAILED = AssignmentEnd("T03", "failed", "no reply", OutcomeUnknown("no reply"))

BUSY = AssignmentEnd("T05", "failed", "overloaded", ProviderBusy("overloaded", status=529))


def refused(reason: str, message: str = "no") -> AssignmentEnd:
    refusal = Refusal(reason, message)  # type: ignore[arg-type]
    return AssignmentEnd("T04", "refused", message, refusal=refusal)


@pytest.mark.parametrize(
    ("ends", "state", "reason"),
    [
        ([ACCEPTED, ACCEPTED], "completed", "2 accepted"),
        ([ACCEPTED, REJECTED], "completed", "1 accepted, 1 rejected"),
        ([FAILED, ACCEPTED], "completed", "1 accepted, 1 failed"),
        ([REJECTED, FAILED], "failed", "1 failed, 1 rejected; T03: no reply"),
        ([BUSY, BUSY], "interrupted", "2 failed; T05: overloaded"),
        ([BUSY, FAILED], "failed", "2 failed; T03: no reply"),
        ([REJECTED, BUSY], "failed", "1 failed, 1 rejected; T05: overloaded"),
        ([REJECTED], "failed", "1 rejected; T02: too short"),
        ([ACCEPTED, refused("cap", "the cap")], "paused_budget", "the cap"),
        ([refused("gate", "halted")], "interrupted", "halted"),
        ([refused("no_price", "no price for x")], "interrupted", "no price for x"),
        ([refused("store", "the disk is full")], "interrupted", "the disk is full"),
        ([refused("store", "k was reserved before")], "failed", "k was reserved before"),
        ([], "interrupted", "asked to stop"),
    ],
)
def test_the_end_of_a_sprint_follows_from_its_assignments(
    ends: list[AssignmentEnd], state: str, reason: str
) -> None:
    """One accepted output is enough; a refusal by the cap goes before everything."""
    end = end_by_work(7, ends, ENGLISH)
    assert (end.sprint_id, end.state, end.reason) == (7, state, reason)
    assert end.ends == tuple(ends)


@pytest.mark.parametrize(
    ("trouble", "state"),
    [
        (WorkspaceInvalid([Fault("backlog.yaml", 3, "items", "is missing")]), "interrupted"),
        (UnknownPrice("the model 'x' has no price"), "interrupted"),
        (
            MemoryUnwritable("cannot write memory/a.md: the disk or the quota is full"),
            "interrupted",
        ),
        (StoreError("x.db: locked by another program (SQLITE_BUSY)"), "interrupted"),
        (StoreError("x.db: damaged (SQLITE_CORRUPT)"), "failed"),
        (ProviderError("no reply"), "failed"),
    ],
)
def test_only_what_repeating_cannot_mend_for_free_is_a_failure(
    trouble: Trouble, state: str
) -> None:
    """Configuration and places that cannot be written are held; the breaker does not see them."""
    end = end_by_trouble(7, trouble, ENGLISH)
    assert end.state == state
    assert end.trouble is trouble


def test_the_reason_is_in_the_language_of_the_workspace() -> None:
    """Counts, faults and a stop."""
    spanish = Phrases("es")
    assert end_by_work(7, [ACCEPTED, REJECTED], spanish).reason == "1 aceptado, 1 rechazado"
    faults = WorkspaceInvalid([Fault("backlog.yaml", 3, "items", "is missing")])
    reason = end_by_trouble(7, faults, spanish).reason
    assert reason.startswith("el espacio de trabajo tiene fallos: backlog.yaml:3")


def test_the_cap_is_told_in_the_workspaces_language() -> None:
    """In English word for word as the refusal says it, in Spanish with the same figures."""
    message = (
        "the daily cap of 20.00 USD would be exceeded: 19.50 spent, 0.00 reserved, 0.70 asked for; "
        "the day ends at 2026-12-01 00:00 UTC (budget.daily_cap_usd in config.toml)"
    )
    ends_at = datetime(2026, 12, 1, tzinfo=UTC)
    refusal = Refusal("cap", message, 20_000_000, 19_500_000, 0, 700_000, ends_at)
    assert end_by_trouble(1, refusal, ENGLISH).reason == message
    spanish = end_by_trouble(1, refusal, Phrases("es")).reason
    assert "tope diario de 20.00 USD: 19.50 gastados" in spanish
    assert "el 2026-12-01 a las 00:00 UTC" in spanish
