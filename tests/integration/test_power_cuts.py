"""Twenty-five power cuts: nothing is lost, paid for twice or told twice."""

from __future__ import annotations

from benchmarks.crash import measure


def test_twenty_five_power_cuts_lose_nothing() -> None:
    """At random moments and after each step of a sprint, with the far sides hanging up as well."""
    account = measure(25, seed=7, forgets=False)
    assert account.sound, account
    assert account.kills == 25
    assert account.served
    assert account.delivered


def test_a_daemon_that_forgets_pays_or_tells_twice() -> None:
    """The control: without durable effects the same cuts do harm, so the test above can fail."""
    account = measure(16, seed=7, forgets=True)
    assert account.asked_again + account.posted_twice + account.items_lost + account.unreserved > 0
