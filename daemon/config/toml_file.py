"""config.toml to a `Config`, or every fault in it at once."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from daemon.config.document import Steps, dotted
from daemon.config.explain import faults_of, keys_at
from daemon.config.redaction import redact
from daemon.config.redactor import is_secret_name
from daemon.config.sections import Config
from daemon.config.text_file import decode, read_text
from daemon.config.toml_lines import KeyLines, key_lines, line_of
from daemon.config.toml_syntax import syntax_faults
from daemon.config.typing_text import convert, from_toml
from daemon.errors import Fault, WorkspaceInvalid

CONFIG_FILE = "config.toml"


def load_config(root: Path) -> Config:
    """The workspace's config.toml, or the defaults where there is none. Raises WorkspaceInvalid."""
    path = root / CONFIG_FILE
    if not _is_there(path):
        return Config()
    return parse_config(read_text(path, CONFIG_FILE), CONFIG_FILE)


def parse_config(text: str | bytes, file: str) -> Config:
    """Raises WorkspaceInvalid with line, dotted key and cure of each fault."""
    clean = decode(text, file)
    lines = key_lines(clean)
    raw = _parse(clean, file)
    faults = []
    for path in list(_secrets(raw)):
        faults.append(_secret(path, file, lines))
        _remove(raw, path)
    try:
        config = Config.model_validate(convert(Config, raw, from_toml), strict=True)
    except ValidationError as error:
        faults += faults_of(error, Config, file, lambda path: line_of(lines, path))
    if faults:
        raise WorkspaceInvalid(faults)
    return config


def _is_there(path: Path) -> bool:
    """True also for what cannot be read: a link to nowhere must not mean "all defaults"."""
    try:
        path.lstat()
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return True


def _parse(text: str, file: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text, parse_float=_decimal)
    except (RecursionError, ValueError) as error:
        found = syntax_faults(error, text, file)
        raise WorkspaceInvalid(replace(one, message=redact(one.message)) for one in found) from None


def _decimal(text: str) -> Decimal:
    """Exact, so that 12.5 means 12.5; an exponent that even Decimal cannot hold is no number."""
    try:
        return Decimal(text.replace("_", ""))
    except ArithmeticError:
        return Decimal("NaN")


def _secrets(raw: Any, path: Steps = ()) -> Iterator[Steps]:
    """Paths of keys that are no settings but sound secret, and of values that look like one."""
    for key, value in raw.items() if isinstance(raw, dict) else ():
        here = (*path, key)
        if isinstance(value, dict):
            yield from _secrets(value, here)
        elif (is_secret_name(key) and key not in keys_at(Config, path)) or _holds_secret(value):
            yield here


def _holds_secret(value: Any) -> bool:
    if isinstance(value, list):
        return any(_holds_secret(entry) for entry in value)
    return isinstance(value, str) and redact(value) != value


def _secret(path: Steps, file: str, lines: KeyLines) -> Fault:
    message = "looks like a secret, and secrets do not belong into this file"
    cure = (
        "delete the line; secrets go into state/secrets/ (files of mode 0600), into the "
        "environment or into a systemd LoadCredential, see docs/configuration.md"
    )
    return Fault(file, line_of(lines, path), dotted(path), message, cure)


def _remove(raw: dict[str, Any], path: Steps) -> None:
    inner: Any = raw
    for step in path[:-1]:
        inner = inner[step]
    del inner[path[-1]]
