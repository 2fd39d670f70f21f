"""What `sprintd watch` sees, and the lines it becomes."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from daemon.bootstrap import Services
from daemon.governance.recovery import halt
from daemon.governance.states import enter_state
from daemon.reports.plain_text import columns
from daemon.reports.watching import Watching, happened, take_watching
from daemon.reports.watching_text import Line, fit, join_lines, render_watching
from daemon.sprint.runner import run_sprint
from daemon.store import attempts, events, items, sprints, steps
from daemon.store.database import Database
from daemon.store.events import EventRow
from tests.unit.reports.money import NOON, Purse
from tests.workspaces import copy_sample, services_over

HOLDER = {"pid": 7, "stop_pid": 6, "since": "2026-11-30T11:00:00.000000Z"}


def look(services: Services, *, runs: bool = True) -> Watching:
    return take_watching(
        services.db,
        services.budget,
        at=services.clock.now(),
        provider="extractive",
        workspace=services.source.load(),
        faults=(),
        holder=HOLDER if runs else None,
        serving=None,
    )


def texts(view: Watching, width: int = 100, height: int = 30) -> list[str]:
    return [line.text for line in render_watching(view, width, height)]


@pytest.fixture(scope="module")
def worked(tmp_path_factory: pytest.TempPathFactory) -> Watching:
    """After a sprint of the sample, with an item blocked and a daemon that is halted."""
    root: Path = copy_sample(tmp_path_factory.mktemp("watching") / "venture")
    with services_over(root) as services:
        run_sprint(services.sprint_parts)
        items.count_rejection(services.db, "T05", "too short", 1, NOON)
        events.record(services.db, "strange_kind", NOON, item="T09")
        halt(services.db, "the key is wrong", NOON)
        return look(services)


def test_a_workspace_where_nothing_ran_is_shown_too(db: Database, purse: Purse) -> None:
    """Also without its files, without a daemon, and with a cap of nothing."""
    view = take_watching(
        db,
        purse.budget,
        at=NOON,
        provider="extractive",
        workspace=None,
        faults=(),
        holder=None,
        serving=None,
    )
    shown = texts(view)
    assert shown[1] == "Nothing ran here yet. To begin: sprintd run"
    assert "items  unknown: the files have faults" in shown
    assert view.as_json()["running"] is None
    assert view.as_json()["events"] == []


def test_what_waits_for_a_person_stands_with_its_command(worked: Watching) -> None:
    """The halt first, for nothing is done until it ends."""
    assert [one.command for one in worked.waiting] == [
        "sprintd reset-failures",
        "sprintd unblock T05",
    ]
    shown = texts(worked)
    assert "Waits for a person (2)" in shown
    assert any("sprintd reset-failures  -  halted: the key is wrong" in line for line in shown)
    assert [line.tone for line in render_watching(worked, 100, 30)][1] == "bad"


def test_events_are_sentences_the_newest_first(worked: Watching) -> None:
    """One without a sentence is told by its kind; each is one line."""
    words = [one.words for one in worked.events]
    assert any(line.startswith("learned: ") for line in words)
    assert "T09: strange kind" in words
    assert any(line.endswith(": completed") for line in words)
    assert [one.id for one in worked.events] == sorted(
        (one.id for one in worked.events), reverse=True
    )
    odd = EventRow(1, NOON, "accepted", None, "T01", {"title": "a\x1b[2J\nb"})
    assert "\x1b" not in happened(odd).words


def test_an_approval_is_told_with_its_id_and_its_end() -> None:
    """Two that ended are two lines that differ; one whose facts are gone is still told."""
    facts = {"id": "A2", "state": "done", "title": "Post to C0123: It is found."}
    ended = EventRow(1, NOON, "approval_ended", None, None, facts)
    assert happened(ended).words == "approval A2 done: Post to C0123: It is found."
    assert happened(EventRow(1, NOON, "approval_ended", None, None, {})).words.startswith(
        "approval"
    )


def test_no_line_is_wider_and_no_screen_higher_than_the_terminal(worked: Watching) -> None:
    """Of any size; where there is little room the state and the money stay."""
    for width in (1, 2, 5, 20, 79, 80, 200):
        for height in (1, 2, 4, 10, 24, 60):
            lines = render_watching(worked, width, height)
            assert 0 < len(lines) <= height
            assert all(columns(line.text) <= width for line in lines)
    for width in (40, 52, 66, 80, 100):
        money, items = texts(worked, width)[2:4]
        assert money.endswith("20.00 left"), "of the money nothing is cut off"
        assert items.endswith("waiting" if width > 50 else "…")
    assert texts(worked, 80)[2].startswith("money  ░░░")
    small = texts(worked, 80, 6)
    assert small[1].startswith("halted")
    assert small[2].startswith("money")


def test_wide_letters_are_cut_by_their_columns() -> None:
    """A Chinese sign takes two."""
    assert fit(Line("中文中文"), 5).text == "中文…"
    assert fit(Line("abc"), 3).text == "abc"
    assert fit(Line("abcd"), 3).text == "ab…"


def test_a_running_sprint_is_shown_with_its_step_and_tracks(db: Database, purse: Purse) -> None:
    """How long it runs, what it has finished last, and each assignment's newest attempt."""
    sprint = sprints.open_sprint(db, "REGULAR", "pricing", NOON - timedelta(minutes=3, seconds=5))
    steps.save_step(db, sprint, "plan", {}, NOON)
    attempts.save_asked(
        db,
        sprint_id=sprint,
        track=1,
        item="T01",
        agent="analyst",
        effect_key="k",
        prompt={},
        context={},
        now=NOON,
    )
    view = take_watching(
        db,
        purse.budget,
        at=NOON,
        provider="x",
        workspace=None,
        faults=(),
        holder=HOLDER,
        serving=None,
    )
    shown = join_lines(render_watching(view, 100, 30))
    assert f"sprint {sprint} (regular, pricing) runs for 3 min 05 s; done last: plan" in shown
    assert "  asked     T01   (analyst)" in shown
    assert view.as_json()["running"]["last_step"] == "plan"
    assert view.as_json()["running"]["tracks"][0]["item"] == "T01"


def test_a_sprint_that_is_due_and_does_not_begin_is_told(db: Database, purse: Purse) -> None:
    """Not in the first minutes, when another job may still run; it reads as bad."""
    enter_state(db, "idle", "2 accepted", NOON, until=NOON)
    for minutes, told, tone in (
        (1, "next sprint at 2026-11-30 12:00 UTC, now", "plain"),
        (
            3,
            "next sprint at 2026-11-30 12:00 UTC, has not begun. See why with: sprintd doctor",
            "bad",
        ),
    ):
        view = take_watching(
            db,
            purse.budget,
            at=NOON + timedelta(minutes=minutes),
            provider="extractive",
            workspace=None,
            faults=(),
            holder=HOLDER,
            serving=None,
        )
        assert Line(told, tone) in render_watching(view, 100, 30)
