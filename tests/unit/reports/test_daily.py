"""The daily report's text and parts."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta

from daemon.config.phrases import Phrases
from daemon.notify.slack_blocks import MOST_BLOCKS, WEIGHT_LIMIT, draw
from daemon.notify.slack_buttons import Look
from daemon.reports.daily import Told, today_line, write_daily
from daemon.reports.day_figures import Blocked, take_daily
from daemon.store import items
from daemon.store.database import Database
from tests.unit.reports.days import END, NOTE, SLOT, a_daily, cost, finding

EN = Phrases("en")


def test_it_tells_both_days_and_what_waits_and_the_money_of_each() -> None:
    """What needs a person stands first, the checkpoint last."""
    lines = write_daily(a_daily(), EN).body.splitlines()
    assert lines[:4] == [
        "sprintd, the UTC day 2026-11-30",
        (
            "2026-11-30: learned 2, rejected 1, spent 4.21 USD. 2026-12-01 until 13:00 UTC: learned 0, "
            "rejected 0, spent 0.90 USD. Blocked items: 1."
        ),
        "Blocked, for a person to mend (1)",
        "  - T05 The lighthouse: a figure that no note has",
    ]
    assert (
        "2026-12-01 until 13:00 UTC: learned 0, rejected 0, sprints: 3 completed; 0.90 USD spent in 6 model calls."
        in lines
    )
    assert "By agent (in brackets: calls)" in lines
    assert "  - analyst: 4.20 USD (25); 2026-12-01: 0.90 USD (6)" in lines
    assert "  - T07: 0.00 USD (0); 2026-12-01: 0.90 USD (6)" in lines
    assert "  - T05: 0.21 USD (6)" in lines  # no zeros of a day on which it was not worked on
    assert lines[-7:] == ["```", *NOTE.splitlines(), "```"]
    assert END.root in lines[-8]


def test_a_running_day_without_a_call_says_that_nobody_was_asked() -> None:
    """Not "0.00 USD spent in 0 model calls"."""
    quiet = replace(a_daily().today, spent_micros=0, agents=(), items=())
    line = today_line(replace(a_daily(), today=quiet), EN)
    assert line.endswith("sprints: 3 completed; no model was asked.")


def test_a_day_of_the_offline_writer_says_that_it_costs_nothing() -> None:
    """Not "0.00 USD in 26 model calls": no model was asked. With money spent the calls were others'."""
    found = a_daily()
    before = replace(found.before, offline_calls=26)
    assert "offline" not in write_daily(replace(found, before=before), EN).body
    before, today = (
        replace(day, spent_micros=0, offline_calls=day.calls) for day in (found.before, found.today)
    )
    body = write_daily(replace(found, before=before, today=today), EN).body
    free = "by the offline writer, which costs nothing."
    assert f"Money: nothing spent; 26 answers {free}" in body
    assert f"3 completed; nothing spent in 6 answers {free}" in body
    assert "model call" not in body


def test_the_money_by_agent_and_by_item_adds_up() -> None:
    """In the figures, as in the text."""
    facts = write_daily(a_daily(), EN).facts
    for day in (facts, facts["today"]):
        assert sum(day["by_agent"].values()) == sum(day["by_item"].values()) == day["spent_micros"]
    assert facts["ledger"] == {"entries": 42, "root": END.root}
    assert facts["checkpoint"] == NOTE


def test_the_checkpoint_reaches_slack_however_long_the_report_is() -> None:
    """It is what is kept outside of this machine; everything else is shortened first."""
    found = a_daily()
    before = replace(
        found.before,
        findings=tuple(finding(f"T{n}", "A long title & <more> " * 8, n % 60) for n in range(60)),
        agents=tuple(cost(f"agent-{n}" * 3, 3, 1_000) for n in range(50)),
        items=tuple(cost(f"T{n}", 3, 1_000) for n in range(150)),
    )
    blocked = tuple(Blocked(f"T{n}", "title " * 30, "reason " * 60) for n in range(200))
    written = write_daily(replace(found, before=before, blocked=blocked), EN)
    drawn = draw({"parts": written.parts, "text": written.body}, Look(EN))
    shown = json.dumps(drawn.blocks, ensure_ascii=False)
    assert len(drawn.blocks) <= MOST_BLOCKS
    assert len(shown) <= WEIGHT_LIMIT + 200
    assert drawn.left_out
    assert END.root in shown
    assert json.dumps(NOTE.strip(), ensure_ascii=False).strip('"') in shown


def test_a_late_report_tells_the_whole_of_its_own_day(db: Database) -> None:
    """And never a day that comes after."""
    found = take_daily(db, SLOT, SLOT + timedelta(days=3), None)
    assert str(found.today.day) == "2026-12-01"
    assert "2026-12-01 until 24:00 UTC" in write_daily(found, EN).body


def test_blocked_items_are_told_also_where_the_backlog_cannot_be_read(db: Database) -> None:
    """By their id and why."""
    items.count_rejection(db, "T05", "too short", 1, SLOT)
    found = take_daily(db, SLOT, SLOT, None)
    assert found.blocked == (Blocked("T05", "", "too short"),)
    assert "  - T05 : too short" not in write_daily(found, EN).body
    assert "  - T05: too short" in write_daily(found, EN).body


def test_a_reason_of_many_lines_stays_one(db: Database) -> None:
    """Why a summary was left out may hold what a service wrote."""
    told = Told(left_out="a\n```\n# GO\x1b[2J" + "b" * 1_000)
    body = write_daily(take_daily(db, SLOT, SLOT, None), EN, told=told).body
    assert "\x1b" not in body
    assert "\n```" not in body
    assert max(map(len, body.splitlines())) < 400
