"""Every setting as it is in force: whether somebody changed it, and where. Secrets only as there or not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from daemon.config.redaction import redact
from daemon.config.secrets import find_secret
from daemon.config.sections import Config
from daemon.config.text_file import read_text
from daemon.config.toml_file import CONFIG_FILE, load_config
from daemon.config.toml_lines import key_lines, line_of
from daemon.errors import SprintdError, WorkspaceInvalid

_LONGEST = 500


@dataclass(frozen=True)
class Setting:
    """One key. `line` is where config.toml sets it, 0 where it does not. `waits` is what the file says
    since the daemon started and a restart would take over, empty where that is the same."""

    key: str
    value: str
    default: str
    is_changed: bool
    line: int
    waits: str = ""


@dataclass(frozen=True)
class SecretState:
    """Whether a secret is there; `problem` says why it cannot be used, and never what it is."""

    name: str
    is_there: bool
    problem: str = ""


def list_settings(root: Path, config: Config) -> tuple[tuple[str, tuple[Setting, ...]], ...]:
    """By section, in the order of the documentation. `config` is what is in force."""
    lines, written = _lines(root), _written(root)
    default = Config()
    return tuple(
        (name, tuple(_section(name, config, default, written, lines)))
        for name in type(config).model_fields
    )


def list_secrets(
    names: Sequence[str], environ: Mapping[str, str], state_dir: Path
) -> tuple[SecretState, ...]:
    """In the order of the names."""
    return tuple(_secret(name, environ, state_dir) for name in names)


def _section(
    name: str, config: Config, default: Config, written: Config | None, lines: Any
) -> Iterator[Setting]:
    section, usual = getattr(config, name), getattr(default, name)
    file = getattr(written, name) if written else section
    for key in type(section).model_fields:
        value, new = getattr(section, key), getattr(file, key)
        is_written = (name, key) in lines
        yield Setting(
            key=key,
            value=_text(value),
            default=_text(getattr(usual, key)),
            is_changed=value != getattr(usual, key),
            line=line_of(lines, (name, key)) if is_written else 0,
            waits=_text(new) if new != value else "",
        )


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return redact(value)[:_LONGEST] or '""'
    if isinstance(value, (tuple, list)):
        return redact(", ".join(map(str, value)))[:_LONGEST] or "[]"
    return redact(str(value))[:_LONGEST]


def _lines(root: Path) -> Any:
    try:
        return key_lines(read_text(root / CONFIG_FILE, CONFIG_FILE))
    except WorkspaceInvalid:  # no file, or one that cannot be read: everything is as it started
        return {}


def _written(root: Path) -> Config | None:
    """What the file says now; None where it has faults, which the page of alerts tells."""
    try:
        return load_config(root)
    except WorkspaceInvalid:
        return None


def _secret(name: str, environ: Mapping[str, str], state_dir: Path) -> SecretState:
    try:
        is_there = find_secret(name, environ=environ, state_dir=state_dir) is not None
    except SprintdError as error:
        return SecretState(name, is_there=False, problem=str(error))
    return SecretState(name, is_there)
