"""Today's money as a bar and as texts."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from daemon.governance.budget import BudgetDay
from daemon.web.shell import Tone
from daemon.web.wording import cents

MUCH_PERCENT = 80  # from here on the bar warns, as the pictures of past days do
_MICROS_PER_CENT = 10_000


@dataclass(frozen=True)
class Money:
    """Texts in USD to the cent, what is left rounded down; percents are of the cap, together at most 100
    (a cap of 0 that is used: 100).

    `raised` is the part of the cap that a person added today, empty where none was.
    """

    spent: str
    reserved: str
    remaining: str
    cap: str
    raised: str
    ends_at: datetime
    spent_percent: float
    reserved_percent: float

    @property
    def used_percent(self) -> int:
        """Spent and reserved; whole, and 100 only where the cap is used up."""
        return int(self.spent_percent + self.reserved_percent + 1e-9)

    @property
    def tone(self) -> Tone:
        """The colour of what is spent."""
        return "wait" if self.used_percent >= MUCH_PERCENT else "info"


def money_of(day: BudgetDay) -> Money:
    """A day's money for a page."""
    used = day.spent_micros + day.reserved_micros
    whole = max(day.cap_micros, used, 1)
    return Money(
        spent=cents(day.spent_micros),
        reserved=cents(day.reserved_micros),
        remaining=cents(day.remaining_micros // _MICROS_PER_CENT * _MICROS_PER_CENT),
        cap=cents(day.cap_micros),
        raised=cents(day.raised_micros) if day.raised_micros else "",
        ends_at=day.ends_at,
        spent_percent=day.spent_micros * 100 / whole,
        reserved_percent=day.reserved_micros * 100 / whole,
    )
