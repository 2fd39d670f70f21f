"""A process that acts behind the gate and is killed inside of its action.

    python -m tests.standins.acting_process STATE_DIR before|inside

It writes `done` beside the state folder as its action. `before`: killed after the decision, before the
action; `inside`: after the action, before its outcome.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from daemon.clock import ManualClock
from daemon.governance.action_gate import ActionGate, Call
from daemon.governance.ledger_in_use import LedgerInUse
from daemon.knowledge.action import ActionScope, Limits, Policy
from daemon.knowledge.tools import TOOLS
from daemon.store.database import open_database
from tests.workspaces import NOON

SCOPE = ActionScope(
    "t.sprint",
    frozenset({"sprint"}),
    tools=frozenset({"memory.write"}),
    writes=("memory/findings/",),
    limits=Limits(calls=9, writes=9),
    level="commit",
)
CALL = Call(
    "sprint", "memory.write", lambda: {"path": "memory/findings/a.md", "content_sha256": "c" * 64}
)


def gate_over(state: Path) -> ActionGate:
    """A gate over the ledger and the database of a state folder."""
    db, clock = open_database(state / "sprintd.db"), ManualClock(NOON)
    policy = Policy({SCOPE.id: SCOPE}, TOOLS)
    return ActionGate(LedgerInUse(state, db, clock), lambda: policy, db, clock)


def main(state: Path, moment: str) -> None:
    def do() -> None:
        if moment == "inside":
            (state.parent / "done").write_text("x")
        os.kill(os.getpid(), signal.SIGKILL)

    gate_over(state).perform(CALL, do, sprint=1)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
