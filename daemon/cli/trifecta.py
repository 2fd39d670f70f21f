"""trifecta: which of the three dangerous powers each agent holds, and by which way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from daemon.cli.group import Command
from daemon.cli.opening import did_you_mean, find_root, start_logging
from daemon.cli.options import json_option
from daemon.cli.output import say, say_json, width
from daemon.config.toml_file import load_config
from daemon.errors import Fault, NotFound
from daemon.governance.flow import Flow, Node
from daemon.governance.trifecta import (
    POWERS,
    AgentPowers,
    Stop,
    derive_powers,
    render_stop,
    trifecta_faults,
)
from daemon.reports.plain_text import counted, render_table, wrap
from daemon.sprint.flow_files import Lines, read_flow
from daemon.sprint.reading import load_manifest
from daemon.workspace.loader import load_workspace

_TITLES = ("agent", "private data", "from outside", "way out", "missing leg")


@click.command(cls=Command)
@click.option("--why", metavar="AGENT", help="Show by which way this agent holds each power.")
@json_option
@click.pass_obj
def trifecta(workspace: Path, why: str | None, as_json: bool) -> None:  # noqa: FBT001
    """Show which of the three dangerous powers each agent holds.

    Private data, text from outside, and a way out of the workspace, derived over the whole flow of
    agents, memory and channels. Exits 1 where an agent holds all three: then no sprint runs.

    \b
    Examples:
      sprintd trifecta
      sprintd trifecta --why market-researcher
      sprintd trifecta --json | jq '.agents[] | {agent, missing}'
    """
    look = _look(find_root(workspace))
    chosen = [one for one in look.powers if why in (None, one.agent)]
    if not chosen:
        near = did_you_mean(why or "", [one.agent for one in look.powers])
        raise NotFound(f"there is no agent {why!r}{near}")
    if as_json:
        say_json(_as_json(look, chosen))
    elif why:
        say("\n".join(_why(chosen[0], look.lines)))
    else:
        say("\n".join(_table(look)))
    click.get_current_context().exit(1 if look.faults else 0)


@dataclass(frozen=True)
class _Look:
    """What was derived, and where its lines are."""

    flow: Flow
    powers: tuple[AgentPowers, ...]
    faults: tuple[Fault, ...]
    lines: Lines


def _look(root: Path) -> _Look:
    start_logging(root, level="WARNING")
    flow = read_flow(root, load_config(root), load_workspace(root), load_manifest(root))
    powers, lines = derive_powers(flow), Lines(root)
    return _Look(flow, powers, trifecta_faults(powers, lines.of), lines)


def _table(look: _Look) -> Iterator[str]:
    rows = []
    for one in look.powers:
        held = ["yes" if power in one.ways else "no" for power in POWERS]
        lacks = [word for word, answer in zip(_TITLES[1:], held, strict=False) if answer == "no"]
        rows.append((one.agent, *held, ", ".join(lacks) or "none: refused"))
    yield render_table(_TITLES, rows, width=width())
    yield ""
    for channel in _channels(look.flow):
        way_out = f"is a way out: {channel.way_out}"
        kind = way_out if channel.way_out else f"is no way out ({channel.note})"
        yield from wrap(f"{channel.id} {kind}", width())
    yield ""
    if look.faults:
        yield from _refused([one for one in look.powers if not one.missing], look.lines)
    else:
        yield "No agent holds all three; sprintd trifecta --why AGENT shows the ways."


def _refused(holders: list[AgentPowers], lines: Lines) -> Iterator[str]:
    """What ten agents share, as a channel that was opened, is said once; --json has every way."""
    yield f"{counted(len(holders), 'agent')} with all three, so run and sprint refuse to start."
    ends = Counter(render_stop(one.ways[POWERS[2]][-1], lines.of) for one in holders)
    for end, number in ends.items():
        yield from wrap(f"the way out of {number}: {end}", width(), indent="  ")
    cure = "Close the way out, or narrow `reads` or an audience; the ways of one: sprintd trifecta --why"
    yield from wrap(f"{cure} {holders[0].agent}", width())


def _why(one: AgentPowers, lines: Lines) -> Iterator[str]:
    for power in POWERS:
        if power not in one.ways:
            yield f"{power}: no; there is no way"
            continue
        yield f"{power}: yes"
        for at, stop in enumerate(one.ways[power]):
            yield from wrap(
                ("-> " if at else "") + render_stop(stop, lines.of), width(), indent="  "
            )
    yield f"missing leg: {', '.join(one.missing) or 'none: the workspace is refused'}"


def _as_json(look: _Look, chosen: list[AgentPowers]) -> dict[str, Any]:
    return {
        "ok": not look.faults,
        "agents": [
            {
                "agent": one.agent,
                "powers": {power: power in one.ways for power in POWERS},
                "missing": list(one.missing),
                "ways": {
                    power: [_stop_as_json(stop, look.lines) for stop in way]
                    for power, way in one.ways.items()
                },
            }
            for one in chosen
        ],
        "channels": [
            {"name": node.id, "way_out": bool(node.way_out), "why": node.way_out or node.note}
            for node in _channels(look.flow)
        ],
        "faults": [vars(fault) for fault in look.faults],
    }


def _stop_as_json(stop: Stop, lines: Lines) -> dict[str, Any]:
    """`line` is 0 where the place is a whole file, or none."""
    node, place = stop.node, stop.place
    line = lines.of(place) if place.file else 0
    note = node.way_out or node.note
    return {"kind": node.kind, "id": node.id, "note": note, "file": place.file, "line": line}


def _channels(flow: Flow) -> list[Node]:
    return [node for node in flow.nodes.values() if node.kind == "channel"]
