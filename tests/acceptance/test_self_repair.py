"""What the daemon does about its own troubles: it diagnoses, tries once more, halts, and recovers."""

from __future__ import annotations

import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from daemon.bootstrap import Services, build_services, database_of
from daemon.clock import ManualClock
from daemon.governance.recovery import breaker_phase, consecutive_failures, reset_failures
from daemon.governance.states import DaemonState, current_state
from daemon.scheduling.jobs import Jobs
from daemon.store import attempts, events, incidents, reports, sprints
from daemon.store.database import open_database, open_read_only
from tests.standins.messages_api import MessagesApi, Step, error
from tests.standins.researcher import write_reply
from tests.workspaces import NOON, claude_config, copy_sample

QUARTER = timedelta(minutes=15)
ORDINARY = Step()
SMALL = "max_tries = 2\n"


@dataclass
class Life:
    """One life of the daemon: ticks as the worker runs them, and what people were shown."""

    services: Services
    jobs: Jobs
    clock: ManualClock
    shown: list[str]
    steps: dict[str, Callable[[], None]] = field(default_factory=dict)

    def tick(self) -> None:
        """A sprint tick, a quarter of an hour, and the worker's look between jobs."""
        self._guarded("sprint", self.jobs.sprint)
        self.clock.advance(QUARTER)
        self._guarded("between jobs", self.jobs.idle)

    def _guarded(self, name: str, job: Callable[[], object]) -> None:
        try:
            job()
        except Exception as trouble:  # noqa: BLE001 - as the worker does
            self.jobs.report(name, trouble)

    def ticks(self, number: int) -> None:
        for _ in range(number):
            self.tick()

    def state(self) -> DaemonState:
        found = current_state(self.services.db)
        assert found
        return found

    def sprints(self) -> list[tuple[str, str]]:
        return [(s.kind, s.state) for s in reversed(sprints.list_sprints(self.services.db, 100))]

    def told(self, kind: str) -> list[str]:
        found = events.list_after(self.services.db, 0)
        return [str(event.facts.get("reason")) for event in found if event.kind == kind]


@contextmanager
def life_over(
    root: Path, api: MessagesApi | None = None, *, read_only: bool = False
) -> Iterator[Life]:
    clock, shown = ManualClock(NOON), list[str]()
    steps: dict[str, Callable[[], None]] = {}
    database = open_read_only if read_only else open_database
    services = build_services(
        root,
        environ={"ANTHROPIC_API_KEY": api.api_key} if api else {},
        say=lambda line: None,
        clock=clock,
        db=database(database_of(root), busy_timeout_seconds=0.1),
        at=lambda step: steps.pop(step, lambda: None)(),
    )
    try:
        jobs = Jobs(services, post=shown.append, next_sprint_at=lambda: clock.now() + QUARTER)
        yield Life(services, jobs, clock, shown, steps)
    finally:
        services.close()


def workspace(tmp_path: Path, api: MessagesApi, more: str = SMALL) -> Path:
    return copy_sample(tmp_path / "venture", claude_config(api.base_url, more))


def failing() -> Step:
    return error(500, "api_error", "Internal server error")


def reply(request: dict[str, Any]) -> str:
    """Plans and reports, and a reading where a diagnosis asks for one."""
    if "sprints failed in a row" in str(request["messages"]):
        return "The service was down.\n# Check its status page"
    return write_reply(request)


def diagnoses(root: Path) -> list[Path]:
    return sorted((root / "memory" / "diagnoses").glob("*"))


# -- the circuit breaker


def test_three_failed_sprints_are_diagnosed_once_then_tried_once_then_halt(tmp_path: Path) -> None:
    """A service that fails all day: three sprints, one diagnosis, one trial, and then silence.

    Twenty ticks and a restart later nothing was asked. After a reset it works, and says so once.
    """
    with MessagesApi(reply=reply) as api:
        root = workspace(tmp_path, api)
        api.script(*[failing()] * 500)
        with life_over(root, api) as life:
            life.ticks(3)
            assert life.sprints() == [("REGULAR", "failed")] * 3 + [("DIAGNOSTIC", "completed")]
            assert breaker_phase(life.services.db) == "half_open"
            (note,) = diagnoses(root)
            assert note.name == "2026-11-30-sprint-4.md"
            text = note.read_text()
            assert "3 sprints failed in a row" in text
            assert "The model's service fails on its side." in text
            assert "status page" in text
            (report,) = reports.list_reports(life.services.db, 10, kind="diagnosis")
            assert report.body == text
            assert life.shown.count(text) == 1
            life.tick()
            assert life.sprints()[4:] == [("REGULAR", "failed")]
            assert life.state().name == "halted"
            assert "trial sprint" in life.state().reason
            asked = len(api.requests)
            life.ticks(10)
            assert life.told("halted") == [life.state().reason]
            assert len(life.told("alert")) == 1
        with life_over(root, api) as life:
            life.ticks(10)
            assert len(api.requests) == asked
            assert len(life.sprints()) == 5
            assert len(diagnoses(root)) == 1
            assert len(life.told("halted")) == 1
    with MessagesApi(reply=reply) as api:
        (root / "config.toml").write_text(claude_config(api.base_url, SMALL))
        with life_over(root, api) as life:
            reset_failures(life.services.db, NOON)
            life.tick()
            assert life.sprints()[-1] == ("REGULAR", "completed")
            assert (life.state().name, breaker_phase(life.services.db)) == ("idle", "closed")
            assert len(life.told("recovered")) == 1
            assert incidents.list_open(life.services.db) == []


def test_a_trial_that_goes_well_closes_the_breaker(tmp_path: Path) -> None:
    """The service fails for three sprints and comes back: a model's reading, a good trial, no halt."""

    with MessagesApi(reply=reply) as api:
        root = workspace(tmp_path, api)
        api.script(*[failing()] * 6)  # each plan is asked for twice
        with life_over(root, api) as life:
            life.ticks(3)
            assert len(api.requests) == 7
            (note,) = diagnoses(root)
            assert "> The service was down." in note.read_text()
            assert "> \\# Check its status page" in note.read_text()
            life.tick()
            assert life.sprints()[3:] == [("DIAGNOSTIC", "completed"), ("REGULAR", "completed")]
            assert breaker_phase(life.services.db) == "closed"
            assert consecutive_failures(life.services.db) == 0
            assert life.told("halted") == []
            assert len(life.told("recovered")) == 1


def test_a_diagnosis_without_money_for_a_reading_is_still_written(tmp_path: Path) -> None:
    """The cap refuses the model's reading; the table of known causes needs none."""
    with MessagesApi(reply=reply) as api:
        root = workspace(tmp_path, api, f"{SMALL}[budget]\ndaily_cap_usd = 100\n")
        api.script(*[failing()] * 6)
        with life_over(root, api) as life:
            life.ticks(2)
            spent = life.services.budget.today().spent_micros * 3 // 2 + 100
            (root / "config.toml").write_text(
                claude_config(
                    api.base_url, f"{SMALL}[budget]\ndaily_cap_usd = {spent / 1_000_000}\n"
                )
            )
            life.tick()
            assert len(api.requests) == 6
            (note,) = diagnoses(root)
            assert "not verified" not in note.read_text()
            assert life.sprints()[-1] == ("DIAGNOSTIC", "completed")


@pytest.mark.parametrize("way", ["file", "link"])
def test_a_diagnosis_that_cannot_be_written_is_posted_and_says_why(
    tmp_path: Path, way: str
) -> None:
    """Something is in the way at memory/diagnoses: the trial still follows.

    The halt after it names what the sprints failed of, and not the folder.
    """
    with MessagesApi(reply=reply) as api:
        root = workspace(tmp_path, api)
        place, outside = root / "memory" / "diagnoses", tmp_path / "outside"
        outside.mkdir()
        if way == "file":
            place.write_text("a file where a folder belongs")
        else:
            place.symlink_to(outside)
        api.script(*[failing()] * 500)
        with life_over(root, api) as life:
            life.ticks(3)
            assert life.sprints()[-1] == ("DIAGNOSTIC", "completed")
            (report,) = reports.list_reports(life.services.db, 10, kind="diagnosis")
            assert "The model's service fails on its side." in report.body
            assert "could not be written to the memory: cannot write memory/diagn" in report.body
            assert life.shown.count(report.body) == 1
            assert life.state().name == "idle"
            causes = {row.cause for row in incidents.list_open(life.services.db)}
            assert causes == {"provider_failing", "memory_unwritable"}
            life.ticks(2)
            (halted,) = life.told("halted")
            assert "Internal server error" in halted
            assert "memory/diagnoses" not in halted
        assert list(outside.iterdir()) == []


@pytest.mark.parametrize("step", ["open", "errors", "reading", "memory", "post"])
def test_a_diagnosis_that_a_crash_cut_off_goes_on_and_is_written_once(
    tmp_path: Path, step: str
) -> None:
    """Killed after each of its steps: one sprint, one note, one report, one event, one reading."""

    class Killed(BaseException):
        pass

    def kill() -> None:
        raise Killed

    with MessagesApi(reply=reply) as api:
        root = workspace(tmp_path, api)
        api.script(*[failing()] * 6)
        with life_over(root, api) as life:
            life.ticks(2)
            life.steps["close"] = lambda: life.steps.update({step: kill})
            with pytest.raises(Killed):
                life.jobs.sprint()
        with life_over(root, api) as life:
            life.jobs.sprint()
            assert life.sprints() == [("REGULAR", "failed")] * 3 + [("DIAGNOSTIC", "completed")]
            assert len(diagnoses(root)) == 1
            assert len(reports.list_reports(life.services.db, 10, kind="diagnosis")) == 1
            assert len(life.told("diagnosis")) == 1
            assert len(api.requests) == 7
            assert breaker_phase(life.services.db) == "half_open"


# -- errors that stay, and limits that pass


def test_a_permanent_error_is_one_alert_that_names_the_setting(tmp_path: Path) -> None:
    """A wrong key: one request, one halt, no diagnosis; nothing more after a restart."""
    with MessagesApi(reply=reply) as api:
        root = workspace(tmp_path, api)
        api.script(*[error(401, "authentication_error", "invalid x-api-key")] * 50)
        for _ in range(2):
            with life_over(root, api) as life:
                life.ticks(8)
                assert len(api.requests) == 1
                assert life.sprints() == [("REGULAR", "failed")]
                (alert,) = life.told("halted")
                assert "ANTHROPIC_API_KEY" in alert
                assert life.told("alert") == []
                (incident,) = incidents.list_open(life.services.db)
                assert (incident.cause, incident.count) == ("wrong_key", 1)
        assert diagnoses(root) == []


def test_a_rate_limit_with_a_time_gates_until_then(tmp_path: Path) -> None:
    """Told to wait for an hour: four ticks ask nothing and count nothing; then it works."""
    with MessagesApi(reply=reply) as api:
        root = workspace(tmp_path, api)
        limit = error(429, "rate_limit_error", "slow down", retry_after="3600")
        api.script(ORDINARY, limit)
        with life_over(root, api) as life:
            life.tick()
            assert len(api.requests) == 2
            state = life.state()
            assert (state.name, state.until) == ("idle", NOON + timedelta(hours=1))
            assert "left alone until 2026-11-30 13:00 UTC" in state.reason
            life.ticks(2)
        with life_over(root, api) as life:  # the limit holds over a restart
            life.clock.advance(3 * QUARTER)
            life.tick()
            assert len(api.requests) == 2
            assert life.sprints() == [("REGULAR", "interrupted")]
            assert consecutive_failures(life.services.db) == 0
            assert life.clock.now() == NOON + timedelta(hours=1)
            life.tick()
            assert life.sprints()[1:] == [("REGULAR", "completed")]
            assert (len(life.told("alert")), len(life.told("recovered"))) == (1, 1)


PASSING = [
    error(529, "overloaded_error", "Overloaded"),
    error(503, "api_error", "unavailable"),
    error(429, "rate_limit_error", "slow down", retry_after="30"),
]


@pytest.mark.parametrize("step", PASSING, ids=lambda step: str(step.status))
def test_an_outage_that_costs_nothing_halts_nothing_and_is_tried_ever_more_rarely(
    tmp_path: Path, step: Step
) -> None:
    """Six hours without a call taken: tries after 15, 30 and then 60 minutes, also over a restart.

    One alert, no failure, no diagnosis; when the service is back it works, and says so once.
    """
    with MessagesApi(reply=reply) as api:
        root = workspace(tmp_path, api, "max_tries = 1\n")
        api.script(*[step] * 8)
        tried: list[int] = []
        with life_over(root, api) as life:
            for quarter in range(13):
                before = len(api.requests)
                life.tick()
                tried += [quarter] * (len(api.requests) - before)
            assert tried == [0, 1, 3, 7, 11]
            assert life.sprints() == [("REGULAR", "interrupted")] * 5
            assert life.state().name == "idle"
            assert "tried again at about 15:45 UTC" in life.state().reason
        with life_over(root, api) as life:
            life.clock.advance(13 * QUARTER)
            life.ticks(2)
            assert len(api.requests) == 5
            life.ticks(9)
            assert len(api.requests) == 8
            assert consecutive_failures(life.services.db) == 0
            assert breaker_phase(life.services.db) == "closed"
            assert (len(life.told("alert")), life.told("recovered")) == (1, [])
            assert life.services.budget.today().spent_micros == 0
            life.ticks(4)
            assert life.sprints()[8][1] == "completed"
            assert (len(life.told("alert")), len(life.told("recovered"))) == (1, 1)
            assert life.told("halted") == []
            asked = len(api.requests)
            life.tick()
            assert len(api.requests) > asked


def test_a_reset_tries_at_once_in_an_outage(tmp_path: Path) -> None:
    """A person who knows that the service is back does not wait for the hour."""
    with MessagesApi(reply=reply) as api:
        root = workspace(tmp_path, api, "max_tries = 1\n")
        api.script(*[PASSING[0]] * 2)
        with life_over(root, api) as life:
            life.ticks(3)
            assert len(api.requests) == 2
            reset_failures(life.services.db, life.clock.now())
            life.tick()
            assert life.sprints()[-1] == ("REGULAR", "completed")


def test_without_the_notes_nothing_is_paid_for(tmp_path: Path) -> None:
    """The folder memory/ is away for an hour: no call, one alert, nothing is counted as failed.

    Back in its place, the next tick works and says so once.
    """
    with MessagesApi(reply=reply) as api:
        root = workspace(tmp_path, api)
        (root / "memory").rename(tmp_path / "away")
        with life_over(root, api) as life:
            life.ticks(4)
            assert api.requests == []
            assert life.sprints() == [("REGULAR", "interrupted")] * 4
            assert "none of the notes that the map has for it can be read" in life.state().reason
            assert consecutive_failures(life.services.db) == 0
            (alert,) = life.told("alert")
            assert "Put the folder memory/ back" in alert
            (tmp_path / "away").rename(root / "memory")
            life.tick()
            assert life.sprints()[-1] == ("REGULAR", "completed")
            assert (len(life.told("alert")), len(life.told("recovered"))) == (1, 1)


def test_a_map_without_units_holds_nothing(tmp_path: Path) -> None:
    """Whoever has no notes yet means it so."""
    with MessagesApi(reply=reply) as api:
        root = workspace(tmp_path, api)
        text = (root / "knowledge.yaml").read_text()
        (root / "knowledge.yaml").write_text(text[: text.index("\nunits:")] + "\nunits: []\n")
        with life_over(root, api) as life:
            life.tick()
            assert len(api.requests) >= 2
            assert life.sprints()[0][1] != "interrupted"


def test_fifty_repeats_of_one_error_are_one_alert_and_one_recovered(tmp_path: Path) -> None:
    """A blocked folder for fifty ticks over two lives: told once, counted, and over once."""
    root = copy_sample(tmp_path / "venture")
    in_the_way = root / "memory" / "findings"
    in_the_way.write_text("a file where a folder belongs")
    for _ in range(2):
        with life_over(root) as life:
            life.ticks(25)
    with life_over(root) as life:
        (incident,) = incidents.list_open(life.services.db)
        assert incident.count >= 50
        assert (len(life.told("alert")), len(life.told("recovered"))) == (1, 0)
        in_the_way.unlink()
        life.ticks(3)
        assert (len(life.told("alert")), len(life.told("recovered"))) == (1, 1)
        assert incidents.list_open(life.services.db) == []


def test_a_trouble_that_half_of_the_calls_meet_does_not_flap(tmp_path: Path) -> None:
    """Six sprints that are completed in spite of it: one alert, over with the first clean sprint."""
    with MessagesApi(reply=reply) as api:
        root = workspace(tmp_path, api, "max_tries = 1\n")
        with life_over(root, api) as life:
            for _ in range(6):
                api.script(ORDINARY, failing())
                life.tick()
            assert life.sprints() == [("REGULAR", "completed")] * 6
            assert (len(life.told("alert")), len(life.told("recovered"))) == (1, 0)
            life.tick()
            assert (len(life.told("alert")), len(life.told("recovered"))) == (1, 1)


def test_a_permanent_error_of_the_reading_halts_too(tmp_path: Path) -> None:
    """The key was withdrawn while the service was down: no trial is sent with it."""
    with MessagesApi(reply=reply) as api:
        root = workspace(tmp_path, api)
        api.script(*[failing()] * 6, error(401, "authentication_error", "invalid x-api-key"))
        with life_over(root, api) as life:
            life.ticks(3)
            assert life.sprints()[-1] == ("DIAGNOSTIC", "completed")
            assert life.state().name == "halted"
            assert len(diagnoses(root)) == 1
            life.ticks(5)
            assert len(api.requests) == 7
            (alert,) = life.told("halted")
            assert "ANTHROPIC_API_KEY" in alert


def test_a_missing_price_holds_the_work_without_planning_it(tmp_path: Path) -> None:
    """The attempts' model has no price: not even the plan is paid for, no sprint is opened."""
    more = f'{SMALL}routine_model = "claude-unheard-of"\n'
    with MessagesApi(reply=reply) as api:
        root = workspace(tmp_path, api, more)
        for agent in (root / "agents").glob("*.md"):
            agent.write_text(agent.read_text().replace("tier: reasoning", "tier: routine"))
        with life_over(root, api) as life:
            life.ticks(6)
            assert api.requests == []
            assert life.sprints() == []
            assert life.state().name == "idle"
            assert "claude-unheard-of" in life.state().reason
            assert consecutive_failures(life.services.db) == 0
            (alert,) = life.told("alert")
            assert "prices.toml" in alert


def test_files_that_were_never_good_hold_the_work_and_are_told_once(tmp_path: Path) -> None:
    """Ten ticks and a restart: one event for the faults, none counted; mended, it works."""
    with MessagesApi(reply=reply) as api:
        root = workspace(tmp_path, api)
        good = (root / "knowledge.yaml").read_text()
        (root / "knowledge.yaml").write_text("units: [")
        for _ in range(2):
            with life_over(root, api) as life:
                life.ticks(5)
                assert life.state().name == "idle"
                assert len(life.told("workspace_faults")) == 1
                assert consecutive_failures(life.services.db) == 0
        (root / "knowledge.yaml").write_text(good)
        with life_over(root, api) as life:
            life.tick()
            assert life.sprints() == [("REGULAR", "completed")]
            assert len(life.told("recovered")) == 1


# -- a disk and a database that cannot be written


def no_loss(life: Life, api: MessagesApi) -> None:
    """Everything that was paid for was judged, nothing was asked twice, and the books agree."""
    for row in attempts.list_open(life.services.db):
        raise AssertionError(f"{row.item} is open")
    asked = [request.raw for request in api.requests]
    assert len(asked) == len(set(asked)), "the same request left twice"
    day = life.services.db.row("SELECT * FROM budget_day")
    assert day
    settled = life.services.db.row("SELECT SUM(actual_micros) AS n FROM reservation")
    assert settled
    assert day["used_micros"] == day["held_micros"] + settled["n"]


def over_and_works(life: Life, api: MessagesApi, cause: str) -> None:
    life.tick()
    assert life.services.probe.fault == ""
    assert life.sprints()[-1] == ("REGULAR", "completed")
    assert consecutive_failures(life.services.db) == 0
    closed = [row.cause for row in incidents.list_newest(life.services.db, 10) if row.closed_at]
    assert cause in closed
    assert life.told("halted") == []
    no_loss(life, api)


@pytest.mark.parametrize("step", ["plan", "track/1/context", "track/1/attempt", "track/1/verdict"])
def test_a_file_that_cannot_grow_in_a_sprint_loses_nothing(tmp_path: Path, step: str) -> None:
    """At its limit for four ticks: /health says so, nothing is asked; freed of it, it goes on.

    SQLite calls a limit of size a failing disk; a full one is below.
    """
    most = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    with MessagesApi(reply=reply) as api, life_over(workspace(tmp_path, api), api) as life:
        log = database_of(life.services.root).with_name("sprintd.db-wal")

        def fill() -> None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (log.stat().st_size, most))

        life.steps[step] = fill
        try:
            life.tick()
            asked = len(api.requests)
            life.ticks(3)
            assert "the disk failed" in life.services.probe.fault
            assert len(api.requests) == asked
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
        over_and_works(life, api, "disk_failing")


@pytest.mark.parametrize("step", ["plan", "track/1/attempt"])
def test_a_full_disk_in_a_sprint_loses_nothing(tmp_path: Path, step: str) -> None:
    """No page more for four ticks: no sprint is a failed one, and with space again it goes on."""
    with MessagesApi(reply=reply) as api, life_over(workspace(tmp_path, api), api) as life:
        life.steps[step] = lambda: life.services.db.rows("PRAGMA max_page_count = 1") and None
        life.tick()
        asked = len(api.requests)
        life.ticks(3)
        assert len(api.requests) <= asked + 1  # a plan may still find its place
        assert consecutive_failures(life.services.db) == 0
        assert "store_full" in {row.cause for row in incidents.list_open(life.services.db)}
        assert life.state().name == "idle"
        life.services.db.rows("PRAGMA max_page_count = 1000000")
        over_and_works(life, api, "store_full")


@pytest.mark.parametrize("step", ["plan", "track/1/attempt"])
def test_a_database_that_another_program_holds_loses_nothing(tmp_path: Path, step: str) -> None:
    """A sqlite3 shell in the middle of a transaction, for four ticks."""
    with MessagesApi(reply=reply) as api, life_over(workspace(tmp_path, api), api) as life:
        other = open_database(database_of(life.services.root))
        holding = other.immediate()
        life.steps[step] = lambda: holding.__enter__() and None
        life.tick()
        asked = len(api.requests)
        life.ticks(3)
        assert "locked by another program" in life.services.probe.fault
        assert len(api.requests) == asked
        holding.__exit__(None, None, None)
        other.close()
        over_and_works(life, api, "store_locked")


def test_a_read_only_database_is_said_and_costs_nothing(tmp_path: Path) -> None:
    """Nothing is asked; a life that can write goes on as if nothing had been."""
    with MessagesApi(reply=reply) as api:
        root = workspace(tmp_path, api)
        open_database(database_of(root)).close()
        with life_over(root, api, read_only=True) as life:
            life.ticks(3)
            assert "read-only" in life.services.probe.fault
            assert api.requests == []
        with life_over(root, api) as life:
            life.tick()
            assert life.sprints() == [("REGULAR", "completed")]
            no_loss(life, api)


def test_a_damaged_database_asks_nothing_until_the_backup_is_back(tmp_path: Path) -> None:
    """Every page but the first is garbage: one clear line; with the backup back it works on."""
    with MessagesApi(reply=reply) as api:
        root = workspace(tmp_path, api)
        with life_over(root, api) as life:
            life.tick()
            life.services.db.backup(tmp_path / "copy.db")
        whole = (tmp_path / "copy.db").read_bytes()
        with life_over(root, api) as life:
            database_of(root).write_bytes(whole[:4096] + b"\xaa" * (len(whole) - 4096))
            asked = len(api.requests)
            life.ticks(3)
            assert len(api.requests) == asked
            assert "damaged" in life.services.probe.fault
            assert "put back the newest backup" in life.services.probe.fault
        database_of(root).write_bytes(whole)
        with life_over(root, api) as life:
            assert life.sprints() == [("REGULAR", "completed")]
            life.tick()
            assert life.sprints() == [("REGULAR", "completed")] * 2
