"""What SQLite says, put into one line that names the file, what is wrong, and the cure."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from daemon.errors import StoreError
from daemon.store.driver import sqlite3

_FIRST_BYTE = 0xFF  # the low byte of an extended result code is the primary one
_BUSY, _LOCKED, _READ_ONLY, _IO, _CORRUPT, _FULL, _NOT_A_DATABASE = 5, 6, 8, 10, 11, 13, 26
_LONGEST_DETAIL = 160  # SQLite may quote a whole text

_PUT_BACK = "stop the daemon, move the file aside and put back the newest backup"

# Primary result codes of https://sqlite.org/rescode.html and what a person can do about each.
_CURES = {
    1: ("a query failed", "this is a fault of sprintd or of a changed database; report the line"),
    3: ("access was refused", "check who owns the file and its folder"),
    _BUSY: ("locked by another program", "close what has it open, such as a sqlite3 shell"),
    _LOCKED: ("locked by another program", "close what has it open, such as a sqlite3 shell"),
    7: ("out of memory", "stop other programs or give the machine more memory"),
    _READ_ONLY: (
        "read-only",
        "check who owns the file and its folder, and that the disk is not mounted read-only",
    ),
    _IO: ("the disk failed", "look for disk errors in the system's journal before anything else"),
    _CORRUPT: ("damaged", _PUT_BACK),
    _FULL: ("the disk is full", "free some space there; nothing is spent until it can be written"),
    14: ("cannot be opened", "check that the folder exists, who owns it and that it is a file"),
    19: ("a row was refused", "this is a fault of sprintd; report the line"),
    _NOT_A_DATABASE: ("not a SQLite database", _PUT_BACK),
}
# The library's backup() and its decoding of texts give SQLite's words without the code.
_WITHOUT_CODE = (
    ("database is locked", _BUSY),
    ("attempt to write a readonly database", _READ_ONLY),
    ("disk I/O error", _IO),
    ("database disk image is malformed", _CORRUPT),
    ("Could not decode to UTF-8", _CORRUPT),
    ("database or disk is full", _FULL),
    ("file is not a database", _NOT_A_DATABASE),
)
_UNKNOWN = ("a query failed", "this is a fault of sprintd; report the line")


@contextmanager
def store_errors(path: Path) -> Iterator[None]:
    """Turn what the database library raises about `path` into StoreError; keep it as the cause."""
    try:
        yield
    except sqlite3.Error as error:
        raise StoreError(explain(error, path)) from error
    except (OverflowError, UnicodeError) as error:
        raise StoreError(f"{path}: a value cannot be stored: {error}") from error


def explain(error: Exception, path: Path) -> str:
    """One line about `error`: the file, what is wrong, SQLite's own words, the cure."""
    own_words = " ".join(str(error).split()) or type(error).__name__
    own_words = (
        own_words if len(own_words) <= _LONGEST_DETAIL else own_words[:_LONGEST_DETAIL] + ".."
    )
    what, cure = _CURES.get(primary_code(error), _UNKNOWN)
    name = getattr(error, "sqlite_errorname", "")
    detail = f"{name}: {own_words}" if name else own_words
    return f"{path}: {what} ({detail}); {cure}"


def is_busy(error: Exception) -> bool:
    """True where another connection stands in the way and waiting can help."""
    return primary_code(error) in (_BUSY, _LOCKED)


def primary_code(error: Exception) -> int:
    """SQLite's primary result code; 0 where nothing tells it."""
    code = int(getattr(error, "sqlite_errorcode", 0)) & _FIRST_BYTE
    if code:
        return code
    return next((code for words, code in _WITHOUT_CODE if str(error).startswith(words)), 0)


def is_damage(error: Exception) -> bool:
    """True where the file's content is at fault, not the place where it lies."""
    return primary_code(error) in (_CORRUPT, _NOT_A_DATABASE)
