"""Notes and findings as they are now: edited, from the future, without a need, or copies of one another."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon.config.phrases import Phrases
from daemon.governance.kill_criteria_evidence import Evidence
from daemon.reports.evidence import collect_evidence
from daemon.reports.review_words import state_lines
from daemon.store.database import Database
from tests.unit.reports.evidence_desk import PAYING, WAYS, EvidenceDesk, criterion_of

SIX = "6 of 25 owners pay after the priced offer."
ONE_SOURCE = PAYING.replace("sources: 2", "sources: 1")
ADDRESS = "https://www.harbour.example/count/"


@pytest.fixture
def desk(tmp_path: Path, db: Database) -> EvidenceDesk:
    return EvidenceDesk(tmp_path, db)


def of(desk: EvidenceDesk) -> tuple[Evidence, ...]:
    return collect_evidence(desk.root, desk.db, [criterion_of()])["KC"]


def test_a_finding_that_was_edited_after_acceptance_counts_for_nothing(desk: EvidenceDesk) -> None:
    """The review names its file; put back as it was it counts again, whatever its line ends are."""
    path = desk.finding(SIX, desk.note("memory/log/a.md", SIX))
    file = desk.root / path
    for text in (f"{SIX} And more.", SIX.replace("6", "9"), ""):
        file.write_text(text)
        assert [one.doubt for one in of(desk)] == ["edited"], text
        (test,) = desk.judge(criterion_of(ONE_SOURCE)).tests
        assert (test.state, [why for _, why in test.missed]) == ("open", ["edited"])
    lines = list(state_lines(desk.judge(criterion_of(ONE_SOURCE)), Phrases("en")))
    told = f"edited after acceptance and not counted: {path}; put it back as it was, or run: sprintd reopen T1"
    assert told in lines
    file.write_bytes(SIX.encode() + b"\r\n")
    assert [one.doubt for one in of(desk)] == ["edited"]
    file.write_text(SIX)
    assert desk.judge(criterion_of(ONE_SOURCE)).outcome == "go"


def test_an_old_finding_without_a_digest_counts_while_its_sentence_stands(
    desk: EvidenceDesk,
) -> None:
    """Of what was accepted before digests were kept no more can be known."""
    path = desk.finding(SIX, desk.note("memory/log/a.md", SIX), digest=False)
    (desk.root / path).write_text(f"# A title\n\n**{SIX}**\n")
    assert [one.doubt for one in of(desk)] == [""]
    (desk.root / path).write_text(SIX.replace("6", "9"))
    assert [one.doubt for one in of(desk)] == ["edited"]


def test_what_is_dated_in_the_future_does_not_count(desk: EvidenceDesk) -> None:
    """By the note, its source or the year in its sentence, whatever else has an earlier date."""
    for number, (body, as_of) in enumerate(
        (
            (SIX, "2027-03-02"),
            (f"{SIX}\nSource: {ADDRESS} (2026-12-01)", "2099-01-01"),
            (f"{SIX}\nSource: {ADDRESS} (2027-04)", "2027-02-01"),
            ("In 2031 6 of 25 owners paid after the priced offer.", "2027-02-01"),
        )
    ):
        note = desk.note(f"memory/log/f{number}.md", body, as_of=as_of)
        desk.finding(body.split("\n")[0], note)
    (test,) = desk.judge(criterion_of(ONE_SOURCE)).tests
    assert (test.state, [why for _, why in test.missed]) == ("open", ["future"] * 4)


def test_each_need_is_missed_as_the_documents_say(desk: EvidenceDesk) -> None:
    """Without a date, too old, from an unsure note, from a stranger, or by a model's own estimate."""
    estimate = "We estimate that 6 of 25 owners pay after the priced offer."
    own = "Our own estimate: 6 of 25 owners pay after the priced offer."
    desk.finding(SIX, desk.note("memory/log/1.md", SIX, as_of=""))
    desk.finding(SIX, desk.note("memory/log/2.md", SIX, as_of="2026-08-31"))
    desk.finding(SIX, desk.note("memory/log/3.md", SIX, confidence="low"))
    desk.finding(SIX, desk.note("memory/inbound/4.md", SIX))
    desk.finding(estimate, desk.note("memory/log/5.md", estimate))
    desk.finding(own)
    desk.finding(SIX)
    (test,) = desk.judge(criterion_of(ONE_SOURCE)).tests
    assert test.state == "open"
    assert [why for _, why in test.missed] == [
        "undated", "stale", "unsure", "unsure", "goal", "goal", "ungrounded",
    ]  # fmt: skip


def test_a_copy_is_listed_and_not_counted(desk: EvidenceDesk) -> None:
    """One text under two names and a third with another heading; confidence is not averaged over them."""
    body = f"{WAYS[0]}\n\n{SIX}"
    first = desk.note("memory/log/a.md", body)
    second = desk.note("memory/log/b.md", f"# Reprinted\n\n{body}", confidence="medium")
    desk.finding(SIX, first, second)
    (test,) = desk.judge(criterion_of()).tests
    assert (test.state, test.halves) == ("too_few", 2)
    assert test.copies == ((first, second),)
    lines = "\n".join(state_lines(desk.judge(criterion_of()), Phrases("en")))
    assert f"one source under several names, counted once: {first} = {second}" in lines
    desk.finding(f"Again. {SIX}", desk.note("memory/log/c.md", f"{WAYS[1]}\n\n{SIX}"))
    assert desk.judge(criterion_of()).outcome == "go"
