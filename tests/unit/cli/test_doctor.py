"""The doctor finds each fault by itself, says what to do, and touches nothing."""

from __future__ import annotations

import hashlib
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from daemon.cli.doctor_machine import check_clock, check_disk
from daemon.cli.doctor_reach import SERVICES, Endpoint, check_endpoint, check_health, list_endpoints
from daemon.cli.doctor_settings import Place, check_hidden
from daemon.cli.doctor_store import check_sqlite
from daemon.clock import SystemClock
from daemon.config.sections import Config, NotionSection, SlackSection
from daemon.governance.states import enter_state
from daemon.llm import claude
from daemon.notify import notion, slack
from daemon.store import incidents, job_runs, outbox
from daemon.store.database import Database, open_database
from daemon.store.owner_lock import OwnerLock
from tests.standins.slack_team import SlackTeam
from tests.unit.cli.small import as_json, clean_environ, edit, sprintd, write_small

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
SECRET = "sk-ant-api03-not-for-your-eyes"


def grades(root: Path, code: int = 0) -> dict[str, str]:
    """The worst grade of each look."""
    found = as_json(root, "doctor", code=code)
    assert found["ok"] == (code == 0)
    order = ("ok", "warn", "fault")
    worst: dict[str, str] = {}
    for one in found["checks"]:
        worst[one["check"]] = max(worst.get(one["check"], "ok"), one["grade"], key=order.index)
        assert one["cure"] or one["grade"] == "ok", one
    return worst


def told(root: Path, check: str, code: int = 0) -> dict[str, Any]:
    """The worst of one look."""
    found = [one for one in as_json(root, "doctor", code=code)["checks"] if one["check"] == check]
    return sorted(found, key=lambda one: ("ok", "warn", "fault").index(one["grade"]))[-1]


@pytest.fixture
def db(worked: Path) -> Iterator[Database]:
    found = open_database(worked / "state" / "sprintd.db")
    yield found
    found.close()


def test_a_sound_workspace_has_no_fault(worked: Path) -> None:
    """After three sprints everything is looked at and well."""
    found = grades(worked)
    assert set(found.values()) == {"ok"}
    looks = {
        "lock",
        "clock",
        "disk",
        "state folder",
        "token",
        "database",
        "sqlite",
        "books",
        "ledger",
    }
    assert looks <= set(found)
    assert {"state", "outbox", "schedule", "files", "prices", "key anthropic_api_key"} <= set(found)


def test_a_new_workspace_has_none_either(small: Path) -> None:
    """Before the first start there is no database, and that is no fault."""
    assert set(grades(small).values()) == {"ok"}
    assert not (small / "state").exists()


def test_it_is_readable_by_people(worked: Path) -> None:
    """A grade, a look and its finding a line; the last line sums up."""
    done = sprintd(worked, "doctor")
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[0] == "ok    lock: no process runs here"
    assert lines[-1].endswith("looks: 0 faults, 0 warnings.")
    assert max(len(line) for line in lines) <= 100


def fingerprint(root: Path) -> dict[str, str]:
    files = (path for path in root.rglob("*") if path.is_file())
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def test_it_changes_nothing(worked: Path) -> None:
    """Every file is as it was; SQLite's two helpers, which come and go by themselves, may be there."""
    before = fingerprint(worked)
    assert sprintd(worked, "doctor").returncode == 0
    after = fingerprint(worked)
    helpers = {str(worked / "state" / f"sprintd.db{end}") for end in ("-wal", "-shm")}
    assert {path: text for path, text in after.items() if path not in helpers} == before
    assert (worked / "state" / "sprintd.db-wal").stat().st_size == 0


def test_a_running_daemon_is_named(worked: Path) -> None:
    """With its pid; one that does not answer is a fault."""
    lock = OwnerLock(worked / "state")
    lock.acquire(SystemClock().now())
    try:
        assert str(os.getpid()) in told(worked, "lock", code=1)["message"]
        assert told(worked, "health", code=1)["grade"] == "fault"
    finally:
        lock.release()


def test_a_lock_that_was_left_behind_is_a_warning(worked: Path) -> None:
    """Whatever process has its pid by now; the next start takes it over."""
    (worked / "state" / "daemon.lock").write_text(f'{{"pid": {os.getpid()}}}')
    found = told(worked, "lock")
    assert found["grade"] == "warn"
    assert "takes the lock over" in found["cure"]


@pytest.mark.parametrize(
    ("newest", "synchronised", "grade"),
    [
        (None, None, "ok"),
        (NOW + timedelta(seconds=30), True, "ok"),
        (NOW - timedelta(days=30), None, "ok"),
        (NOW, False, "warn"),
        (NOW + timedelta(hours=2), True, "fault"),
    ],
)
def test_a_clock_that_was_set_back_is_a_fault(
    newest: datetime | None, synchronised: bool | None, grade: str
) -> None:
    """The store knows when the daemon last lived; without a time service it may drift."""
    assert check_clock(NOW, newest, synchronised).grade == grade


def test_a_clock_before_this_program_was_made_is_a_fault() -> None:
    """As that of a machine without a battery."""
    assert check_clock(datetime(1970, 1, 1, tzinfo=UTC), None, None).grade == "fault"


def test_the_newest_moment_comes_from_the_store(db: Database, worked: Path) -> None:
    """A row of tomorrow in the store, and today's clock is behind."""
    later = (SystemClock().now() + timedelta(days=1)).strftime("%Y-%m-%dT%H:%M:%S.000000Z")
    with db.immediate() as tx:
        tx.execute("INSERT INTO event (at, kind) VALUES (?, 'x')", (later,))
    assert told(worked, "clock", code=1)["grade"] == "fault"


def test_a_disk_without_room_for_a_backup_is_a_warning(tmp_path: Path) -> None:
    """Twice the database has to fit."""
    assert check_disk(tmp_path, 0).grade == "ok"
    assert check_disk(tmp_path, 10**15).grade == "warn"


def test_a_read_only_disk_is_a_fault() -> None:
    """Found without writing; any read-only mount of this machine will do."""
    mounts = [line.split() for line in Path("/proc/mounts").read_text().splitlines()]
    places = [Path(m[1]) for m in mounts if "ro" in m[3].split(",") and Path(m[1]).is_dir()]
    if not places:
        pytest.skip("this machine has no read-only mount")
    assert check_disk(places[0], 0).grade == "fault"


def test_a_folder_that_its_own_user_may_not_write_is_one_for_chmod() -> None:
    """Not for another user's doctor; a folder of the kernel's is such a one for root, too."""
    own = Path("/proc/self")
    found = check_disk(own, 0)
    assert (found.grade, found.cure) == ("fault", f"chmod u+rwx {own}")


def test_a_damaged_database_is_a_fault(worked: Path) -> None:
    """And the end of the look at it, not of the doctor."""
    (worked / "state" / "sprintd.db").write_bytes(b"not a database" * 500)
    found = grades(worked, code=1)
    assert found["database"] == "fault"
    assert found["files"] == "ok"


def test_a_database_of_a_newer_version_is_a_fault(db: Database, worked: Path) -> None:
    """It says so instead of reading what it does not know."""
    with db.immediate() as tx:
        tx.execute("UPDATE schema_step SET number = 999 WHERE number = 2")
    assert told(worked, "database", code=1)["grade"] == "fault"


def test_an_unsound_sqlite_is_a_fault() -> None:
    """The version with the fault, the first one without it, and one that only looks older."""
    assert check_sqlite("3.40.1").grade == "fault"
    assert check_sqlite("3.51.2").grade == "fault"
    assert check_sqlite("3.51.3").grade == "ok"
    assert check_sqlite("3.100.0").grade == "ok"


def test_books_that_do_not_add_up_are_a_fault(db: Database, worked: Path) -> None:
    """Used is held and settled, or the day is named."""
    with db.immediate() as tx:
        tx.execute("UPDATE budget_day SET used_micros = used_micros + 1")
    found = told(worked, "books", code=1)
    assert found["grade"] == "fault"
    assert "micro-dollars used" in found["message"]


def test_a_halt_is_a_fault_with_its_reason(db: Database, worked: Path) -> None:
    """The cure is the command that ends it."""
    with db.immediate() as tx:
        tx.execute("""UPDATE control SET value = json_set(value, '$.name', 'halted',
                      '$.reason', 'the key was refused') WHERE name = 'state'""")
    found = told(worked, "state", code=1)
    assert "the key was refused" in found["message"]
    assert "reset-failures" in found["cure"]


def test_what_goes_on_going_wrong_is_a_warning(db: Database, worked: Path) -> None:
    """An open incident with its cure, messages that nobody takes, a job that failed."""
    now = SystemClock().now()
    incidents.count(db, "slack", "channel_not_found", "correct slack.channel", now)
    outbox.enqueue(db, key="a", channel="slack", payload={}, now=now - timedelta(hours=2))
    assert told(worked, "incident")["cure"] == "correct slack.channel"
    said = [one for one in as_json(worked, "doctor")["checks"] if one["check"] == "outbox"]
    assert "the oldest since" in said[0]["message"]
    assert "there is no slack.channel, and 1 message waits" in said[1]["message"]
    outbox.set_aside(db, "a", error="channel_not_found", now=now)
    assert "for a person to see to" in told(worked, "outbox")["message"]
    slot = now - timedelta(hours=1)
    job_runs.queue_run(db, "digest", slot, now)
    job_runs.end_run(db, "digest", slot, "failed", "the disk is full", now)
    assert "the disk is full" in told(worked, "schedule")["message"]


def test_a_token_that_others_may_read_is_a_fault(worked: Path) -> None:
    """Its text is not shown."""
    token = worked / "state" / "token"
    token.write_text("0123456789abcdef-a-token")
    token.chmod(0o644)
    assert grades(worked, code=1)["token"] == "fault"
    assert "0123456789abcdef" not in sprintd(worked, "doctor").stdout


def put_secret(root: Path, name: str, mode: int) -> None:
    folder = root / "state" / "secrets"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    (folder / name).write_text(SECRET + "\n")
    (folder / name).chmod(mode)


def test_a_key_that_others_may_read_is_a_fault(worked: Path) -> None:
    """With the command that mends it, and without the key."""
    (worked / "config.toml").write_text('[provider]\nbase_url = "http://127.0.0.1:9"\n')
    put_secret(worked, "anthropic_api_key", 0o644)
    found = told(worked, "key anthropic_api_key", code=1)
    assert "chmod 0600" in found["message"]
    assert SECRET not in sprintd(worked, "doctor").stdout


def test_a_missing_key_is_a_fault_only_where_it_is_asked_for(worked: Path) -> None:
    """`claude` needs one, `auto` works offline and warns."""
    (worked / "config.toml").write_text('[provider]\nkind = "claude"\n')
    assert grades(worked, code=1)["key anthropic_api_key"] == "fault"
    (worked / "config.toml").write_text("")
    assert grades(worked)["key anthropic_api_key"] == "warn"


def test_a_channel_without_its_token_is_a_fault(worked: Path) -> None:
    """Slack is a stand-in on this machine, so that nothing leaves it."""
    with SlackTeam(token=SECRET) as slack:
        lines = f'[slack]\nchannel = "{slack.channel}"\nbase_url = "{slack.base_url}"\n'
        (worked / "config.toml").write_text(f'[provider]\nkind = "extractive"\n{lines}')
        found = grades(worked, code=1)
        assert found["key slack_bot_token"] == "fault"
        assert found["endpoint slack"] == "ok"
        put_secret(worked, "slack_bot_token", 0o600)
        assert grades(worked)["key slack_bot_token"] == "ok"


def test_buttons_that_nobody_can_press_are_told_of(worked: Path) -> None:
    """A missing secret, an empty list; each with what to do."""
    with SlackTeam(token=SECRET) as slack:
        slack.app_token = SECRET
        lines = f'[slack]\nchannel = "{slack.channel}"\nbase_url = "{slack.base_url}"\n'
        (worked / "config.toml").write_text(f'[provider]\nkind = "extractive"\n{lines}')
        put_secret(worked, "slack_bot_token", 0o600)
        assert "slack_app_token" in told(worked, "buttons in Slack")["message"]
        put_secret(worked, "slack_app_token", 0o600)
        assert "slack.deciders" in told(worked, "buttons in Slack")["message"]
        assert grades(worked)["buttons in Slack"] == "warn"
        with (worked / "config.toml").open("a") as config:
            config.write('deciders = ["U0FOUNDER"]\n')
        assert grades(worked)["buttons in Slack"] == "ok"


def test_what_only_the_daemon_can_ask_is_said(tmp_path: Path) -> None:
    """Under systemd the doctor does not see the tokens; a line says that nothing was asked, and why."""
    health = {"delivery": {"channels": ["slack", "notion"]}}
    hidden = list(check_hidden(Place(tmp_path, Config(), {}, health)))
    assert [(one.check, one.grade) for one in hidden] == [("slack", "ok"), ("notion", "ok")]
    assert "docs/slack.md" in hidden[0].message
    seen = {"SLACK_BOT_TOKEN": "xoxb-1", "NOTION_TOKEN": "ntn_1"}
    assert list(check_hidden(Place(tmp_path, Config(), seen, health))) == []
    assert list(check_hidden(Place(tmp_path, Config(), {}, None))) == []


def test_a_model_without_a_price_is_a_fault(worked: Path) -> None:
    """Every call of it would be refused."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}"
        (worked / "config.toml").write_text(
            f'[provider]\nkind = "claude"\nbase_url = "{url}"\nroutine_model = "claude-haiku-9"\n'
        )
        found = told(worked, "prices", code=1)
        assert "claude-haiku-9" in found["message"]


def test_a_fault_in_a_file_is_named(worked: Path) -> None:
    """The first one, how many there are, and the command that lists them."""
    edit(worked, "backlog.yaml", "agent: analyst", "agent: analist")
    found = told(worked, "files", code=1)
    assert "backlog.yaml" in found["message"]
    assert "sprintd check" in found["cure"]


def test_a_faulty_config_does_not_end_the_look(worked: Path) -> None:
    """The rest is looked at with the defaults."""
    (worked / "config.toml").write_text('[budget]\ndaily_cap_usd = "many"\n')
    found = grades(worked, code=1)
    assert found["files"] == "fault"
    assert found["database"] == "ok"
    assert found["tokens"] == "warn"
    assert "key slack_bot_token" not in found  # nobody knows whether it is needed


def test_an_endpoint_is_connected_to_and_no_more() -> None:
    """An open port is reached, a closed one and one without TLS are faults that name the setting."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        plain = Endpoint("provider", f"http://127.0.0.1:{port}", "provider.base_url")
        assert check_endpoint(plain).grade == "ok"
        connection, _ = server.accept()
        with connection:
            connection.settimeout(30)
            assert connection.recv(1) == b""
    found = check_endpoint(plain)
    assert found.grade == "fault"
    assert "provider.base_url" in found.cure


def test_a_port_that_speaks_no_tls_is_a_fault() -> None:
    """The address says https, what listens there does not."""
    server = socket.create_server(("127.0.0.1", 0))
    port = server.getsockname()[1]
    script = (
        "import socket,sys; s=socket.socket(fileno=int(sys.argv[1])); c,_=s.accept(); "
        "c.recv(9); c.sendall(b'HTTP/1.1 400 no\\r\\n\\r\\n'); c.close()"
    )
    command = [sys.executable, "-c", script, str(server.fileno())]
    with server, subprocess.Popen(command, pass_fds=[server.fileno()], env=clean_environ()):
        found = check_endpoint(Endpoint("slack", f"https://127.0.0.1:{port}", "slack.base_url"))
    assert found.grade == "fault"


def test_only_what_is_configured_is_connected_to() -> None:
    """Offline nothing is; each channel adds its own."""
    assert list_endpoints(Config(), "extractive") == []
    config = Config(
        slack=SlackSection(channel="C0123456789"),
        notion=NotionSection(findings_data_source="0" * 32),
    )
    assert [one.name for one in list_endpoints(config, "claude")] == ["provider", "slack", "notion"]


def test_the_addresses_are_those_of_the_doors() -> None:
    """What the doctor tries is what the daemon uses."""
    assert SERVICES == {
        "provider": claude.DEFAULT_BASE_URL, "slack": slack.BASE_URL, "notion": notion.BASE_URL,
    }  # fmt: skip


def test_what_a_running_daemon_says_of_itself_counts() -> None:
    """Its problems are faults, a job that is skipped again and again is a warning."""
    well = {"problems": [], "jobs": [{"name": "digest", "skips_in_a_row": 1}], "provider": "claude"}
    assert [one.grade for one in check_health(well)] == ["ok"]
    ill = {"problems": ["the worker is dead"], "jobs": [{"name": "digest", "skips_in_a_row": 2}]}
    assert [one.grade for one in check_health(ill)] == ["fault", "warn"]


def test_the_example_of_the_documents_works(small: Path) -> None:
    """Each entry of --json has the four documented keys."""
    for one in as_json(write_small(small), "doctor")["checks"]:
        assert set(one) == {"check", "grade", "message", "cure"}


def test_a_daemon_that_ended_in_order_is_called_stopped(worked: Path) -> None:
    """As `status` calls it: nothing runs that could be stopping."""
    db = open_database(worked / "state" / "sprintd.db")
    enter_state(db, "stopping", "the daemon was stopped", datetime(2026, 11, 30, tzinfo=UTC))
    db.close()
    assert told(worked, "state")["message"].startswith("stopped since 2026-11-30")
