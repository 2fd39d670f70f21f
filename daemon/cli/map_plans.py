"""map replay and map diff: what is done with saved plans."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from daemon.cli.group import Command
from daemon.cli.opening import find_root
from daemon.cli.options import json_option
from daemon.cli.output import say, say_json, width
from daemon.config.text_file import read_bytes, read_text
from daemon.errors import SprintdError
from daemon.knowledge import replay as replaying
from daemon.knowledge.manifest import parse_manifest
from daemon.knowledge.plan_diff import Change, Decision, compare, decisions_in
from daemon.reports.plain_text import one_line, wrap
from daemon.sprint.reading import MAP_FILE

_SAVED = click.Path(path_type=Path, dir_okay=False)
_MOST_BYTES = 64 * 1_048_576  # of a saved plan: a large map has many units
_WORDS = {
    "lost": "loaded then and not now",
    "gained": "loaded now and not then",
    "removed": "no longer there",
    "added": "not there then",
    "reason": "as before, for another reason",
}


@click.command(cls=Command)
@click.argument("file", type=_SAVED)
@click.option(
    "--map",
    "map_file",
    type=_SAVED,
    help="The map that it was made from, in place of knowledge.yaml.",
)
@json_option
@click.pass_obj
def replay(workspace: Path, file: Path, map_file: Path | None, as_json: bool) -> None:  # noqa: FBT001
    """Compute a saved plan again; the same bytes prove that nothing was changed.

    FILE is what `map why --json` wrote. Exits 1 where the map has other bytes than the one it was
    made from, or the plan comes out otherwise.

    \b
    Examples:
      sprintd map why "What do rivals charge?" --agent market-researcher --json > then.json
      sprintd map replay then.json
      git show HEAD~3:knowledge.yaml > old.yaml; sprintd map replay then.json --map old.yaml
    """
    path = map_file or find_root(workspace) / MAP_FILE
    text = _saved_plan(file)
    manifest = parse_manifest(read_bytes(path, str(path)), str(path))
    try:
        again = replaying.replay(text, manifest)
    except ValueError as error:
        raise SprintdError(f"{file}: {error}") from error
    if as_json:
        say_json({"identical": again == text, "manifest_sha256": manifest.sha256})
    elif again == text:
        say(f"identical: {len(text.encode()):,} bytes, from map {manifest.sha256}")
    else:
        say("different: the map is the same, but the plan comes out otherwise: it was edited, or "
            "made by another version of sprintd")  # fmt: skip
    click.get_current_context().exit(0 if again == text else 1)


@click.command(cls=Command)
@click.argument("then", type=_SAVED)
@click.argument("now", type=_SAVED)
@json_option
def diff(then: Path, now: Path, as_json: bool) -> None:  # noqa: FBT001
    """Show what two saved plans decided otherwise, and why.

    Each is what `map why --json` or `plan --json` wrote, what an attempt read (`show --json`,
    `.attempts[].context`), or a plan of kcp-agent. Exits 0 whether they differ or not.

    \b
    Examples:
      sprintd map diff then.json now.json
      sprintd map diff then.json now.json --json | jq '.changes[] | select(.kind == "lost")'
    """
    changes = compare(_decisions(then), _decisions(now))
    if as_json:
        say_json({"changes": [_as_json(change) for change in changes]})
    else:
        say("\n".join(_lines(changes)))


def _lines(changes: tuple[Change, ...]) -> Iterator[str]:
    if not changes:
        yield "The two plans decide every unit alike, for the same reasons."
    for change in changes:
        yield from wrap(f"{one_line(change.id)}: {_WORDS[change.kind]}", width())
        for when, decision in (("then", change.was), ("now", change.now)):
            if decision is not None:
                yield from wrap(f"{when}: {_words(decision)}", width(), indent="  ")


def _words(decision: Decision) -> str:
    reason = one_line(decision.reason, 500)
    return f"{'loaded' if decision.loaded else 'skipped'}{': ' if reason else ''}{reason}"


def _as_json(change: Change) -> dict[str, Any]:
    sides = {"was": change.was, "now": change.now}
    return {"id": change.id, "kind": change.kind} | {
        name: dict(vars(side)) if side else None for name, side in sides.items()
    }


def _saved_plan(file: Path) -> str:
    """The text of the plan: of the whole file, or of the answer that it is part of.

    Raises SprintdError for a file of another kind.
    """
    facts, text = _json_of(file)
    if isinstance(facts, dict) and isinstance(facts.get("plan"), str):
        return str(facts["plan"])
    if not isinstance(facts, dict) or "manifest_sha256" not in facts:
        raise SprintdError(f"{file}: this is no saved plan; give what `map why --json` wrote")
    return text.rstrip("\n")


def _decisions(file: Path) -> dict[str, Decision]:
    try:
        return decisions_in(_json_of(file)[0])
    except ValueError as error:
        raise SprintdError(f"{file}: {error}") from error


def _json_of(file: Path) -> tuple[Any, str]:
    """Raises SprintdError where it is no JSON."""
    text = read_text(file, str(file), max_bytes=_MOST_BYTES)
    try:
        return json.loads(text), text
    except (ValueError, RecursionError) as error:
        raise SprintdError(f"{file}: this is no JSON: {error}") from error
