"""The page of one item: what was asked, what came back, how it was judged, what it cost."""

from __future__ import annotations

import re
from typing import get_args

from daemon.quality.claims import Claim, ClaimKind, ClaimStatus
from daemon.quality.verdict import Defect, ScorePart, Verdict
from daemon.quality.verdict_json import verdict_as_json
from daemon.sprint.runner import run_sprint
from daemon.store import attempts, findings, sprints, texts
from daemon.store.attempts import AttemptRow
from daemon.web.item import MOST_ATTEMPTS
from tests.unit.web.watched import Watched, text_of
from tests.workspaces import NOON


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
    assert ">passage</th>" in page


def test_an_item_page_shows_each_attempt_with_its_reasons(watched: Watched) -> None:
    """What was asked, who answered, why it was rejected, where the finding is."""
    run_sprint(watched.services.sprint_parts)
    done = findings.list_findings(watched.services.db)[0]
    page = text_of(watched, f"/items/{done.item}")
    assert watched.services.source.load().item(done.item).title in page
    assert done.path in page
    assert "accepted" in page
    assert "extractive-1" in page


def asked(watched: Watched, sprint: int, key: str) -> AttemptRow:
    return attempts.save_asked(
        watched.services.db, sprint_id=sprint, track=1, item="T07", agent="a", effect_key=key,
        prompt={}, context={}, now=NOON,
    )  # fmt: skip


def test_an_attempt_says_what_it_cost_and_the_item_what_all_cost(watched: Watched) -> None:
    """By the calls of its sprint for this item; an attempt without a call says nothing of money."""
    db = watched.services.db
    for number in (1, 2):
        sprint = sprints.open_sprint(db, "REGULAR", None, NOON)
        asked(watched, sprint, f"k{number}")
        with db.immediate() as tx:
            tx.execute(
                "INSERT INTO budget_day (scope, day, cap_micros) VALUES ('s', ?, 9)",
                (f"d{number}",),
            )
            tx.execute(
                "INSERT INTO reservation (key, scope, day, held_micros, state, created_at) "
                "VALUES (?, 's', ?, 1, 'settled', 'x')",
                (f"r{number}", f"d{number}"),
            )
            tx.execute(
                "INSERT INTO api_calls (reservation_key, called_at, day, purpose, sprint_id, item, "
                "provider, model, reserved_micros, cost_micros, outcome) "
                "VALUES (?, 'x', 'd', 'attempt', ?, 'T07', 'p', 'm', 1, ?, 'replied')",
                (f"r{number}", sprint, number * 1_250_000),
            )
    asked(watched, sprints.open_sprint(db, "REGULAR", None, NOON), "k3")
    page = text_of(watched, "/items/T07")
    assert re.findall(r"agent <bdi>a</bdi>(?:, ([\d.]+) USD)?</p>", page) == ["", "2.50", "1.25"]
    assert "<dd>3.75 USD</dd>" in page


def test_of_many_attempts_the_newest_are_shown_and_the_rest_counted(watched: Watched) -> None:
    sprint = sprints.open_sprint(watched.services.db, "REGULAR", None, NOON)
    for number in range(MOST_ATTEMPTS + 5):
        asked(watched, sprint, f"k{number}")
    page = text_of(watched, "/items/T07")
    numbers = [int(number) for number in re.findall(r'id="attempt-(\d+)"', page)]
    assert numbers == list(range(25, 5, -1))
    assert "5 older attempts are not shown." in page


def test_an_answer_is_shown_as_markdown_and_as_it_came(watched: Watched) -> None:
    """Rendered without its script, and beside it every character of it."""
    row = asked(watched, sprints.open_sprint(watched.services.db, "REGULAR", None, NOON), "k")
    attempts.save_answer(
        watched.services.db, row.id, "**bold** <script>x</script>", "end_turn", "m"
    )
    page = text_of(watched, "/items/T07")
    assert "<strong>bold</strong> &lt;script&gt;" in page
    assert "**bold** &lt;script&gt;x&lt;/script&gt;</pre>" in page


def test_a_page_looks_again_only_while_an_attempt_is_under_way(watched: Watched) -> None:
    """Nothing else on it changes by itself."""
    assert '<div id="item">' in text_of(watched, "/items/T07")
    asked(watched, sprints.open_sprint(watched.services.db, "REGULAR", None, NOON), "k")
    assert '<div id="item" data-live="5">' in text_of(watched, "/items/T07")
