"""What a day will have cost at midnight if it goes on as it did: a rule, not a promise. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from daemon.governance.budget import BudgetDay

LEAST_HOURS = 1.0
_SECONDS_AN_HOUR = 3_600
_HOURS_A_DAY = 24.0


@dataclass(frozen=True)
class MoneyAhead:
    """`hourly_micros` is what an hour of this day has cost on average. `midnight_micros` is what the
    day will have cost then, never above the cap; `stops_at` is when the cap would be reached, None
    where it would not be before midnight."""

    hourly_micros: int
    midnight_micros: int
    stops_at: datetime | None


def money_ahead(day: BudgetDay, now: datetime) -> MoneyAhead | None:
    """None in the first hour of a day, where it would say more about chance than about the day.

    1. An hour costs what was spent so far, divided by the hours since midnight (UTC).
    2. At midnight the day will have cost what is spent and reserved, and the hours left at that price.
    3. The cap ends it: beyond it nothing is spent, so it is also the most that is foretold.
    """
    left = (day.ends_at - now).total_seconds() / _SECONDS_AN_HOUR
    passed = _HOURS_A_DAY - left
    if passed < LEAST_HOURS:
        return None
    hourly = day.spent_micros / passed
    used = day.spent_micros + day.reserved_micros
    foretold = used + hourly * max(0.0, left)
    stops = None
    if foretold > day.cap_micros and hourly > 0:
        hours = max(0.0, (day.cap_micros - used) / hourly)
        stops = datetime.fromtimestamp(now.timestamp() + hours * _SECONDS_AN_HOUR, tz=now.tzinfo)
    return MoneyAhead(round(hourly), min(round(foretold), max(day.cap_micros, used)), stops)
