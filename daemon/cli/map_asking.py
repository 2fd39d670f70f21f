"""map why: what the map gives for a question, unit by unit."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import click

from daemon.cli.group import Command
from daemon.cli.opening import Look, did_you_mean, look_at
from daemon.cli.options import json_option
from daemon.cli.output import say, say_json, width
from daemon.clock import day_of
from daemon.errors import NotFound
from daemon.knowledge.action import EVERY_AGENT
from daemon.reports.plain_text import one_line, render_table, wrap
from daemon.sprint.map_answer import FINDING, MapAnswer, UnitAnswer, answer_from_map, anybody
from daemon.sprint.merged_texts import read_merged
from daemon.sprint.reading import load_manifest, read_findings
from daemon.workspace.definitions import Agent, Workspace
from daemon.workspace.loader import load_workspace

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_MOST_NAMED = 30  # skipped units of one gate and reason; --json has all of them


@click.command(cls=Command)
@click.argument("question")
@click.option("--agent", metavar="AGENT", help="Ask as this agent; else as nobody in particular.")
@click.option("--as-of", "day", metavar="DATE", help="Judge time windows as on that day.")
@click.option("--criterion", metavar="ID", default="", help="As an item on this kill criterion.")
@json_option
@click.pass_obj
def why(
    workspace: Path,
    question: str,
    agent: str | None,
    day: str | None,
    criterion: str,
    as_json: bool,  # noqa: FBT001
) -> None:
    """Show unit by unit what the map gives for a question, and why not the rest.

    As a sprint would decide it for an item with this question. Without --agent no `reads` keeps
    anything back, but units for agents by name stay out. Reads no text, asks no model and writes
    nothing.

    \b
    Examples:
      sprintd map why "What do rivals charge?" --agent market-researcher
      sprintd map why "What do rivals charge?" --agent market-researcher --as-of 2026-11-30
      sprintd map why "What do rivals charge?" --agent market-researcher --json > then.json
    """
    with look_at(workspace) as look:
        found = _answer(look, question, agent, _day(day) or day_of(look.clock.now()), criterion)
    if as_json:
        say_json(found.as_json())
    else:
        say("\n".join(_lines(found, width())))


def _answer(look: Look, question: str, agent: str | None, day: date, criterion: str) -> MapAnswer:
    files = load_workspace(look.root)
    names = [one.id for one in files.criteria]
    if criterion and criterion not in names:
        raise NotFound(f"there is no criterion {criterion!r}{did_you_mean(criterion, names)}")
    return answer_from_map(
        question=question,
        manifest=load_manifest(look.root),
        findings=(*read_merged(look.root), *read_findings(look.db, files.items)),
        agent=_agent(files, agent),
        as_of=day,
        config=look.config,
        root=look.root,
        criterion=criterion,
    )


def _agent(files: Workspace, name: str | None) -> Agent:
    known = {agent.id: agent for agent in files.agents}
    if name is None:
        return anybody()
    if name not in known:
        raise NotFound(f"there is no agent {name!r}{did_you_mean(name, list(known))}")
    return known[name]


def _day(text: str | None) -> date | None:
    """Raises BadParameter for what is no date."""
    try:
        if text and _DAY.fullmatch(text):
            return date.fromisoformat(text)
    except ValueError:
        pass
    if text is not None:
        raise click.BadParameter(
            f"{text!r} is no date; write it as 2026-11-30", param_hint="--as-of"
        )
    return None


def _lines(found: MapAnswer, columns: int) -> Iterator[str]:
    context = found.context
    loaded = [unit for unit in found.units if unit.loaded]
    yield f"As {found.agent} on {context.as_of}, map {context.manifest_sha256[:12]}:"
    yield f"loads {context.tokens:,} of at most {context.ceiling_tokens:,} tokens"
    if found.agent == EVERY_AGENT and any(unit.gate == "audience" for unit in found.units):
        hint = "Nobody was named, so units for agents by name are skipped; name one: --agent AGENT"
        yield from wrap(hint, columns)
    if loaded:
        rows = [
            (_name(unit), f"{unit.tokens:,}", _score(unit), ", ".join(unit.score_parts) or unit.reason)
            for unit in loaded
        ]  # fmt: skip
        yield render_table(("unit", "tokens", "score", "why"), rows, width=columns, right=(1, 2))
    for (gate, reason), units in _by_reason(found).items():
        yield ""
        yield from wrap(f"skipped by {gate}: {reason}", columns)
        more = [f"and {len(units) - _MOST_NAMED} more"] if len(units) > _MOST_NAMED else []
        named = [f"{_name(unit)}{_scored(unit)}" for unit in units[:_MOST_NAMED]]
        yield from wrap(", ".join([*named, *more]), columns, indent="  ")


def _by_reason(found: MapAnswer) -> dict[tuple[str, str], list[UnitAnswer]]:
    """The same reason often holds for most of the map; it is said once."""
    groups: dict[tuple[str, str], list[UnitAnswer]] = {}
    for unit in found.units:
        if not unit.loaded:
            groups.setdefault((unit.gate, one_line(unit.reason, 500)), []).append(unit)
    return groups


def _name(unit: UnitAnswer) -> str:
    return f"{one_line(unit.id)}{' (finding)' if unit.origin == FINDING else ''}"


def _score(unit: UnitAnswer) -> str:
    return "" if unit.score is None else str(unit.score)


def _scored(unit: UnitAnswer) -> str:
    return f" (score {unit.score}: {', '.join(unit.score_parts)})" if unit.score else ""
