"""Bytes to text, the same way for every file that people edit: UTF-8, no invisible characters."""

from __future__ import annotations

import re
import stat
from pathlib import Path

from daemon.errors import Fault, WorkspaceInvalid

MAX_BYTES = 1_048_576
_MOST_FAULTS = 20
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
# What no editor shows: control characters, lone surrogates, a BOM inside the text, and the three
# characters that YAML counts as line ends but editors do not (lines would be numbered differently).
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]"
)


def read_text(path: Path, file: str, *, max_bytes: int = MAX_BYTES, if_missing: str = "") -> str:
    """The text of a file; see `read_bytes` and `decode`. Raises WorkspaceInvalid."""
    raw = read_bytes(path, file, max_bytes=max_bytes, if_missing=if_missing)
    return decode(raw, file, max_bytes=max_bytes)


def read_bytes(path: Path, file: str, *, max_bytes: int = MAX_BYTES, if_missing: str = "") -> bytes:
    """At most one byte more than `max_bytes`; `file` is its name in messages, `if_missing` the cure
    where it is absent.

    Raises WorkspaceInvalid. Reads nothing but ordinary files, so that a pipe of that name cannot
    hold the daemon up.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise WorkspaceInvalid([Fault(file, 0, "", "is not an ordinary file")])
        with path.open("rb") as stream:
            return stream.read(max_bytes + 1)
    except FileNotFoundError:
        raise WorkspaceInvalid([Fault(file, 0, "", "is missing", if_missing)]) from None
    except OSError as error:
        reason = error.strerror or type(error).__name__
        cure = "make it readable for the user that sprintd runs as"
        raise WorkspaceInvalid([Fault(file, 0, "", f"cannot be read: {reason}", cure)]) from error


def decode(raw: str | bytes, file: str, *, max_bytes: int = MAX_BYTES) -> str:
    """Text with plain line ends and without a byte order mark. Raises WorkspaceInvalid."""
    size = len(raw) if isinstance(raw, bytes) else len(raw.encode("utf-8", "surrogatepass"))
    if size > max_bytes:
        message = f"is larger than {max_bytes:,} bytes"
        raise WorkspaceInvalid([Fault(file, 0, "", message, "make it smaller or split it")])
    text = _from_utf8(raw, file) if isinstance(raw, bytes) else raw
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    faults = _invisible(text, file)
    if faults:
        raise WorkspaceInvalid(faults)
    return text


def _from_utf8(raw: bytes, file: str) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        if raw.startswith(_UTF16):
            fault = Fault(file, 1, "", "is UTF-16 text, not UTF-8", "save it as UTF-8")
        else:
            line = raw.count(b"\n", 0, error.start) + 1
            message = f"is not UTF-8 text (byte 0x{raw[error.start]:02x})"
            fault = Fault(file, line, "", message, "save it as UTF-8")
        raise WorkspaceInvalid([fault]) from None


def _invisible(text: str, file: str) -> list[Fault]:
    faults: list[Fault] = []
    for match in _INVISIBLE.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        message = f"holds the invisible character U+{ord(match.group()):04X}"
        faults.append(Fault(file, line, "", message, "delete it"))
        if len(faults) == _MOST_FAULTS:
            break
    return faults
