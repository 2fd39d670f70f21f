"""Small logs for tests, and what is needed to look at them and to change them."""

from __future__ import annotations

import base64
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from daemon.clock import ManualClock
from daemon.ledger.writer import Ledger, open_ledger

NOON = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
ORIGIN = "harbour.example/ledger"
ROOT = Path(__file__).parents[3]
VECTORS = ROOT.parent / "shared" / "vectors"


def opened(state: Path, clock: ManualClock | None = None) -> Ledger:
    return open_ledger(state, clock=clock or ManualClock(NOON), origin=ORIGIN)


def decide(ledger: Ledger, number: int = 1) -> None:
    for one in range(number):
        ledger.append(
            "decision",
            actor="analyst",
            tool="read_file",
            args_sha256="ab" * 32,
            targets=[f"memory/{one}.md"],
            verdict={
                "effect": "ALLOW",
                "gate": "paths",
                "reason": "memory/ is granted",
                "final": False,
            },
            policy={"manifest_sha256": "cd" * 32, "scope_sha256": "ef" * 32},
            sprint=one,
        )


def small_log(state: Path, entries: int = 5) -> str:
    """A closed log of that many decisions beside the entry that begins it; its checkpoint."""
    ledger = opened(state)
    decide(ledger, entries)
    ledger.close()
    newest = ledger.latest()
    assert newest is not None
    return newest.text


def log_of(state: Path) -> Path:
    return state / "ledger" / "log.jsonl"


def facts_of(state: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log_of(state).read_bytes().splitlines()]


def forget_checkpoints(state: Path) -> None:
    """As somebody does who changes a log and leaves nothing that tells of it."""
    for path in (state / "ledger" / "checkpoints").iterdir():
        path.unlink()
    (state / "ledger" / "frontier.json").unlink(missing_ok=True)


def vectors(*parts: str) -> Path:
    folder = VECTORS.joinpath(*parts)
    if not folder.exists():
        pytest.skip(f"the published vectors ({'/'.join(parts)}) are not on this machine")
    return folder


def from_base64(text: str | None) -> bytes:
    return base64.b64decode(text or "")


def later(clock: ManualClock, seconds: float) -> None:
    clock.advance(timedelta(seconds=seconds))
