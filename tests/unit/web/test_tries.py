"""Guessing the token is slow."""

from __future__ import annotations

import threading

from daemon.web.tries import FREE_TRIES, LONGEST_WAIT_SECONDS, Tries


def after(wrong: int) -> Tries:
    tries = Tries()
    for _ in range(wrong):
        tries.wrong("a", 0.0)
    return tries


def test_each_wrong_token_makes_the_wait_longer() -> None:
    """None for a slip of the finger, then twice as long each time, but never for ever."""
    waits = [after(wrong).wait_seconds("a", 0.0) for wrong in range(FREE_TRIES + 8)]
    assert waits[:FREE_TRIES] == [0] * FREE_TRIES
    assert waits[FREE_TRIES : FREE_TRIES + 4] == [1, 2, 4, 8]
    assert waits[-1] == after(10_000).wait_seconds("a", 0.0) == LONGEST_WAIT_SECONDS


def test_waiting_is_enough_and_a_right_one_forgets_the_wrong_ones() -> None:
    tries = after(FREE_TRIES + 2)
    assert tries.wait_seconds("a", 3.9) == 1
    assert tries.wait_seconds("a", 4.0) == 0
    tries.right("a")
    tries.wrong("a", 4.0)
    assert tries.wait_seconds("a", 4.0) == 0


def test_one_address_does_not_lock_another_out() -> None:
    """And after an hour its own wrong ones are forgotten."""
    tries = after(FREE_TRIES + 5)
    assert tries.wait_seconds("b", 0.0) == 0
    tries.wrong("a", 3_601.0)
    assert tries.wait_seconds("a", 3_601.0) == 0


def test_no_number_of_addresses_fills_the_memory() -> None:
    """The newest are kept, also where threads come at once."""
    tries = Tries()

    def flood(name: str) -> None:
        for number in range(3_000):
            tries.wrong(f"{name}{number}", 0.0)

    threads = [threading.Thread(target=flood, args=(name,)) for name in "xyz"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(tries._counts) == 1_000
