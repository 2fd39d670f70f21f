"""A founder's own result on its way: note, unit, backlog item, sprint, finding, Monday's review."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from daemon.clock import ManualClock
from daemon.scheduling.report_jobs import ReportJobs
from daemon.scheduling.run import Run
from daemon.sprint.runner import run_sprint
from daemon.store import findings
from daemon.store.reports import find_report
from tests.workspaces import NOON, copy_sample, services_over

FIRST, SECOND = datetime(2026, 12, 7, 14, tzinfo=UTC), datetime(2026, 12, 14, 14, tzinfo=UTC)
NOTE = """---
title: Our paid pilots
as_of: 2026-11-29
confidence: high
---

# Our paid pilots

{count} of the 5 paid pilots converted into contracts of a year. The pilots ran for 60 days each with
firms in Quito and Guayaquil, and each firm named its own criteria on paper before the first day.
The firms that did not sign named the price of a second seat and missing regulations as reasons, and
all of them asked to be called again when the archive of the Constitutional Court is complete. The
founders visited every firm twice, kept the minutes, and put the signed contracts beside them.
"""
UNIT = """
  - id: fit.our-pilots
    path: memory/fit/our-pilots.md
    intent: "How many of our paid pilots converted into contracts?"
    kind: knowledge
    scope: project
    audience: [agent]
    sensitivity: public
    triggers: [paid pilots, contracts, converted]
"""
ITEM = """items:
  - id: T90
    title: What our paid pilots came to
    question: How many of our paid pilots converted into contracts, and why did the others not sign?
    agent: sales-strategist
    criterion: KC5
    playbook: pilot-offer
    priority: 1
    added_on: 2026-11-29
    needs: [fit.our-pilots]
"""


def build(root: Path, count: int) -> Path:
    copy_sample(root)
    (root / "memory/fit/our-pilots.md").write_text(NOTE.format(count=count))
    (root / "knowledge.yaml").write_text((root / "knowledge.yaml").read_text().rstrip() + UNIT)
    (root / "backlog.yaml").write_text(ITEM)
    return root


def pilots(facts: dict[str, object]) -> tuple[str, str]:
    """The verdict of KC5 and how its test of the pilots stands."""
    criteria = facts["criteria"]
    assert isinstance(criteria, list)
    (criterion,) = [one for one in criteria if one["criterion"] == "KC5"]
    (test,) = [one for one in criterion["tests"] if one["id"] == "pilots-converted"]
    return criterion["verdict"], test["state"]


def test_a_bad_result_of_our_own_is_no_go_and_a_corrected_note_takes_it_back(
    tmp_path: Path,
) -> None:
    """One of five pilots: NO-GO, with what follows; the note is corrected, and it is not known any more."""
    root, clock = build(tmp_path / "venture", 1), ManualClock(NOON)
    with services_over(root, clock=clock) as services:
        jobs = ReportJobs(services, lambda _: None)
        assert run_sprint(services.sprint_parts).state == "completed"
        jobs.review(Run("review", FIRST))
        first = find_report(services.db, "review", FIRST)
        assert first
        assert pilots(dict(first.facts)) == ("no_go", "against")
        assert "KC5 Product-market fit: NO-GO" in first.body
        assert "what follows: Spend one quarter on the segment" in first.body
        assert first.body.splitlines()[1].startswith("Overall NO-GO")
        (root / "memory/fit/our-pilots.md").write_text(NOTE.format(count=4))
        jobs.review(Run("review", SECOND))
        second = find_report(services.db, "review", SECOND)
        assert second
        assert pilots(dict(second.facts)) == ("not_yet_known", "open")
        assert "the note does not say it any more" in second.body
        assert "was NO-GO at the last review" in second.body


def test_a_good_result_shows_one_test_and_never_the_whole_criterion(tmp_path: Path) -> None:
    """Three tests are open still; what nobody measured is not shown."""
    with services_over(build(tmp_path / "venture", 4), clock=ManualClock(NOON)) as services:
        assert run_sprint(services.sprint_parts).state == "completed"
        ReportJobs(services, lambda _: None).review(Run("review", FIRST))
        report = find_report(services.db, "review", FIRST)
        assert report
        assert pilots(dict(report.facts)) == ("not_yet_known", "for")
        assert "KC5 Product-market fit: NOT YET KNOWN, confidence 0.22" in report.body


def test_a_finding_that_somebody_edits_counts_for_nothing_until_it_is_put_back(
    tmp_path: Path,
) -> None:
    """The sprint keeps the digest of what it wrote; the review names the file that is another one now."""
    root = build(tmp_path / "venture", 4)
    with services_over(root, clock=ManualClock(NOON)) as services:
        assert run_sprint(services.sprint_parts).state == "completed"
        (finding,) = findings.list_page(services.db, 9, criterion="KC5")
        file, jobs = root / finding.path, ReportJobs(services, lambda _: None)
        written = file.read_bytes()
        file.write_bytes(written + b"\nAnd all is well.\n")
        jobs.review(Run("review", FIRST))
        first = find_report(services.db, "review", FIRST)
        assert first
        assert pilots(dict(first.facts)) == ("not_yet_known", "open")
        assert f"edited after acceptance and not counted: {finding.path}" in first.body
        file.write_bytes(written)
        jobs.review(Run("review", SECOND))
        second = find_report(services.db, "review", SECOND)
        assert second
        assert pilots(dict(second.facts)) == ("not_yet_known", "for")
