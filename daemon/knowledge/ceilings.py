"""The last three gates: how many units, for how much money, in how many tokens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import ROUND_HALF_UP, Decimal

from daemon.knowledge.plan import PlannedUnit, PlanOptions, Skip, tokens_of

_EXACT = Decimal("0.000001")  # what amounts in sentences are rounded to


def fill(ranked: Sequence[PlannedUnit], options: PlanOptions) -> Filling:
    filled = Filling(options)
    at_once = 0
    if options.money_budget is None and options.context_budget is None:
        at_once = max(0, options.max_units)
        filled.selected.extend(ranked[:at_once])
    for planned in ranked[at_once:]:
        filled.offer(planned)
    return filled


def fill_warnings(filled: Filling, options: PlanOptions) -> Iterator[str]:
    if filled.beyond:
        number = f"{len(filled.beyond)} relevant unit(s) beyond maxUnits={options.max_units}"
        yield f"{number} not selected"
    if options.context_budget is not None and filled.unmeasured:
        declared = f"{filled.unmeasured} selected unit(s) declare no size"
        yield f"{declared} — the context projection is a lower bound (unmeasured)"


class Filling:
    """The ceilings, filled in rank order; what does not fit is skipped and the walk goes on."""

    def __init__(self, options: PlanOptions) -> None:
        self.selected: list[PlannedUnit] = []
        self.skipped: list[Skip] = []
        self.beyond: list[Skip] = []
        self.unmeasured = 0
        self._options = options
        self._spent = options.money_budget.spent if options.money_budget else Decimal(0)
        self._tokens = 0

    def offer(self, planned: PlannedUnit) -> None:
        if len(self.selected) >= self._options.max_units:
            reason = f"{self._options.max_units} units are already selected"
            self.beyond.append(Skip(planned.id, "max_units", reason))
            return
        price = (planned.price or Decimal(0)) if planned.load_eligible else Decimal(0)
        over = self._over_money(planned, price)
        if over is None:
            # As in the reference: money is committed before the tokens are looked at, and is not
            # given back where the unit does not fit after all.
            self._spent += price
            over = self._over_context(planned)
        if over is not None:
            self.skipped.append(over)
            return
        self.selected.append(planned)
        if planned.load_eligible:
            self._tokens += tokens_of(planned.unit) or 0
            self.unmeasured += tokens_of(planned.unit) is None

    def _over_money(self, planned: PlannedUnit, price: Decimal) -> Skip | None:
        budget = self._options.money_budget
        if budget is None or price == 0:
            return None
        reason = f"costs {planned.cost}, budget is in {budget.currency}"
        if planned.currency == budget.currency:
            remaining = budget.amount - self._spent
            if price <= remaining:
                return None
            left = remaining.quantize(_EXACT, ROUND_HALF_UP)
            reason = f"{_number(price)} would exceed remaining {_number(left)}"
            reason += f" of {_number(budget.amount)} {budget.currency}"
        return Skip(planned.id, "money_budget", f"over budget: {reason}")

    def _over_context(self, planned: PlannedUnit) -> Skip | None:
        ceiling, tokens = self._options.context_budget, tokens_of(planned.unit)
        if ceiling is None or not planned.load_eligible:
            return None
        if tokens is None:
            reason = "size undeclared — excluded under strict (declare size_tokens or bytes)"
            return Skip(planned.id, "context_budget", reason) if self._options.strict else None
        if self._tokens + tokens <= ceiling:
            return None
        reason = (
            f"{tokens:,} tokens would exceed remaining {ceiling - self._tokens:,} of {ceiling:,}"
        )
        return Skip(planned.id, "context_budget", f"over context budget: {reason}")


def _number(value: Decimal) -> str:
    """Without trailing zeros and never as an exponent: 0.30 is 0.3."""
    return f"{value.normalize():f}"
