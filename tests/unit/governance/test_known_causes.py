"""Our own errors are recognised, each cause has its words, and each has a cure in both languages."""

from __future__ import annotations

import errno
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import get_args

import pytest

from daemon.config.phrases import Phrases
from daemon.config.sections import Language
from daemon.errors import (
    Fault,
    NotFound,
    OutcomeUnknown,
    ProviderBusy,
    ProviderPermanent,
    StoreError,
    WorkspaceInvalid,
)
from daemon.governance.budget import Refusal
from daemon.governance.known_causes import (
    CAUSES,
    Trouble,
    cause_named,
    classify,
    explain_cause,
    incident_name,
    message_of,
)
from daemon.llm.prices import UnknownPrice
from daemon.llm.service_errors import Asked, ErrorAnswer, explain
from daemon.memory.writing import MemoryUnwritable, write_file
from daemon.store.control import put
from daemon.store.database import open_database, open_read_only

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
ASKED = Asked("api.example", "claude-x-1", "provider.reasoning_model")


def answer(status: int, kind: str, message: str, code: str = "", **headers: str) -> Exception:
    """The error that the door to the service makes of an answer."""
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return explain(ErrorAnswer(status, kind, code, message, names, "req_1"), ASKED, NOON)


ANSWERS: list[tuple[Trouble, str]] = [
    (answer(401, "authentication_error", "invalid x-api-key"), "wrong_key"),
    (answer(403, "permission_error", "not allowed"), "wrong_key"),
    (answer(402, "billing_error", "payment required"), "no_credit"),
    (answer(400, "invalid_request_error", "Your credit balance is too low"), "no_credit"),
    (answer(400, "invalid_request_error", "You reached your spend limit"), "spend_limit"),
    (answer(400, "invalid_request_error", "specified API usage limits"), "spend_limit"),
    (answer(429, "rate_limit_error", "limit of your tier"), "spend_limit"),
    (answer(413, "request_too_large", "too large"), "prompt_too_large"),
    (answer(400, "invalid_request_error", "prompt is too long: 9"), "prompt_too_large"),
    (answer(404, "not_found_error", "model: claude-x-1"), "unknown_model"),
    (answer(400, "invalid_request_error", "messages: wrong"), "request_refused"),
    (answer(404, "", "nothing here"), "wrong_address"),
    (answer(307, "", ""), "wrong_address"),
    (answer(422, "invalid_request_error", "a field"), "wrong_address"),
    (answer(429, "rate_limit_error", "slow down", retry_after="7"), "rate_limited"),
    (answer(529, "overloaded_error", "Overloaded"), "overloaded"),
    (answer(503, "", "unavailable"), "overloaded"),
    (answer(500, "api_error", "Internal server error"), "provider_failing"),
    (answer(502, "", "bad gateway"), "provider_failing"),
    (answer(504, "", "gateway time-out"), "timeout"),
    (answer(408, "", "timeout"), "timeout"),
    (OutcomeUnknown("api.example gave no reply within 300 s; the call may have been billed"),
     "timeout"),
    (OutcomeUnknown("the exchange with api.example broke before the reply was complete (ReadError)"),
     "reply_lost"),
    (ProviderBusy("api.example cannot be reached (Connection refused); the request was not sent"),
     "unreachable"),
    (ProviderPermanent("the proxy that the environment names", setting="HTTPS_PROXY"),
     "wrong_address"),
    (UnknownPrice("the model 'x' has no price"), "price_missing"),
    (Refusal("no_price", "not called: the model 'x' has no price"), "price_missing"),
    (Refusal("store", "nothing may be spent without the database: x: the disk is full"),
     "store_full"),
    (WorkspaceInvalid([Fault("backlog.yaml", 3, "items", "is missing")]), "workspace_faults"),
    (NotFound("there is no team x"), "workspace_faults"),
    (StoreError("x.db: the database was deleted or replaced while in use"), "store_damaged"),
    (StoreError("x.db: a row was refused (SQLITE_CONSTRAINT); report"), "store_failed"),
    (OSError(errno.ENOSPC, "No space left on device"), "disk_full"),
    (OSError(errno.EROFS, "Read-only file system"), "folder_read_only"),
    (ZeroDivisionError("a fault of ours"), "unknown"),
]  # fmt: skip


@pytest.mark.parametrize(("error", "name"), ANSWERS, ids=lambda value: str(value)[:40])
def test_an_error_of_ours_is_recognised(error: Trouble, name: str) -> None:
    """As the doors to service, prices and files raise it, not as a test imagines it."""
    assert classify(error).name == name


def store_error(act: Callable[[], object]) -> StoreError:
    with pytest.raises(StoreError) as caught:
        act()
    return caught.value


def test_real_errors_of_the_database_are_recognised(tmp_path: Path) -> None:
    """Locked, full, read-only, damaged, and no database at all: by SQLite itself."""
    db = open_database(tmp_path / "a.db", busy_timeout_seconds=0.05)
    other = open_database(tmp_path / "a.db", busy_timeout_seconds=0.05)
    sql = "INSERT INTO control VALUES ('x', ?, '')"

    def write() -> None:
        with db.immediate() as tx:
            tx.execute(sql, ("x" * 1_000_000,))

    with other.immediate():
        assert classify(store_error(write)).name == "store_locked"
    db.rows("PRAGMA max_page_count = 1")
    assert classify(store_error(write)).name == "store_full"
    looking = open_read_only(tmp_path / "a.db")
    assert classify(store_error(lambda: put(looking, "x", 1, NOON))).name == "store_read_only"
    for one in (db, other, looking):
        one.close()
    (tmp_path / "b.db").write_bytes(b"no database at all " * 500)
    assert classify(store_error(lambda: open_database(tmp_path / "b.db"))).name == "store_damaged"


def test_a_note_that_cannot_be_written_is_recognised(tmp_path: Path) -> None:
    """A file where a folder belongs, and the words for a full disk and a read-only folder."""
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "findings").write_text("in the way")
    with pytest.raises(MemoryUnwritable) as caught:
        write_file(tmp_path, "memory/findings/a.md", b"x")
    assert classify(caught.value).name == "memory_unwritable"
    full = MemoryUnwritable("cannot write memory/a.md: the disk or the quota is full; free some")
    assert classify(full).name == "disk_full"
    closed = MemoryUnwritable("cannot write memory/a.md: the folder is read-only; let the user")
    assert classify(closed).name == "folder_read_only"


@pytest.mark.parametrize("language", get_args(Language))
def test_every_cause_has_its_words_and_its_cure(language: Language) -> None:
    """In each language; two causes never share both."""
    told = [explain_cause(cause.name, Phrases(language)) for cause in CAUSES]
    assert all(what and cure for what, cure in told)
    assert len(set(told)) == len(CAUSES)


def test_the_causes_that_count_are_those_that_repeating_could_cost_money() -> None:
    """What the service did not take, faults of files, notes that cannot be read, a missing price,
    a place that cannot be written, a judge that is not there and the action gate hold the work up."""
    assert {cause.name for cause in CAUSES if not cause.counts} == {
        "price_missing", "workspace_faults", "store_locked", "store_full", "store_read_only",
        "disk_full", "folder_read_only", "memory_unwritable", "notes_unreadable",
        "rate_limited", "overloaded", "unreachable", "policy_refused", "ledger_failed",
        "judge_missing",
    }  # fmt: skip
    passing = {cause.name for cause in CAUSES if cause.passes}
    assert passing == {"rate_limited", "overloaded", "unreachable"}


def test_unknown_errors_of_one_kind_are_one_incident() -> None:
    """Numbers and addresses differ from time to time; the kind of the error does not."""
    one, two = ValueError("row 17 at 0x7f00ab of 3"), ValueError("row 99 at 0x1234 of 5")
    assert incident_name(one) == incident_name(two)
    assert incident_name(one).startswith("unknown/")
    assert incident_name(ValueError("another")) != incident_name(one)
    assert incident_name(KeyError("row 17 at 0x7f00ab of 3")) != incident_name(one)
    found = cause_named(incident_name(one))
    assert found
    assert found.name == "unknown"


def test_a_name_that_is_not_ours_has_no_cause() -> None:
    """Other parts have incidents of their own; they are explained as unknown."""
    assert cause_named("outbox/notion/refused") is None
    assert explain_cause("outbox/notion/refused", Phrases("en"))[0]


def test_a_message_is_one_line_and_names_what_is_needed() -> None:
    """The setting of a permanent error; the type of one that is not ours."""
    permanent = ProviderPermanent("the key\nis wrong", setting="ANTHROPIC_API_KEY")
    assert message_of(permanent) == "the key is wrong (setting: ANTHROPIC_API_KEY)"
    assert message_of(ZeroDivisionError("by\nzero")) == "ZeroDivisionError: by zero"
    assert message_of(StoreError("x.db: damaged")) == "x.db: damaged"
