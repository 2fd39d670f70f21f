"""status, backlog, show and costs: true, readable, and without a trace."""

from __future__ import annotations

import os
import shutil
import sqlite3
from datetime import UTC, datetime
from pathlib import Path

from daemon.governance.states import enter_state
from daemon.reports.serving import Serving, keep_serving
from daemon.store.attempts import list_for_item, save_asked, save_failure
from daemon.store.database import open_database, open_read_only
from daemon.store.outbox import enqueue
from daemon.store.owner_lock import OwnerLock
from daemon.store.sprints import open_sprint
from tests.unit.cli.small import as_json, edit, sprintd

NOON = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


def test_looking_at_a_new_workspace_leaves_no_trace(small: Path) -> None:
    """Before anything ran, every looking command answers and makes no state folder."""
    for words in (["status"], ["backlog"], ["show", "B01"], ["costs"], ["plan"], ["check"]):
        done = sprintd(small, *words)
        assert done.returncode == 0, done.stderr
    assert not (small / "state").exists()
    found = as_json(small, "status")
    assert (found["state"], found["last_sprint"], found["process"]) == (None, None, None)
    assert found["database_bytes"] == 0


def test_status_tells_state_money_backlog_and_last_sprint(worked: Path) -> None:
    """After three sprints: one item done, one blocked, two sprints failed in a row."""
    found = as_json(worked, "status")
    assert found["provider"] == "extractive (quotes notes, does not reason)"
    assert (found["provider_is"], found["page"]) == ("configured", None)
    assert found["backlog"] == {"eligible": 0, "done": 1, "blocked": 1, "waiting": 2}
    assert (found["last_sprint"]["id"], found["last_sprint"]["state"]) == (3, "failed")
    assert found["consecutive_failures"] == 2
    assert found["budget"]["remaining_usd"] == "20.00"
    text = sprintd(worked, "status").stdout
    assert "0 eligible, 1 done, 1 blocked, 2 waiting" in text
    assert "Last sprint: 3 failed" in text
    assert "configured: extractive" in text
    assert "UTC" in text


def test_status_names_the_process_that_runs(worked: Path) -> None:
    """While another process owns the workspace, its pid and since when are told, and nothing waits."""
    lock = OwnerLock(worked / "state")
    lock.acquire(NOON)
    try:
        holder = as_json(worked, "status")["process"]
        text = sprintd(worked, "status").stdout
    finally:
        lock.release()
    assert holder["since"] == "2026-11-30T12:00:00.000000Z"
    assert f"Process: {holder['pid']} runs on this workspace since 2026-11-30 12:00 UTC" in text
    assert "none runs" in sprintd(worked, "status").stdout


def test_status_tells_what_the_running_daemon_answers_with(worked: Path) -> None:
    """Its provider and page, not what this shell would use; once it is gone, what is configured."""
    lock = OwnerLock(worked / "state")
    lock.acquire(NOON)
    db = open_database(worked / "state" / "sprintd.db")
    told = Serving(os.getpid(), "claude (a, b)", "http://127.0.0.1:8642/", ())
    keep_serving(db, told, NOON)
    enqueue(db, key="a/slack", channel="slack", payload={"text": "x"}, now=NOON)
    enter_state(db, "stopping", "the daemon was stopped", NOON)
    db.close()
    try:
        found = as_json(worked, "status")
        text = sprintd(worked, "status").stdout
    finally:
        lock.release()
    assert (found["provider"], found["provider_is"]) == ("claude (a, b)", "running")
    assert found["page"] == "http://127.0.0.1:8642/"
    assert ", claude (a, b)\n" in text
    assert "Page: http://127.0.0.1:8642/" in text
    assert found["mute"] == [{"channel": "slack", "missing": "slack.channel", "waiting": 1}]
    assert "Nothing leaves for Slack: there is no slack.channel, and 1 message waits." in text
    assert found["state"]["name"] == "stopping"
    after = as_json(worked, "status")
    assert (after["provider_is"], after["state"]["name"], after["mute"]) == (
        "configured",
        "stopped",
        [],
    )
    assert "8642" not in sprintd(worked, "status").stdout


def test_looking_makes_no_folder_for_recordings(small: Path) -> None:
    """Also where replies are to be recorded, the status writes nothing."""
    (small / "config.toml").write_text('[provider]\nkind = "extractive"\nrecord = true\n')
    assert "extractive" in as_json(small, "status")["provider"]
    assert not (small / "state").exists()


def test_status_shows_faults_and_still_answers(worked: Path) -> None:
    """A broken edit is shown with its line; the backlog is then unknown, the money is not."""
    edit(worked, "backlog.yaml", "priority: 5", "priority: soon")
    edit(worked, "knowledge.yaml", "path: memory/harbour/light.md", "path: ../light.md")
    done = sprintd(worked, "status")
    assert done.returncode == 0
    assert "backlog.yaml:" in done.stdout
    assert "knowledge.yaml:" in done.stdout
    assert "20.00 left" in done.stdout


def test_status_says_why_no_provider_can_be_used(small: Path) -> None:
    """Claude without a key: the status says so and does not fail."""
    (small / "config.toml").write_text('[provider]\nkind = "claude"\n')
    done = sprintd(small, "status", environ={"ANTHROPIC_API_KEY": ""})
    assert done.returncode == 0
    assert "no key" in done.stdout


def test_status_shows_no_key(small: Path) -> None:
    """The key decides which provider is used and appears nowhere."""
    (small / "config.toml").write_text("")
    key = "sk-ant-" + "k" * 40
    done = sprintd(small, "status", environ={"ANTHROPIC_API_KEY": key})
    assert "claude (claude-sonnet-5-5, claude-haiku-5-5)" in done.stdout
    assert key not in done.stdout + done.stderr


def test_backlog_lists_each_item_with_its_reason(worked: Path) -> None:
    """Where an item stands, why, and how often it was rejected."""
    items = {item["item"]: item for item in as_json(worked, "backlog")["items"]}
    assert [item["standing"] for item in items.values()] == [
        "done",
        "blocked",
        "waiting",
        "waiting",
    ]
    assert items["B02"]["rejections"] == 3
    assert "threshold" in items["B02"]["reason"]
    assert items["B03"]["reason"] == "needs B02 done first"
    assert items["B04"]["reason"] == "the calendar of the council"
    text = sprintd(worked, "backlog").stdout
    assert "Season (the calendar of the council)" in text
    assert "2 waiting, 1 done, 1 blocked" in text


def test_backlog_can_be_narrowed(worked: Path) -> None:
    """By standing, by criterion, and by both."""
    assert [i["item"] for i in as_json(worked, "backlog", "--standing", "blocked")["items"]] == [
        "B02"
    ]
    both = as_json(worked, "backlog", "--criterion", "KC1", "--standing", "waiting")["items"]
    assert [item["item"] for item in both] == ["B03", "B04"]
    assert "No item matches" in sprintd(worked, "backlog", "--standing", "eligible").stdout


def test_an_unknown_criterion_is_an_error_with_a_suggestion(small: Path) -> None:
    """Not an empty list, which would read as: nothing to do."""
    done = sprintd(small, "backlog", "--criterion", "kc1")
    assert done.returncode == 1
    assert "did you mean KC1?" in done.stderr


def test_show_tells_every_attempt_with_its_defects_and_score(worked: Path) -> None:
    """Three attempts, each with the sentences that rejected it and what it read."""
    found = as_json(worked, "show", "B02")
    assert [attempt["number"] for attempt in found["attempts"]] == [1, 2, 3]
    assert all(attempt["state"] == "rejected" for attempt in found["attempts"])
    assert all(attempt["defects"] for attempt in found["attempts"])
    assert found["cost_usd"] == "0.00"
    text = sprintd(worked, "show", "B02").stdout
    assert "Standing: blocked" in text
    assert "Attempt 3 (sprint 3, " in text
    assert "- Its content score is 0.35, below the threshold of 0.40." in text
    assert "Read (9 tokens): harbour.light" in text


def test_show_names_the_finding(worked: Path) -> None:
    """An accepted item says where its finding stands, and the file is there."""
    path = as_json(worked, "show", "B01")["finding"]
    assert (worked / path).is_file()
    text = sprintd(worked, "show", "B01").stdout
    assert f"Finding: {path} (quotes only, not reasoned)" in text
    assert as_json(worked, "show", "B01")["quotes_only"] is True
    assert as_json(worked, "show", "B02")["quotes_only"] is False


def test_an_unknown_item_is_an_error_with_a_suggestion(small: Path) -> None:
    """One clear line, no traceback."""
    done = sprintd(small, "show", "b01")
    assert done.returncode == 1
    assert done.stderr == "sprintd: the backlog has no item 'b01' (did you mean B01?)\n"
    assert done.stdout == ""


def test_model_text_cannot_move_the_cursor(worked: Path) -> None:
    """Escape sequences and direction marks in a stored reason come out as blanks."""
    db = open_database(worked / "state" / "sprintd.db")
    hostile = "\x1b]0;owned\x07\x1b[2J\u202egnp.exe\r\n" + "x" * 100_000
    sprint = open_sprint(db, "REGULAR", None, NOON)
    row = save_asked(
        db, sprint_id=sprint, track=1, item="B04", agent="analyst", effect_key="k", prompt={},
        context={"loaded": [{"id": "a\x1b[31mb"}], "skipped": []}, now=NOON,
    )  # fmt: skip
    save_failure(db, row.id, state="failed", reason=hostile, now=NOON)
    db.close()
    text = sprintd(worked, "show", "B04").stdout
    assert "owned" in text
    assert not [char for char in text if not char.isprintable() and char != "\n"]
    assert max(map(len, text.splitlines())) <= 100


def test_costs_count_each_call_once(worked: Path) -> None:
    """Four calls by any grouping; offline they cost nothing."""
    for grouping in ("day", "agent", "model", "item"):
        found = as_json(worked, "costs", "--by", grouping)
        assert found["total"]["calls"] == 4
        assert found["total"]["cost_micros"] == 0
        for tokens in ("prompt_tokens", "output_tokens"):
            assert found["total"][tokens] == sum(row[tokens] for row in found["rows"]) > 0
        assert sum(row["calls"] for row in found["rows"]) == 4
    text = sprintd(worked, "costs", "--by", "item").stdout
    assert "B02" in text
    assert "left of the cap of 20.00" in text


def test_tables_fit_the_terminal(worked: Path) -> None:
    """No line is wider than 80 columns where the terminal has 80, nor than 100 where it has more.

    The workspace's path is one word, as long as it is.
    """
    for words in (["status"], ["backlog"], ["show", "B02"], ["costs"], ["plan"]):
        for columns, limit in (("80", 80), ("40", 80), ("200", 100)):
            text = sprintd(worked, *words, environ={"COLUMNS": columns}).stdout
            lines = text.replace(str(worked), "PATH").splitlines()
            assert max(map(len, lines)) <= limit, (words, columns)


def test_looking_changes_no_row(worked: Path) -> None:
    """The database after looking is the database before, table by table."""
    before = rows(worked)
    for words in (["status"], ["backlog"], ["show", "B02"], ["costs"], ["plan"], ["check"]):
        assert sprintd(worked, *words).returncode == 0
    assert rows(worked) == before
    assert len(before["attempt"]) == 4


def test_a_state_folder_of_another_version_is_an_error(worked: Path) -> None:
    """What is no database of ours is reported by its path, with the exit code of the store."""
    shutil.rmtree(worked / "state")
    (worked / "state").mkdir()
    (worked / "state" / "sprintd.db").write_bytes(
        b"not a database, but long enough to look at" * 50
    )
    done = sprintd(worked, "status")
    assert done.returncode == 3
    assert "sprintd.db" in done.stderr
    assert "Traceback" not in done.stderr


def rows(root: Path) -> dict[str, list[dict[str, object]]]:
    db = open_read_only(root / "state" / "sprintd.db")
    names = [row["name"] for row in db.rows("SELECT name FROM sqlite_master WHERE type = 'table'")]
    found = {name: db.rows(f"SELECT * FROM {name}") for name in names}
    assert list_for_item(db, "B01")
    db.close()
    return found


def test_a_running_daemon_without_its_database_is_told(worked: Path) -> None:
    """An empty one would show an unspent budget; the doctor has it as a fault."""
    lock = OwnerLock(worked / "state")
    lock.acquire(NOON)
    try:
        for file in (worked / "state").glob("sprintd.db*"):
            file.unlink()
        for words in (["status"], ["costs"], ["reset-failures"]):
            done = sprintd(worked, *words)
            assert done.returncode == 3, done.stderr
            assert "its database was deleted" in done.stderr
        checks = as_json(worked, "doctor", code=1)["checks"]
        (found,) = [one for one in checks if one["check"] == "database"]
    finally:
        lock.release()
    assert (found["grade"], "was deleted" in found["message"]) == ("fault", True)


def test_a_broken_config_keeps_nobody_from_looking(worked: Path) -> None:
    """The daemon goes on with what it read before, so what looks on goes on too: status and watch name
    the fault, under the cap that was applied last; what judges by the settings is refused."""
    with sqlite3.connect(worked / "state" / "sprintd.db") as db:
        db.execute("UPDATE budget_day SET cap_micros = 7500000")
    broken = '[budget]\ndaily_cap_usd = "many"\n'
    for name, text in (("config.toml", broken), ("prices.toml", "[[price]]\n")):
        (worked / name).write_text(text)
        for words in (
            ["backlog"],
            ["show", "B01"],
            ["costs"],
            ["outbox"],
            ["approvals"],
            ["report"],
        ):
            done = sprintd(worked, *words)
            assert done.returncode == 0, done.stderr
        assert sprintd(worked, "criteria").returncode == 0
        assert sprintd(worked, "unblock", "B02").returncode == 0
        found = as_json(worked, "status")
        assert found["workspace_faults"][0].startswith(name)
        assert found["provider"] == "no provider: config.toml or prices.toml has faults"
        watched = as_json(worked, "watch", "--once")
        assert watched["workspace_faults"] == found["workspace_faults"]
        assert sprintd(worked, "plan").returncode == 1
        assert found["budget"]["cap_usd"] == ("7.50" if name == "config.toml" else "20.00")
        (worked / name).unlink()
