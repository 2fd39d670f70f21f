"""ledger verify and ledger prove."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from daemon.bootstrap import state_dir_of
from daemon.cli.group import Command
from daemon.cli.opening import find_root
from daemon.cli.options import json_option
from daemon.cli.output import say, say_json, width
from daemon.errors import LedgerError
from daemon.ledger import verify as checker
from daemon.ledger.proofs import Prover
from daemon.ledger.verify_proof import check_proof
from daemon.reports.plain_text import wrap

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_MOST_BYTES = 10_000_000


@click.command(cls=Command)
@click.option(
    "--checkpoint", "kept", type=_FILE, help="A checkpoint that was kept elsewhere, to compare."
)
@click.option("--key", metavar="KEY", help="The public key that you trust, as name+hash+key.")
@click.option(
    "--proof", type=_FILE, help="Check this proof (of `ledger prove`) instead of the log."
)
@json_option
@click.pass_obj
def verify(
    workspace: Path,
    kept: Path | None,
    key: str | None,
    proof: Path | None,
    as_json: bool,  # noqa: FBT001
) -> None:
    """Check that nothing in the ledger was changed.

    Reads every entry, also while the daemon runs, and changes nothing. Without --checkpoint it finds
    what disagrees with itself and with the checkpoints beside the log; only a checkpoint kept
    elsewhere shows that the end was cut off or everything was written anew. The exit code tells what
    is wrong (docs/cli.md).

    \b
    Examples:
      sprintd ledger verify
      sprintd ledger verify --checkpoint kept.txt --key "$(cat key.txt)"
      sprintd ledger verify --proof entry-3.json --json
    """
    ledger = _ledger_of(workspace)
    if proof is not None:
        report = check_proof(_text_of(proof), [] if key is None else [key])
    else:
        note = None if kept is None else _text_of(kept)
        report = checker.verify(ledger, checkpoint=note, public_key=key)
    if as_json:
        say_json({**asdict(report), "ok": not report.exit_code})
    else:
        say("\n".join(_render(report)))
    click.get_current_context().exit(report.exit_code)


@click.command(cls=Command)
@click.argument("seq", type=int, required=False)
@click.option("--from", "older", type=_FILE, help="An older checkpoint: prove how the log grew.")
@json_option
@click.pass_obj
def prove(workspace: Path, seq: int | None, older: Path | None, as_json: bool) -> None:  # noqa: ARG001, FBT001
    """Prove that one entry stands in the ledger, or how it grew.

    Writes JSON that can be checked without the ledger, by `ledger verify --proof` or by the checker
    of an export. The proof holds the entry itself and the newest checkpoint.

    \b
    Examples:
      sprintd ledger prove 3 > entry-3.json
      sprintd ledger prove --from kept.txt > growth.json
    """
    if (seq is None) == (older is None):
        raise click.UsageError("prove takes the SEQ of an entry, or --from FILE")
    prover = Prover(_ledger_of(workspace))
    if older is not None:
        say_json(prover.prove_consistency(_text_of(older)))
    elif seq is not None:
        say_json(prover.prove_inclusion(seq))


def _render(report: checker.Report) -> list[str]:
    """The verdict, what it stands on, and what it cannot know."""
    place = f" (log.jsonl:{report.line})" if report.line else ""
    lines = wrap(f"{report.kind}{place}: {report.message}.", width())
    facts = {"entries": f"{report.entries:,}", "root": report.root, "key": report.key}
    lines += [f"  {name + ':':<9}{value}" for name, value in facts.items() if value]
    for warning in report.warnings:
        lines += wrap(f"- {warning}", width(), indent="  ")
    return lines


def _ledger_of(workspace: Path) -> Path:
    return state_dir_of(find_root(workspace)) / "ledger"


def _text_of(path: Path) -> str:
    with path.open("rb") as stream:
        raw = stream.read(_MOST_BYTES)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        raise LedgerError(
            f"{path}: is not UTF-8 text, so it is no checkpoint and no proof"
        ) from None
