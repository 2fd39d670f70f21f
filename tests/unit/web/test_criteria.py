"""The page of kill criteria: verdicts by rule, their evidence, and how confidence moved."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from datetime import timedelta

from flask import render_template

from daemon.governance.kill_criteria import CriterionVerdict
from daemon.store import findings, reports, reviews
from daemon.store.reports import ReportRow
from daemon.web import criteria
from daemon.web.beside import Kept
from daemon.web.criteria import Judged, criteria_view
from tests.unit.web.lived import lived, page_of
from tests.unit.web.watched import Watched
from tests.workspaces import NOON

__all__ = ["lived"]


def test_every_criterion_stands_with_its_threshold_and_tests(lived: Watched) -> None:
    """All that kill_criteria.yaml says, in its words."""
    page = page_of(lived, "/criteria")
    for one in lived.services.source.load().criteria:
        for words in (one.id, one.name, one.question, one.threshold, str(one.deadline)):
            assert words in page
        for test in one.tests:
            assert f"<code>{test.id}</code>" in page
            if test.go and test.looks.unit:
                assert f"{test.go} {test.looks.unit[0]}</td>" in page
    assert "NOT YET KNOWN" in page
    assert "judged from the evidence as of" in page


def test_the_trend_has_a_dot_for_each_review(lived: Watched) -> None:
    """The picture has words, and the same figures stand in a table."""
    page = page_of(lived, "/criteria")
    known = reviews.list_of_criterion(lived.services.db, "KC1", 99)
    first = page.split("<article")[1]
    assert first.count('<line class="dot') == len(known) == 3
    assert 'role="img" aria-label="Confidence over 3 reviews' in first
    assert first.count('class="short">2026-') >= 3


def test_the_trend_of_one_day_names_it_once(lived: Watched) -> None:
    """Otherwise the first day and the last."""
    days = r'Confidence at each review: <span class="nowrap">(\S+)( – \S+)?</span></figcaption>'
    with lived.app.test_request_context():
        view = criteria_view(lived.watch, Judged(lived.clock))
        one = view.criteria[0]
        same = replace(view, criteria=(replace(one, history=one.history[:1] * 2),))
        many, single = (render_template("criteria.html", view=v) for v in (view, same))
    assert all(last for _, last in re.findall(days, html.unescape(many)))
    assert [last for _, last in re.findall(days, html.unescape(single))] == [""]


def test_what_was_seen_and_not_counted_is_told_with_its_reason(lived: Watched) -> None:
    """A founder sees that a sentence was not overlooked, and why it decides nothing."""
    page = page_of(lived, "/criteria")
    assert re.search(r"Seen and not counted \(\d+\)", page)
    assert "no figure of the unit" in page


def test_verdicts_are_worked_out_anew_only_when_something_changed(lived: Watched) -> None:
    """Two looks at the same findings gather the evidence once."""
    workspace = lived.services.source.load()
    judged = Judged(lived.clock)
    first = verdicts_of(judged, lived)
    assert judged.verdicts(lived.watch, workspace) is first


def test_an_edited_note_is_seen_within_a_minute(watched: Watched) -> None:
    """No row of the database says that a person changed a file; the page says as of when it is."""
    judged = Judged(watched.clock)
    first = verdicts_of(judged, watched)
    watched.clock.advance(timedelta(seconds=criteria.OLD_AFTER_SECONDS - 1))
    assert verdicts_of(judged, watched) is first
    watched.clock.advance(timedelta(seconds=1))
    for _ in range(200):  # at most some seconds on a slow machine
        second = verdicts_of(judged, watched)
        if second is not first:
            break
    assert second.at == watched.clock.now()


def verdicts_of(judged: Judged, watched: Watched) -> Kept[tuple[CriterionVerdict, ...]]:
    """As soon as they are worked out: at most some seconds on a slow machine."""
    workspace = watched.services.source.load()
    for _ in range(20):
        found = judged.verdicts(watched.watch, workspace)
        if found is not None:
            return found
    raise AssertionError("nothing was worked out")


def test_with_many_findings_the_last_review_is_shown(lived: Watched) -> None:
    """The page never gathers evidence for seconds; it says as of when it is."""
    most = criteria.MOST_FINDINGS
    assert len(findings.list_findings(lived.services.db)) < most
    with lived.app.test_request_context():
        view = criteria_view(lived.watch, _TooMany(lived.clock))
    assert not view.is_live
    assert view.outcome == "not_yet_known"
    assert view.at == reviews.list_reviews(lived.services.db, 1)[0].slot
    assert [one.outcome for one in view.criteria] == ["not_yet_known"] * 5
    assert view.criteria[0].tests


class _TooMany(Judged):
    """As where there are more findings than may be gathered."""

    def verdicts(self, *_: object) -> None:
        return None


def test_before_the_first_review_the_page_says_so(watched: Watched) -> None:
    """No curve, and nothing that looks like a verdict of people."""
    page = page_of(watched, "/criteria")
    assert "<polyline" not in page
    with watched.app.test_request_context():
        view = criteria_view(watched.watch, _TooMany(watched.clock))
    assert (view.at, view.outcome) == (None, "")


def test_evidence_that_counts_and_contradictions_stand_with_their_sources(watched: Watched) -> None:
    """The sentence, its figure, the note with its date, and that two sides speak against each other."""
    source = {
        "id": "a",
        "path": "memory/our-offers.md",
        "dated_on": "2026-11-01",
        "state": "opened",
    }
    seen = {
        "id": "T01-1:5",
        "item": "T01",
        "path": "x.md",
        "sentence": "Six of 25 pay.",
        "figure": 6.0,
    }
    test = {
        "id": "paying", "measure": "Firms that pay", "go": ">= 5", "no_go": "< 2", "void": None,
        "state": "contradicted", "sources": None, "sources_needed": 1,
        "counted": [{**seen, "side": "for", "sources": [source]},
                    {**seen, "item": "", "sentence": "One of 25 pays.", "figure": 1234567.0, "side": "against",
                     "sources": [source]}],
        "not_counted": [{**seen, "sentence": "We hope for nine.", "why": "goal"}],
    }  # fmt: skip
    facts = {
        "verdict": "no_go", "confidence_hundredths": 55,
        "criteria": [{"criterion": "KC1", "verdict": "no_go", "confidence_hundredths": 90, "late": True,
                      "tests": [test]}],
    }  # fmt: skip
    db = watched.services.db
    reports.save_report(db, ReportRow("review", NOON, "x", facts, NOON))
    with watched.app.test_request_context():
        view = criteria_view(watched.watch, _TooMany(watched.clock))
        page = html.unescape(render_template("criteria.html", view=view))
    assert view.criteria[0].contradicted == ("paying",)
    for words in (
        "Evidence contradicts itself", "Six of 25 pay.", "One of 25 pays.", "memory/our-offers.md",
        "2026-11-01 (opened again)", "in memory, not examined", "We hope for nine.",
        "a goal, a condition or an estimate", ">6 firms</strong>", ">1,234,567 firms</strong>",
        "as of the review of 2026-11-30 12:00 UTC", "deadline passed, not shown", "NO-GO", "0.90",
    ):  # fmt: skip
        assert words in page
