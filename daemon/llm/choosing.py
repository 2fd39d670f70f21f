"""Which provider serves a workspace, and its making; only `bootstrap` hands one out to be used."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from daemon.clock import Clock
from daemon.config.secrets import find_secret
from daemon.config.sections import ProviderSection
from daemon.errors import SprintdError
from daemon.llm.extractive import ExtractiveProvider
from daemon.llm.provider import Provider

API_KEY = "anthropic_api_key"
STATE_FOLDER = "state"
_LOCAL_KEY = "local"  # servers on this machine ask for a key and ignore it


def build_provider(
    root: Path, section: ProviderSection, environ: Mapping[str, str], clock: Clock
) -> Provider:
    """The provider that the configuration names.

    `auto` is Claude where there is a key or a base_url, and the offline writer otherwise. Raises
    SprintdError where Claude is asked for by name and there is no key.
    """
    if section.kind == "replay":
        return _replay(root, section)
    provider = _direct_provider(root, section, environ, clock)
    if not section.record:
        return provider
    from daemon.llm.replay import RecordingProvider

    return RecordingProvider(provider, _replay_dir(root, section))


def provider_in_use(
    root: Path, section: ProviderSection, environ: Mapping[str, str]
) -> Literal["claude", "extractive", "replay"]:
    """What `build_provider` would build, without loading an SDK; raises what it would raise."""
    if section.kind == "replay":
        return "replay"
    return "extractive" if _key_for_claude(root, section, environ) is None else "claude"


def _direct_provider(
    root: Path, section: ProviderSection, environ: Mapping[str, str], clock: Clock
) -> Provider:
    key = _key_for_claude(root, section, environ)
    if key is None:
        return ExtractiveProvider()
    # Imported here because the SDK takes one to two seconds, which an offline start need not pay.
    from daemon.llm.claude import ClaudeProvider

    return ClaudeProvider(
        api_key=key,
        base_url=section.base_url,
        reasoning_model=section.reasoning_model,
        routine_model=section.routine_model,
        deadline_seconds=section.call_deadline_seconds,
        clock=clock,
    )


def _key_for_claude(root: Path, section: ProviderSection, environ: Mapping[str, str]) -> str | None:
    """The key for the service; None where the offline writer serves. Raises SprintdError."""
    if section.kind == "extractive":
        return None
    key = find_secret(API_KEY, environ=environ, state_dir=root / STATE_FOLDER)
    if key is None and section.base_url:
        return _LOCAL_KEY
    if key is None and section.kind == "claude":
        raise SprintdError(
            'provider.kind is "claude" but there is no key: set ANTHROPIC_API_KEY, or put the key '
            "into state/secrets/anthropic_api_key with mode 0600"
        )
    return key


def _replay(root: Path, section: ProviderSection) -> Provider:
    from daemon.llm.replay import ReplayProvider

    return ReplayProvider(
        _replay_dir(root, section),
        reasoning_model=section.reasoning_model,
        routine_model=section.routine_model,
    )


def _replay_dir(root: Path, section: ProviderSection) -> Path:
    return root / (section.replay_dir or "state/replay")
