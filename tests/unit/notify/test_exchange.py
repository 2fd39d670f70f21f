"""One exchange has one deadline in all, however slowly its answer drips."""

from __future__ import annotations

import threading

import pytest

from daemon.errors import SendUncertain
from daemon.notify.exchange import told_to_wait, within


def test_an_exchange_gives_what_it_returns_or_raises() -> None:
    assert within(5, lambda: "answer", "far") == "answer"
    with pytest.raises(KeyError):
        within(5, lambda: {}["x"], "far")


def test_after_the_deadline_it_is_in_doubt() -> None:
    """Its own end comes later and is not looked at."""
    gate = threading.Event()
    with pytest.raises(SendUncertain, match=r"far gave no whole answer within 0\.05 s"):
        within(0.05, gate.wait, "far")
    gate.set()


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "30"}, 30.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"Retry-After": "-3"}, 0.0),
        ({"Retry-After": "nan"}, None),
        ({"Retry-After": "Mon, 30 Nov 2026 09:00:00 GMT"}, None),
        ({}, None),
    ],
)
def test_the_wait_is_read_from_its_header(headers: dict[str, str], seconds: float | None) -> None:
    """Anything but a number: the growing waits decide."""
    assert told_to_wait(headers) == seconds
