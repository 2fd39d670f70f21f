"""The ledger beside a plain hash chain: appends, checks, a start, kills, and what is found.

    python benchmarks/ledger.py --appends 5000 --entries 1000000 --kills 100 [--json]

Both wait for the disk (fdatasync) at every entry, on the same disk, in turns. No network, no money.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.ledger_fire import append_together, kill_often
from benchmarks.ledger_plain import PlainChain, plain_line, rehash_plain, verify_plain
from daemon.clock import SystemClock, to_text
from daemon.ledger.entry import draft_entry, render_entry
from daemon.ledger.merkle import leaf_hash
from daemon.ledger.verify import verify
from daemon.ledger.writer import open_ledger

ENTRY: dict[str, Any] = {
    "actor": "analyst",
    "tool": "read_file",
    "args_sha256": "ab" * 32,
    "targets": ["memory/harbour/boats.md"],
    "verdict": {"effect": "ALLOW", "gate": "paths", "reason": "memory/ is granted", "final": 0},
    "policy": {"manifest_sha256": "cd" * 32, "scope_sha256": "ef" * 32},
}
Lines = list[bytes]


def main() -> None:
    asked = read_arguments()
    with tempfile.TemporaryDirectory(prefix="sprintd-ledger-", dir=asked.folder) as name:
        folder = Path(name)
        found = {
            "appends": measure_appends(folder, asked.appends),
            "checks": measure_checks(folder / "large", asked.entries),
            "together": asdict(append_together(folder / "together", 8, 500)),
            "kills": asdict(kill_often(folder / "kills", asked.kills, seed=7)),
            "changes": find_changes(folder / "changes"),
        }
    print(json.dumps(found, indent=2) if asked.json else render(found))
    if found["together"]["kind"] != "intact" or found["kills"]["kind"] != "intact":
        sys.exit("a good log did not verify")
    if found["together"]["lost"] or found["kills"]["lost"]:
        sys.exit("an acknowledged entry was lost")


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--appends", type=int, default=5_000, help="timed, of each kind (5000)")
    parser.add_argument("--entries", type=int, default=1_000_000, help="of the large log (1000000)")
    parser.add_argument("--kills", type=int, default=100, help="kill -9 while appending (100)")
    parser.add_argument("--folder", type=Path, help="on the disk to measure; default: temporary")
    parser.add_argument("--json", action="store_true", help="the figures as JSON")
    return parser.parse_args()


def measure_appends(folder: Path, number: int) -> dict[str, float]:
    """Appends a second, in ten turns each, so that a busy machine is busy for both."""
    ledger = open_ledger(folder / "ours", clock=SystemClock())
    plain = PlainChain(folder / "plain.jsonl")
    ours_seconds = plain_seconds = 0.0
    for _ in range(10):
        ours_seconds += timed(
            lambda: repeat(number // 10, lambda: ledger.append("decision", **ENTRY))
        )
        plain_seconds += timed(lambda: repeat(number // 10, lambda: plain.append(ENTRY)))
    ledger.close()
    plain.close()
    ours, other = number / ours_seconds, number / plain_seconds
    return {"ours_a_second": ours, "plain_a_second": other, "ratio": ours / other}


def measure_checks(folder: Path, number: int) -> dict[str, float]:
    """A large log, written without waiting for the disk: checks a second, and how long a start takes."""
    open_ledger(folder, clock=SystemClock()).close()
    fill(folder, number)
    first = timed(lambda: open_ledger(folder, clock=SystemClock()).close())
    later = min(timed(lambda: open_ledger(folder, clock=SystemClock())) for _ in range(5))
    ours = timed(lambda: must(verify(folder / "ledger").kind == "intact"))
    other = timed(lambda: must(verify_plain(folder / "plain.jsonl")))
    return {
        "entries": number,
        "ours_a_second": number / ours,
        "plain_a_second": number / other,
        "ratio": other / ours,
        "start_ms": later * 1000,
        "start_without_frontier_seconds": first,
    }


def fill(folder: Path, number: int) -> None:
    path = folder / "ledger" / "log.jsonl"
    first = path.read_bytes()[:-1]
    origin, prev = json.loads(first)["log"], leaf_hash(first).hex()
    draft, ts, head = draft_entry("decision", **ENTRY), to_text(SystemClock().now()), ""
    with path.open("ab") as ours, (folder / "plain.jsonl").open("wb") as plain:
        for seq in range(1, number):
            line = render_entry(draft, log=origin, seq=seq, ts=ts, prev=prev)
            prev = leaf_hash(line).hex()
            ours.write(line + b"\n")
            line = plain_line(ENTRY, seq - 1, head)
            head = hashlib.sha256(line).hexdigest()
            plain.write(line + b"\n")


def find_changes(folder: Path) -> dict[str, dict[str, bool]]:
    """Whether each kind of change is found: by the ledger's checker with a checkpoint that was kept
    elsewhere, by the same without it, and by the plain chain's."""
    ledger = open_ledger(folder / "state", clock=SystemClock())
    plain = PlainChain(folder / "plain.jsonl")
    for _ in range(100):
        ledger.append("decision", **ENTRY)
        plain.append(ENTRY)
    kept = ledger.checkpoint().text
    ledger.close()
    plain.close()
    changes: dict[str, tuple[Callable[[Lines], Lines], bool]] = {
        "one entry edited": (lambda lines: edited(lines, 50), False),
        "the last entry edited": (lambda lines: edited(lines, len(lines) - 1), False),
        "a line taken out": (lambda lines: lines[:50] + lines[51:], False),
        "two lines swapped": (
            lambda lines: [*lines[:50], lines[51], lines[50], *lines[52:]],
            False,
        ),
        "the end cut off": (lambda lines: lines[:-10], False),
        "everything emptied": (lambda _: [], False),
        "edited, and all hashed again": (lambda lines: edited(lines, 50), True),
    }
    return {name: judge(folder, kept, how, again) for name, (how, again) in changes.items()}


def judge(folder: Path, kept: str, how: Callable[[Lines], Lines], again: bool) -> dict[str, bool]:
    state, log = folder / "changed", folder / "changed/ledger/log.jsonl"
    shutil.rmtree(state, ignore_errors=True)
    shutil.copytree(folder / "state", state)
    lines = how(log.read_bytes().splitlines())
    write_lines(log, rehash_ours(lines) if again else lines)
    lines = how((folder / "plain.jsonl").read_bytes().splitlines())
    write_lines(folder / "changed.jsonl", rehash_plain(lines) if again else lines)
    beside = verify(state / "ledger").kind != "intact"
    shutil.rmtree(state / "ledger/checkpoints")
    return {
        "kept_elsewhere": verify(state / "ledger", checkpoint=kept).kind != "intact",
        "beside_the_log": beside,
        "plain": not verify_plain(folder / "changed.jsonl"),
    }


def edited(lines: Lines, at: int) -> Lines:
    return [*lines[:at], lines[at].replace(b"ALLOW", b"DENY"), *lines[at + 1 :]]


def rehash_ours(lines: Lines) -> Lines:
    out: Lines = []
    prev = "0" * 64
    for line in lines:
        facts = {**json.loads(line), "prev": prev}
        out.append(json.dumps(facts, sort_keys=True, separators=(",", ":")).encode())
        prev = leaf_hash(out[-1]).hex()
    return out


def write_lines(path: Path, lines: Lines) -> None:
    path.write_bytes(b"".join(line + b"\n" for line in lines))


def repeat(times: int, act: Callable[[], object]) -> None:
    for _ in range(times):
        act()


def timed(act: Callable[[], object]) -> float:
    start = time.perf_counter()
    act()
    return time.perf_counter() - start


def must(holds: bool) -> None:
    if not holds:
        sys.exit("a good log did not verify")


def render(found: dict[str, Any]) -> str:
    appends, checks = found["appends"], found["checks"]
    together, kills = found["together"], found["kills"]
    yes = {True: "found", False: "-"}
    rows = [
        f"{'':<38}{'ledger':>12}{'plain chain':>14}{'ratio':>8}",
        (
            f"{'appends a second, each on the disk':<38}{appends['ours_a_second']:>12,.0f}"
            f"{appends['plain_a_second']:>14,.0f}{appends['ratio']:>8.2f}"
        ),
        (
            f"{'entries checked a second':<38}{checks['ours_a_second']:>12,.0f}"
            f"{checks['plain_a_second']:>14,.0f}{checks['ratio']:>8.2f}"
        ),
        (
            f"a start over {checks['entries']:,} entries: {checks['start_ms']:.1f} ms; reading all of "
            f"them (no frontier): {checks['start_without_frontier_seconds']:.1f} s"
        ),
        (
            f"8 processes x 500: {together['entries']:,} entries, {together['lost']} lost, "
            f"{together['kind']}, {together['seconds']:.1f} s"
        ),
        (
            f"{kills['killed']} times kill -9, {kills['torn']} torn lines: {kills['acknowledged']:,} "
            f"acknowledged, {kills['lost']} lost, {kills['kind']}, {kills['seconds']:.1f} s"
        ),
        "",
        f"{'':<38}{'kept elsewhere':>16}{'beside the log':>16}{'plain chain':>14}",
    ]
    rows += [
        f"{name:<38}{yes[one['kept_elsewhere']]:>16}{yes[one['beside_the_log']]:>16}"
        f"{yes[one['plain']]:>14}"
        for name, one in found["changes"].items()
    ]
    return "\n".join(rows)


if __name__ == "__main__":
    main()
