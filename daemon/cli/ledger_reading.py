"""ledger tail and ledger export."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from daemon.bootstrap import state_dir_of
from daemon.cli.group import Command
from daemon.cli.opening import find_root
from daemon.cli.options import json_option
from daemon.cli.output import say, say_json, width
from daemon.ledger.export import CHECKER, export_evidence
from daemon.ledger.reading import newest_entries
from daemon.reports.plain_text import one_line, wrap


@click.command(cls=Command)
@click.option(
    "--lines", "-n", "number", default=20, show_default=True, type=click.IntRange(1, 1_000_000),
    help="How many.",
)  # fmt: skip
@click.option("--actor", metavar="NAME", help="Only what this agent or person did.")
@click.option("--sprint", metavar="N", type=int, help="Only what belongs to this sprint.")
@json_option
@click.pass_obj
def tail(
    workspace: Path,
    number: int,
    actor: str | None,
    sprint: int | None,
    as_json: bool,  # noqa: FBT001
) -> None:
    """Show the newest entries.

    Oldest first: number, time, type, actor, what was decided by which gate, about what, and why.
    Checks nothing; that is what `ledger verify` is for.

    \b
    Examples:
      sprintd ledger tail
      sprintd ledger tail -n 5 --actor sprint --json | jq '.entries[].verdict'
    """
    ledger = state_dir_of(find_root(workspace)) / "ledger"
    found = newest_entries(ledger, number, actor=actor, sprint=sprint)
    if as_json:
        say_json({"entries": found})
    else:
        rows = (row for facts in found for row in _render(facts))
        say(
            "\n".join(rows) or f"No entry is like that; the newest are by {_newest_actors(ledger)}."
        )


@click.command(cls=Command)
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--entry", "entries", metavar="SEQ", type=int, multiple=True, help="Prove this one too."
)
@json_option
@click.pass_obj
def export(workspace: Path, folder: Path, entries: tuple[int, ...], as_json: bool) -> None:  # noqa: FBT001
    """Write a folder that an auditor can check on another machine.

    The log up to the newest checkpoint, all checkpoints, the public keys, proofs, a checker that is
    one file, and what each part helps to show. Never a private key. DIR must be new or empty.

    \b
    Examples:
      sprintd ledger export evidence/
      sprintd ledger export evidence/ --entry 3 --entry 4
    """
    names = export_evidence(state_dir_of(find_root(workspace)) / "ledger", folder, entries=entries)
    if as_json:
        say_json({"folder": str(folder.absolute()), "files": names})
        return
    say(
        f"{len(names)} files are in {folder}. Whoever gets them runs there:\n"
        f"  python {CHECKER} . --checkpoint KEPT.txt --key PUBLIC_KEY\n"
        "Give the checkpoint and the public key on another way than the folder."
    )


def _newest_actors(ledger: Path) -> str:
    actors = {str(facts.get("actor")) for facts in newest_entries(ledger, 1_000)}
    return one_line(", ".join(sorted(actors)), 300)


def _render(facts: dict[str, Any]) -> Iterator[str]:
    verdict, action = facts.get("verdict", {}), facts.get("action", {})
    effect, gate = str(verdict.get("effect", "")), str(verdict.get("gate", ""))
    decided = " by ".join(filter(None, (effect, "every gate" if gate == "all" else gate)))
    about = ", ".join(str(target) for target in action.get("targets", []))
    what = " ".join(filter(None, (str(action.get("tool", "")), about)))
    when = str(facts.get("ts", ""))[:19]
    head = f"{facts.get('seq')}  {when}Z  {facts.get('type')}  {facts.get('actor')}"
    parts = [head, *filter(None, (decided, what))]
    yield from wrap(one_line("  ".join(parts), 1_000), width())
    if verdict.get("reason"):
        yield from wrap(one_line(str(verdict["reason"]), 1_000), width(), indent="    ")
