"""The checker as a program of its own."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from daemon.ledger.verify import Report, verify
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
    if asked.proof:
        report = check_proof(asked.proof.read_text("utf-8"), asked.key)
    else:
        kept = asked.checkpoint.read_bytes().decode() if asked.checkpoint else None
        report = verify(asked.folder, checkpoint=kept, public_key=(asked.key or [None])[0])
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
    return "\n".join([*lines, *(f"note: {one}" for one in report.warnings)])
