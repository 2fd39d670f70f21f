"""Recording calls to a model and playing them back, for tests and for looking into a bad night."""

from __future__ import annotations

import logging
import threading
from collections import Counter
from pathlib import Path

from daemon.config.sections import Tier
from daemon.errors import ProviderError, ProviderPermanent
from daemon.llm.provider import Completion, Prompt, Provider
from daemon.llm.recordings import (
    SETTING,
    list_recordings,
    load_recording,
    prompt_key,
    save_recording,
)
from daemon.llm.token_bound import bound_input_tokens

log = logging.getLogger(__name__)


class RecordingProvider:
    """Passes every call on to `inner` and keeps the prompt with what came back, errors too.

    The folder is made with mode 0700. Raises ProviderPermanent where it cannot be made. A call
    whose recording fails still counts, since it is paid for: the failure is logged, no more.
    """

    def __init__(self, inner: Provider, folder: Path) -> None:
        self.name = inner.name
        self.writes_json = inner.writes_json
        self.uses_tools = False  # so that what is recorded can be played back by any version
        self._inner = inner
        self._folder = folder
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            folder.chmod(0o700)
        except OSError as error:
            raise ProviderPermanent(
                f"calls cannot be recorded in {folder}: {error.strerror}; correct {SETTING}",
                setting=SETTING,
            ) from None

    def model_for(self, tier: Tier) -> str:
        return self._inner.model_for(tier)

    def bound_input_tokens(self, prompt: Prompt) -> int:
        return self._inner.bound_input_tokens(prompt)

    def send(self, prompt: Prompt) -> Completion:
        try:
            completion = self._inner.send(prompt)
        except ProviderError as error:
            self._keep(prompt, error)
            raise
        self._keep(prompt, completion)
        return completion

    def describe(self) -> str:
        return f"{self._inner.describe()}, recorded in {self._folder}"

    def close(self) -> None:
        self._inner.close()

    def _keep(self, prompt: Prompt, result: Completion | ProviderError) -> None:
        try:
            save_recording(self._folder, prompt, result)
        except OSError as error:
            log.warning("The call could not be recorded in %s: %s", self._folder, error)


class ReplayProvider:
    """Answers from recordings and asks nobody.

    The first call with a prompt gets its first recording, the second the second; when there
    are no more, the last one again. The counting starts anew with each provider. Raises what
    was recorded as raised, and ProviderPermanent where a recording is missing or damaged.
    """

    name = "replay"
    uses_tools = False

    def __init__(
        self, folder: Path, *, reasoning_model: str, routine_model: str, writes_json: bool = True
    ) -> None:
        self.writes_json = writes_json
        self._folder = folder
        self._models: dict[Tier, str] = {"reasoning": reasoning_model, "routine": routine_model}
        self._asked: Counter[str] = Counter()
        self._lock = threading.Lock()

    def model_for(self, tier: Tier) -> str:
        return self._models[tier]

    def bound_input_tokens(self, prompt: Prompt) -> int:
        return bound_input_tokens(prompt)

    def send(self, prompt: Prompt) -> Completion:
        key = prompt_key(prompt)
        files = list_recordings(self._folder, prompt)
        if not files:
            raise ProviderPermanent(
                f"there is no recording {self._folder / f'{key}-0001.json'} for this prompt; "
                f"record it, or correct {SETTING}",
                setting=SETTING,
            )
        with self._lock:
            number = self._asked[key]
            self._asked[key] += 1
        result = load_recording(files[min(number, len(files) - 1)])
        if isinstance(result, ProviderError):
            raise result
        return result

    def describe(self) -> str:
        return f"replay of the recordings in {self._folder}; no model is asked"

    def close(self) -> None:
        """Nothing to give up."""
