"""What is said of a finding in one line: only what may be cited."""

from __future__ import annotations

from dataclasses import replace

from daemon.memory.findings import NewFinding, Unverified
from daemon.sprint.commit import summary_of_finding
from tests.workspaces import NOON

INVENTED = "A night in the harbour costs 77 USD on average in every month of the year."
FINDING = NewFinding(
    item="B01", title="Boats", criterion="KC1", agent="analyst", sprint_id=1, attempt_id=1, score=0.9,
    sources=(), model="m", cost_micros=1, created_at=NOON,
    body="# Boats\n\n- The number of boats rose to 4,388 in 2025 [harbour.boats].",
    unverified=(Unverified(INVENTED, (("77 USD", "no note has it"),)),),
)  # fmt: skip


def test_the_summary_is_the_first_statement_that_may_be_cited() -> None:
    """Without its marks."""
    assert summary_of_finding(FINDING) == "The number of boats rose to 4,388 in 2025."


def test_what_is_unverified_is_nobodys_summary() -> None:
    """Where all of it is, the digest and Slack say so and repeat none of it."""
    for body in ("", "\n \n"):
        said = summary_of_finding(replace(FINDING, body=body))
        assert said == "Nothing in this deliverable may be cited; what it says stands below."
