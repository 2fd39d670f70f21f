"""Commands that look on, also while the daemon runs: status, backlog, show, costs."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import get_args

import click

from daemon.bootstrap import database_of, state_dir_of
from daemon.cli.group import Command
from daemon.cli.opening import Look, collect, did_you_mean, find_entry, look_despite_faults
from daemon.cli.options import json_option
from daemon.cli.output import say, say_json, width
from daemon.config.phrases import Phrases
from daemon.errors import Fault, NotFound, SprintdError
from daemon.llm.choosing import build_provider
from daemon.reports.backlog import entry_as_json, render_backlog
from daemon.reports.costs import render_costs, take_costs
from daemon.reports.history import render_history, take_history
from daemon.reports.mute import Mute, find_mute
from daemon.reports.serving import Serving, find_serving, provider_line
from daemon.reports.status import Status, render_status, take_status
from daemon.sprint.reading import load_manifest, load_quality_rules
from daemon.store.api_calls import Grouping
from daemon.store.owner_lock import OwnerLock
from daemon.workspace.board import Standing
from daemon.workspace.definitions import Workspace
from daemon.workspace.loader import load_workspace


@click.command(cls=Command)
@json_option
@click.pass_obj
def status(workspace: Path, as_json: bool) -> None:  # noqa: FBT001
    """Show how it stands: state, money, backlog, faults.

    Works with and without a running daemon, and changes nothing. Exits 0 also where the daemon is
    halted or files have faults; `check` is the command that fails on faults.

    \b
    Examples:
      sprintd status
      sprintd status --json | jq .budget.remaining_usd
    """
    with look_despite_faults(workspace) as look:
        workspace_now, faults = read_files(look.root)
        counts = look.board().counts() if workspace_now else {}
        holder = OwnerLock(state_dir_of(look.root)).holder()
        serving = find_serving(look.db, (holder or {}).get("pid"))
        found = take_status(
            look.db,
            look.budget,
            provider=provider_of(look),
            backlog={str(standing): number for standing, number in counts.items()},
            faults=(*look.faults, *faults),
            serving=serving,
            mute=mute_now(look, serving),
            at=look.clock.now(),
        )
        found = as_it_was(look, found)
        if as_json:
            facts = found.as_json(runs=holder is not None)
            say_json({**facts, "workspace": str(look.root), "process": holder})
        else:
            say(f"Workspace: {look.root}\n{render_status(found, holder, width())}")


@click.command(cls=Command)
@click.option(
    "--standing", type=click.Choice(get_args(Standing)), help="Only the items that stand there."
)
@click.option("--criterion", metavar="ID", help="Only the items of one kill criterion.")
@json_option
@click.pass_obj
def backlog(workspace: Path, standing: str | None, criterion: str | None, as_json: bool) -> None:  # noqa: FBT001
    """List the backlog with where each item stands and why.

    \b
    Examples:
      sprintd backlog
      sprintd backlog --standing blocked
      sprintd backlog --criterion KC1 --json
    """
    with look_despite_faults(workspace) as look:
        entries = look.board().entries
        _check_criterion(criterion, sorted({entry.item.criterion for entry in entries}))
        chosen = [
            entry
            for entry in entries
            if standing in (None, entry.standing) and criterion in (None, entry.item.criterion)
        ]
        if as_json:
            say_json({"items": [entry_as_json(entry) for entry in chosen]})
        else:
            say(render_backlog(chosen, width()))


@click.command(cls=Command)
@click.argument("item")
@json_option
@click.pass_obj
def show(workspace: Path, item: str, as_json: bool) -> None:  # noqa: FBT001
    """Show one item: attempts, verdicts, what their claims rest on, costs.

    \b
    Examples:
      sprintd show T07
      sprintd show T07 --json | jq '.attempts[].defects[].message'
    """
    with look_despite_faults(workspace) as look:
        history = take_history(look.db, find_entry(look.board(), item), look.root)
        if as_json:
            say_json(history.as_json())
        else:
            say(render_history(history, width(), Phrases(look.config.daemon.language)))


@click.command(cls=Command)
@click.option(
    "--by",
    "grouping",
    type=click.Choice(get_args(Grouping)),
    default="day",
    show_default=True,
    help="What a line of the table stands for.",
)
@click.option(
    "--days",
    type=click.IntRange(1, 3660),
    default=30,
    show_default=True,
    help="How many UTC days back, today included.",
)
@json_option
@click.pass_obj
def costs(workspace: Path, grouping: Grouping, days: int, as_json: bool) -> None:  # noqa: FBT001
    """Show what was spent, by day, agent, model or item.

    A call whose outcome is unknown counts at its worst case. "Under way" is money set aside for
    calls that have not ended.

    \b
    Examples:
      sprintd costs
      sprintd costs --by model --days 7
      sprintd costs --by item --json | jq .total.cost_usd
    """
    with look_despite_faults(workspace) as look:
        found = take_costs(look.db, look.budget.today(), grouping=grouping, days=days)
        if as_json:
            say_json(found.as_json())
        else:
            say(render_costs(found, width()))


def read_files(root: Path) -> tuple[Workspace | None, tuple[Fault, ...]]:
    """What people wrote, None where it has faults; with the faults of the map and of quality.toml too."""
    faults: list[Fault] = []
    workspace = collect(faults, lambda: load_workspace(root))
    collect(faults, lambda: load_manifest(root))
    collect(faults, lambda: load_quality_rules(root))
    return workspace, tuple(faults)


def as_it_was(look: Look, status: Status) -> Status:
    """Without the size of a database that was made only for this look."""
    return status if database_of(look.root).exists() else replace(status, database_bytes=0)


def mute_now(look: Look, serving: Serving | None) -> tuple[Mute, ...]:
    """As far as the daemon that runs told which channels have a way out: what this shell sees of
    secrets is another matter, and the doctor's. Nothing is told while config.toml has faults."""
    if serving is None or serving.channels is None or look.faults:
        return ()
    return find_mute(look.db, look.config, serving.channels)


def provider_of(look: Look) -> str:
    """What would answer, or why nothing can: a status must not fail for a missing key."""
    if look.faults:
        return "no provider: config.toml or prices.toml has faults"
    section = look.config.provider.model_copy(update={"record": False})  # which makes a folder
    try:
        provider = build_provider(look.root, section, os.environ, look.clock)
    except SprintdError as error:
        return f"no provider: {error}"
    return provider_line(provider.name, provider.describe(), Phrases("en"))


def _check_criterion(criterion: str | None, known: list[str]) -> None:
    if criterion is not None and criterion not in known:
        near = did_you_mean(criterion, known)
        raise NotFound(
            f"no item has the criterion {criterion!r}{near}; there are: {', '.join(known)}"
        )
