"""The pages of findings: the list, and one with what may be cited, what may not, and its passages."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta

from daemon.store import findings
from daemon.web.finding_text import FindingText, split_finding
from daemon.web.findings import MOST_ON_PAGE
from tests.browser.rich import make_rich
from tests.unit.web.lived import lived, page_of
from tests.unit.web.watched import Watched

__all__ = ["lived"]


def test_a_findings_text_is_cut_by_the_headings_that_sprintd_writes() -> None:
    """A text without them is all of it citable, as people may have made it over."""
    marks = ("## Unverified, do not cite", "## Sources given to the agent (listed by sprintd)")
    body = f"# Title\n\nGood.\n\n{marks[0]}\n\n- Bad.\n\n{marks[1]}\n\n- a\n"
    assert split_finding(body) == FindingText("Good.", "- Bad.", "- a")
    assert split_finding("Free text.\n") == FindingText("Free text.")


def test_one_finding_shows_its_text_and_the_passages_that_bear_it_out(lived: Watched) -> None:
    """The place is file and line, and the passage is quoted."""
    row = findings.list_findings(lived.services.db)[-1]
    page = page_of(lived, f"/findings/{row.attempt_id}")
    assert row.title in page
    assert "What may be cited" in page
    assert re.search(r"<code>memory/[\w/-]+\.md:\d+</code>", page)
    assert '<blockquote class="quote"' in page
    assert "it quotes the notes and does not reason" in page
    assert "---" not in page  # no front matter


def test_what_is_not_verified_stands_apart(lived: Watched) -> None:
    """In a box of its own, never in the text that may be cited."""
    row = findings.list_findings(lived.services.db)[0]
    file = lived.services.root / row.path
    before = file.read_text()
    heading = "## Unverified, do not cite"
    try:
        file.write_text(f"# x\n\nKnown.\n\n{heading}\n\n- A million users. (in no note)\n")
        page = page_of(lived, f"/findings/{row.attempt_id}")
    finally:
        file.write_text(before)
    citable, apart = page.split('class="note bad unverified"')
    assert "A million users" not in citable
    assert "A million users" in apart


def test_a_finding_whose_file_is_gone_keeps_its_summary(watched: Watched) -> None:
    """The page says which file it is about."""
    make_rich(watched)
    row = findings.list_findings(watched.services.db)[0]
    (watched.services.root / row.path).unlink()
    page = page_of(watched, f"/findings/{row.attempt_id}")
    assert "The file cannot be opened" in page
    assert row.path in page


def test_the_list_is_narrowed_and_goes_on(lived: Watched) -> None:
    """By criterion and by agent; what nobody found is said."""
    rows = findings.list_findings(lived.services.db)
    for field in ("criterion", "agent"):
        value = getattr(rows[0], field)
        page = page_of(lived, f"/findings?{field}={value}")
        shown = [int(one) for one in re.findall(r'href="/findings/(\d+)"', page)]
        assert shown == [row.attempt_id for row in rows if getattr(row, field) == value]
    assert "No finding matches these filters." in page_of(lived, "/findings?agent=nobody")
    assert page_of(lived, "/findings?before=nonsense") == page_of(lived, "/findings")


def test_pages_of_findings_follow_each_other(lived: Watched) -> None:
    """Also where many were made at the same moment."""
    db = lived.services.db
    newest = findings.list_findings(db)[0]
    first = findings.list_page(db, 2)
    rest = findings.list_page(db, MOST_ON_PAGE, before=(first[-1].created_at, first[-1].attempt_id))
    assert [*first, *rest] == findings.list_findings(db)
    later = replace(newest, created_at=newest.created_at + timedelta(days=1))
    assert findings.list_page(db, 9, before=(later.created_at, 0)) == findings.list_findings(db)


def test_a_finding_that_is_not_there_is_said(watched: Watched) -> None:
    """With the number that was asked for."""
    assert "no finding of attempt 9" in page_of(watched, "/findings/9", 404)
