"""A budget over a real database, and calls of known cost."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal

from daemon.clock import ManualClock
from daemon.config.sections import BudgetSection
from daemon.governance.budget import Budget, Caller, Reservation
from daemon.llm.prices import load_prices
from daemon.llm.provider import Usage
from daemon.store.database import Database
from tests.standins.paid_provider import MODEL, reply

NOON = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


@dataclass
class Purse:
    """Makes calls without a provider: reserve, then settle, or leave under way."""

    db: Database
    clock: ManualClock

    @property
    def budget(self) -> Budget:
        section = BudgetSection(daily_cap_usd=Decimal(20))
        return Budget(self.db, load_prices(None), section, self.clock)

    def hold(self, key: str, *, item: str | None = None, agent: str = "analyst") -> Reservation:
        """Set aside the worst case of 1,000 tokens each way: 0.006 USD or a little more."""
        held = self.budget.reserve(
            key,
            provider="paid",
            model=MODEL,
            input_tokens=1_000,
            output_tokens=1_000,
            caller=Caller("attempt" if item else "plan", sprint_id=1, item=item, agent=agent),
        )
        assert isinstance(held, Reservation)
        return held

    def pay(self, key: str, *, item: str | None = None, agent: str = "analyst") -> int:
        """One call of 1,000 plain input and 999 output tokens; what it cost in micro-dollars."""
        held = self.hold(key, item=item, agent=agent)
        return self.budget.settle(held, reply(usage=Usage(1_000, 999)))
