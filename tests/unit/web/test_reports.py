"""The pages of reports: the list by kind, and one to read, print or take away."""

from __future__ import annotations

import re
from datetime import timedelta

from daemon.clock import to_text
from daemon.reports.blocks import report_markdown
from daemon.reports.files import file_name
from daemon.store import reports
from daemon.store.reports import ReportRow
from daemon.web.reports import KINDS, MOST_ON_PAGE
from daemon.web.wording import first_line
from tests.unit.web.lived import lived, page_of
from tests.unit.web.watched import Watched
from tests.workspaces import NOON

__all__ = ["lived"]


def test_a_report_is_shown_line_by_line_with_its_points(lived: Watched) -> None:
    """A sign in it means itself: what code wrote is not read as Markdown."""
    row = ReportRow("daily", NOON, "Title\nFrom our-*.md and *.txt:\n- one\n  - two\nEnd", {}, NOON)
    reports.save_report(lived.services.db, row)
    page = page_of(lived, f"/reports/daily/{to_text(NOON)}")
    assert '<h1 dir="auto">Title</h1>' in page
    assert "From our-*.md and *.txt:</h2><ul><li" in page
    assert "<em>" not in page


def test_a_line_below_a_point_is_part_of_it_and_a_fence_is_code(lived: Watched) -> None:
    """As in the file: the signed note is to be copied whole, and a link of a model is no link."""
    slot = NOON + timedelta(minutes=1)
    points, note = "- one\n    more of it\n- two\n", "Note:\n```\nline 1\n\nline 3\n```\n"
    body = f"Title\n{points}{note}see [x](https://x.example)"
    reports.save_report(lived.services.db, ReportRow("daily", slot, body, {}, NOON))
    path = f"/reports/daily/{to_text(slot)}"
    page = page_of(lived, path)
    assert '<ul><li dir="auto">one<br>more of it</li><li dir="auto">two</li></ul>' in page
    assert "line 1\n\nline 3</pre>" in page
    assert "[x](https://x.example)</p>" in page
    taken = lived.client.get(f"{path}.md").get_data(as_text=True)
    assert "\\[x](https://x.example)" in taken


def test_what_a_model_wrote_is_markdown_made_harmless(lived: Watched) -> None:
    """A diagnosis has headings and lists; it has no HTML."""
    body = "Diagnosis\n\n## Cause\n\n**The key** <script>alert(1)</script>\n\n- one"
    reports.save_report(lived.services.db, ReportRow("diagnosis", NOON, body, {}, NOON))
    raw = lived.client.get(f"/reports/diagnosis/{to_text(NOON)}").get_data(as_text=True)
    assert "<strong>The key</strong>" in raw
    assert "<script>alert" not in raw


def test_a_report_can_be_taken_away(lived: Watched) -> None:
    """As the same Markdown that stands in state/reports, under a name that says what it is."""
    row = reports.last_report(lived.services.db, "review")
    assert row is not None
    answer = lived.client.get(f"/reports/review/{to_text(row.slot)}.md")
    assert answer.get_data(as_text=True) == report_markdown(row.body)
    assert answer.content_type == "text/markdown; charset=utf-8"
    name = file_name("review", row.slot)
    assert answer.headers["Content-Disposition"] == f'attachment; filename="{name}"'


def test_the_list_is_narrowed_by_kind_and_goes_on(watched: Watched) -> None:
    """Also where two were written at the same moment."""
    for number in range(MOST_ON_PAGE + 2):
        slot = NOON - timedelta(hours=number)
        for kind in ("digest", "silence"):
            reports.save_report(watched.services.db, ReportRow(kind, slot, "x", {}, NOON))
    seen, path = [], "/reports?kind=digest"
    for _ in range(2):
        page = page_of(watched, path)
        seen += re.findall(r'href="(/reports/\w+/[^"]+)"', page)
        found = re.search(r'rel="next" href="([^"]+)"', page)
        path = found[1] if found else ""
    assert len(seen) == len(set(seen)) == MOST_ON_PAGE + 2
    assert all("/digest/" in one for one in seen)
    assert path == ""
    assert "silence" in page_of(watched, "/reports?kind=nonsense")


def test_what_is_no_report_is_not_found(watched: Watched) -> None:
    """A kind or a slot that there is not."""
    for path in ("daily/2026-11-30T12:00:00.000000Z", "daily/x", "x/y", "daily/x.md"):
        assert "There is no report" in page_of(watched, f"/reports/{path}", 404)
    assert "Nothing was written yet." in page_of(watched, "/reports")


def test_no_heading_is_broken_within_a_date(watched: Watched) -> None:
    """In the list and on the report's page; what else is in the heading is text."""
    body = "sprintd, <b> 2026-11-23 to 2026-11-30\nUntil 2026-12-01\n- one"
    reports.save_report(watched.services.db, ReportRow("review", NOON, body, {}, NOON))
    listed = watched.client.get("/reports").text
    whole = '<span class="nowrap">2026-11-{}</span>'.format
    title = f"sprintd, &lt;b&gt; {whole(23)} to {whole(30)}"
    assert f"{title}</a></h2>" in listed
    address = re.search(r'href="(/reports/review/[^"]+)"', listed)
    assert address is not None
    page = watched.client.get(address[1]).text
    assert f"{title}</h1>" in page
    assert 'Until <span class="nowrap">2026-12-01</span></h2>' in page


def test_every_kind_has_its_word(watched: Watched) -> None:
    """In every language; a new kind is found here."""
    for kind in KINDS:
        assert watched.services.phrases.has(f"reports.kind_{kind}")


def test_the_beginning_of_a_report_is_one_paragraph(watched: Watched) -> None:
    """No dash stands in the middle of a line."""
    body = "sprintd, a report\nTwo findings:\n- T01 Prices\n- T03 Law\n\nRejected: 1"
    reports.save_report(watched.services.db, ReportRow("daily", NOON, body, {}, NOON))
    line = "Two findings: T01 Prices · T03 Law · Rejected: 1"
    assert f">{line}</p>" in page_of(watched, "/reports")


def test_the_first_line_is_the_title() -> None:
    """Without its marks; an empty text has none."""
    assert first_line("## **A title**\n\nrest") == ("A title", "rest")
    assert first_line("") == ("", "")
