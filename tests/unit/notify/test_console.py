"""The console notifier: whole, in order, harmless, and never a reason to fail or to wait."""

from __future__ import annotations

import io
import logging
import os
import select

import pytest

from daemon.config.phrases import Phrases
from daemon.notify.console import ConsoleNotifier, write_line


def posted(text: str, encoding: str) -> str:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding, errors="strict")
    console = ConsoleNotifier(stream, Phrases("en"))
    console.post(text)
    console.close(5)
    return raw.getvalue().decode(encoding)  # read without closing: it was flushed


def test_a_message_is_a_block_of_its_own() -> None:
    """An empty line before and after, so that it stands out among log lines."""
    assert posted("One.\nTwo.", "utf-8") == "\nOne.\nTwo.\n\n"


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_letters_that_the_terminal_lacks_are_no_error(encoding: str) -> None:
    """A digest is never lost for a letter."""
    assert posted("done… 灯", encoding).startswith("\ndone")


def test_control_characters_are_named() -> None:
    """Nobody's title clears the screen; a lone surrogate is no error either."""
    assert posted("a\x1b[2Jb\x07\u202e\ud800", "utf-8") == (
        "\na[U+001B][2Jb[U+0007][U+202E][U+D800]\n\n"
    )


def test_messages_come_in_order_and_whole() -> None:
    """Through a real pipe, each larger than what the pipe takes at once."""
    reading, writing = os.pipe()
    with os.fdopen(writing, "w") as stream, os.fdopen(reading, "rb") as reader:
        console = ConsoleNotifier(stream, Phrases("en"))
        texts = [f"{number} {'x' * 100_000}" for number in range(3)]
        for text in texts:
            console.post(text)
        expected = "".join(f"\n{text}\n\n" for text in texts).encode()
        assert reader.read(len(expected)) == expected
        console.close(5)


def test_a_stream_that_is_gone_is_logged_once_and_fails_nothing(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Two messages to a pipe without a reader: one line of the log."""
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as stream, caplog.at_level(logging.WARNING):
        console = ConsoleNotifier(stream, Phrases("en"))
        console.post("lost")
        console.post("lost too")
        console.close(5)
        assert write_line(stream, "farewell", wait_seconds=0) is False
    (record,) = caplog.records
    assert "not shown on the standard output" in record.getMessage()


def test_a_reader_that_does_not_read_is_not_waited_for() -> None:
    """A full pipe: 300 messages are taken at once and the end comes; a reader later sees the note."""
    reading, writing = os.pipe()
    with os.fdopen(writing, "w") as stream, os.fdopen(reading, "rb", buffering=0) as reader:
        console = ConsoleNotifier(stream, Phrases("en"))
        console.post("first " + "x" * 1_000_000)
        while b"first" not in (shown := reader.read(100)):
            pass
        for number in range(300):
            console.post(f"message {number}")
        while b"message 299" not in shown:
            shown = shown[-100_000:] + reader.read(65_536)
        assert b"200 messages were not shown" in shown
        assert b"message 199\n" not in shown
        assert b"message 200\n" in shown
        console.post("y" * 1_000_000)
        look = select.poll()
        look.register(stream, select.POLLOUT)
        while look.poll(0):
            pass  # until the pipe is full
        console.close(0)
        console.post("after the end")
        assert write_line(stream, "farewell", wait_seconds=0) is False


def test_no_stream_at_all_is_no_error() -> None:
    """Standard output was closed before the start."""
    console = ConsoleNotifier(None, Phrases("en"))
    console.post("nobody sees it")
    console.close(0)
    assert write_line(None, "farewell", wait_seconds=0) is False
