"""The page at /money: today under the cap, the last 30 days, who and what it went to, and midnight."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from flask import Flask, render_template, request, url_for

from daemon.governance.budget import SCOPE, BudgetDay
from daemon.llm.provider import OFFLINE_MODEL
from daemon.reports.money_ahead import MoneyAhead, money_ahead
from daemon.store import budget, call_totals
from daemon.store.api_calls import CostRow
from daemon.store.budget import DayRow
from daemon.store.call_totals import TotalKind
from daemon.store.cap_raises import RaiseRow, list_raises
from daemon.web.charts import Bar, bars
from daemon.web.money_bar import MUCH_PERCENT, Money, money_of
from daemon.web.watch import Watch
from daemon.web.wording import cents

DAYS_SHOWN = 30
MOST_ITEMS = 20
_LONGEST_NAME = 200
SPANS = (1, 7, 30)
_GROUPS: tuple[TotalKind, ...] = ("agent", "model", "item")


@dataclass(frozen=True)
class Share:
    """One agent, model or item. `name` is empty for calls without one; `percent` is of the dearest.

    `open` is what is set aside for calls under way, empty for nothing. Money is text in USD.
    """

    name: str
    calls: int
    cost: str
    open: str
    prompt_tokens: int
    output_tokens: int
    percent: float


@dataclass(frozen=True)
class DayMoney:
    """One UTC day in USD; a day on which nothing was asked for has no cap and is empty."""

    day: date
    spent: str
    cap: str


@dataclass(frozen=True)
class Ahead:
    """The forecast in USD; `stops_at` as HH:MM, empty where the cap holds until midnight."""

    hourly: str
    midnight: str
    percent: float
    stops_at: str


@dataclass(frozen=True)
class MoneyView:
    """`days` has the oldest first; `has_days`: on one of them money was asked for. `groups` are by kind,
    the dearest first; `span` is their days. `ahead` is None in the first hour of a day.

    `raises` are what people added to today's cap; `not_counted` is the part of it that the ledger has no
    yes to, empty for nothing.
    """

    today: Money
    day: date
    not_counted: str
    ahead: Ahead | None
    raises: tuple[tuple[RaiseRow, str], ...]
    days: tuple[DayMoney, ...]
    bars: tuple[Bar, ...]
    most: str
    spent_in_all: str
    has_days: bool
    span: int
    spans: tuple[tuple[int, str, bool], ...]
    groups: Mapping[str, tuple[Share, ...]]
    total: Share

    @property
    def is_offline(self) -> bool:
        """Whether the offline writer answered every call of the span, and nothing was spent."""
        models = {one.name for one in self.groups["model"]}
        return models == {OFFLINE_MODEL} and self.total.cost == cents(0)


def register(app: Flask, watch: Watch) -> None:
    """/money"""

    @app.get("/money")
    def money_page() -> str:
        return render_template("money.html", view=money_view(watch, request.args))


def money_view(watch: Watch, asked: Mapping[str, str]) -> MoneyView:
    """`asked` may have `days`: how many UTC days the groups are about. Raises StoreError."""
    services = watch.services
    db, day = services.db, services.budget.today()
    span = next((one for one in SPANS if str(one) == asked.get("days")), DAYS_SHOWN)
    since = day.day - timedelta(days=span - 1)
    rows = _days(watch, day)
    total = call_totals.total_of(db, since, day.day)
    raises = list_raises(db, SCOPE, day.day)
    not_counted = sum(row.micros for row in raises) - day.raised_micros
    return MoneyView(
        today=money_of(day),
        day=day.day,
        ahead=_ahead(day, money_ahead(day, services.clock.now())),
        raises=tuple((row, cents(row.micros)) for row in raises),
        not_counted=cents(not_counted) if not_counted > 0 else "",
        days=tuple(_day(one, row) for one, row in rows),
        bars=_bars(watch, rows),
        most=cents(max(max(_spent(row), _cap(row)) for _, row in rows)),
        spent_in_all=cents(sum(_spent(row) for _, row in rows)),
        has_days=any(row for _, row in rows),
        span=span,
        spans=tuple((one, url_for("money_page", days=one), one == span) for one in SPANS),
        groups={kind: _shares(watch, kind, since, day.day) for kind in _GROUPS},
        total=_share(total, total.cost_micros),
    )


def _days(watch: Watch, today: BudgetDay) -> list[tuple[date, DayRow | None]]:
    """The last `DAYS_SHOWN` days, today the last; None where nothing was asked for."""
    first = today.day - timedelta(days=DAYS_SHOWN - 1)
    known = {row.day: row for row in budget.list_days(watch.services.db, SCOPE, first)}
    days = [first + timedelta(days=number) for number in range(DAYS_SHOWN)]
    return [(day, known.get(day)) for day in days]


def _spent(row: DayRow | None) -> int:
    return row.spent_micros if row else 0


def _cap(row: DayRow | None) -> int:
    return row.cap_micros if row else 0


def _day(day: date, row: DayRow | None) -> DayMoney:
    return DayMoney(day, cents(_spent(row)), cents(_cap(row)) if row else "")


def _bars(watch: Watch, rows: Sequence[tuple[date, DayRow | None]]) -> tuple[Bar, ...]:
    say = watch.services.phrases.text
    last_cap, caps = 0, []
    for _, row in rows:  # a day without calls had a cap too; the one before it is the best guess
        last_cap = _cap(row) or last_cap
        caps.append(float(last_cap))
    return bars(
        [float(_spent(row)) for _, row in rows],
        caps,
        [
            "wait" if row and _spent(row) * 100 >= _cap(row) * MUCH_PERCENT else "info"
            for _, row in rows
        ],
        [say("money.bar", day=day, spent=cents(_spent(row))) for day, row in rows],
    )


def _ahead(day: BudgetDay, found: MoneyAhead | None) -> Ahead | None:
    if found is None:
        return None
    cap = max(1, day.cap_micros)
    return Ahead(
        hourly=cents(found.hourly_micros),
        midnight=cents(found.midnight_micros),
        percent=min(100.0, found.midnight_micros * 100 / cap),
        stops_at=f"{found.stops_at:%H:%M}" if found.stops_at else "",
    )


def _shares(watch: Watch, kind: TotalKind, since: date, until: date) -> tuple[Share, ...]:
    limit = MOST_ITEMS if kind == "item" else -1
    rows = call_totals.totals_by(watch.services.db, kind, since, until, limit=limit)
    most = max((row.cost_micros for row in rows), default=0)
    return tuple(_share(row, most) for row in rows)


def _share(row: CostRow, most: int) -> Share:
    return Share(
        name=(row.name or "")[:_LONGEST_NAME],
        calls=row.calls,
        cost=cents(row.cost_micros),
        open=cents(row.open_micros) if row.open_micros else "",
        prompt_tokens=row.prompt_tokens,
        output_tokens=row.output_tokens,
        percent=row.cost_micros * 100 / most if most else 0.0,
    )
