"""Log lines for people and for machines, with the ids of what goes on, and no secret in either."""

from __future__ import annotations

import io
import json
import logging
import os
import threading
from collections.abc import Iterator
from contextvars import copy_context
from pathlib import Path
from typing import Any

import pytest

from daemon.config.log_lines import current_ids, goes_to_journal, log_ids
from daemon.config.redaction import configure_logging
from daemon.notify.console import notifier_for

SECRET = "sesame-0123456789"
log = logging.getLogger("daemon.governance.budget")


@pytest.fixture
def stream() -> Iterator[io.StringIO]:
    found = io.StringIO()
    configure_logging(level="INFO", secrets=[SECRET], stream=found, form="json")
    yield found
    configure_logging(level="WARNING", secrets=[], stream=io.StringIO())


def objects(stream: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_each_record_is_one_object_with_the_ids_that_are_known(stream: io.StringIO) -> None:
    """Sprint, item and call inside, none of them outside; an inner id is gone after it."""
    log.info("before")
    with log_ids(sprint=12, item=None):
        log.info("planned")
        with log_ids(item="T07", call="sprint/12/track/1"):
            log.warning("%d %% of the cap", 80)
    log.info("after")
    found = objects(stream)
    ids = [{k: v for k, v in one.items() if k in ("sprint", "item", "call")} for one in found]
    assert ids == [
        {},
        {"sprint": 12},
        {"sprint": 12, "item": "T07", "call": "sprint/12/track/1"},
        {},
    ]
    assert found[2] | {"at": ""} == {
        "at": "", "level": "WARNING", "room": "governance", "message": "80 % of the cap", **ids[2],
    }  # fmt: skip
    assert found[2]["at"].endswith("Z")


def test_neither_message_nor_traceback_holds_a_secret(stream: io.StringIO) -> None:
    """The redaction stands before the form; line ends do not break an object."""
    try:
        raise ValueError(f"the key {SECRET}\nwas refused")
    except ValueError:
        log.exception("a call with %s\nfailed", SECRET)
    [found] = objects(stream)
    assert SECRET not in stream.getvalue()
    assert found["message"] == "a call with [redacted]\nfailed"
    assert "the key [redacted]\nwas refused" in found["traceback"]


def test_a_thread_with_its_makers_context_has_its_ids(stream: io.StringIO) -> None:
    """As the thread of a model call has; a bare thread has none."""
    with log_ids(call="k"):
        for work in (copy_context().run, lambda tell: tell()):
            thread = threading.Thread(target=work, args=(lambda: log.info("%s", current_ids()),))
            thread.start()
            thread.join()
    assert [one.get("call") for one in objects(stream)] == ["k", None]


def test_messages_for_people_are_objects_too(stream: io.StringIO) -> None:
    """One a message, also where only errors are asked for."""
    configure_logging(level="ERROR", secrets=[], stream=stream, form="json")
    log.warning("not asked for")
    notifier_for("json", io.StringIO()).post("# Digest\n\n2 accepted, ñ")
    assert [one["message"] for one in objects(stream)] == ["# Digest\n\n2 accepted, ñ"]
    assert stream.getvalue().isascii()
    text = io.StringIO()
    console = notifier_for("text", text)
    console.post("2 accepted")
    console.close(5)
    assert text.getvalue() == "\n2 accepted\n\n"


def test_the_form_for_people_is_the_default(stream: io.StringIO) -> None:
    """Time, level, room, message; control characters as escapes."""
    configure_logging(level="INFO", secrets=[], stream=stream)
    with log_ids(sprint=1):
        log.info("one\ntwo")
    assert stream.getvalue().partition("Z ")[2] == "INFO governance: one\\ntwo\n"


@pytest.mark.parametrize("form", ["text", "json"])
def test_the_journal_is_told_the_priority_of_each_line(tmp_path: Path, form: Any) -> None:
    """Only where systemd reads this very stream."""
    with (tmp_path / "stderr").open("w+") as stream:
        state = os.fstat(stream.fileno())
        environ = {"JOURNAL_STREAM": f"{state.st_dev}:{state.st_ino}"}
        assert goes_to_journal(stream, environ)
        configure_logging(level="DEBUG", secrets=[], stream=stream, form=form, environ=environ)
        log.warning("warned")
        log.debug("told")
        try:
            raise ValueError("broken")
        except ValueError:
            log.exception("failed")
        configure_logging(level="WARNING", secrets=[], stream=io.StringIO())
        stream.seek(0)
        lines = stream.read().splitlines()
    assert lines[0].startswith("<4>")
    assert lines[1].startswith("<7>")
    assert len(lines) > 2
    assert {line[:3] for line in lines[2:]} == {"<3>"}
    if form == "json":
        assert [json.loads(line[3:])["level"] for line in lines] == ["WARNING", "DEBUG", "ERROR"]


def test_another_stream_is_not_the_journal(tmp_path: Path) -> None:
    """A file, a stream without a descriptor, and a variable that was inherited."""
    with (tmp_path / "log").open("w") as file:
        assert not goes_to_journal(file, {"JOURNAL_STREAM": "8:1"})
        assert not goes_to_journal(file, {})
    assert not goes_to_journal(io.StringIO(), {"JOURNAL_STREAM": "8:1"})
