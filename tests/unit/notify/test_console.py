"""The console notifier: whole, at once, and harmless."""

from __future__ import annotations

import io

import pytest

from daemon.notify.console import ConsoleNotifier


def posted(text: str, encoding: str) -> str:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding, errors="strict")
    ConsoleNotifier(stream).post(text)
    return raw.getvalue().decode(encoding)  # read without closing: it was flushed


def test_a_message_is_a_block_of_its_own() -> None:
    """An empty line before and after, so that it stands out among log lines."""
    assert posted("One.\nTwo.", "utf-8") == "\nOne.\nTwo.\n\n"


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_letters_that_the_terminal_lacks_are_no_error(encoding: str) -> None:
    """A digest is never lost for a letter."""
    assert posted("done… 灯", encoding).startswith("\ndone")


def test_control_characters_are_blanks() -> None:
    """Nobody's title clears the screen; a lone surrogate is no error either."""
    assert posted("a\x1b[2Jb\x07\u202e\ud800", "utf-8") == "\na [2Jb   \n\n"


def test_a_stream_that_is_gone_is_an_error() -> None:
    """So that the digest counts as not told and comes again."""
    raw = io.FileIO("/dev/full", "w")
    stream = io.TextIOWrapper(io.BufferedWriter(raw), encoding="utf-8")
    with pytest.raises(OSError, match="No space"):
        ConsoleNotifier(stream).post("lost")
    raw.close()
