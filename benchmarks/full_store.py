"""A workspace with years of work in its database and its ledger, written in bulk."""

from __future__ import annotations

import hashlib
import json
from datetime import datetime, timedelta
from importlib import resources
from pathlib import Path
from typing import Any

from daemon.bootstrap import database_of, state_dir_of
from daemon.clock import day_of, to_text
from daemon.ledger.checkpoint import save_checkpoint, sign_checkpoint
from daemon.ledger.entry import draft_entry, render_entry
from daemon.ledger.merkle import Frontier, leaf_hash
from daemon.quality.claims import Claim
from daemon.quality.verdict import ScorePart, Verdict
from daemon.quality.verdict_json import verdict_as_json
from daemon.store.database import Database, Transaction, open_database
from daemon.store.migrations import split_statements

_DAYS = 365
_PART = 100_000
_ANSWER = "# An answer\n\n" + "The list of 2012 named 7 sellers of it, at USD 45 a month. " * 40

_NUMBERS = """
    WITH RECURSIVE counted (n) AS (
        SELECT :first UNION ALL SELECT n + 1 FROM counted WHERE n < :last
    )
"""
# n counts attempts; two make a sprint, and time runs back from now.
_WHEN = "strftime('%Y-%m-%dT%H:%M:%f000Z', julianday(:now) - (:all - n) * :days / :all)"
_SPRINTS = (
    "INSERT INTO sprint (id, kind, focus, state, reason, plan, started_at, ended_at)"
    + _NUMBERS
    + f"SELECT n / 2 + 1, 'REGULAR', 'all', CASE n % 40 WHEN 0 THEN 'failed' ELSE 'completed' END,"
    f" '1 accepted, 1 rejected', :plan, {_WHEN}, {_WHEN} FROM counted WHERE n % 2 = 0"
)
_ATTEMPTS = (
    "INSERT INTO attempt (id, sprint_id, track, item, agent, number, state, effect_key, prompt,"
    " context, output, stop_reason, model, verdict, score_hundredths, finding_path, created_at, ended_at)"
    + _NUMBERS
    + "SELECT n + 1, n / 2 + 1, 1 + n % 2, printf('I%05d', n % :items), 'researcher', n / :items + 1,"
    " CASE n % 2 WHEN 0 THEN 'accepted' ELSE 'rejected' END, 'sprint/' || n, :prompt, :context,"
    " :output, 'end_turn', 'claude-sonnet-5-5', :verdict, 70,"
    f" CASE n % 2 WHEN 0 THEN 'memory/findings/K1/F' || n || '.md' END, {_WHEN}, {_WHEN} FROM counted"
)
_FINDINGS = (
    "INSERT INTO finding (path, attempt_id, item, criterion, agent, title, summary, score_hundredths,"
    " sources, created_at)"
    + _NUMBERS
    + "SELECT 'memory/findings/K1/F' || n || '.md', n + 1, printf('I%05d', n % :items), 'K' || (n % 5),"
    f" 'researcher', 'Sellers of it', 'The list named 7 sellers.', 70, '[]', {_WHEN}"
    " FROM counted WHERE n % 2 = 0"
)
# Here n counts calls; each attempt has as many of them as there are calls to an attempt.
_KEY = "'sprint/' || (n / :each) || '/try/' || (n % :each)"
_DAY = "date(:now, '-' || ((:all - n / :each) * :days / :all) || ' days')"
_RESERVATIONS = (
    "INSERT INTO reservation (key, scope, day, held_micros, actual_micros, state, created_at, closed_at)"
    + _NUMBERS
    + f"SELECT {_KEY}, 'venture', {_DAY}, 5440, 2130 + n % 97, 'settled', :now, :now FROM counted"
)
_CALLS = (
    "INSERT INTO api_calls (reservation_key, called_at, day, purpose, sprint_id, item, agent, provider,"
    " model, replied_model, input_tokens, output_tokens, reserved_micros, cost_micros, outcome)"
    + _NUMBERS
    + f"SELECT {_KEY}, {_DAY} || 'T09:00:00.000000Z', {_DAY}, 'attempt', n / :each / 2 + 1,"
    " printf('I%05d', n / :each % :items), 'researcher', 'claude', 'claude-sonnet-5-5',"
    " 'claude-sonnet-5-5', 9000 + n % 500, 1500, 5440, 2130 + n % 97, 'replied' FROM counted"
)
_OTHERS = (
    "INSERT INTO report (kind, slot, body, created_at)"
    + _NUMBERS
    + "SELECT 'digest', strftime('%Y-%m-%dT%H:00:00.000000Z', julianday(:now) - n / 24.0), :output,"
    " strftime('%Y-%m-%dT%H:00:01.000000Z', julianday(:now) - n / 24.0) FROM counted WHERE n < 8760",
    "INSERT INTO incident (cause, detail, cure, opened_at, last_at, closed_at)"
    + _NUMBERS
    + "SELECT 'unknown/' || n, 'It did not work.', 'Look at the log.', :now, :now, :now"
    " FROM counted WHERE n < 10000",
)


def fill_store(root: Path, *, attempts: int, calls: int, items: int, now: datetime) -> None:
    """So many attempts of a year, half of them accepted, and so many paid calls for them."""
    each = max(1, calls // attempts)
    facts = {
        "now": to_text(now),
        "days": _DAYS,
        "items": items,
        "all": attempts,
        "each": each,
        **_texts(),
    }
    db = open_database(database_of(root))
    with db.immediate() as books:
        _without_sums(books)
        for back in range(_DAYS + 1):
            day = day_of(now - timedelta(days=back)).isoformat()
            books.execute(
                "INSERT INTO budget_day (scope, day, cap_micros, used_micros) "
                "VALUES ('venture', ?, 20000000, 6000000)",
                (day,),
            )
        for first in range(0, attempts, _PART):
            span = facts | {"first": first, "last": min(attempts, first + _PART) - 1}
            for sql in (_SPRINTS, _ATTEMPTS, _FINDINGS, *_OTHERS):
                books.execute(sql, span)
        for first in range(0, calls, _PART):
            span = facts | {"first": first, "last": min(calls, first + _PART) - 1}
            books.execute(_RESERVATIONS, span)
            books.execute(_CALLS, span)
        _with_sums(books)
    _reviews(db, now)
    db.close()


def fill_log(root: Path, entries: int, now: datetime) -> None:
    """A ledger of so many entries, with a chain and a signed end, though not by the daemon's key."""
    folder = state_dir_of(root) / "ledger"
    folder.mkdir(mode=0o700, parents=True)
    frontier, prev, offset = Frontier(), "0" * 64, 0
    with (folder / "log.jsonl").open("wb") as stream:
        for seq in range(entries):
            at = now - timedelta(days=_DAYS) * (entries - seq) / entries
            draft = draft_entry(
                "decision",
                actor="researcher" if seq % 3 else "sprint",
                tool="model.call" if seq % 3 else "memory.write",
                targets=[f"write:memory/findings/K1/F{seq}.md"],
                verdict={"effect": "ALLOW", "gate": "all", "reason": "within agents.agent"},
            )
            line = render_entry(draft, log="sprintd/made", seq=seq, ts=to_text(at), prev=prev)
            leaf = leaf_hash(line)
            frontier.add(leaf)
            prev, offset = hashlib.sha256(b"\0" + line).hexdigest(), offset + len(line) + 1
            stream.write(line + b"\n")
    save_checkpoint(folder, sign_checkpoint("sprintd/made", frontier, []), frontier, offset)


def _texts() -> dict[str, str]:
    claims = tuple(
        Claim(
            "figure",
            "2012",
            (25 + 60 * n, 29 + 60 * n),
            "supported",
            "n0001",
            (9, 13),
            _ANSWER[:99],
        )
        for n in range(30)
    )
    verdict = Verdict("accept", 70, (ScorePart("evidence", 70, "x"),), (), _ANSWER, claims=claims)
    units = [
        {"id": f"n{n:04d}", "path": f"memory/00/{n:02d}.md", "tokens": 80, "reason": "named"}
        for n in range(20)
    ]
    context: dict[str, Any] = {"loaded": units, "skipped": units, "tokens": 1_600}
    chosen = {"item": "I00001", "agent": "researcher", "reason": "priority 1"}
    plan = {"focus": "all", "planner": "rules", "note": "", "assignments": [chosen]}
    return {
        "plan": json.dumps(plan),
        "prompt": json.dumps({"title": "Sellers of it", "criterion": "K1", "sources": []}),
        "context": json.dumps(context),
        "output": _ANSWER,
        "verdict": json.dumps(verdict_as_json(verdict)),
    }


def _without_sums(books: Transaction) -> None:
    """The sums of calls are put in at the end, all at once: as the step does it in an old database."""
    for trigger in books.rows("SELECT name FROM sqlite_master WHERE type = 'trigger'"):
        books.execute(f"DROP TRIGGER {trigger['name']}")
    books.execute("DELETE FROM call_total")


def _with_sums(books: Transaction) -> None:
    schema = resources.files("daemon.store") / "schema" / "0006_pages.sql"
    for statement in split_statements(schema.read_text("utf-8")):
        if "INSERT INTO call_total" in statement:  # the sums themselves, and the triggers
            books.execute(statement)


def _reviews(db: Database, now: datetime) -> None:
    with db.immediate() as tx:
        for week in range(52):
            slot = to_text(now - timedelta(weeks=week))
            tx.execute(
                "INSERT INTO review (slot, verdict, confidence_hundredths, created_at) "
                "VALUES (?, 'not_yet_known', 40, ?)",
                (slot, slot),
            )
            for number in range(5):
                tx.execute(
                    "INSERT INTO criterion_review VALUES (?, ?, 'not_yet_known', 40, 0, 9, '{}')",
                    (slot, f"K{number}"),
                )
