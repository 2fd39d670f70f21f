"""Where secrets come from: never from config.toml, never from the command line."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Mapping
from pathlib import Path

from daemon.errors import SprintdError

_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")
_MAX_BYTES = 16_384


def find_secret(name: str, *, environ: Mapping[str, str], state_dir: Path) -> str | None:
    """The secret `name`, or None where no place has it. The first place that is not empty wins:

    1. the file $CREDENTIALS_DIRECTORY/<name> (systemd's LoadCredential),
    2. the environment variable <NAME> in capitals,
    3. the file <state_dir>/secrets/<name>, which nobody but its owner may read (mode 0600).

    Blanks and line ends around it are dropped. Raises SprintdError, without the secret's text,
    for a file that others can read or that belongs to somebody else, and for a value that no HTTP
    header could carry.
    """
    if not _NAME.fullmatch(name):
        raise ValueError(f"a secret's name is lower-case letters, digits and _: {name!r}")
    directory = environ.get("CREDENTIALS_DIRECTORY", "")
    if directory:
        path = Path(directory) / name
        found = _checked(_read(path, name), name, str(path))
        if found is not None:
            return found
    variable = name.upper()
    found = _checked(environ.get(variable, "").encode("utf-8", "surrogateescape"), name, variable)
    if found is not None:
        return found
    path = state_dir / "secrets" / name
    return _checked(_read_private(path, name), name, str(path))


def _read(path: Path, name: str) -> bytes:
    """A credential that systemd made, so its modes are right. Empty where there is none."""
    try:
        with path.open("rb") as stream:
            return stream.read(_MAX_BYTES)
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise _unreadable(path, name, error) from error


def _read_private(path: Path, name: str) -> bytes:
    """Empty where there is no file. Looks at the file that was opened, so no swap in between."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except (FileNotFoundError, NotADirectoryError):
        return b""
    except OSError as error:
        raise _unreadable(path, name, error) from error
    try:
        _check_private(os.fstat(handle), path, name)
        return os.read(handle, _MAX_BYTES)
    finally:
        os.close(handle)


def _check_private(state: os.stat_result, path: Path, name: str) -> None:
    if not stat.S_ISREG(state.st_mode):
        raise SprintdError(f"{path}: the secret {name} must be an ordinary file")
    if state.st_uid != os.geteuid():
        message = f"{path}: the secret {name} belongs to user {state.st_uid}, not to {os.geteuid()}"
        raise SprintdError(f"{message}; run: chown {os.geteuid()} {path}")
    if stat.S_IMODE(state.st_mode) & 0o177:
        mode = f"{stat.S_IMODE(state.st_mode):04o}"
        message = f"{path}: others may reach the secret {name} (its mode is {mode})"
        raise SprintdError(f"{message}; run: chmod 0600 {path}")


def _checked(raw: bytes, name: str, place: str) -> str | None:
    """Says what is wrong with a secret, never what it is; no exception here holds its bytes."""
    value = raw.strip()
    if not value:
        return None
    if len(raw) >= _MAX_BYTES:
        raise SprintdError(f"{place}: the secret {name} is too large; is this the right file?")
    if not value.isascii():
        message = f"{place}: the secret {name} holds characters outside ASCII"
        raise SprintdError(f"{message}; copy it again, a quote or dash may have been replaced")
    text = value.decode("ascii")
    if not text.isprintable() or " " in text:
        message = f"{place}: the secret {name} holds a blank, a line end or a control character"
        raise SprintdError(f"{message}; put the secret alone into it")
    return text


def _unreadable(path: Path, name: str, error: OSError) -> SprintdError:
    reason = error.strerror or type(error).__name__
    return SprintdError(f"{path}: the secret {name} cannot be read: {reason}")
