"""plan: what the next sprint would do, and what it could cost."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from daemon.bootstrap import build_services
from daemon.cli.group import Command
from daemon.cli.opening import check_focus, look_at
from daemon.cli.options import json_option
from daemon.cli.output import progress, say, say_json, width
from daemon.governance.budget import BudgetDay, usd_text
from daemon.reports.plain_text import counted, one_line, render_table, wrap
from daemon.reports.status import budget_as_json, render_money
from daemon.sprint.ahead import Ahead, AssignmentAhead, see_ahead
from daemon.sprint.context import SkippedUnit

_MOST_NAMED = 30  # skipped units of one reason; --json has all of them


@click.command(cls=Command)
@click.option("--focus", metavar="TEAM", help="The team that the sprint would be for.")
@json_option
@click.pass_obj
def plan(workspace: Path, focus: str | None, as_json: bool) -> None:  # noqa: FBT001
    """Show what the next sprint would do; spends and writes nothing.

    Which items, which agents, what each would read and why not the rest, and the most that one
    attempt can cost. Where a model plans, it may choose other eligible items of the team.

    \b
    Examples:
      sprintd plan
      sprintd plan --focus technical
      sprintd plan --json | jq '.assignments[].worst_case_micros'
    """
    with look_at(workspace) as look:
        services = build_services(
            look.root,
            environ=os.environ,
            say=progress,
            clock=look.clock,
            config=look.config,
            db=look.db,
        )
        try:
            check_focus(services.source.load(), focus)
            ahead, day = see_ahead(services.sprint_parts, focus=focus), look.budget.today()
        finally:
            services.metered.close()
    if as_json:
        say_json(ahead_as_json(ahead, day))
    else:
        say("\n".join(render_ahead(ahead, day, width())))


def ahead_as_json(ahead: Ahead, day: BudgetDay) -> dict[str, Any]:
    """The plan and today's money; per assignment why it would be refused, or null."""
    refusals = _refusals(ahead, day)
    facts = ahead.as_json()
    for one, refusal in zip(facts["assignments"], refusals, strict=True):
        one["refusal"] = refusal or None
    return {**facts, "budget": budget_as_json(day)}


def render_ahead(ahead: Ahead, day: BudgetDay, columns: int) -> Iterator[str]:
    """The plan as lines."""
    if ahead.refusal:
        yield from wrap(f"No sprint may run now: {one_line(ahead.refusal, 1_000)}", columns)
    if not ahead.assignments:
        yield _nothing(ahead)
        return
    items = "1 item is" if ahead.eligible == 1 else f"{ahead.eligible} items are"
    yield f"Focus {ahead.plan.focus}; {items} eligible"
    if ahead.model_plans:
        yield from wrap(
            "A model will plan this sprint and may choose others of the team's items; without it "
            "the sprint would be:",
            columns,
        )
    refusals = _refusals(ahead, day)
    for track, (one, refusal) in enumerate(zip(ahead.assignments, refusals, strict=True), 1):
        yield ""
        yield from _track(track, one, refusal, columns)
    yield ""
    yield from wrap(f"Money: {render_money(day)}", columns)


def _nothing(ahead: Ahead) -> str:
    if not ahead.eligible:
        return "Nothing to do: no item is eligible; `sprintd backlog` says what each waits for."
    items = "1 item is" if ahead.eligible == 1 else f"{ahead.eligible} items are"
    return f"Nothing to do for {ahead.plan.focus}: {items} eligible, none of them for this team."


def _track(track: int, one: AssignmentAhead, refusal: str, columns: int) -> Iterator[str]:
    assignment, context = one.assignment, one.context
    yield from wrap(f"Track {track}: {assignment.item} {one_line(one.title, 500)}", columns)
    yield f"  agent {assignment.agent}, model {one_line(one.model)}"
    yield from wrap(f"because: {one_line(assignment.reason, 1_000)}", columns, indent="  ")
    if one.worst_case_micros is not None:
        yield f"  one attempt costs at most {usd_text(one.worst_case_micros)} USD"
    if refusal:
        yield from wrap(f"would be refused: {refusal}", columns, indent="  ")
    yield f"  reads {context.tokens:,} of at most {context.ceiling_tokens:,} tokens:"
    loaded = [(u.id, f"{u.tokens:,}", _with_trust(u.reason, u.untrusted)) for u in context.loaded]
    yield _table(("unit", "tokens", "why"), loaded, columns, right=(1,))
    if context.skipped:
        yield f"  skips {counted(len(context.skipped), 'unit')}:"
        for reason, ids in _by_reason(context.skipped).items():
            more = [f"and {len(ids) - _MOST_NAMED} more"] if len(ids) > _MOST_NAMED else []
            named = ", ".join([*ids[:_MOST_NAMED], *more])
            yield from wrap(f"{reason}: {named}", columns, indent="    ")


def _by_reason(skipped: Sequence[SkippedUnit]) -> dict[str, list[str]]:
    """The same reason often holds for most of the map; it is said once."""
    found: dict[str, list[str]] = {}
    for unit in skipped:
        found.setdefault(one_line(unit.reason, 500), []).append(one_line(unit.id))
    return found


def _table(
    titles: tuple[str, ...], rows: list[Any], columns: int, *, right: tuple[int, ...] = ()
) -> str:
    if not rows:
        return "    (nothing)"
    table = render_table(titles, rows, width=columns - 4, right=right)
    return "\n".join(f"    {line}" for line in table.splitlines())


def _with_trust(reason: str, untrusted: bool) -> str:  # noqa: FBT001
    return f"{reason} (from outside, framed as data)" if untrusted else reason


def _refusals(ahead: Ahead, day: BudgetDay) -> list[str]:
    """Why each attempt would be refused (empty: it would not), in order, each after the other."""
    left = day.remaining_micros
    found: list[str] = []
    for one in ahead.assignments:
        worst = one.worst_case_micros
        if worst is None:
            found.append(f"no price: {one.no_price}")
        elif worst > left:
            found.append(f"the day's cap leaves {usd_text(left)} USD (budget.daily_cap_usd)")
        else:
            found.append("")
            left -= worst
    return found
