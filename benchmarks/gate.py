"""What a look at the action gate costs, beside a bare look-up in a dictionary.

    python benchmarks/gate.py                 the median of each case, in a few seconds
    python benchmarks/gate.py --json > gate.json

The scopes are those of the workspace that ships with sprintd. All cases are measured in turns, so that
the machine's noise meets each of them. A figure is the median over the rounds of one round's mean.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from daemon.knowledge.action import Action, Grant, Policy, Target, digest
from daemon.knowledge.manifest import parse_manifest
from daemon.knowledge.policy import parse_policy
from daemon.knowledge.scope import check_conformance
from daemon.knowledge.tools import build_action

ROOT = Path(__file__).resolve().parents[1]
CEILINGS = {"agent": "commit", "team": "commit", "backlog item": "commit", "workspace": "commit"}
BASE = "a bare look-up"
Figures = dict[str, dict[str, float]]


def main() -> None:
    asked = read_arguments()
    policy = sample_policy()
    figures = measure(cases(policy), rounds=asked.rounds, calls=asked.calls)
    print(json.dumps(figures, indent=2) if asked.json else tell(figures))


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=60, help="of each case, in turns (60)")
    parser.add_argument("--calls", type=int, default=200, help="in one round (200)")
    parser.add_argument("--json", action="store_true", help="the figures as JSON")
    return parser.parse_args()


def sample_policy() -> Policy:
    manifest = parse_manifest((ROOT / "knowledge.yaml").read_bytes(), "knowledge.yaml")
    agents = [path.stem for path in (ROOT / "agents").glob("*.md")]
    policy = parse_policy(manifest, agents=agents)
    if policy.faults:
        raise RuntimeError(f"the sample does not govern: {policy.faults[0]}")
    return policy


def cases(policy: Policy) -> Mapping[str, Callable[[], object]]:
    """Each with the ruling that it must have: a gate that is quick and wrong is no figure."""
    write = {"path": "memory/findings/pricing/T07-1.md", "content_sha256": "0" * 64}
    call = {"provider": "claude", "max_cost_micros": 400_000}
    kept = _action("sprint", "memory.write", write)
    table = {(kept.actor, kept.tool, kept.targets): "ALLOW"}
    key = (kept.actor, kept.tool, kept.targets)
    grant = Grant("team", "commit", digest(kept))
    low = {**CEILINGS, "team": "observe"}
    accented = _action("sprint", "memory.write", {**write, "path": "memory/findings/año/ñ-1.md"})
    out = Action("sprint", "memory.write", (Target("write", "../../etc/passwd"),), "0" * 64)
    governs = _action("consolidation", "memory.write", {**write, "path": "Knowledge.YAML"})
    denied = _action("consolidation", "memory.write", {**write, "path": "memory/Diagnoses/1.md"})
    looks = {
        "a write that is allowed": (kept, "ALLOW", CEILINGS, ()),
        "the same with an accent": (accented, "ALLOW", CEILINGS, ()),
        "the same with a grant": (kept, "ALLOW", low, (grant,)),
        "a call of the model": (_action("ux-designer", "model.call", call), "ALLOW", CEILINGS, ()),
        "a path that leads out": (out, "DENY", CEILINGS, ()),
        "a file that governs": (governs, "DENY", CEILINGS, ()),
        "a denied folder": (denied, "DENY", CEILINGS, ()),
    }
    found: dict[str, Callable[[], object]] = {BASE: lambda: table[key]}
    for name, (action, effect, ceilings, grants) in looks.items():
        found[name] = _look(policy, action, effect, ceilings, grants)
    found["putting an action together"] = lambda: build_action("sprint", "memory.write", write)
    found["the digest of an action"] = lambda: digest(kept)
    return found


def measure(looks: Mapping[str, Callable[[], object]], *, rounds: int, calls: int) -> Figures:
    """Microseconds of one look, and how many bare look-ups that is."""
    spent: dict[str, list[float]] = {name: [] for name in looks}
    for _ in range(rounds):
        for name, look in looks.items():
            spent[name].append(_mean_micros(look, calls))
    base = statistics.median(spent[BASE])
    figures: Figures = {}
    for name, micros in spent.items():
        cuts = statistics.quantiles(micros, n=20)
        median = statistics.median(micros)
        figures[name] = {"median_us": median, "p95_us": cuts[18], "ratio": median / base}
    return figures


def tell(figures: Figures) -> str:
    lines = [f"{'':<30}{'median us':>12}{'p95 us':>10}{'ratio':>9}"]
    for name, found in figures.items():
        spent = f"{found['median_us']:>12.2f}{found['p95_us']:>10.2f}{found['ratio']:>9.0f}"
        lines.append(f"{name:<30}{spent}")
    return "\n".join(lines)


def _action(actor: str, tool: str, arguments: Mapping[str, Any]) -> Action:
    action = build_action(actor, tool, arguments)
    if not isinstance(action, Action):
        raise RuntimeError(action.reason)
    return action


def _look(
    policy: Policy,
    action: Action,
    effect: str,
    ceilings: Mapping[str, str],
    grants: tuple[Grant, ...],
) -> Callable[[], object]:
    ruling = check_conformance(policy, action, ceilings=ceilings, grants=grants)
    if ruling.effect != effect:
        raise RuntimeError(f"{action.tool} should be {effect}: {ruling}")
    return lambda: check_conformance(policy, action, ceilings=ceilings, grants=grants)


def _mean_micros(look: Callable[[], object], calls: int) -> float:
    began = time.perf_counter()
    for _ in range(calls):
        look()
    return (time.perf_counter() - began) / calls * 1_000_000


if __name__ == "__main__":
    main()
