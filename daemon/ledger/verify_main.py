"""The checker as a program of its own."""

from __future__ import annotations

import argparse
import io
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from daemon.ledger.verify import MOST_BYTES, Report, verify
from daemon.ledger.verify_proof import check_proof


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit code."""
    parser = argparse.ArgumentParser(description="Check a ledger, or a proof about one.")
    parser.add_argument("folder", nargs="?", type=Path, default=Path(), help="of the log")
    parser.add_argument("--checkpoint", type=Path, help="a checkpoint that was kept elsewhere")
    parser.add_argument("--key", action="append", default=[], help="a public key that you trust")
    parser.add_argument("--proof", type=Path, help="check this proof instead of a log")
    parser.add_argument("--json", action="store_true", help="the result as one JSON object")
    asked = parser.parse_args(arguments)
    try:
        report = _check(asked)
    except (OSError, ValueError) as error:
        report = Report("unreadable", f"a file that was named cannot be read: {error}")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a name may have letters it lacks
    said = json.dumps(asdict(report), indent=2) if asked.json else render(report)
    sys.stdout.write(said + "\n")
    return report.exit_code


def render(report: Report) -> str:
    """The report for a person."""
    where = f" (line {report.line})" if report.line else ""
    lines = [f"{report.kind}: {report.message}{where}", f"entries: {report.entries}"]
    lines += [
        f"{name}: {value}" for name, value in (("root", report.root), ("key", report.key)) if value
    ]
    lines += [f"note: {one}" for one in report.warnings]
    return "\n".join("".join(map(_shown, line)) for line in lines)


def _check(asked: argparse.Namespace) -> Report:
    if asked.proof:
        return check_proof(_text_of(asked.proof), asked.key)
    if len(asked.key) > 1:
        raise ValueError("a log is checked with one --key")
    kept = _text_of(asked.checkpoint) if asked.checkpoint else None
    return verify(asked.folder, checkpoint=kept, public_key=(asked.key or [None])[0])


def _text_of(path: Path) -> str:
    with path.open("rb") as stream:
        return stream.read(MOST_BYTES).decode()


def _shown(letter: str) -> str:
    """What is printed was written by somebody else: nothing in it moves a cursor."""
    return letter if letter.isprintable() else f"\\u{ord(letter):04x}"
