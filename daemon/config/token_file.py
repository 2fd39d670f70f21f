"""The token that a caller of POST /reset-failures must send."""

from __future__ import annotations

import os
import secrets
import stat
from pathlib import Path

from daemon.errors import SprintdError

TOKEN_FILE = "token"  # noqa: S105  the file's name, not a token
_SHORTEST = 16


def load_or_make_token(state_dir: Path) -> str:
    """The token in state/token; made there, for its owner only, where there is none yet.

    Raises SprintdError for a file that others can reach, that is no ordinary file of ours, or whose
    token is shorter than 16 characters; the message never holds the token.
    """
    path = state_dir / TOKEN_FILE
    try:
        state_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        return _make(path)
    except FileExistsError:
        return _load(path)
    except OSError as error:
        raise SprintdError(f"{path}: cannot be made: {error.strerror}") from error


def _make(path: Path) -> str:
    token = secrets.token_urlsafe(32)
    flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC | os.O_NOFOLLOW
    with os.fdopen(os.open(path, flags, 0o600), "w", encoding="ascii") as stream:
        stream.write(token + "\n")
        stream.flush()
        os.fsync(stream.fileno())
    return token


def _load(path: Path) -> str:
    try:
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
        with os.fdopen(os.open(path, flags), "rb") as stream:
            state = os.fstat(stream.fileno())
            token = stream.read(4096).strip()
    except OSError as error:
        raise SprintdError(f"{path}: cannot be read: {error.strerror}") from error
    if not stat.S_ISREG(state.st_mode) or state.st_uid != os.geteuid():
        raise SprintdError(f"{path}: is no ordinary file of yours; delete it, a new one is made")
    if stat.S_IMODE(state.st_mode) & 0o077:
        raise SprintdError(f"{path}: others may reach the token; delete it, a new one is made")
    if len(token) < _SHORTEST or not token.isascii():
        raise SprintdError(f"{path}: holds no token; delete it, a new one is made")
    return token.decode("ascii")
