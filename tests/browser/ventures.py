"""Ventures to look at: empty, filled, halted, and one in whose every field stands hostile text."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from werkzeug.serving import WSGIRequestHandler, make_server

from daemon.errors import Fault
from daemon.governance.approvals import Question
from daemon.governance.incidents import note
from daemon.governance.recovery import halt
from daemon.governance.states import enter_state
from daemon.sprint.runner import run_sprint
from daemon.store import attempts, items, outbox, sprints
from tests.browser.rich import make_foul, make_rich
from tests.unit.web.watched import Watched, watched_in

HOSTILE = (
    '"><script>document.title="owned"</script><img src=https://evil.example/x.png onerror=alert(1)>'
    "<svg onload=alert(2)> [a](javascript:alert(3)) ![p](https://evil.example/p.png) "
    "\u202egnp.exe\u202c </textarea></title></style> [b](https://good.example@evil.example/) "
    "<https://evil.example/?q=1> &#x202E;&#x200B; \u3164\u200b\u2028\U000e0041 "
    "[c](https://good.example 'hidden') " + "W" * 3_000
)
_LONG_ANSWER = (
    f"# {HOSTILE}\n\n|a|b|\n|-|-|\n|{'x' * 4_000}|y|\n\n```\n{'z' * 2_000}\n```\n\n"
    f"[https://good.example](https://evil.example/{'q' * 600})\n\n" + "word " * 20_000
)


@dataclass(frozen=True)
class Venture:
    """A served one; `address` has no slash at its end."""

    address: str
    watched: Watched


class _Silent(WSGIRequestHandler):
    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """A test that fails shows what the page said, not what was asked."""


@contextmanager
def served(folder: Path, *kinds: str) -> Iterator[dict[str, Venture]]:
    """Each kind over a workspace and a real socket of its own."""
    with ExitStack() as stack:
        yield {kind: stack.enter_context(_served(folder / kind, _FILL[kind])) for kind in kinds}


@contextmanager
def _served(folder: Path, fill: Callable[[Watched], None]) -> Iterator[Venture]:
    with watched_in(folder) as watched:
        fill(watched)
        watched.services.worker_heartbeat.beat()
        watched.services.scheduler_heartbeat.beat()
        server = make_server("127.0.0.1", 0, watched.app, threaded=True, request_handler=_Silent)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield Venture(f"http://127.0.0.1:{server.server_port}", watched)
        finally:
            server.shutdown()
            thread.join()
            server.server_close()


def _empty(_watched: Watched) -> None:
    """As on the first day."""


def _filled(watched: Watched) -> None:
    """Four sprints ended, one runs; money was spent; questions, a blocked item and faults wait."""
    services, clock = watched.services, watched.clock
    for _ in range(4):
        run_sprint(services.sprint_parts)
        clock.advance(timedelta(minutes=30))
    now = clock.now()
    items.count_rejection(services.db, "T20", "The answer has no figure of its own.", 1, now)
    services.approvals.ask(
        Question("unblock", "Put T20 back", "Its notes changed.", "ana", {"item": "T20"})
    )
    services.approvals.ask(Question("unblock", "Put T21 back", "", "ana", {"item": "T21"}))
    done = services.approvals.ask(Question("unblock", "Put T22 back", "", "ana", {"item": "T22"}))
    services.approvals.decide(
        done.id, approve=False, by="ana", through="cli", digest=done.payload_sha256, why="no"
    )
    _spend(watched)
    _reject(watched)
    sprint = sprints.open_sprint(services.db, "REGULAR", None, now)
    enter_state(services.db, "working", f"sprint {sprint}: T12 and T13 on two tracks", now)
    for track, item in ((1, "T12"), (2, "T13")):
        attempts.save_asked(
            services.db, sprint_id=sprint, track=track, item=item, agent="market-researcher",
            effect_key=f"e{track}", prompt={}, context={}, now=now,
        )  # fmt: skip
    outbox.enqueue(services.db, key="a", channel="slack", payload={"text": "x"}, now=now)
    outbox.set_aside(services.db, "a", error="invalid_auth", now=now)
    watched.faults = (Fault("backlog.yaml", 41, "priority", "must be 1 to 5, got 9"),)


def _spend(watched: Watched) -> None:
    """6.25 USD spent and 1.21 reserved today."""
    day = watched.clock.now().date().isoformat()
    with watched.services.db.immediate() as tx:
        tx.execute(
            "INSERT INTO budget_day (scope, day, cap_micros, used_micros, held_micros) "
            "VALUES ('venture', ?, 20000000, 7460000, 1210000) ON CONFLICT DO UPDATE SET "
            "used_micros = 7460000, held_micros = 1210000",
            (day,),
        )


def _reject(watched: Watched) -> None:
    """An attempt at T20 with reasons, its context and its answer."""
    db, now = watched.services.db, watched.clock.now()
    sprint = sprints.open_sprint(db, "REGULAR", None, now)
    context = {
        "tokens": 1_800,
        "loaded": [{"id": "pricing.plans", "tokens": 1_800, "reason": "the item needs it"}],
        "skipped": [{"id": "fit.survey", "path": "", "reason": "too large", "gate": "budget"}],
    }
    row = attempts.save_asked(
        db, sprint_id=sprint, track=1, item="T20", agent="ux-designer", effect_key="r", prompt={},
        context=context, now=now,
    )  # fmt: skip
    answer = "## Grounds\n\nSee [the law](https://law.example/1).\n\n- one\n- two\n\n| a | b |\n|-|-|\n| 1 | 2 |"
    attempts.save_answer(db, row.id, answer, "end_turn", "claude-sonnet-5-5")
    attempts.save_verdict(
        db, row.id, state="rejected",
        verdict={"defects": [{"message": "It repeats the question.", "rejects": True}]},
        score_hundredths=31, finding_path=None, now=now,
    )  # fmt: skip
    sprints.close_sprint(db, sprint, "failed", "every attempt was rejected", now)


def _halted(watched: Watched) -> None:
    run_sprint(watched.services.sprint_parts)
    watched.clock.advance(timedelta(minutes=30))
    why = "The key was refused: the service answered 401 authentication_error."
    halt(watched.services.db, why, watched.clock.now())


def _hostile(watched: Watched) -> None:
    """Models, people and files write it wherever text can stand."""
    services, now = watched.services, watched.clock.now()
    db = services.db
    enter_state(db, "idle", HOSTILE, now)
    items.count_rejection(db, "T07", HOSTILE, 1, now)
    sprint = sprints.open_sprint(db, "REGULAR", None, now)
    context = {
        "loaded": [{"id": HOSTILE, "tokens": 3, "reason": HOSTILE}],
        "skipped": [{"id": HOSTILE, "path": "", "reason": HOSTILE, "gate": HOSTILE}],
    }
    row = attempts.save_asked(
        db, sprint_id=sprint, track=1, item="T07", agent=HOSTILE, effect_key="k", prompt={},
        context=context, now=now,
    )  # fmt: skip
    attempts.save_answer(db, row.id, _LONG_ANSWER, "end_turn", HOSTILE)
    attempts.save_verdict(
        db, row.id, state="rejected", verdict={"defects": [{"message": HOSTILE, "rejects": True}]},
        score_hundredths=10, finding_path=None, now=now,
    )  # fmt: skip
    sprints.close_sprint(db, sprint, "failed", HOSTILE, now)
    running = sprints.open_sprint(db, "REGULAR", None, now)
    attempts.save_asked(
        db, sprint_id=running, track=1, item=HOSTILE, agent=HOSTILE, effect_key="l", prompt={},
        context={}, now=now,
    )  # fmt: skip
    watched.faults = (Fault(HOSTILE, 1, HOSTILE, HOSTILE),)
    note(db, cause=HOSTILE[:90], detail=HOSTILE, cure=HOSTILE, place="store", now=now)
    services.approvals.ask(Question("unblock", HOSTILE, HOSTILE, HOSTILE[:80], {"item": "T07"}))


def _foul(watched: Watched) -> None:
    """The same for the pages of what was done: with a word of 100 kB and with NUL."""
    make_rich(watched)
    make_foul(watched, f"{HOSTILE}\x00{'V' * 100_000}")


_FILL: dict[str, Callable[[Watched], None]] = {
    "empty": _empty,
    "filled": _filled,
    "halted": _halted,
    "hostile": _hostile,
    "rich": make_rich,
    "foul": _foul,
}
