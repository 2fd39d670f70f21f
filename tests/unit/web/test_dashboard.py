"""The pages: what they show, how they are closed off, and that no text becomes markup."""

from __future__ import annotations

import html
import re
from datetime import timedelta
from pathlib import Path
from typing import get_args

import pytest

from daemon.errors import Fault
from daemon.governance.recovery import halt
from daemon.governance.states import enter_state
from daemon.quality.claims import Claim, ClaimKind, ClaimStatus
from daemon.quality.verdict import Defect, ScorePart, Verdict
from daemon.quality.verdict_json import verdict_as_json
from daemon.sprint.runner import run_sprint
from daemon.store import attempts, findings, items, outbox, sprints, texts
from daemon.web.app import create_app
from daemon.web.watch import Watch
from tests.unit.web.watched import TOKEN, Watched, watched_in
from tests.workspaces import NOON


def text_of(watched: Watched, path: str = "/", status: int = 200) -> str:
    answer = watched.client.get(path)
    assert answer.status_code == status
    return answer.get_data(as_text=True)


def test_the_page_shows_state_money_backlog_sprints_and_findings(watched: Watched) -> None:
    """What a founder asks first, on one page."""
    run_sprint(watched.services.sprint_parts)
    enter_state(watched.services.db, "idle", "2 accepted", NOON)
    page = text_of(watched)
    assert "2 accepted" in page
    assert "2026-11-30 12:00 UTC" in page
    assert "20.00 USD" in page
    assert '<meter min="0" max="100"' in page
    for item in watched.services.source.load().items:
        assert f'href="/items/{item.id}"' in page
    for finding in findings.list_findings(watched.services.db):
        assert finding.path in page
    assert "extractive" in page


def test_findings_of_the_offline_writer_say_so(watched: Watched) -> None:
    """On the overview and on the item's page; not where a model wrote it."""
    run_sprint(watched.services.sprint_parts)
    first, second = findings.list_findings(watched.services.db)
    assert text_of(watched).count("quotes only, not reasoned") == 2
    with watched.services.db.immediate() as tx:
        tx.execute(
            "UPDATE attempt SET model = 'claude-sonnet-5-5' WHERE id = ?", (first.attempt_id,)
        )
    assert text_of(watched).count("quotes only, not reasoned") == 1
    assert "quotes only" not in text_of(watched, f"/items/{first.item}")
    assert "quotes only" in text_of(watched, f"/items/{second.item}")


def test_the_kill_criteria_stand_with_what_is_counted(watched: Watched) -> None:
    """Each with its question, threshold and days left; a deadline that is over is marked."""
    run_sprint(watched.services.sprint_parts)
    page = html.unescape(text_of(watched))
    for criterion in watched.services.source.load().criteria:
        for word in (f"{criterion.id} {criterion.name}", criterion.question, criterion.threshold):
            assert word in page
        assert f"{criterion.deadline} ({(criterion.deadline - NOON.date()).days} days left)" in page
    watched.clock.advance(timedelta(days=300))
    assert re.search(r'class="blocked">2027-06-30 \(over for \d+ days\)', text_of(watched))


def test_the_next_sprint_is_told(watched: Watched) -> None:
    """An idle daemon says when it goes on; one that ran into the cap until when it rests."""
    enter_state(watched.services.db, "idle", "2 accepted", NOON, until=NOON + timedelta(minutes=15))
    assert "next sprint 12:15 UTC" in text_of(watched)
    enter_state(
        watched.services.db, "paused_budget", "the cap", NOON, until=NOON + timedelta(hours=12)
    )
    assert "until 2026-12-01 00:00 UTC" in text_of(watched)
    assert "next sprint" not in text_of(watched)


def test_a_halt_stands_with_its_cure(watched: Watched) -> None:
    """Whoever reads the page on a phone knows what to run."""
    assert "sprintd reset-failures" not in text_of(watched)
    halt(watched.services.db, "the key is wrong", NOON)
    assert "mends this and runs: <code>sprintd reset-failures" in text_of(watched)


def test_a_sprint_has_one_cell_for_its_time(watched: Watched) -> None:
    """The day once; the end only where it is another minute."""
    db = watched.services.db
    for end in (timedelta(), timedelta(minutes=3), timedelta(days=1)):
        sprint = sprints.open_sprint(db, "REGULAR", None, NOON)
        sprints.close_sprint(db, sprint, "completed", "x", NOON + end)
    sprints.open_sprint(db, "REGULAR", None, NOON)
    assert re.findall(r'class="time">([^<]+)<', text_of(watched)) == [
        "2026-11-30 12:00–",
        "2026-11-30 12:00–2026-12-01 12:00",
        "2026-11-30 12:00–12:03",
        "2026-11-30 12:00",
    ]


def test_the_page_stands_before_the_first_sprint(watched: Watched) -> None:
    """A new workspace shows its backlog and that nothing happened yet."""
    page = text_of(watched)
    assert "starting" in page
    assert "Nothing yet." in page


def test_the_backlog_can_be_narrowed_to_one_standing(watched: Watched) -> None:
    """Blocked items are found at once; an unknown word shows all."""
    items.count_rejection(watched.services.db, "T07", "too short", 1, NOON)
    page = text_of(watched, "/?standing=blocked")
    assert re.findall(r'href="/items/(\w+)"', page) == ["T07"]
    assert "too short" in page
    assert len(re.findall(r'href="/items/', text_of(watched, "/?standing=nonsense"))) == 37


def test_faults_of_the_files_stand_at_the_top(watched: Watched) -> None:
    """With file and line, and not more than a page holds."""
    watched.faults = tuple(Fault("backlog.yaml", n, "", "is odd") for n in range(1, 31))
    page = text_of(watched)
    assert "backlog.yaml:1: is odd" in page
    assert "(30)" in page
    assert "+10" in page
    assert page.index("backlog.yaml:1:") < page.index("<meter")


def test_no_text_becomes_markup(watched: Watched) -> None:
    """A model's words, a person's words and an address are shown as they are written."""
    evil = "<script>alert(1)</script>"
    db = watched.services.db
    enter_state(db, "idle", evil, NOON)
    items.count_rejection(db, "T07", evil, 1, NOON)
    sprint = sprints.open_sprint(db, "REGULAR", None, NOON)
    row = attempts.save_asked(
        db, sprint_id=sprint, track=1, item="T07", agent=evil, effect_key="k", prompt={},
        context={}, now=NOON,
    )  # fmt: skip
    attempts.save_answer(db, row.id, f"</pre>{evil}", "end_turn", evil)
    attempts.save_verdict(
        db, row.id, state="rejected", verdict={"defects": [{"message": evil, "rejects": True}]},
        score_hundredths=10, finding_path=None, now=NOON,
    )  # fmt: skip
    sprints.close_sprint(db, sprint, "failed", evil, NOON)
    watched.faults = (Fault(evil, 1, evil, evil),)
    for path in ("/", "/items/T07"):
        page = text_of(watched, path)
        assert "&lt;script&gt;" in page
        assert "<script" not in page
    assert "<script" not in text_of(watched, f"/items/{evil.replace('/', '')}", 404)


def test_no_claim_of_a_verdict_becomes_markup(watched: Watched) -> None:
    """Claim, note, place and passage come from models and notes; the page loads nothing for them."""
    evil = '"><script>alert(1)</script><img src=https://evil.example/x.png onerror=alert(1)>'
    db = watched.services.db
    sprint = sprints.open_sprint(db, "REGULAR", None, NOON)
    row = attempts.save_asked(
        db, sprint_id=sprint, track=1, item="T07", agent="a", effect_key="k",
        prompt={"sources": [{"id": evil, "path": f"memory/{evil}.md",
                             "sha256": texts.save_text(db, evil)}]},
        context={}, now=NOON,
    )  # fmt: skip
    attempts.save_answer(db, row.id, evil, "end_turn", "claude")
    place = (0, len(evil))
    claims = tuple(
        Claim(kind, evil, place, status, evil, place, evil, evil)
        for kind in get_args(ClaimKind)
        for status in get_args(ClaimStatus)
    )
    verdict = Verdict(
        "reject", 10, (ScorePart(evil, 10, evil),), (Defect(evil, evil, rejects=True, span=place),),
        evil, (evil,), claims=claims, judged=evil,
    )  # fmt: skip
    attempts.save_verdict(
        db, row.id, state="rejected", verdict=verdict_as_json(verdict),
        score_hundredths=10, finding_path=None, now=NOON,
    )  # fmt: skip
    page = text_of(watched, "/items/T07")
    assert page.count("&lt;script&gt;") > 10
    assert "<script" not in page
    assert "<img" not in page
    assert not re.findall(r'<[^>]*(?:src|href)="?https?:', page)


def test_an_item_page_shows_each_unit_given_or_not_and_why(watched: Watched) -> None:
    """Unit by unit, with the gate that skipped it; what is counted only is counted."""
    run_sprint(watched.services.sprint_parts)
    done = findings.list_findings(watched.services.db)[0]
    row = attempts.list_for_item(watched.services.db, done.item)[0]
    page = text_of(watched, f"/items/{done.item}")
    for unit in (*row.context["loaded"], *row.context["skipped"]):
        assert f"<code>{unit['id']}</code>" in page
    assert f"not given: {len(row.context['skipped'])}</summary>" in page
    assert f"not given ({row.context['skipped'][0]['gate']})" in page


def test_units_that_are_only_counted_are_counted_on_the_page(watched: Watched) -> None:
    """Of a large map; and no id or reason becomes markup."""
    db, evil = watched.services.db, "<script>alert(1)</script>"
    skipped = {"id": evil, "path": "", "reason": evil, "gate": evil}
    context = {"loaded": [], "skipped": [skipped], "skipped_more": [{"reason": evil, "units": 300}]}
    sprint = sprints.open_sprint(db, "REGULAR", None, NOON)
    attempts.save_asked(
        db, sprint_id=sprint, track=1, item="T07", agent="a", effect_key="k", prompt={},
        context=context, now=NOON,
    )  # fmt: skip
    page = text_of(watched, "/items/T07")
    assert "not given: 301</summary>" in page
    assert "300 more" in page
    assert "<script" not in page


def test_an_item_page_shows_what_each_claim_rests_on(watched: Watched) -> None:
    """A table with the claim, what came of it, file and line, and the passage."""
    run_sprint(watched.services.sprint_parts)
    done = findings.list_findings(watched.services.db)[0]
    page = text_of(watched, f"/items/{done.item}")
    assert "Looked up in the notes" in page
    assert re.search(r"<code>memory/[\w/.-]+\.md:\d+</code>", page)
    assert "<th>passage</th>" in page


def test_an_item_page_shows_each_attempt_with_its_reasons(watched: Watched) -> None:
    """What was asked, who answered, why it was rejected, where the finding is."""
    run_sprint(watched.services.sprint_parts)
    done = findings.list_findings(watched.services.db)[0]
    page = text_of(watched, f"/items/{done.item}")
    assert watched.services.source.load().item(done.item).title in page
    assert done.path in page
    assert "accepted" in page
    assert "extractive-1" in page


def test_an_unknown_item_is_404_with_words(watched: Watched) -> None:
    """And so is any other address; a wrong method is 405."""
    assert "The backlog has no item T99" in text_of(watched, "/items/T99", 404)
    assert "There is nothing at this address" in text_of(watched, "/nothing", 404)
    assert watched.client.post("/").status_code == 405
    assert "POST is not possible here" in watched.client.post("/").get_data(as_text=True)


@pytest.mark.parametrize("path", ["/", "/items/T01", "/health", "/nothing", "/static/sprintd.css"])
def test_every_answer_is_closed_off(watched: Watched, path: str) -> None:
    """No script, no frame, no other origin, no guessing of types."""
    with watched.client.get(path) as answer:
        headers = answer.headers
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert "Set-Cookie" not in headers


def test_the_pages_need_nothing_that_the_policy_forbids(watched: Watched) -> None:
    """No script, no inline style, no address outside."""
    run_sprint(watched.services.sprint_parts)
    for path in ("/", "/items/T01", "/nothing"):
        page = watched.client.get(path).get_data(as_text=True)
        assert not re.search(r"<script|<style|\sstyle=|\son\w+=|https?://", page)


@pytest.mark.parametrize("path", ["/", "/health", "/static/sprintd.css", "/items/T01"])
def test_another_host_is_refused_everywhere(watched: Watched, path: str) -> None:
    """A site that lets its name point here reads nothing."""
    answer = watched.client.get(path, headers={"Host": "evil.example"}, buffered=True)
    assert answer.status_code == 403
    assert "web.allowed_hosts" in answer.get_data(as_text=True)
    assert "T01" not in answer.get_data(as_text=True)


def test_an_error_nobody_expected_tells_the_reader_nothing_of_the_inside(
    watched: Watched, caplog: pytest.LogCaptureFixture
) -> None:
    """The page says that the log knows; the log has the error and its traceback."""

    def explode() -> tuple[Fault, ...]:
        raise ZeroDivisionError("a detail of the inside")

    app = create_app(Watch(watched.services, TOKEN, explode, lambda: None))
    for path in ("/", "/health"):
        answer = app.test_client().get(path)
        assert answer.status_code == 500
        assert "the log says what" in answer.get_data(as_text=True)
        assert "inside" not in answer.get_data(as_text=True)
    assert "GET /health failed" in caplog.text
    assert "a detail of the inside" in caplog.text


def test_the_page_speaks_the_workspace_language(tmp_path: Path) -> None:
    """In Spanish every fixed word is Spanish."""
    with watched_in(tmp_path, '[daemon]\nlanguage = "es"\n') as watched:
        run_sprint(watched.services.sprint_parts)
        page = text_of(watched)
        assert '<html lang="es">' in page
        for word in (
            "Dinero de hoy",
            "Hallazgos",
            "Tareas pendientes",
            "completado",
            "Criterios de abandono",
            "cita notas, no razona",
            "antes debe estar hecha:",
            "El día termina el 2026-12-01 a las 00:00 UTC.",
        ):
            assert word in page
        assert "Hallazgo" in text_of(watched, "/items/T01") or "hallazgo" in text_of(
            watched, "/items/T01"
        )


def test_ten_thousand_items_are_shown_in_part_and_counted(tmp_path: Path) -> None:
    """The page stays small; the counts are those of all items."""
    with watched_in(tmp_path) as watched:
        backlog = watched.services.root / "backlog.yaml"
        first = backlog.read_text().split("  - id: T02")[0]
        head, entry = first.split("items:", 1)
        entry = entry.replace("\n  # KC1, market demand", "")
        backlog.write_text(
            head + "items:" + "".join(entry.replace("T01", f"T{n}") for n in range(10_000))
        )
        watched.services.source.load()
        assert watched.services.source.faults == ()
        page = text_of(watched)
        assert len(re.findall(r'href="/items/', page)) == 200
        assert "and 9800 more" in page
        assert watched.client.get("/health").get_json()["backlog"]["eligible"] == 10_000


def test_a_broken_day_of_money_is_a_whole_bar(tmp_path: Path) -> None:
    """A cap of zero with nothing spent is an empty bar, not a division by zero."""
    with watched_in(tmp_path, "[budget]\ndaily_cap_usd = 0\n") as watched:
        assert 'value="0"' in text_of(watched)


def test_messages_that_did_not_leave_stand_on_the_page(watched: Watched) -> None:
    """How many, since when, why, and the command; nothing where all left; no text as markup."""
    assert "Messages on their way out" not in text_of(watched)
    db = watched.services.db
    for key in ("a", "b"):
        outbox.enqueue(db, key=key, channel="slack", payload={"text": key}, now=NOON)
    outbox.set_aside(db, "a", error="invalid_auth", now=NOON)
    outbox.put_back(db, "b", next_try_at=NOON, error="<b>busy</b>", uncertain=False)
    page = text_of(watched)
    assert "1 set aside since 2026-11-30 12:00 UTC" in page
    assert "sprintd outbox --set-aside" in page
    assert "1 waiting since 2026-11-30 12:00 UTC: &lt;b&gt;busy" in page
