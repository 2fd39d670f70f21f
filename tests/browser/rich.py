"""What stands on the pages of money, sprints, findings, criteria, ledger, reports, alerts: much of it, or
hostile text in every field of it."""

from __future__ import annotations

import json
from datetime import timedelta

from daemon.quality.claims import Claim
from daemon.quality.verdict import Defect, ScorePart, Verdict
from daemon.quality.verdict_json import verdict_as_json
from daemon.reports.review import Narration, keep_review, review_as_json, take_review
from daemon.reports.review_text import write_review
from daemon.sprint.runner import current_board, run_sprint
from daemon.store import attempts, cap_raises, findings, incidents, reports, sprints, texts
from daemon.store.api_calls import CallEnd, CallFacts
from daemon.store.budget import Limit, reserve, settle
from daemon.store.findings import FindingRow
from daemon.store.reports import ReportRow
from tests.unit.web.watched import Watched

ANSWER = (
    "# Prices\n\nPeru has 248.1 lawyers per 100,000. Ecuador has 44,100 lawyers, 61 % more than before.\n\n"
    "As a model I cannot know this.\n\nThe difference of 389.3 and 248.1 is 141.2."
)


def make_rich(watched: Watched) -> None:
    """Sprints with findings, one rejected answer with every mark, money of two days, two reviews,
    reports of each kind, an open alert and one that is over."""
    services, db = watched.services, watched.services.db
    for _ in range(3):
        _review(watched)
        run_sprint(services.sprint_parts)
        watched.clock.advance(timedelta(hours=8))
    now = watched.clock.now()
    for number, agent in enumerate(("market-researcher", "grant-writer", None)):
        facts = CallFacts("attempt", "claude", "claude-sonnet-5-5", item="T01", agent=agent)
        _pay(watched, f"paid/{number}", facts, 1_300_000 * (number + 1))
    cap_raises.add_raise(db, approval="A1", scope="venture", day=now.date(), micros=5, now=now)
    _judged(watched, _verdict(ANSWER, "It speaks of itself."), "Size the market", "ana")
    for kind in ("digest", "daily", "consolidation", "diagnosis"):
        body = "sprintd, a report\nTwo findings:\n- T01 Prices\n- T03 Law\n\nRejected: 1"
        reports.save_report(db, ReportRow(kind, now, body, {}, now))
    incidents.count(db, "provider_overloaded", "It answered 529.", "Wait.", now)
    over = incidents.count(db, "disk_full", "No space left.", "Make room.", now)
    incidents.close(db, over.id, now)
    watched.services.worker_heartbeat.beat()
    watched.services.scheduler_heartbeat.beat()


def make_foul(watched: Watched, foul: str) -> None:
    """`foul` wherever a model, a service, a person or a file could have put it."""
    db, now = watched.services.db, watched.clock.now()
    _pay(watched, "foul/1", CallFacts("attempt", foul, foul, item=foul, agent=foul), 900_000)
    row_id = _judged(watched, _verdict(foul + ANSWER, foul), foul, foul)
    path = "memory/findings/KC1/T01-9.md"
    _note(
        watched,
        path,
        f"---\ntitle: x\n---\n\n# {foul}\n\n{foul}\n\n## Unverified, do not cite\n\n- {foul}\n",
    )
    findings.save_finding(
        db, FindingRow(path, row_id, foul, foul, foul, foul, foul, 70, (foul,), now)
    )
    for kind in ("digest", "diagnosis"):
        reports.save_report(db, ReportRow(kind, now, f"{foul}\n- {foul}\n\n{foul}", {}, now))
    for cause in ("foul/a", "foul/b"):
        found = incidents.count(db, foul[:60] + cause, foul, foul, now)
    incidents.close(db, found.id, now)
    books = watched.services.sprint_parts.actions.books
    said = foul[:2_000].replace("\x00", "")
    verdict = {"effect": "DENY", "gate": said[:200], "reason": said, "final": 1}
    books.append("decision", actor=said[:300], tool=said[:300], targets=[said], verdict=verdict)
    books.checkpoint()
    watched.services.worker_heartbeat.beat()
    watched.services.scheduler_heartbeat.beat()


def _verdict(text: str, message: str) -> Verdict:
    def span(words: str) -> tuple[int, int]:
        start = text.index(words)
        return start, start + len(words)

    claims = (
        Claim("figure", "248.1", span("248.1"), "supported", "a.b", (9, 14), message),
        Claim("figure", "44,100", span("44,100"), "absent"),
        Claim("figure", "61 %", span("61 %"), "weak", "a.b", (9, 14), message, message),
        Claim("figure", "141.2", span("141.2"), "derived", note="389.3 - 248.1"),
    )
    defects = (
        Defect(
            "self-reference", message, rejects=True, span=span("As a model I cannot know this.")
        ),
        Defect("short", message, rejects=False),
    )
    parts = (ScorePart("evidence", 20, message),)
    return Verdict("reject", 31, parts, defects, text, (message,), 40, claims, message)


def _judged(watched: Watched, verdict: Verdict, title: str, agent: str) -> int:
    """A whole sprint with one rejected attempt at T01; the id of the attempt."""
    db, now = watched.services.db, watched.clock.now()
    sprint = sprints.open_sprint(db, "REGULAR", title, now)
    assignment = {"item": title, "agent": agent, "reason": title}
    plan = {"focus": title, "planner": "model", "note": title, "assignments": [assignment]}
    sprints.save_plan(db, sprint, plan)
    prompt = {"title": title, "question": title, "task": texts.save_text(db, title)}
    unit = {"id": title, "path": "", "tokens": 9, "reason": title, "gate": title}
    row = attempts.save_asked(
        db, sprint_id=sprint, track=1, item="T01", agent=agent, effect_key=f"judged/{sprint}",
        prompt=prompt, context={"tokens": 9, "loaded": [unit], "skipped": [unit]}, now=now,
    )  # fmt: skip
    attempts.save_answer(db, row.id, verdict.cleaned_text, "end_turn", agent)
    attempts.save_verdict(
        db, row.id, state="rejected", verdict=verdict_as_json(verdict), score_hundredths=31,
        finding_path=None, now=now,
    )  # fmt: skip
    facts = CallFacts("attempt", "claude", agent, sprint_id=sprint, item="T01", agent=agent)
    _pay(watched, f"judged/{sprint}/try/1", facts, 41_000, error=title)
    sprints.close_sprint(db, sprint, "completed", title, now)
    return row.id


def _pay(
    watched: Watched, key: str, facts: CallFacts, micros: int, error: str | None = None
) -> None:
    db, now = watched.services.db, watched.clock.now()
    limit = Limit("venture", now.date(), 20_000_000)
    reserve(db, key, limit, facts, micros=micros, now=now)
    end = CallEnd("replied", facts.model, 1_200, 300, error=error)
    settle(db, key, end, actual_micros=micros, warn_at_percent=80, now=now)


def _review(watched: Watched) -> None:
    services, now = watched.services, watched.clock.now()
    workspace = services.source.load()
    board = current_board(services.sprint_parts, workspace)
    review = take_review(services.root, services.db, workspace.criteria, board, now)
    keep_review(services.db, review, Narration(), now)
    body = write_review(review, services.phrases).body
    facts = json.loads(json.dumps(review_as_json(review)))
    reports.save_report(services.db, ReportRow("review", now, body, facts, now))


def _note(watched: Watched, path: str, text: str) -> None:
    file = watched.services.root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")
