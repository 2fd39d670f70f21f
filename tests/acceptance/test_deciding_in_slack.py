"""A founder decides from a telephone: the question leaves, is pressed, is carried out once, and the message
says who did it. Over real sockets, with Slack's own SDK, against stand-ins that hold its rules."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from daemon.bootstrap import Services, build_services
from daemon.clock import ManualClock
from daemon.governance.approvals import Question
from daemon.notify.slack_socket import SlackSocket
from daemon.scheduling.inbox import build_inbox
from daemon.scheduling.listening import Listening
from daemon.store import approvals, inbox, items
from tests.standins.slack_api import Posted, SlackApi
from tests.standins.slack_socket import APP_TOKEN, SlackLine, pressed
from tests.workspaces import NOON, copy_sample

QUESTION = Question("unblock", "Put T01 back", "its notes were mended", "ana", {"item": "T01"})
CONFIG = """[slack]
channel = "C0123456789"
base_url = "{url}"
deciders = ["U0FOUNDER", "U0PARTNER"]
"""


class Venture:
    """One workspace and the two stand-ins; lives follow each other on it."""

    def __init__(self, root: Path, api: SlackApi, line: SlackLine, clock: ManualClock) -> None:
        self.root, self.api, self.line, self.clock = root, api, line, clock

    @contextmanager
    def life(self, *, works: bool = True) -> Iterator[Services]:
        """The daemon's threads for what comes in; without `works` nothing is worked off."""
        environ = {"SLACK_BOT_TOKEN": self.api.token, "SLACK_APP_TOKEN": APP_TOKEN}
        services = build_services(
            self.root, environ=environ, say=lambda line: None, clock=self.clock
        )
        socket = SlackSocket(app_token=APP_TOKEN, base_url=self.line.base_url, read_seconds=5)
        listening = Listening(
            services.inbound, socket, self.clock, stop=services.stop, jitter=lambda: 0.0
        )
        work = build_inbox(services, lambda: None)
        lines = len(self.line.lines)
        listening.start()
        if works:
            work.start()
        try:
            assert self.line.wait_for_lines(lines + 1)
            yield services
        finally:
            services.stop.set()
            assert listening.join(5)
            assert work.join(5)
            services.close()

    def deliver(self, services: Services) -> None:
        services.outbox.deliver_due(self.clock.now())

    def press(self, envelope: str, user: str = "U0FOUNDER", *, no: bool = False) -> None:
        """Press the button of the question that stands in the channel."""
        action = "approval.reject" if no else "approval.approve"
        value = button(self.question, action)
        self.line.say(
            pressed(envelope, action=action, value=value, user=user, trigger=f"t.{envelope}")
        )

    @property
    def question(self) -> Posted:
        return next(post for post in self.api.posted if post.key.startswith("approval/A1/slack#"))

    def entries(self) -> list[tuple[str, str]]:
        lines = (self.root / "state/ledger/log.jsonl").read_text().splitlines()
        found = [json.loads(line) for line in lines]
        return [
            (one["verdict"]["effect"], one["actor"]) for one in found if one["type"] == "approval"
        ]


def button(post: Posted, action: str) -> str:
    """The value of a button as it stands in the message."""
    found: list[dict[str, Any]] = [
        element
        for block in post.body["blocks"]
        for element in block.get("elements", [])
        if str(element.get("action_id", "")).partition("#")[0] == action
    ]
    return str(found[0]["value"])


def until(found: Callable[[], bool]) -> bool:
    pause = threading.Event()
    return any(found() or pause.wait(0.02) for _ in range(500))


def is_worked_off(services: Services) -> Callable[[], bool]:
    return lambda: not inbox.list_open(services.db)


@pytest.fixture
def venture(tmp_path: Path) -> Iterator[Venture]:
    clock = ManualClock(NOON)
    with SlackApi(clock=clock) as api, SlackLine() as line:
        root = copy_sample(tmp_path / "venture", CONFIG.format(url=api.base_url))
        yield Venture(root, api, line, clock)


def ask(services: Services) -> None:
    items.count_rejection(services.db, "T01", "rejected", 1, services.clock.now())
    services.approvals.ask(QUESTION)


def state_of(services: Services) -> str:
    found = approvals.find_approval(services.db, "A1")
    assert found is not None
    return found.state


def test_a_question_is_asked_pressed_carried_out_and_its_message_edited(venture: Venture) -> None:
    """The buttons are gone afterwards, and the message says who decided."""
    with venture.life() as services:
        ask(services)
        venture.deliver(services)
        venture.press("E1")
        assert venture.line.wait_for_acks("E1")
        assert until(is_worked_off(services))
        assert state_of(services) == "done"
        assert items.find_item_state(services.db, "T01").state != "blocked"
        venture.deliver(services)
    shown = json.dumps(venture.question.body)
    assert "U0FOUNDER" in shown
    assert "action_id" not in shown
    assert venture.entries() == [("ASKED", "ana"), ("APPROVED", "slack:U0FOUNDER")]


def test_two_who_press_at_once_a_double_click_and_a_stranger_are_one_decision(
    venture: Venture,
) -> None:
    """Five presses before anything is worked off: the first one decides, each has its entry."""
    with venture.life(works=False) as services:
        ask(services)
        venture.deliver(services)
        venture.press("E0", "U0STRANGER")
        venture.press("E1", no=True)
        venture.press("E2", "U0PARTNER")
        venture.press("E3", no=True)
        venture.press("E1", no=True)  # the same envelope once more
        assert venture.line.wait_until(lambda: len(venture.line.acks) == 5)
        assert venture.entries() == [("ASKED", "ana")]
    with venture.life() as services:
        assert until(is_worked_off(services))
        assert state_of(services) == "rejected"
        assert items.find_item_state(services.db, "T01").state == "blocked"
    effects = venture.entries()
    assert sorted(effects) == sorted(
        [
            ("ASKED", "ana"), ("REFUSED", "slack:U0STRANGER"), ("REJECTED", "slack:U0FOUNDER"),
            ("REFUSED", "slack:U0PARTNER"), ("REFUSED", "slack:U0FOUNDER"),
        ]
    )  # fmt: skip


def test_a_press_kept_before_the_daemon_died_is_carried_out_by_the_next_life(
    venture: Venture,
) -> None:
    """It was acknowledged, so Slack does not send it again; and it has its effect once."""
    with venture.life(works=False) as services:
        ask(services)
        venture.deliver(services)
        venture.press("E1")
        assert venture.line.wait_for_acks("E1")
        assert state_of(services) == "pending"
    for _ in range(2):
        with venture.life() as services:
            assert until(is_worked_off(services))
            assert state_of(services) == "done"
    assert venture.entries() == [("ASKED", "ana"), ("APPROVED", "slack:U0FOUNDER")]


def test_a_click_after_the_time_is_over_is_a_no_and_says_so(venture: Venture) -> None:
    """In the thread, once, however often it is clicked."""
    with venture.life() as services:
        ask(services)
        venture.deliver(services)
        value = venture.question
        venture.clock.advance(timedelta(hours=25))
        for envelope in ("E1", "E2"):
            venture.line.say(
                pressed(envelope, value=button(value, "approval.approve"), trigger=envelope)
            )
        assert venture.line.wait_for_acks("E1", "E2")
        assert until(is_worked_off(services))
        assert state_of(services) == "expired"
        venture.deliver(services)
    late = [post for post in venture.api.posted if post.thread == venture.question.ts]
    assert len(late) == 1
    assert [effect for effect, _ in venture.entries()] == ["ASKED", "EXPIRED", "REFUSED", "REFUSED"]


def test_a_connection_that_drops_after_the_press_was_sent_loses_and_doubles_nothing(
    venture: Venture,
) -> None:
    """Slack sends it again over the next connection, under another envelope."""
    with venture.life() as services:
        ask(services)
        venture.deliver(services)
        value = button(venture.question, "approval.approve")
        venture.line.say(pressed("E1", value=value, trigger="one"))
        venture.line.lines[-1].drop()
        assert venture.line.wait_for_lines(2)
        venture.line.say(pressed("E2", value=value, trigger="one"))
        assert venture.line.wait_for_acks("E2")
        assert until(is_worked_off(services))
        assert state_of(services) == "done"
    assert venture.entries() == [("ASKED", "ana"), ("APPROVED", "slack:U0FOUNDER")]
