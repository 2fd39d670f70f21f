"""The digest: silent without news, complete with it, harmless whatever was written."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, get_args

import pytest

from daemon.config.phrases import Phrases
from daemon.config.sections import Language
from daemon.governance import incidents
from daemon.governance.budget import BudgetDay
from daemon.governance.recovery import halt, reset_failures
from daemon.reports.digest import keep_digest, prepare_digest
from daemon.store import events
from daemon.store.database import Database
from daemon.store.items import count_rejection

NOON = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
DAY = BudgetDay(
    NOON.date(), 20_000_000, 54_399, 400_000, 19_545_601, datetime(2026, 12, 1, tzinfo=UTC)
)
EN, ES = Phrases("en"), Phrases("es")

FINDING = {"title": "Boats", "criterion": "KC1", "path": "memory/findings/KC1/B01-1.md",
           "score_hundredths": 55, "summary": "4,120 boats came in 2024."}  # fmt: skip
REJECTION = {"title": "Light", "reason": "It is too short.", "rejections": 2,
             "score_hundredths": 10}  # fmt: skip
ALL_KINDS: dict[str, dict[str, Any]] = {
    "accepted": FINDING,
    "rejected": REJECTION,
    "blocked": REJECTION,
    "halted": {"reason": "the key is wrong"},
    "workspace_faults": {"reason": "1: backlog.yaml:3: is empty", "faults": []},
    "alert": {"reason": "the job digest failed"},
    "bill_above_hold": {"key": "k", "held_micros": 1, "cost_micros": 54_399},
    "unpriced_reply": {"key": "k", "model": "m", "reason": "no price"},
    "budget_warning": {"day": "d", "percent": 80, "spent_micros": 16_000_000, "cap_micros": 1},
    "reset": {"failures": 3, "was_halted": False, "unblocked": ["B02"]},
    "reopened": {"items": ["B01", "B03"]},
    "sprint_completed": {"reason": "2 accepted"},
    "sprint_failed": {"reason": "2 rejected"},
    "sprint_paused_budget": {"reason": "cap"},
}


def record(db: Database, kind: str, facts: dict[str, Any], item: str | None = "B01") -> None:
    events.record(db, kind, NOON, sprint_id=1, item=item, facts=facts)


def text_of(db: Database, phrases: Phrases = EN) -> str:
    digest = prepare_digest(db, DAY, phrases)
    assert digest is not None
    return digest.text


def test_nothing_happened_nothing_is_said(db: Database) -> None:
    """An empty store has no digest, and preparing one writes nothing."""
    assert prepare_digest(db, DAY, EN) is None
    assert db.rows("SELECT * FROM control") == []


def test_idle_ticks_and_orderly_stops_are_no_news(db: Database) -> None:
    """A night without work sends nothing."""
    for kind in ("sprint_no_work", "sprint_interrupted", "something_new"):
        record(db, kind, {"reason": "x"})
    assert prepare_digest(db, DAY, EN) is None


def test_news_after_months_of_idle_ticks_is_found(db: Database) -> None:
    """However many events without news stand before it."""
    with db.immediate():
        for _ in range(2_500):
            record(db, "sprint_no_work", {"reason": "no item is eligible"})
        record(db, "accepted", FINDING)
    assert "Boats" in text_of(db)


def test_a_kept_digest_does_not_come_again(db: Database) -> None:
    """What was not kept comes again; what was kept never does; what is new comes alone."""
    record(db, "accepted", FINDING)
    first = prepare_digest(db, DAY, EN)
    assert first is not None
    assert prepare_digest(db, DAY, EN) == first
    keep_digest(db, first, NOON + timedelta(hours=1))
    assert prepare_digest(db, DAY, EN) is None
    record(db, "rejected", REJECTION, item="B02")
    assert "Boats" not in text_of(db)


def test_an_event_between_preparing_and_keeping_is_not_lost(db: Database) -> None:
    """Only what the digest covers counts as told."""
    record(db, "accepted", FINDING)
    digest = prepare_digest(db, DAY, EN)
    assert digest is not None
    record(db, "rejected", REJECTION, item="B02")
    keep_digest(db, digest, NOON)
    assert "Light" in text_of(db)


def test_the_digest_in_english(db: Database) -> None:
    """Findings, rejections, what needs a person, sprints and money, in this order."""
    record(db, "sprint_completed", {"reason": "x"})
    halt(db, "the key is wrong.", NOON)
    record(db, "rejected", REJECTION, item="B02")
    record(db, "accepted", FINDING)
    assert text_of(db).splitlines() == [
        "sprintd, 2026-11-30 12:00 UTC",
        "Learned (1)",
        "  - B01 Boats (KC1, score 0.55)",
        "    4,120 boats came in 2024.",
        "    memory/findings/KC1/B01-1.md",
        "Rejected (1)",
        "  - B02 Light (rejection 2): It is too short",
        "Needs you (1)",
        "  - Halted, nothing is spent: the key is wrong. Mend it, then run: sprintd reset-failures",
        "Sprints: 1 completed.",
        "Money today: 0.054399 of 20.00 USD spent, 19.545601 left.",
    ]


def test_one_sprint_is_told_in_the_singular(db: Database) -> None:
    """It was "1 completados", and a pause had other words than in the daily report."""
    for kind in ("sprint_completed", "sprint_failed", "sprint_paused_budget"):
        record(db, kind, {"reason": "x"})
    assert "Sprints: 1 completado, 1 fallido, 1 en pausa (presupuesto)." in text_of(db, ES)


def test_the_digest_in_spanish(db: Database) -> None:
    """The same facts in the founders' language."""
    record(db, "accepted", FINDING)
    count_rejection(db, "B02", "bad", 1, NOON)
    record(db, "blocked", REJECTION, item="B02")
    text = text_of(db, ES)
    assert "Aprendido (1)" in text
    assert "B02 Light: bloqueada tras 2 rechazos" in text
    assert "sprintd unblock B02" in text
    assert "Learned" not in text


@pytest.mark.parametrize("language", get_args(Language))
@pytest.mark.parametrize("kind", ALL_KINDS)
def test_every_kind_of_news_can_be_told(db: Database, kind: str, language: Language) -> None:
    """No kind lacks a sentence or a value in any language."""
    record(db, kind, ALL_KINDS[kind])
    assert len(text_of(db, Phrases(language)).splitlines()) >= 3


def test_what_the_rooms_record_can_be_told(db: Database) -> None:
    """The real halt and the real reset, not only those of this file."""
    halt(db, "three failed", NOON)
    reset_failures(db, NOON)
    text = text_of(db)
    assert "three failed" in text
    assert "Reset by a person: 0 failed sprints forgotten, 0 blocked items put back." in text


def test_a_reset_that_reset_nothing_is_no_news(db: Database) -> None:
    """Neither a digest of its own nor a line in one."""
    reset_failures(db, NOON)
    assert prepare_digest(db, DAY, EN) is None
    record(db, "accepted", FINDING)
    assert "Reset" not in text_of(db)


def test_what_is_mended_needs_nobody(db: Database) -> None:
    """A halt that was ended and an item that was put back stand apart, without their cures."""
    halt(db, "the key is wrong", NOON)
    count_rejection(db, "B02", "It is too short.", 1, NOON)
    record(db, "blocked", REJECTION, item="B02")
    assert "Needs you (2)" in text_of(db)
    reset_failures(db, NOON)
    text = text_of(db)
    assert "Needs you" not in text
    assert text.splitlines()[1:4] == [
        "Mended by now (2)",
        "  - Was halted: the key is wrong",
        "  - B02 Light: was blocked after 2 rejections (It is too short)",
    ]


def test_only_the_last_of_two_halts_stands(db: Database) -> None:
    """The first one was ended before the second."""
    halt(db, "the key is wrong", NOON)
    reset_failures(db, NOON)
    halt(db, "no credit", NOON)
    text = text_of(db)
    assert "Halted, nothing is spent: no credit" in text
    assert "Was halted: the key is wrong" in text


def test_faults_of_files_are_told_as_they_are_now(db: Database) -> None:
    """The newest list while they stand; once they are mended only that they were."""

    def note(reason: str) -> None:
        incidents.note(db, cause="workspace_faults", detail=reason, cure="", place="workspace",
                       now=NOON, told_by="workspace_faults")  # fmt: skip
        record(db, "workspace_faults", {"reason": reason}, item=None)

    note("2: backlog.yaml:3: is empty")
    note("1: backlog.yaml:9: is odd")
    text = text_of(db)
    assert "Needs you (1)" in text
    assert "backlog.yaml:9" in text
    assert "backlog.yaml:3" not in text
    incidents.heal(db, "files", NOON)
    text = text_of(db)
    assert "Needs you" not in text
    assert "Works again" in text
    note("1: quality.toml:1: is odd")
    assert "quality.toml:1" in text_of(db)


def test_an_alert_that_is_over_is_told_once(db: Database) -> None:
    """As what works again; one that goes on still needs somebody."""
    for cause in ("overloaded", "store_full"):
        incidents.note(
            db, cause=cause, detail=f"{cause}!", cure="Wait.", place="provider", now=NOON
        )
    incidents.recovered(db, "overloaded", NOON)
    text = text_of(db)
    assert "Needs you (1)" in text
    assert text.count("overloaded") == 1


def test_a_finding_of_the_offline_writer_says_so(db: Database) -> None:
    """A model's finding and one from before that was kept do not."""
    record(db, "accepted", {**FINDING, "model": "extractive-1"})
    record(db, "accepted", {**FINDING, "model": "claude-sonnet-5-5"})
    record(db, "accepted", FINDING)
    text = text_of(db)
    assert "(KC1, score 0.55; quotes only, not reasoned)" in text
    assert text.count("quotes only") == 1
    assert "solo citas, sin razonar" in text_of(db, ES)


def test_many_findings_are_counted_and_cut(db: Database) -> None:
    """Twenty lines and how many more there are."""
    for number in range(50):
        record(db, "accepted", FINDING, item=f"B{number}")
    text = text_of(db)
    assert "Learned (50)" in text
    assert "… +30" in text
    assert text.count("Boats") == 20


def test_the_same_alert_again_and_again_is_one_line(db: Database) -> None:
    """A job that fails every minute does not fill the digest."""
    for _ in range(60):
        record(db, "alert", {"reason": "the job sprint failed"}, item=None)
    assert text_of(db).count("the job sprint failed") == 1


def test_hostile_text_is_one_short_harmless_line(db: Database) -> None:
    """Controls, braces and 100 kB in title, path and reason."""
    hostile = "{0}{item}\x1b[2J\u202e\n\nNeeds you (99)\n" + "A" * 100_000
    record(db, "accepted", dict.fromkeys(FINDING, hostile) | {"score_hundredths": 55})
    record(db, "rejected", {**REJECTION, "title": hostile, "reason": hostile}, item="B02")
    record(db, "alert", {"reason": hostile}, item=None)
    text = text_of(db)
    assert not [c for c in text if not c.isprintable() and c != "\n"]
    assert max(map(len, text.splitlines())) < 800
    assert len(text.splitlines()) == 10


def test_what_is_over_and_what_was_diagnosed_is_told(db: Database) -> None:
    """A recovered error with its count and beginning; a diagnosis with its cause and cure."""
    gone = {"reason": "busy (529).", "count": 50, "since": "2026-11-30T09:15:00.000000Z"}
    record(db, "recovered", gone, item=None)
    record(db, "diagnosis", {"failures": 3, "reason": "It is overloaded. Wait."}, item=None)
    text = text_of(db)
    assert "Works again after errors (50 since 2026-11-30 09:15 UTC): busy (529)" in text
    assert "Diagnosis after 3 failed sprints: It is overloaded. Wait" in text
