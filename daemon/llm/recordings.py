"""Calls to a model as files: one JSON file for each call, named by the prompt and a number.

`<sha256 of the prompt>-0001.json` is the first call with that prompt, -0002 the second. The
files hold the whole prompt and the whole reply, so they are for their owner alone. They hold
no key: prompts carry none.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from daemon.errors import OutcomeUnknown, ProviderBusy, ProviderError, ProviderPermanent
from daemon.llm.provider import Completion, Prompt, Usage

FORMAT = 1
SETTING = "provider.replay_dir"
_KINDS: dict[str, type[ProviderError]] = {
    kind.__name__: kind for kind in (ProviderPermanent, ProviderBusy, OutcomeUnknown)
}


def prompt_key(prompt: Prompt) -> str:
    """SHA-256 of the prompt as canonical JSON: the same prompt has the same key everywhere."""
    text = json.dumps(_fields(prompt), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def save_recording(folder: Path, prompt: Prompt, result: Completion | ProviderError) -> Path:
    """Write one call as the next number of its prompt; whole or not at all. Raises OSError."""
    key = prompt_key(prompt)
    content = json.dumps(_document(key, prompt, result), indent=1, sort_keys=True)
    handle, temporary = tempfile.mkstemp(dir=folder, prefix=".new-")  # mkstemp gives 0600
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(content + "\n")
            file.flush()
            os.fsync(file.fileno())
        return _publish(Path(temporary), folder, key)
    finally:
        Path(temporary).unlink()


def list_recordings(folder: Path, prompt: Prompt) -> list[Path]:
    """The files of a prompt, in the order in which the calls were made."""
    return sorted(folder.glob(f"{prompt_key(prompt)}-[0-9][0-9][0-9][0-9].json"))


def load_recording(path: Path) -> Completion | ProviderError:
    """What the call gave. Raises ProviderPermanent, with the reason, for a damaged file."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        if document["format"] != FORMAT:
            raise ValueError(f"its format is {document['format']!r} and not {FORMAT}")
        if "completion" in document:
            return _completion(document["completion"])
        return _error(document["error"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        reason = f"{type(error).__name__}: {error}"
    raise ProviderPermanent(
        f"the recording {path} cannot be used ({reason}); record it anew or correct {SETTING}",
        setting=SETTING,
    )


def _publish(temporary: Path, folder: Path, key: str) -> Path:
    """Link the finished file to the first free number; two writers never take the same one."""
    for number in range(1, 10_000):
        target = folder / f"{key}-{number:04d}.json"
        try:
            os.link(temporary, target)
        except FileExistsError:
            continue
        return target
    raise OSError(f"{folder} holds 9999 recordings of one prompt")


def _document(key: str, prompt: Prompt, result: Completion | ProviderError) -> dict[str, Any]:
    document: dict[str, Any] = {
        "format": FORMAT,
        "prompt_sha256": key,
        "prompt": _fields(prompt),
    }
    if isinstance(result, Completion):
        kept = asdict(result)
        document["completion"] = {k: v for k, v in kept.items() if k not in ("calls", "echo")}
    else:
        facts = {name: getattr(result, name, None) for name in ("setting", "retry_after_seconds")}
        document["error"] = {
            "kind": type(result).__name__,
            "message": str(result),
            "status": result.status,
            "request_id": result.request_id,
            **{name: value for name, value in facts.items() if value is not None},
        }
    return document


def _completion(facts: Mapping[str, Any]) -> Completion:
    counts = facts["usage"]
    if not all(type(count) is int and count >= 0 for count in counts.values()):
        raise ValueError("a count of its usage is not a whole number")
    if not isinstance(facts["text"], str) or not isinstance(facts["model"], str):
        raise ValueError("its text or model is not text")
    if facts["stop_reason"] not in ("end_turn", "max_tokens", "refusal", "other"):
        raise ValueError(f"its stop reason is {facts['stop_reason']!r}")
    return Completion(**{**facts, "usage": Usage(**counts)})


def _error(facts: Mapping[str, Any]) -> ProviderError:
    rest = {name: value for name, value in facts.items() if name not in ("kind", "message")}
    return _KINDS[facts["kind"]](str(facts["message"]), **rest)


def _fields(prompt: Prompt) -> dict[str, Any]:
    """The prompt as JSON values; asdict would have to copy a schema that need not be a dict."""
    named = {field.name: getattr(prompt, field.name) for field in fields(prompt)}
    for name in ("tools", "turns", "may_call"):  # never recorded, so old recordings keep their keys
        del named[name]
    named["sources"] = [asdict(source) for source in prompt.sources]
    plain: dict[str, Any] = _plain(named)
    return plain


def _plain(value: Any) -> Any:
    """Only what JSON knows: a schema may be any Mapping and any sequence."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value
