"""A day as an option: written one way, and every other way is refused with an example."""

from __future__ import annotations

from datetime import UTC, datetime

import click
import pytest

from daemon.cli.options import utc_day


def test_a_day_is_its_first_moment_in_utc() -> None:
    """Of leap years too."""
    for text, parts in (("2026-11-30", (2026, 11, 30)), ("2028-02-29", (2028, 2, 29))):
        assert utc_day(text) == datetime(*parts, tzinfo=UTC)


def test_what_is_no_day_is_refused_with_an_example() -> None:
    """Other orders, other digits, weeks, words, days that no year has, and the last day of all, whose
    next one cannot be reckoned."""
    odd = (
        "30.11.2026", "2026-1-1", "20261130", "2026-W49", "2026-W49-1", "2026-334", "yesterday", "",
        " 2026-11-30", "2026-11-30\n", "2026-11-30T00:00", "2026-11-30Z", "２０２６-11-30", "-1",
        "2026-02-30", "2027-02-29", "2026-13-01", "0000-01-01", "0001-01-01", "9999-12-31",
    )  # fmt: skip
    for text in odd:
        with pytest.raises(click.BadParameter, match=r"is no day; write .* such as 2026-11-30"):
            utc_day(text)
