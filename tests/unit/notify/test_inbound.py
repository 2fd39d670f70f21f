"""The door for presses: which way is open, who may, and what is known of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from daemon.bootstrap import Services, build_services, find_secrets
from daemon.clock import ManualClock
from daemon.notify.inbound import Strangers, WayState
from daemon.notify.slack_events import Sent
from daemon.store import inbox
from tests.workspaces import NOON, copy_sample

SOCKET = '[slack]\nchannel = "C0123456789"\ndeciders = ["U0FOUNDER"]\n'
HTTP = f'{SOCKET}mode = "http"\n'
BOT, APP = {"SLACK_BOT_TOKEN": "xoxb-1"}, {"SLACK_APP_TOKEN": "xapp-1"}
SIGNING = {"SLACK_SIGNING_SECRET": "s1gn1ng"}


@contextmanager
def services(
    folder: Path, config: str, environ: Mapping[str, str], clock: ManualClock | None = None
) -> Iterator[Services]:
    root = copy_sample(folder / "venture", config)
    built = build_services(
        root, environ=environ, say=lambda line: None, clock=clock or ManualClock(NOON)
    )
    try:
        yield built
    finally:
        built.close()


def test_a_way_is_open_only_with_its_own_secret(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Where people may decide but nothing can come in, the log says what is missing."""
    cases = [
        (SOCKET, BOT | APP, "socket", ""),
        (HTTP, BOT | SIGNING, "http", ""),
        (SOCKET, BOT | SIGNING, "", "slack_app_token"),
        (HTTP, BOT | APP, "", "slack_signing_secret"),
        (SOCKET, APP, "", "slack_bot_token"),
        ("", APP | SIGNING, "", ""),
    ]
    for number, (config, environ, way, said) in enumerate(cases):
        caplog.clear()
        with services(tmp_path / str(number), config, environ) as built:
            assert built.inbound.way == way
            assert ("inbox" in built.heartbeats) == bool(way)
            told = [one for one in caplog.messages if "nothing comes in" in one]
        assert said in "".join(told) if said else told == []


def test_an_edit_of_who_may_decide_is_in_force_at_once(tmp_path: Path) -> None:
    """Without a restart or a sprint; a faulty edit leaves the list as it was."""
    with services(tmp_path, SOCKET, BOT | APP) as built:
        assert built.inbound.may_decide("U0FOUNDER")
        assert not built.inbound.may_decide("")
        (built.root / "config.toml").write_text(SOCKET.replace("U0FOUNDER", "U0PARTNER"))
        assert not built.inbound.may_decide("U0FOUNDER")
        assert built.inbound.may_decide("U0PARTNER")
        (built.root / "config.toml").write_text(SOCKET.replace("U0FOUNDER", "ana"))
        assert built.inbound.may_decide("U0PARTNER")


def test_the_secrets_are_known_to_whoever_keeps_them_out_of_logs(tmp_path: Path) -> None:
    """Both of the way in, whichever is used."""
    found = find_secrets(tmp_path, BOT | APP | SIGNING)
    assert {"xoxb-1", "xapp-1", "s1gn1ng"} <= set(found)


def test_how_the_way_is_doing_is_told_since_when(tmp_path: Path) -> None:
    """The first failure's moment stays; what is news is said once."""
    clock = ManualClock(NOON)
    with services(tmp_path, SOCKET, BOT | APP, clock) as built:
        inbound = built.inbound
        assert inbound.state == WayState(connected=False, since=None, problem="")
        assert inbound.is_down("gone")
        clock.advance(timedelta(minutes=1))
        assert not inbound.is_down("gone")
        assert inbound.is_down("refused")
        assert inbound.state == WayState(connected=False, since=NOON, problem="refused")
        inbound.is_up()
        clock.advance(timedelta(minutes=1))
        inbound.is_up()
        at = NOON + timedelta(minutes=1)
        assert inbound.state == WayState(connected=True, since=at, problem="")


def test_strangers_are_counted_until_somebody_asks(tmp_path: Path) -> None:
    """And in all, for /health."""
    with services(tmp_path, HTTP, BOT | SIGNING) as built:
        for why in ("a", "b"):
            built.inbound.turn_away(why)
        assert built.inbound.take_strangers() == Strangers(2, "b")
        assert built.inbound.take_strangers() == Strangers(0, "")
        assert built.inbound.refused == 2


def test_only_what_arrived_is_genuine(tmp_path: Path) -> None:
    """A row that somebody wrote into the database, or whose person was exchanged, is not; nor is one
    that was kept under a secret which is not in force any more."""
    press = Sent("press", "k1", "U0STRANGER", "approval.approve", "A1:half \ud800", "\0")
    with services(tmp_path / "a", HTTP, BOT | SIGNING) as built:
        built.inbound.receive("slack.http", [press])
        (row,) = inbox.list_open(built.db)
        assert built.inbound.is_genuine(row)
        changed = {**row.payload, "user": "U0FOUNDER"}
        unsealed = {name: value for name, value in changed.items() if name != "seal"}
        for forged in (
            replace(row, payload=changed),
            replace(row, payload=unsealed),
            replace(row, payload={**unsealed, "seal": ["x"]}),
            replace(row, payload={}),
            replace(row, key="k2"),
        ):
            assert not built.inbound.is_genuine(forged)
    for number, environ in enumerate((BOT | {"SLACK_SIGNING_SECRET": "another"}, BOT)):
        with services(tmp_path / str(number), HTTP, environ) as built:
            assert not built.inbound.is_genuine(row)
