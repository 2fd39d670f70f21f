"""Recording calls and playing them back."""

from __future__ import annotations

import json
import stat
from collections import deque
from pathlib import Path
from types import MappingProxyType

import pytest

from daemon.config.sections import Tier
from daemon.errors import OutcomeUnknown, ProviderBusy, ProviderError, ProviderPermanent
from daemon.llm.extractive import ExtractiveProvider
from daemon.llm.provider import Completion, Prompt, SourceText, Usage
from daemon.llm.recordings import prompt_key
from daemon.llm.replay import RecordingProvider, ReplayProvider

SOURCE = SourceText("prices", "memory/prices.md", "Prices", "A search costs USD 60 these days.")
COMPLETION = {
    "text": "t",
    "model": "m",
    "usage": {"input_tokens": 1, "output_tokens": 1},
    "stop_reason": "end_turn",
}


class ListedProvider(ExtractiveProvider):
    """Gives what it was told to give, in order."""

    def __init__(self, *results: Completion | ProviderError) -> None:
        self.results = deque(results)

    def send(self, prompt: Prompt) -> Completion:
        result = self.results.popleft()
        if isinstance(result, ProviderError):
            raise result
        return result


def prompt_of(user: str = "What is the price?") -> Prompt:
    return Prompt("m", "system", user, 500, question=user, sources=(SOURCE,), effort="low")


def reply_of(text: str) -> Completion:
    return Completion(text, "m-2", Usage(1, 2, 3, 4, 5), "end_turn", "req_1")


def replay_of(folder: Path) -> ReplayProvider:
    return ReplayProvider(folder, reasoning_model="big", routine_model="small", writes_json=False)


def record(folder: Path, *results: Completion | ProviderError) -> None:
    recorder = RecordingProvider(ListedProvider(*results), folder)
    for result in results:
        if isinstance(result, ProviderError):
            with pytest.raises(type(result)):
                recorder.send(prompt_of())
        else:
            assert recorder.send(prompt_of()) == result


def test_replay_gives_what_was_recorded_in_order_and_then_the_last(tmp_path: Path) -> None:
    """The n-th call with a prompt gets the n-th recording, usage and all."""
    folder = tmp_path / "calls"
    record(folder, reply_of("one"), reply_of("two ü"))
    replay = replay_of(folder)
    assert [replay.send(prompt_of()) for _ in range(3)] == [
        reply_of("one"),
        reply_of("two ü"),
        reply_of("two ü"),
    ]
    assert replay_of(folder).send(prompt_of()) == reply_of("one")


@pytest.mark.parametrize(
    "error",
    [
        ProviderPermanent("no key", setting="ANTHROPIC_API_KEY", status=401, request_id="r"),
        ProviderBusy("busy", retry_after_seconds=3.0, status=429),
        OutcomeUnknown("cut"),
    ],
)
def test_errors_are_recorded_and_raised_again(tmp_path: Path, error: ProviderError) -> None:
    """A bad night can be played again with its failures."""
    record(tmp_path, error)
    with pytest.raises(type(error)) as caught:
        replay_of(tmp_path).send(prompt_of())
    assert str(caught.value) == str(error)
    assert vars(caught.value) == vars(error)


def test_recordings_are_for_their_owner_alone(tmp_path: Path) -> None:
    """Prompts hold private notes: folder 0700, files 0600, nothing half-written left."""
    folder = tmp_path / "a" / "calls"
    record(folder, reply_of("one"))
    (file,) = folder.iterdir()
    assert file.name == f"{prompt_key(prompt_of())}-0001.json"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert json.loads(file.read_text())["prompt"]["user"] == "What is the price?"


def test_a_missing_recording_names_the_file_and_the_setting(tmp_path: Path) -> None:
    """Nobody is asked instead."""
    record(tmp_path, reply_of("one"))
    with pytest.raises(ProviderPermanent) as caught:
        replay_of(tmp_path).send(prompt_of("Another question?"))
    assert f"{prompt_key(prompt_of('Another question?'))}-0001.json" in str(caught.value)
    assert caught.value.setting == "provider.replay_dir"


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        "null",
        "{}",
        '{"format": 2}',
        '{"format": 1}',
        '{"format": 1, "completion": {}}',
        '{"format": 1, "completion": {"text": 1, "model": "m", "usage": {}, "stop_reason": "x"}}',
        json.dumps({"format": 1, "completion": {**COMPLETION, "usage": {"input_tokens": -1}}}),
        json.dumps({"format": 1, "completion": {**COMPLETION, "usage": {"output_tokens": "3"}}}),
        json.dumps({"format": 1, "completion": {**COMPLETION, "stop_reason": "odd"}}),
        '{"format": 1, "error": {"kind": "SystemExit", "message": "x"}}',
    ],
)
def test_a_damaged_recording_says_why(tmp_path: Path, content: str) -> None:
    """Damage is a fault that a person can cure, never a reply."""
    path = tmp_path / f"{prompt_key(prompt_of())}-0001.json"
    path.write_text(content)
    with pytest.raises(ProviderPermanent, match="cannot be used") as caught:
        replay_of(tmp_path).send(prompt_of())
    assert str(path) in str(caught.value)


def test_key_depends_on_every_part_of_the_prompt() -> None:
    """And not on the kind of mapping that holds the schema."""
    keys = {
        prompt_key(prompt_of()),
        prompt_key(prompt_of("x")),
        prompt_key(Prompt("m", "system", "What is the price?", 500)),
        prompt_key(Prompt("m", "s", "u", 1, schema={"type": "object"})),
    }
    assert len(keys) == 4
    frozen = Prompt("m", "s", "u", 1, schema=MappingProxyType({"type": "object"}))
    assert prompt_key(frozen) in keys


def test_a_reply_that_cannot_be_recorded_still_counts(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """It is paid for; the log says what is wrong."""
    folder = tmp_path / "calls"
    recorder = RecordingProvider(ListedProvider(reply_of("one")), folder)
    folder.rmdir()
    assert recorder.send(prompt_of()).text == "one"
    assert "could not be recorded" in caplog.text


def test_a_folder_that_cannot_be_made_is_told_at_once(tmp_path: Path) -> None:
    """The setting is named before any money is spent."""
    (tmp_path / "file").write_text("")
    with pytest.raises(ProviderPermanent) as caught:
        RecordingProvider(ListedProvider(), tmp_path / "file" / "calls")
    assert caught.value.setting == "provider.replay_dir"


def test_providers_describe_themselves(tmp_path: Path) -> None:
    """The recorder stands for its inner provider; the replay says that it asks nobody."""
    recorder = RecordingProvider(ExtractiveProvider(), tmp_path)
    tier: Tier = "routine"
    assert (recorder.name, recorder.writes_json) == ("extractive", False)
    assert recorder.model_for(tier) == "extractive-1"
    assert recorder.bound_input_tokens(prompt_of()) > 0
    assert str(tmp_path) in recorder.describe()
    recorder.close()
    replay = replay_of(tmp_path)
    assert (replay.name, replay.model_for(tier), replay.writes_json) == ("replay", "small", False)
    assert replay.bound_input_tokens(prompt_of()) > 0
    assert "no model is asked" in replay.describe()
    replay.close()
