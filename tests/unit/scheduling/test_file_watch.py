"""Faults in files are told once for each set of them, and once when they are mended."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from daemon.bootstrap import Services, build_services
from daemon.clock import ManualClock
from daemon.scheduling.file_watch import FileWatch
from daemon.store import errors, events, incidents, outbox
from tests.workspaces import NOON, copy_sample, services_over


@contextmanager
def watching(root: Path) -> Iterator[tuple[Services, FileWatch, ManualClock]]:
    clock = ManualClock(NOON)
    with services_over(root, clock=clock) as services:
        yield services, FileWatch(services), clock


def kinds(services: Services) -> list[str]:
    return [event.kind for event in events.list_after(services.db, 0)]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return copy_sample(tmp_path / "venture")


def test_sound_files_are_no_news(root: Path) -> None:
    """Looked at a hundred times."""
    with watching(root) as (services, files, _):
        for _ in range(100):
            assert files.look() is not None
        assert files.faults == ()
        assert kinds(services) == []


def test_the_same_faults_are_told_once_also_over_restarts(root: Path) -> None:
    """And the last good workspace goes on within a life."""
    with watching(root) as (services, files, _):
        files.look()
        (root / "backlog.yaml").write_text("items: nothing\n")
        for _ in range(5):
            assert files.look() is not None
        assert kinds(services) == ["workspace_faults"]
    for _ in range(2):
        with watching(root) as (services, files, _):
            assert files.look() is None
            assert "backlog.yaml" in str(files.faults[0])
            assert kinds(services) == ["workspace_faults"]


def test_other_faults_are_told_too_and_mending_ends_them_all(root: Path) -> None:
    """One incident from the first fault to the last, and one "recovered"."""
    good = {name: (root / name).read_text() for name in ("backlog.yaml", "knowledge.yaml")}
    with watching(root) as (services, files, _):
        (root / "backlog.yaml").write_text("items: nothing\n")
        files.look()
        (root / "knowledge.yaml").write_text("units: [")
        files.look()
        assert kinds(services) == ["workspace_faults"] * 2
        (incident,) = incidents.list_open(services.db)
        assert (incident.cause, incident.count) == ("workspace_faults", 2)
        assert {row.place for row in errors.list_after(services.db, 0, 10)} == {"workspace"}
        for name, text in good.items():
            (root / name).write_text(text)
        files.look()
        assert kinds(services)[2:] == ["recovered"]


def test_one_message_tells_of_faults_and_of_their_end(root: Path) -> None:
    """Other faults answer in its thread, and "works again" stands in its place at last."""
    good = {name: (root / name).read_text() for name in ("backlog.yaml", "knowledge.yaml")}
    (root / "config.toml").write_text('[slack]\nchannel = "C0123456789"\n')
    environ = {"SLACK_BOT_TOKEN": "xoxb-1"}
    with closing(build_services(root, environ=environ, say=lambda _: None,
                                clock=ManualClock(NOON))) as services:  # fmt: skip
        files = FileWatch(services)
        for name, bad in (("backlog.yaml", "items: nothing\n"), ("knowledge.yaml", "units: [")):
            (root / name).write_text(bad)
            files.look()
        for name, text in good.items():
            (root / name).write_text(text)
        files.look()
        first, more, over = outbox.list_open(services.db)
        assert (first.payload.get("thread"), more.payload["thread"]) == (None, first.key)
        assert over.payload["edits"] == first.key


def test_faults_that_were_mended_while_it_was_down_are_over_at_the_start(root: Path) -> None:
    """The first look of a life closes what the last one left open."""
    good = (root / "backlog.yaml").read_text()
    (root / "backlog.yaml").write_text("items: nothing\n")
    with watching(root) as (_services, files, _):
        files.look()
    (root / "backlog.yaml").write_text(good)
    with watching(root) as (services, files, _):
        files.look()
        assert kinds(services) == ["workspace_faults", "recovered"]


def test_it_looks_between_jobs_every_ten_seconds(root: Path) -> None:
    """Not in each turn of the worker."""
    with watching(root) as (_services, files, clock):
        files.look_now_and_then()
        (root / "backlog.yaml").write_text("items: nothing\n")
        clock.advance(timedelta(seconds=9))
        files.look_now_and_then()
        assert files.faults == ()
        clock.advance(timedelta(seconds=1))
        files.look_now_and_then()
        assert files.faults
