"""A person decides: from the refused call to the next sprint, from every way in, once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from daemon.bootstrap import Services, build_services
from daemon.clock import ManualClock
from daemon.governance.approvals import Question
from daemon.governance.states import current_state
from daemon.scheduling.jobs import Jobs
from daemon.scheduling.run import Run
from daemon.store import outbox
from daemon.store.approvals import ApprovalRow
from tests.standins.priced_writer import PricedWriter, price_the_writer
from tests.unit.cli.small import as_json, sprintd
from tests.unit.web.watched import TOKEN, Watched
from tests.workspaces import NOON, copy_sample

CONFIG = """\
[budget]
daily_cap_usd = 0.006
[approvals]
raise_cap_usd = 0.003
"""
MIDNIGHT = datetime(2026, 12, 1, tzinfo=UTC)


class World:
    """A daemon's jobs over the sample, in one life after the other, with a model that costs."""

    def __init__(self, folder: Path) -> None:
        self.root = price_the_writer(copy_sample(folder / "venture", CONFIG))
        self.clock, self.provider = ManualClock(NOON), PricedWriter()
        self.begin()

    def begin(self) -> None:
        self.services: Services = build_services(
            self.root, environ={}, say=lambda _line: None, clock=self.clock, provider=self.provider
        )
        self.jobs = Jobs(
            self.services,
            post=lambda _text: None,
            next_sprint_at=lambda: self.clock.now() + timedelta(minutes=15),
        )

    def end(self) -> None:
        self.services.close()

    def spend_all(self) -> ApprovalRow:
        """Sprint until the cap stops it; the question that follows."""
        while self.state() != "paused_budget":
            self.jobs.sprint()
        (row,) = self.services.approvals.list_waiting()
        return row

    def state(self) -> str:
        found = current_state(self.services.db)
        return found.name if found else ""

    def run_job(self) -> str:
        return self.jobs.by_name()["approvals"].work(Run("approvals", self.clock.now()))

    def entries(self) -> list[dict[str, Any]]:
        log = self.root / "state/ledger/log.jsonl"
        return [json.loads(line) for line in log.read_text().splitlines()]

    def effects(self) -> list[str]:
        return [one["verdict"]["effect"] for one in self.entries() if one["type"] == "approval"]


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path)
    yield made
    made.end()


def test_a_person_raises_the_cap_and_the_daemon_goes_on_today(world: World) -> None:
    """Paused, asked once, approved: the next tick works, up to the new cap and no further."""
    row = world.spend_all()
    assert (row.kind, row.expires_at) == ("raise_cap", MIDNIGHT)
    assert "daily cap of 0.006 USD" in row.why
    calls = world.provider.calls
    world.jobs.sprint()
    assert world.provider.calls == calls
    given = {"by": "U1", "through": "slack", "digest": row.payload_sha256[:16]}
    decision = world.services.approvals.decide(row.id, approve=True, **given)  # type: ignore[arg-type]
    assert decision.outcome == "approved"
    assert world.state() == "idle"
    while world.state() != "paused_budget":
        world.jobs.sprint()
    assert world.provider.calls > calls
    day = world.services.budget.today()
    assert (day.cap_micros, day.raised_micros) == (9_000, 3_000)
    assert day.spent_micros + day.reserved_micros <= 9_000
    assert world.services.approvals.list_waiting() == []  # not asked a second time that day
    world.clock.advance(timedelta(hours=12))
    assert world.services.budget.today().cap_micros == 6_000


def test_nobody_answers_and_the_job_says_no(world: World) -> None:
    """Reminded once at half time, expired at the end of the day; the next day works by itself."""
    world.spend_all()
    assert world.run_job() == (
        "1 waits for an answer, 0 expired, 0 were reminded of, 0 carried out"
    )
    world.clock.advance(timedelta(hours=6))
    assert "1 was reminded of" in world.run_job()
    assert "0 were reminded of" in world.run_job()
    world.clock.advance(timedelta(hours=6))
    assert "0 wait for an answer, 1 expired" in world.run_job()
    assert world.run_job() == "no approval is pending"
    assert world.effects() == ["ASKED", "EXPIRED"]
    calls = world.provider.calls
    world.jobs.sprint()
    assert world.provider.calls > calls


def test_what_was_approved_before_a_crash_is_carried_out_by_the_next_life(world: World) -> None:
    """The map has a fault when the answer comes, and the process ends; the next tick does it."""
    row = world.spend_all()
    file = world.root / "knowledge.yaml"
    sound = file.read_text()
    world.end()
    file.write_text(sound.replace("capabilities: [publish, post", "capabilities: [1, {", 1))
    world.begin()
    given = {"by": "ana", "through": "cli", "digest": row.payload_sha256}
    decision = world.services.approvals.decide(row.id, approve=True, **given)  # type: ignore[arg-type]
    assert decision.row is not None
    assert decision.row.state == "approved"
    world.end()
    file.write_text(sound)
    world.begin()
    calls = world.provider.calls
    world.jobs.sprint()
    after = world.services.approvals.find(row.id)
    assert after is not None
    assert after.state == "done"
    assert world.provider.calls > calls
    assert world.services.budget.today().raised_micros == 3_000
    assert world.effects().count("APPROVED") == 1


def test_page_and_command_decide_the_same_question_once(world: World) -> None:
    """Asked at the command line, approved on the page, pressed again in both."""
    watched = Watched(world.services, world.clock)
    config = world.root / "config.toml"
    before = config.read_text(encoding="utf-8")
    config.write_text(f'{before}\n[slack]\nchannel = "C0999"\n', encoding="utf-8")
    asked = as_json(
        world.root, "approvals", "ask", "post", "--channel", "slack", "--to", "C0123",
        "--text", "The register is public since 2019.", "--why", "the board asked",
    )  # fmt: skip
    config.write_text(before, encoding="utf-8")
    form = {"token": TOKEN, "digest": asked["payload_sha256"], "answer": "approve"}
    path = f"/approvals/{asked['id']}"
    assert "The register is public" in watched.client.get(path).text
    answers = [watched.client.post(path, data=form).status_code for _ in range(2)]
    assert answers == [303, 409]
    late = sprintd(world.root, "reject", asked["id"], "--yes")
    assert (late.returncode, "is approved, its message is on its way" in late.stdout) == (9, True)
    (sent,) = outbox.list_open(world.services.db)
    assert sent.payload["to"] == "C0123"
    assert sent.payload["approval"] == asked["id"]
    assert world.effects() == ["ASKED", "APPROVED", "REFUSED", "REFUSED"]
    world.end()
    assert as_json(world.root, "ledger", "verify")["ok"] is True
    world.begin()


def test_a_question_survives_lives_and_is_shown_everywhere(world: World) -> None:
    """In `approvals`, on the front page, in /health and in `status`, with the same count."""
    world.services.approvals.ask(Question("unblock", "Put T01 back", "", "ana", {"item": "T01"}))
    world.end()
    world.begin()
    watched = Watched(world.services, world.clock)
    assert watched.client.get("/health").get_json()["approvals"] == {"waiting": 1}
    assert "/approvals" in watched.client.get("/").text
    assert as_json(world.root, "status")["approvals"] == {"waiting": 1}
    assert "wait for a person: 1 (sprintd approvals)" in sprintd(world.root, "status").stdout
    assert [one["id"] for one in as_json(world.root, "approvals")["approvals"]] == ["A1"]
