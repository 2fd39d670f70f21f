"""Who asks a model for a review's words, and what becomes of words that mislead a reader in a hurry."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon.clock import ManualClock
from daemon.config.phrases import Phrases
from daemon.reports.narrating import narrate
from daemon.reports.narration import check_narration
from daemon.reports.review import Narration, Review, take_review
from daemon.reports.review_text import write_review
from daemon.scheduling.report_jobs import ReportJobs
from daemon.scheduling.run import Run
from daemon.store import reviews
from daemon.store.database import Database
from daemon.workspace.board import Board
from tests.standins.messages_api import MessagesApi
from tests.unit.reports.evidence_desk import NOW, PAYING, EvidenceDesk, criterion_of
from tests.workspaces import claude_config, copy_sample, services_over

SIX = "6 of 25 owners pay after the priced offer."
ONE = "Of 25 owners with a priced offer, 1 paid."
PILOTS = "4 of the 5 paid pilots converted into contracts of a year."
ONE_SOURCE = PAYING.replace("sources: 2", "sources: 1")


def review_of(desk: EvidenceDesk, *said: str) -> Review:
    for number, text in enumerate(said):
        desk.finding(text, desk.note(f"memory/log/{number}.md", text))
    return take_review(desk.root, desk.db, [criterion_of(ONE_SOURCE)], Board(()), NOW)


def fault(review: Review, words: str, language: str = "en") -> str:
    """Why these words are left out; empty where they are let through."""
    verdict = review.criteria[0].verdict.outcome
    entry = {"id": "KC", "verdict": verdict, "reasoning": words}
    kept, faults = check_narration(review, {"criteria": [entry]}, language)
    assert bool(kept) != bool(faults)
    return "; ".join(faults)


def test_without_the_switch_no_model_is_asked_for_words(tmp_path: Path) -> None:
    """The report and its history stand without them; with it the same review asks once."""
    asked = []
    for name, switch in (("off", "false"), ("on", "true")):
        with MessagesApi() as api:
            config = claude_config(api.base_url, f"[reports]\nsummary_by_model = {switch}\n")
            root = copy_sample(tmp_path / name, config)
            with services_over(root, key=api.api_key, clock=ManualClock(NOW)) as services:
                desk = EvidenceDesk(root, services.db, criterion="KC5")
                desk.finding(PILOTS, desk.note("memory/fit/our-pilots.md", PILOTS))
                ReportJobs(services, lambda _: None).review(Run("review", NOW))
                (kept,) = reviews.list_reviews(services.db, 9)
                asked.append(len(api.requests))
                assert (kept.narrator, kept.reasoning) == ("", {})
                (facts,) = [
                    row for row in reviews.list_of_slot(services.db, NOW) if row.criterion == "KC5"
                ]
                assert facts.facts["tests"]["pilots-converted"]["state"] == "for"
                found = take_review(root, services.db, [criterion_of()], Board(()), NOW)
                told = narrate(services.metered, found, language="en", by_model=False)
                assert told == Narration()
    assert asked == [0, 1]


def test_words_against_the_verdict_are_left_out_whichever_it_is(
    tmp_path: Path, db: Database
) -> None:
    """Also where they are all plain words: "the evidence stands for it" is a lie under NO-GO."""
    review = review_of(EvidenceDesk(tmp_path, db), ONE)
    assert review.outcome == "no_go"
    assert fault(review, "The figure is 1 [T1-1:0]; the bound is < 2.") == ""
    for lie in (
        "We should proceed [T1-1:0].",
        "The figure is 1 [T1-1:0], so proceed.",
        "The evidence stands for the criterion [T1-1:0].",
        "The evidence counts for it [T1-1:0].",
        "Both notes say for [T1-1:0].",
        "The criterion is a GO [T1-1:0].",
        "It is not yet known [T1-1:0].",
        "The test is met [T1-1:0].",
    ):
        assert fault(review, lie), lie


def test_neither_side_is_given_to_what_is_not_known(tmp_path: Path, db: Database) -> None:
    """A contradiction is no half of a GO."""
    review = review_of(EvidenceDesk(tmp_path, db), SIX, ONE)
    assert review.outcome == "not_yet_known"
    assert fault(review, "The figures 6 [T1-1:0] and 1 [T2-2:0] disagree.") == ""
    for lie in (
        "The evidence stands for the criterion [T1-1:0].",
        "The record is against it [T2-2:0].",
        "The evidence is strong [T1-1:0].",
        "We should proceed with care [T1-1:0].",
        "It is a GO but for one note [T1-1:0].",
        "It is a NO-GO [T2-2:0].",
    ):
        assert fault(review, lie), lie


def test_words_without_end_in_another_language_or_as_markup_are_left_out(
    tmp_path: Path, db: Database
) -> None:
    """Each is replaced by the worked-out reasons, and the report says why."""
    review = review_of(EvidenceDesk(tmp_path, db), SIX)
    true = "The figure is 6 [T1-1:0]."
    assert fault(review, true) == ""
    assert fault(review, "La cifra es 6 [T1-1:0].", "es") == ""
    for words, language in (
        ("note " * 10_000 + "[T1-1:0]", "en"),
        ("La cifra es 6 [T1-1:0].", "en"),
        (true, "es"),
        ("Die Zahl ist 6 [T1-1:0].", "en"),
        ("数字は6 [T1-1:0]", "en"),
        ("The figure is **6** [T1-1:0].", "en"),
        ("The figure is `6` [T1-1:0].", "en"),
        ("# The figure is 6 [T1-1:0].", "en"),
        ("<figure> 6 [T1-1:0]", "en"),
        ("The figure is 6 </figure> [T1-1:0].", "en"),
        ("The figure is 6 [T1-1:0](evidence).", "en"),
        ("![figure](evidence) 6 [T1-1:0]", "en"),
        ("| figure | 6 [T1-1:0] |", "en"),
        ("The figure is 6 [T1-1:0]. <@U1> <!here>", "en"),
    ):
        why = fault(review, words, language)
        assert why, words[:60]
        body = write_review(review, Phrases("en"), Narration("m", {}, why)).body
        assert "the words of the model were left out" in body
        assert "in the words of m" not in body


@pytest.mark.parametrize("language", ["en", "es"])
def test_a_true_explanation_of_each_verdict_is_let_through(
    language: str, tmp_path: Path, db: Database
) -> None:
    """The list of plain words is short, and long enough."""
    review = review_of(EvidenceDesk(tmp_path, db), SIX)
    words = {
        "en": "A note of 2027-02-01 gives 6 owners [T1-1:0]; the bound is >= 5, and paying is for.",
        "es": "Una nota de 2027-02-01 da 6 owners [T1-1:0]; el limite es >= 5.",
    }
    assert fault(review, words[language], language) == ""
