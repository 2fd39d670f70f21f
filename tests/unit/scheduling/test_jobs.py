"""What a tick does: when it sprints, when it does not, and what it leaves behind."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from daemon.bootstrap import Services, build_services
from daemon.clock import ManualClock
from daemon.errors import ProviderPermanent, StoreError
from daemon.governance.recovery import consecutive_failures, reset_failures
from daemon.governance.states import DaemonState, current_state
from daemon.llm.extractive import ExtractiveProvider
from daemon.llm.provider import Completion, Prompt
from daemon.scheduling.jobs import Jobs
from daemon.store import attempts, events, items, sprints
from daemon.store.reports import last_report
from tests.workspaces import NOON, copy_sample

MIDNIGHT = datetime(2026, 12, 1, tzinfo=NOON.tzinfo)
CLAUDE_PRICED = "claude-haiku-5-5"


class Obedient(ExtractiveProvider):
    """The offline writer under a model's price, with an error to raise in place of an answer."""

    def __init__(self) -> None:
        super().__init__()
        self.calls = 0
        self.error: Exception | None = None

    def model_for(self, tier: str) -> str:
        return CLAUDE_PRICED

    def send(self, prompt: Prompt) -> Completion:
        self.calls += 1
        if self.error:
            raise self.error
        written = super().send(prompt)
        return Completion(written.text, CLAUDE_PRICED, written.usage, written.stop_reason)


class Day:
    """Jobs over a workspace, with everything that they posted.

    An error in `trouble` is raised in the middle of every sprint.
    """

    def __init__(
        self,
        services: Services,
        provider: Obedient,
        clock: ManualClock,
        trouble: list[Exception],
    ) -> None:
        self.services, self.provider, self.clock = services, provider, clock
        self.trouble = trouble
        self.db = services.db
        self.posted: list[str] = []
        self.jobs = self.another_life()

    def another_life(self) -> Jobs:
        """The jobs of a process that has just started."""
        return Jobs(
            self.services,
            post=self.posted.append,
            next_sprint_at=lambda: self.clock.now() + timedelta(minutes=15),
        )

    def state(self) -> DaemonState:
        found = current_state(self.db)
        assert found is not None
        return found

    def state_name(self) -> str:
        found = current_state(self.db)
        return found.name if found else ""

    def sprints(self) -> list[str]:
        return [row.state for row in reversed(sprints.list_sprints(self.db, 100))]


@contextmanager
def day_of(tmp_path: Path, config: str = "") -> Iterator[Day]:
    root = copy_sample(tmp_path / "venture", config)
    provider, clock = Obedient(), ManualClock(NOON)
    trouble: list[Exception] = []

    def say(line: str) -> None:
        if trouble and line.startswith("track"):
            raise trouble[0]

    services = build_services(root, environ={}, say=say, clock=clock, provider=provider)
    try:
        yield Day(services, provider, clock, trouble)
    finally:
        services.close()


@pytest.fixture
def day(tmp_path: Path) -> Iterator[Day]:
    with day_of(tmp_path) as built:
        yield built


def finish_all(day: Day) -> None:
    for item in day.services.source.load().items:
        items.mark_done(day.db, item.id, day.clock.now())


def test_a_tick_with_work_sprints_and_then_rests_until_the_next_one(day: Day) -> None:
    """The state names why it rests and until when."""
    day.jobs.sprint()
    assert day.sprints() == ["completed"]
    state = day.state()
    assert (state.name, state.reason) == ("idle", "2 accepted")
    assert state.until == NOON + timedelta(minutes=15)


def test_an_idle_tick_asks_no_model_and_opens_no_sprint(day: Day) -> None:
    """With nothing eligible only the state tells that the daemon looked."""
    finish_all(day)
    day.jobs.sprint()
    assert day.provider.calls == 0
    assert day.sprints() == []
    assert (day.state().name, day.state().reason) == ("idle", "no backlog item is eligible")
    since = day.state().since
    day.clock.advance(timedelta(minutes=15))
    day.jobs.sprint()
    assert day.state().since == since


def test_the_first_sprint_of_a_life_is_followed_by_a_digest(day: Day) -> None:
    """Later digests come at their own time, and each life has a first sprint."""
    day.jobs.sprint()
    assert len(day.posted) == 1
    day.jobs.sprint()
    assert len(day.posted) == 1
    day.another_life().sprint()
    assert len(day.posted) == 2


def test_the_first_digest_can_be_turned_off(tmp_path: Path) -> None:
    """digest.after_first_sprint = false leaves only the hourly ones."""
    with day_of(tmp_path, "[digest]\nafter_first_sprint = false\n") as day:
        day.jobs.sprint()
        assert day.posted == []
        day.jobs.digest()
        assert "T01" in day.posted[0]


def test_an_idle_first_tick_prints_no_digest(day: Day) -> None:
    """The digest waits for the first sprint that did something."""
    finish_all(day)
    day.jobs.sprint()
    assert day.posted == []


def test_a_digest_tells_each_event_once_and_is_silent_without_news(day: Day) -> None:
    """Two digests in a row: the second has nothing to say."""
    day.jobs.sprint()
    day.clock.advance(timedelta(minutes=15))
    day.jobs.digest()
    assert len(day.posted) == 1
    day.jobs.sprint()
    day.jobs.digest()
    assert len(day.posted) == 2
    told = [line for text in day.posted for line in text.splitlines() if "memory/findings" in line]
    assert len(told) == len(set(told)) == 4


def test_a_digest_that_nobody_saw_here_is_kept_and_on_its_way(day: Day) -> None:
    """Whoever watches is one reader of several: where that one is gone, the others are told once."""
    day.jobs.sprint()
    day.posted.clear()

    def gone(text: str) -> None:
        raise BrokenPipeError("nobody reads")

    day.clock.advance(timedelta(minutes=15))
    day.jobs.sprint()
    broken = Jobs(day.services, post=gone, next_sprint_at=lambda: None)
    with pytest.raises(BrokenPipeError):
        broken.digest()
    kept = last_report(day.db, "digest")
    assert kept is not None
    assert "memory/findings" in kept.body
    day.clock.advance(timedelta(minutes=1))
    day.jobs.digest()
    assert day.posted == []


def test_the_reached_cap_pauses_until_midnight_and_then_it_goes_on(tmp_path: Path) -> None:
    """While paused a tick does nothing at all; the first one of the next day sprints again."""
    with day_of(tmp_path, "[budget]\ndaily_cap_usd = 0.03\n") as day:
        while day.state_name() != "paused_budget":
            day.jobs.sprint()
        assert day.state().until == MIDNIGHT
        assert "daily cap of 0.03 USD" in day.state().reason
        done, calls = len(day.sprints()), day.provider.calls
        day.clock.advance(timedelta(hours=11, minutes=59))
        day.jobs.sprint()
        assert (len(day.sprints()), day.provider.calls) == (done, calls)
        day.clock.advance(timedelta(minutes=1))
        day.jobs.sprint()
        assert day.sprints()[-1] in ("completed", "paused_budget")
        assert day.provider.calls > calls


@pytest.mark.parametrize("jump", [timedelta(days=3), timedelta(days=-2)])
def test_a_pause_ends_when_the_clock_jumps_out_of_its_day(tmp_path: Path, jump: timedelta) -> None:
    """Forward past midnight, or back to a day whose money is not spent."""
    with day_of(tmp_path, "[budget]\ndaily_cap_usd = 0.03\n") as day:
        while day.state_name() != "paused_budget":
            day.jobs.sprint()
        calls = day.provider.calls
        day.clock.advance(jump)
        day.jobs.sprint()
        assert day.provider.calls > calls


def test_a_new_life_tries_again_for_the_cap_may_have_been_raised(tmp_path: Path) -> None:
    """The budget gate decides: one refused sprint, no call, paused as before."""
    with day_of(tmp_path, "[budget]\ndaily_cap_usd = 0\n") as day:
        day.jobs.sprint()
        assert day.state().name == "paused_budget"
        day.another_life().sprint()
        assert day.provider.calls == 0
        assert day.sprints() == ["paused_budget"] * 2
        assert day.state().until == MIDNIGHT


def test_a_halted_daemon_does_nothing_until_a_person_resets(day: Day) -> None:
    """A permanent refusal halts at once; ticks and new lives stay still; after the reset it works."""
    day.provider.error = ProviderPermanent("the key is wrong", setting="ANTHROPIC_API_KEY")
    day.jobs.sprint()
    assert day.state().name == "halted"
    assert "ANTHROPIC_API_KEY" in day.state().reason
    day.provider.error = None
    calls = day.provider.calls
    day.jobs.sprint()
    day.another_life().sprint()
    assert day.provider.calls == calls
    assert day.state().name == "halted"
    reset_failures(day.db, day.clock.now())
    day.jobs.sprint()
    assert day.provider.calls > calls
    assert day.state().name == "idle"


def test_an_error_nobody_expected_counts_as_a_failed_sprint(day: Day) -> None:
    """It is not repeated for ever: three in a row are diagnosed, and the trial's failure halts."""
    day.trouble.append(ZeroDivisionError("a fault of ours"))
    for expected in (1, 2, 3):
        with pytest.raises(ZeroDivisionError):
            day.jobs.sprint()
        assert consecutive_failures(day.db) == expected
        assert (day.state().name, day.state().reason) == (
            "idle",
            "ZeroDivisionError: a fault of ours",
        )
    day.jobs.sprint()
    assert "ZeroDivisionError: a fault of ours" in day.posted[-1]
    with pytest.raises(ZeroDivisionError):
        day.jobs.sprint()
    assert day.state().name == "halted"
    day.jobs.sprint()
    assert day.sprints() == ["interrupted"] * 3 + ["completed", "interrupted"]


def test_a_digest_nobody_can_read_is_no_failed_sprint(day: Day) -> None:
    """Work that was done counts, whatever becomes of the message about it."""

    def gone(text: str) -> None:
        raise BrokenPipeError("nobody reads")

    deaf = Jobs(day.services, post=gone, next_sprint_at=lambda: None)
    with pytest.raises(BrokenPipeError):
        deaf.sprint()
    assert consecutive_failures(day.db) == 0
    assert day.sprints() == ["completed"]
    deaf.sprint()
    assert day.sprints() == ["completed"] * 2


def test_what_an_earlier_life_left_open_is_finished_first(day: Day) -> None:
    """A sprint that a crash cut off becomes interrupted and its item goes back, exactly once."""
    cut = sprints.open_sprint(day.db, "REGULAR", None, NOON)
    attempts.save_asked(
        day.db, sprint_id=cut, track=1, item="T01", agent="market-researcher",
        effect_key=f"sprint/{cut}/track/1", prompt={}, context={}, now=NOON,
    )  # fmt: skip
    day.another_life().sprint()
    day.another_life().sprint()
    assert day.sprints()[0] == "interrupted"
    assert [row.state for row in attempts.list_for_item(day.db, "T01")] == [
        "interrupted",
        "accepted",
    ]


def test_a_broken_map_holds_the_sprints_until_it_is_mended(day: Day) -> None:
    """Nothing is spent on a workspace that cannot be judged, nothing halts, and the fault is told."""
    file = day.services.root / "knowledge.yaml"
    sound = file.read_text()
    file.write_text("units: [")
    day.jobs.sprint()
    day.jobs.sprint()
    assert day.provider.calls == 0
    assert day.state().name == "idle"
    assert "knowledge.yaml" in day.state().reason
    assert day.jobs.faults
    assert [e.kind for e in events.list_after(day.db, 0)].count("workspace_faults") == 1
    file.write_text(sound)
    day.jobs.sprint()
    assert day.jobs.faults == ()
    assert day.sprints() == ["completed"]


def test_a_broken_backlog_goes_on_with_the_last_good_one(day: Day) -> None:
    """The fault is seen between jobs, told once, and gone when it is mended."""
    day.jobs.sprint()
    file = day.services.root / "backlog.yaml"
    sound = file.read_text()
    file.write_text("items: nothing\n")
    day.clock.advance(timedelta(seconds=11))
    day.jobs.idle()
    assert "backlog.yaml" in str(day.jobs.faults[0])
    day.jobs.sprint()
    assert day.sprints() == ["completed", "completed"]
    file.write_text(sound)
    day.clock.advance(timedelta(seconds=11))
    day.jobs.idle()
    assert day.jobs.faults == ()


def test_a_store_error_makes_health_red_and_the_next_tick_tries_again(day: Day) -> None:
    """It counts for nothing, because nothing can be counted."""
    day.jobs.report("sprint", StoreError("state/sprintd.db: the disk is full"))
    assert day.services.probe.fault == "state/sprintd.db: the disk is full"
    assert consecutive_failures(day.db) == 0
    day.jobs.idle()
    assert day.services.probe.fault == ""
    day.jobs.sprint()
    assert day.sprints() == ["completed"]


def test_a_job_that_failed_is_an_alert_in_the_next_digest(day: Day) -> None:
    """With the job and the error, for whoever reads it at night."""
    day.jobs.report("digest", ValueError("no such phrase"))
    day.jobs.digest()
    assert "the job digest failed: ValueError: no such phrase" in day.posted[0]
