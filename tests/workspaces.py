"""Workspaces for tests: the shipped sample, copied, and services over it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from daemon.bootstrap import Services, build_services
from daemon.clock import Clock, ManualClock

ROOT = Path(__file__).parents[1]
SAMPLE = (
    "agents",
    "memory",
    "backlog.yaml",
    "kill_criteria.yaml",
    "knowledge.yaml",
    "quality.toml",
)
NOON = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


def copy_sample(target: Path, config: str = "") -> Path:
    """The sample without findings, with `config` as its config.toml; returns the folder."""
    target.mkdir(parents=True, exist_ok=True)
    for name in SAMPLE:
        source = ROOT / name
        if source.is_dir():
            leave = shutil.ignore_patterns("findings")
            shutil.copytree(source, target / name, ignore=leave)
        else:
            shutil.copy(source, target / name)
    (target / "config.toml").write_text(config)
    return target


@contextmanager
def services_over(
    root: Path, *, key: str | None = None, clock: Clock | None = None
) -> Iterator[Services]:
    """Services as the daemon builds them, closed at the end; `key` is the API key, None: no key."""
    environ = {"ANTHROPIC_API_KEY": key} if key else {}
    services = build_services(
        root, environ=environ, say=lambda line: None, clock=clock or ManualClock(NOON)
    )
    try:
        yield services
    finally:
        services.close()


def claude_config(base_url: str, more: str = "") -> str:
    """A config.toml that sends every call to a stand-in."""
    return f'[provider]\nkind = "claude"\nbase_url = "{base_url}"\n{more}'
