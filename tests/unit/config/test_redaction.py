"""No secret reaches any log handler or text, whatever carries it; hosts stay readable."""

from __future__ import annotations

import copy
import http.client
import io
import json
import logging
import logging.handlers
import pickle
import queue
import socket
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import quote

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.config.redaction import configure_logging, log_uncaught, redact
from daemon.config.redactor import MASK, Redactor, is_secret_name

SECRET = "correct-horse-7-battery"
PATH = "/services/T0AAAA/B0BBBB/cccc1111dddd2222"


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """Everything that is logged while a test runs; the process is as before afterwards."""
    root = logging.getLogger()
    before = (list(root.handlers), root.level, logging.getLogRecordFactory())
    hooks = (sys.excepthook, threading.excepthook)
    stream = io.StringIO()
    configure_logging(level="DEBUG", secrets=[SECRET], stream=stream)
    yield stream
    configure_logging(level="DEBUG", secrets=[], stream=io.StringIO())
    root.handlers[:], level, factory = before
    root.setLevel(level)
    logging.setLogRecordFactory(factory)
    sys.excepthook, threading.excepthook = hooks


@pytest.fixture
def closed_port() -> int:
    """A port on loopback where nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


class _Kept(logging.Handler):
    """A handler as a library would add it: own format, every attribute of the record."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        shown = {name: repr(value) for name, value in record.__dict__.items()}
        self.texts.append(self.format(record) + json.dumps(shown))


class _Silent(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        self.send_response(404)
        self.end_headers()

    def log_message(self, *_args: object) -> None:
        """Say nothing."""


def test_a_webhook_on_a_closed_port_shows_its_host_only(log: io.StringIO, closed_port: int) -> None:
    """The URL is in the call's arguments and in the traceback; host and port stay readable."""
    webhook = f"http://127.0.0.1:{closed_port}{PATH}"
    configure_logging(level="INFO", secrets=[webhook], stream=log)
    try:
        httpx2.post(webhook, trust_env=False)
    except httpx2.HTTPError as error:
        error.add_note(f"Max retries exceeded with url: {PATH}")
        logging.getLogger("daemon.notify.slack").exception("cannot reach %s", webhook)
    text = log.getvalue()
    assert "ERROR notify: cannot reach http://127.0.0.1:" in text
    assert f"http://127.0.0.1:{closed_port}/{MASK}" in text
    assert "Max retries exceeded with url: /" + MASK in text
    assert "cccc1111dddd2222" not in text
    assert "T0AAAA" not in text


def test_what_an_http_library_logs_by_itself_is_redacted(log: io.StringIO) -> None:
    """httpx2 writes the whole URL of every request into its own log."""
    server = HTTPServer(("127.0.0.1", 0), _Silent)
    thread = threading.Thread(target=server.handle_request)
    thread.start()
    httpx2.post(f"http://127.0.0.1:{server.server_port}{PATH}", trust_env=False)
    thread.join()
    server.server_close()
    assert (
        f"httpx2: HTTP Request: POST http://127.0.0.1:{server.server_port}/{MASK}" in log.getvalue()
    )
    assert "cccc1111dddd2222" not in log.getvalue()


def test_a_header_error_deep_in_the_chain_of_causes_is_redacted(log: io.StringIO) -> None:
    """A key with a line end: the library's error quotes the whole header, one cause down."""
    connection = http.client.HTTPConnection("127.0.0.1")
    connection.putrequest("GET", "/")
    try:
        connection.putheader("Authorization", b"Bearer sk-x\n")
    except ValueError as cause:
        try:
            raise RuntimeError("Connection error.") from cause
        except RuntimeError:
            logging.getLogger("daemon.llm").exception("call failed")
    assert f"Invalid header value b'Bearer {MASK}" in log.getvalue()
    assert "sk-x" not in log.getvalue()


def test_handlers_added_later_get_nothing_else(log: io.StringIO) -> None:
    """A handler of another logger, added afterwards, with its own formatter."""
    kept = _Kept()
    logger = logging.getLogger("some.library")
    logger.addHandler(kept)
    try:
        raise ValueError(SECRET)
    except ValueError:
        logger.exception(
            "args %s %r",
            SECRET,
            {"deep": [SECRET]},
            extra={
                "header": {"authorization": "plain1"},
                "error": ValueError(SECRET),
                "t": (SECRET,),
            },
            stack_info=True,
        )
    finally:
        logger.removeHandler(kept)
    (text,) = kept.texts
    assert SECRET not in text
    assert "plain1" not in text
    assert f"args {MASK}" in text


def test_records_that_travel_to_other_processes_are_clean(log: io.StringIO) -> None:
    """A copy and a pickle of a record hold what the record held."""
    records: queue.Queue[logging.LogRecord] = queue.Queue()
    handler = logging.handlers.QueueHandler(records)
    logging.getLogger().addHandler(handler)
    logging.getLogger("x").info("with %s", SECRET, extra={"more": SECRET})
    logging.getLogger().removeHandler(handler)
    record = records.get_nowait()
    assert SECRET not in repr(vars(record))
    assert SECRET.encode() not in pickle.dumps(copy.copy(record))


def test_a_wrong_format_neither_raises_nor_shows_the_arguments(log: io.StringIO) -> None:
    """logging's own complaint about a wrong call prints the arguments; ours does not."""
    logging.getLogger("daemon.store.items").info("%d items", SECRET)
    assert "INFO store: %d items (arguments not shown: TypeError)" in log.getvalue()
    assert SECRET not in log.getvalue()


def test_a_record_is_one_line_and_cannot_be_forged(log: io.StringIO) -> None:
    """Line ends and escape sequences in a message are shown, not obeyed."""
    logging.getLogger("daemon.web").warning("name\n2026 INFO x: forged\x1b[2J é")
    (line,) = log.getvalue().splitlines()
    assert line.endswith("Z WARNING web: name\\n2026 INFO x: forged\\x1b[2J é")


def test_configuring_twice_does_not_double_the_lines(log: io.StringIO) -> None:
    """The second call replaces stream, level and secrets."""
    second = io.StringIO()
    configure_logging(level="WARNING", secrets=["another-secret"], stream=second)
    logging.getLogger("x").info("quiet")
    logging.getLogger("x").warning("another-secret")
    assert log.getvalue() == ""
    assert second.getvalue().count(MASK) == 1


def test_an_error_that_nobody_catches_in_a_thread_goes_through_the_log(log: io.StringIO) -> None:
    """Bare tracebacks on stderr would pass the redaction by."""
    log_uncaught()

    def fail() -> None:
        raise RuntimeError(SECRET)

    thread = threading.Thread(target=fail)
    thread.start()
    thread.join()
    assert "CRITICAL uncaught" in log.getvalue()
    assert f"RuntimeError: {MASK}" in log.getvalue()
    assert SECRET not in log.getvalue()


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("https://hooks.slack.com/services/T0/B0/x?y=1 ok", f"https://hooks.slack.com/{MASK} ok"),
        ("with url: /services/T0A/B0B/cC1", f"with url: /{MASK}"),
        ("Authorization: Bearer abc.def-1", f"Authorization: Bearer {MASK}"),
        ("{'authorization': 'Basic dXNlcjpwdw=='}", f"{{'authorization': '{MASK}'}}"),
        ("x-api-key: abc123", f"x-api-key: {MASK}"),
        ("key sk-ant-api03-AbC_d-9 end", f"key {MASK} end"),
        ("xoxb-123-456-abc", MASK),
        ("postgres://user:pass@db.example/x", f"postgres://{MASK}@db.example/x"),
        ("GET /x?token=abc&page=2", f"GET /x?token={MASK}&page=2"),
        ('{"api_key": "abc", "page": 2}', f'{{"api_key": "{MASK}", "page": 2}}'),
        ("a -----BEGIN PRIVATE KEY-----\nMII\n-----END PRIVATE KEY----- b", f"a {MASK} b"),
    ],
)
def test_what_looks_like_a_secret_is_redacted_unasked(text: str, clean: str) -> None:
    """Key-like patterns are redacted even where nobody named the secret."""
    assert redact(text) == clean


@pytest.mark.parametrize(
    "text",
    [
        "the bearer of good news",
        "max_output_tokens=4096, input_tokens=12",
        "risk-free task-1 for the desk-top",
        "https://api.anthropic.com/v1/messages answered 529",
        "config.toml:3: slack.bot_token: looks like a secret",
        "keep the secret: nobody knows",
    ],
)
def test_ordinary_words_stay(text: str) -> None:
    """Log lines stay readable."""
    assert redact(text) == text


@given(
    st.text(alphabet=st.characters(min_codepoint=33, max_codepoint=126), min_size=6, max_size=40)
)
def test_a_known_secret_never_survives_in_any_usual_spelling(secret: str) -> None:
    """Plain, in URLs, in JSON, in repr: whatever the characters."""
    redactor = Redactor([secret])
    for spelling in (secret, quote(secret, safe=""), json.dumps(secret), repr(secret)):
        assert secret not in redactor.redact(f"before {spelling} after").replace(MASK, "")


@pytest.mark.parametrize("name", ["api_key", "slack-token", "webhookUrl", "PASSWORD", "signingKey"])
def test_names_of_secrets(name: str) -> None:
    """Snake, kebab and camel case."""
    assert is_secret_name(name)


@pytest.mark.parametrize("name", ["key", "max_tokens", "keyboard", "tokens_used", "secretary"])
def test_names_of_no_secrets(name: str) -> None:
    """Words that only look alike."""
    assert not is_secret_name(name)
