"""The page of kill criteria: verdicts by rule, their evidence, and how confidence moved."""

from __future__ import annotations

import re

from daemon.store import findings, reviews
from daemon.web import criteria
from daemon.web.criteria import Judged, criteria_view
from tests.unit.web.lived import lived, page_of
from tests.unit.web.watched import Watched

__all__ = ["lived"]


def test_every_criterion_stands_with_its_threshold_and_tests(lived: Watched) -> None:
    """All that kill_criteria.yaml says, in its words."""
    page = page_of(lived, "/criteria")
    for one in lived.services.source.load().criteria:
        for words in (one.id, one.name, one.question, one.threshold, str(one.deadline)):
            assert words in page
        for test in one.tests:
            assert f"<code>{test.id}</code>" in page
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


def test_what_was_seen_and_not_counted_is_told_with_its_reason(lived: Watched) -> None:
    """A founder sees that a sentence was not overlooked, and why it decides nothing."""
    page = page_of(lived, "/criteria")
    assert re.search(r"Seen and not counted \(\d+\)", page)
    assert "no figure of the unit" in page


def test_verdicts_are_worked_out_anew_only_when_something_changed(lived: Watched) -> None:
    """Two looks at the same findings gather the evidence once."""
    workspace = lived.services.source.load()
    judged = Judged()
    first = judged.verdicts(lived.watch, workspace)
    assert first is not None
    assert judged.verdicts(lived.watch, workspace) is first


def test_with_many_findings_the_last_review_is_shown(lived: Watched) -> None:
    """The page never gathers evidence for seconds; it says as of when it is."""
    most = criteria.MOST_FINDINGS
    assert len(findings.list_findings(lived.services.db)) < most
    with lived.app.test_request_context():
        view = criteria_view(lived.watch, _TooMany())
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
        view = criteria_view(watched.watch, _TooMany())
    assert (view.at, view.outcome) == (None, "")
