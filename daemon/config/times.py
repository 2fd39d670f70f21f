"""Times of the timetable as people write them: "13:00" every day, "mon 14:00" once a week; UTC."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated

from pydantic import AfterValidator

WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_FORM = re.compile(r"(?:(\w+) )?([0-9]{2}):([0-9]{2})")  # \d has the digits of all scripts


@dataclass(frozen=True)
class TimeOfDay:
    """`weekday` is one of WEEKDAYS, or None for every day."""

    weekday: str | None
    hour: int
    minute: int


def parse_time(text: str) -> TimeOfDay:
    """Raises ValueError, with the cure, for anything that is no such time.

    A weekday is a name: as a number 0 is Monday to some programs and Sunday to others. There are
    no zones: only UTC has no hour that is missing or comes twice.
    """
    found = _FORM.fullmatch(text)
    if not found:
        raise ValueError(f"expects a time in UTC such as 13:00 or mon 14:00, found {text!r}")
    weekday, hour, minute = found[1], int(found[2]), int(found[3])
    if weekday is not None and weekday not in WEEKDAYS:
        raise ValueError(f"expects a weekday as {', '.join(WEEKDAYS)}, found {weekday!r}")
    if hour > 23 or minute > 59:
        raise ValueError(f"expects a time from 00:00 to 23:59, found {text!r}")
    return TimeOfDay(weekday, hour, minute)


def _daily(text: str) -> str:
    if parse_time(text).weekday is not None:
        raise ValueError(f"comes every day, so it has no weekday: 13:00, found {text!r}")
    return text


def _weekly(text: str) -> str:
    if parse_time(text).weekday is None:
        raise ValueError(f"comes once a week, so it needs a weekday: mon 14:00, found {text!r}")
    return text


DailyTime = Annotated[str, AfterValidator(_daily)]
WeeklyTime = Annotated[str, AfterValidator(_weekly)]
