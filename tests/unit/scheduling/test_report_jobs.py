"""What each job writes: for the store, for whoever watches, and for the channels."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from daemon.bootstrap import Services, build_services
from daemon.clock import ManualClock
from daemon.governance.states import enter_state
from daemon.scheduling.report_jobs import ReportJobs
from daemon.scheduling.run import Run
from daemon.sprint.runner import run_sprint
from daemon.store import events, findings, items, reports, reviews
from daemon.store.api_calls import costs_by
from daemon.store.reports import ReportRow
from tests.standins.priced_writer import PricedWriter, price_the_writer
from tests.workspaces import NOON, copy_sample

TOMORROW = datetime(2026, 12, 1, 13, 0, tzinfo=UTC)
MIDNIGHT = datetime(2026, 12, 1, tzinfo=UTC)
NEXT_MONDAY = datetime(2026, 12, 7, 14, 0, tzinfo=UTC)
SUNDAY = datetime(2026, 12, 6, 6, 0, tzinfo=UTC)


class Desk:
    """The jobs over a workspace in which one sprint ran at noon of 2026-11-30."""

    def __init__(self, root: Path, *, work: bool, environ: dict[str, str] | None = None) -> None:
        self.clock = ManualClock(NOON)
        self.services: Services = build_services(
            price_the_writer(root),
            environ=environ or {},
            say=lambda line: None,
            clock=self.clock,
            provider=PricedWriter(),
        )
        self.db = self.services.db
        self.posted: list[str] = []
        self.jobs = ReportJobs(self.services, self.posted.append)
        if work:
            run_sprint(self.services.sprint_parts)

    def kept(self, kind: str) -> ReportRow:
        (row,) = [row for row in reports.list_reports(self.db, 100) if row.kind == kind]
        return row


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    built = Desk(copy_sample(tmp_path / "venture"), work=True)
    yield built
    built.services.close()


@pytest.fixture
def empty_desk(tmp_path: Path) -> Iterator[Desk]:
    built = Desk(copy_sample(tmp_path / "venture"), work=False)
    yield built
    built.services.close()


def test_the_daily_report_has_findings_money_and_backlog(desk: Desk) -> None:
    """Of the day before its slot; figures and text say the same."""
    assert desk.jobs.daily(Run("daily", TOMORROW)) == "posted"
    kept = desk.kept("daily")
    spent = desk.services.budget.today().spent_micros
    assert kept.facts["day"] == "2026-11-30"
    assert kept.facts["spent_micros"] == spent > 0
    assert sorted(kept.facts["findings"]) == sorted(r.path for r in findings.list_findings(desk.db))
    assert desk.posted == [kept.body]
    assert "Learned (2)" in kept.body
    assert "Sprints: 1 completed." in kept.body
    assert "in 2 model calls" in kept.body
    assert "Backlog now: " in kept.body


def test_the_day_that_is_not_over_is_left_to_its_own_report(desk: Desk) -> None:
    """Today's findings are told tomorrow, and not twice."""
    desk.jobs.daily(Run("daily", NOON + timedelta(hours=1)))
    body = desk.kept("daily").body
    assert "Nothing was learned." in body
    assert "no model was asked" in body


def test_a_late_report_says_so_in_its_last_line(desk: Desk) -> None:
    """And is about the same day as it would have been."""
    late = "late: was due 2026-12-01 13:00 UTC, the daemon was not running"
    desk.clock.advance(timedelta(days=3))
    desk.jobs.daily(Run("daily", TOMORROW, late))
    kept = desk.kept("daily")
    assert kept.body.splitlines()[-1] == f"({late})"
    assert kept.facts["day"] == "2026-11-30"
    assert kept.facts["late"] is True


def test_a_slot_that_is_run_again_is_shown_again_and_kept_once(desk: Desk) -> None:
    """After a crash nobody knows whether it was seen here; what was kept is what is shown."""
    for name in ("daily", "review", "consolidation", "day_close"):
        work = getattr(desk.jobs, name)
        work(Run(name, TOMORROW))
        first = desk.kept(name)
        run_sprint(desk.services.sprint_parts)
        work(Run(name, TOMORROW))
        assert desk.kept(name) == first
        assert desk.posted[-1] == first.body


def test_a_digest_that_is_run_again_takes_no_events_away(desk: Desk) -> None:
    """What happened since then comes with the next one."""
    slot = NOON + timedelta(hours=1)
    assert desk.jobs.digest(Run("digest", slot)) == "posted"
    events.record(desk.db, "alert", desk.clock.now(), facts={"reason": "something new"})
    assert "again" in desk.jobs.digest(Run("digest", slot))
    assert desk.posted[0] == desk.posted[1]
    desk.jobs.digest(Run("digest", slot + timedelta(hours=1)))
    assert "something new" in desk.posted[2]
    quiet = desk.jobs.digest(Run("digest", slot + timedelta(hours=2)))
    assert quiet == "nothing happened, so nothing was sent"
    assert len(desk.posted) == 3


def test_the_review_of_the_sample_knows_nothing_yet_and_says_why(desk: Desk) -> None:
    """Findings, items and days of each criterion; no benchmark of others counts as our own result."""
    items.count_rejection(desk.db, "T05", "too short", 1, desk.clock.now())
    desk.jobs.review(Run("review", NEXT_MONDAY))
    kept = desk.kept("review")
    facts = {fact["criterion"]: fact for fact in kept.facts["criteria"]}
    assert list(facts) == ["KC1", "KC2", "KC3", "KC4", "KC5"]
    assert {fact["verdict"] for fact in facts.values()} == {"not_yet_known"}
    assert all(fact["tests"] for fact in facts.values())
    assert sum(fact["findings_this_week"] for fact in facts.values()) == 2
    assert sum(sum(fact["items"].values()) for fact in facts.values()) == 37
    assert facts["KC1"]["items"]["blocked"] == 1
    assert facts["KC2"]["days_left"] == (datetime(2027, 3, 31) - datetime(2026, 12, 7)).days  # noqa: DTZ001
    assert kept.body.splitlines()[1] == (
        "Overall NOT YET KNOWN, confidence 0.00: 0 GO, 0 NO-GO, 5 NOT YET KNOWN."
    )
    (history,) = reviews.list_reviews(desk.db, 10)
    assert (history.slot, history.verdict, history.narrator) == (NEXT_MONDAY, "not_yet_known", "")


def test_a_review_says_what_the_items_of_a_criterion_cost(desk: Desk) -> None:
    """The two items of the sprint were both for KC1; planning is for none."""
    desk.jobs.review(Run("review", NEXT_MONDAY))
    costs = {one["criterion"]: one["cost_micros"] for one in desk.kept("review").facts["criteria"]}
    rows = [
        row for row in costs_by(desk.db, "item", MIDNIGHT.date() - timedelta(days=30)) if row.name
    ]
    assert costs["KC1"] == sum(row.cost_micros for row in rows) > 0
    assert costs["KC5"] == 0


def test_a_deadline_that_is_over_is_said_to_be(desk: Desk) -> None:
    """Not as a negative number of days left."""
    desk.jobs.review(Run("review", datetime(2027, 4, 5, 14, 0, tzinfo=UTC)))
    assert "deadline 2027-03-31, over for 5 days" in desk.kept("review").body


def test_findings_of_another_week_are_in_all_but_not_in_the_week(desk: Desk) -> None:
    """Both counts stand beside each other."""
    desk.jobs.review(Run("review", NEXT_MONDAY + timedelta(days=7)))
    facts = desk.kept("review").facts["criteria"]
    assert sum(fact["findings_this_week"] for fact in facts) == 0
    assert sum(fact["findings"] for fact in facts) == 2


def test_the_consolidation_merges_what_is_a_week_old_and_says_so(desk: Desk) -> None:
    """The findings are in documents and in the archive; the store knows where. Young ones wait."""
    paths = [row.path for row in findings.list_findings(desk.db)]
    desk.jobs.consolidation(Run("consolidation", SUNDAY))
    assert "No note was to be merged; no file was changed." in desk.posted[-1]
    assert "2 notes wait for a later run." in desk.posted[-1]
    desk.clock.advance(timedelta(days=8))
    desk.jobs.consolidation(Run("consolidation", SUNDAY + timedelta(days=7)))
    assert desk.posted[-1].startswith("sprintd, memory of 2026-12-13: 2 notes merged\n- ")
    assert "The notes themselves are kept in memory/archive/2026-W50/." in desk.posted[-1]
    moved = [row.path for row in findings.list_findings(desk.db)]
    assert moved == [path.replace("memory/", "memory/archive/2026-W50/") for path in paths]
    assert all((desk.services.root / path).is_file() for path in moved)
    kept = reports.find_report(desk.db, "consolidation", SUNDAY + timedelta(days=7))
    assert kept is not None
    assert set(kept.facts["merged"]) == set(paths)


def test_the_close_of_a_day_has_its_money_by_agent_and_item(desk: Desk) -> None:
    """The sums are the day's spending; nothing is deleted."""
    rows = desk.db.rows("SELECT count(*) AS n FROM api_calls")
    desk.jobs.day_close(Run("day_close", MIDNIGHT))
    kept = desk.kept("day_close")
    spent = desk.services.budget.today().spent_micros
    assert sum(kept.facts["by_agent"].values()) == sum(kept.facts["by_item"].values()) == spent
    assert kept.facts["calls"] == 2
    assert desk.posted == [kept.body]
    assert desk.db.rows("SELECT count(*) AS n FROM api_calls") == rows


def test_a_day_without_a_call_is_closed_in_silence(empty_desk: Desk) -> None:
    """The store has it; nobody is told that nothing was spent."""
    assert empty_desk.jobs.day_close(Run("day_close", MIDNIGHT)) == "kept in the store"
    assert empty_desk.posted == []
    assert empty_desk.kept("day_close").facts["calls"] == 0


def test_no_approval_is_pending_and_only_the_run_says_so(empty_desk: Desk) -> None:
    """96 reports a day about nothing would hide the others."""
    assert empty_desk.jobs.approvals(Run("approvals", NOON)) == "no approval is pending"
    assert reports.list_reports(empty_desk.db, 10) == []
    assert empty_desk.posted == []


def test_the_silence_line_comes_only_without_a_digest(desk: Desk) -> None:
    """Within 24 hours of one there is none, after that there is."""
    desk.jobs.digest(Run("digest", NOON))
    soon, later = NOON + timedelta(hours=20), NOON + timedelta(hours=44)
    assert desk.jobs.silence(Run("silence", soon)) == "a digest was sent in the last 24 hours"
    assert desk.jobs.silence(Run("silence", later)) == "posted"
    assert len(desk.posted) == 2


def test_the_silence_of_a_pause_names_its_end(empty_desk: Desk) -> None:
    """Paused at the cap, until when, and why."""
    now = empty_desk.clock.now()
    enter_state(empty_desk.db, "idle", "ready", now)
    enter_state(empty_desk.db, "working", "a sprint runs", now)
    reason = "the daily cap of 20 USD would be exceeded."
    enter_state(empty_desk.db, "paused_budget", reason, now, until=MIDNIGHT)
    empty_desk.jobs.silence(Run("silence", NOON))
    (line,) = empty_desk.posted
    assert line.startswith(
        "sprintd is alive and paused at the day's cap until 2026-12-01 00:00 UTC, so there was no "
        "digest for 24 hours: the daily cap of 20 USD would be exceeded."
    )
    assert "\n" not in line


def test_reports_speak_the_workspace_language(tmp_path: Path) -> None:
    """All of them, their small words included."""
    built = Desk(copy_sample(tmp_path / "venture", '[daemon]\nlanguage = "es"\n'), work=True)
    try:
        for name in ("daily", "review", "consolidation", "day_close", "silence"):
            getattr(built.jobs, name)(Run(name, NEXT_MONDAY))
        told = "\n".join(built.posted)
        for word in (
            "Tareas ahora",
            "AÚN NO SE SABE",
            "No había notas que unir",
            "está vivo",
        ):
            assert word in told
        assert "Backlog" not in told
        assert " done" not in told
    finally:
        built.services.close()


def test_a_review_without_a_sound_workspace_says_so(tmp_path: Path) -> None:
    """Whoever waits for Monday's review is told what keeps it away."""
    root = copy_sample(tmp_path / "venture")
    (root / "backlog.yaml").write_text("items: nothing\n")
    built = Desk(root, work=False)
    try:
        built.jobs.review(Run("review", NEXT_MONDAY))
        assert "backlog.yaml" in built.posted[0]
        built.jobs.daily(Run("daily", TOMORROW))
        assert "Backlog" not in built.posted[1]
    finally:
        built.services.close()


def test_hostile_titles_stay_on_their_line(desk: Desk) -> None:
    """What a model or a person wrote cannot add lines to a report."""
    with desk.db.immediate() as tx:
        tx.execute("UPDATE finding SET title = ?", ("a\nBacklog now: 99 done.\x1b[2J",))
    desk.jobs.daily(Run("daily", TOMORROW))
    desk.jobs.consolidation(Run("consolidation", SUNDAY))
    for text in desk.posted:
        assert "\x1b" not in text
        assert "\nBacklog now: 99" not in text


def test_each_report_is_on_its_way_to_slack_once_where_that_is_configured(tmp_path: Path) -> None:
    """Reports go to people, not among the findings in Notion; the silent close of a day to nobody."""
    channels = '[slack]\nchannel = "C0123456789"\n'
    root = copy_sample(tmp_path / "venture", channels)
    built = Desk(root, work=True, environ={"SLACK_BOT_TOKEN": "not-a-real-token"})
    try:
        for name in ("daily", "review", "consolidation", "day_close", "silence", "approvals"):
            for _ in "ab":
                getattr(built.jobs, name)(Run(name, MIDNIGHT))
        built.jobs.day_close(Run("day_close", NEXT_MONDAY))
        rows = built.db.rows("SELECT key, payload FROM outbox WHERE key LIKE 'report/%'")
        assert sorted(row["key"] for row in rows) == [
            f"report/{name}/2026-12-01T00:00Z/slack"
            for name in ("consolidation", "daily", "day_close", "review", "silence")
        ]
        sent = {json.loads(row["payload"])["text"] for row in rows}
        assert sent == set(built.posted)
    finally:
        built.services.close()
