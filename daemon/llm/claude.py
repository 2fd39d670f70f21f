"""The door to Claude, or to any server that speaks the same Messages API.

One request, one reply, no tools, no retries: `governance.metered` decides whether to ask again,
for every attempt costs money. The outside library takes one to two seconds to import, so that
happens at the first call.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from daemon.clock import Clock
from daemon.config.addresses import is_this_machine
from daemon.config.redaction import redact
from daemon.config.sections import Tier
from daemon.errors import OutcomeUnknown, ProviderBusy, ProviderError, ProviderPermanent
from daemon.llm.abortable_call import AbortableCall
from daemon.llm.messages_reply import read_reply
from daemon.llm.messages_request import request_fields
from daemon.llm.provider import Completion, Prompt
from daemon.llm.service_errors import BASE_URL_SETTING, KEY_SETTING, Asked, ErrorAnswer, explain
from daemon.llm.token_bound import bound_input_tokens

DEFAULT_BASE_URL = "https://api.anthropic.com"
CONNECT_SECONDS = 10.0


class ClaudeProvider:
    """Sends prompts to the Messages API.

    `base_url` is empty for the service itself, and may end in /v1 or not. `deadline_seconds` is
    for the whole call in real time, from the connection to the last byte; `clock` only reads the
    dates of retry-after headers. Raises ProviderPermanent for a key or an address that cannot work.
    """

    name = "claude"
    writes_json = True
    uses_tools = True

    def __init__(
        self,
        *,
        api_key: str,
        base_url: str,
        reasoning_model: str,
        routine_model: str,
        deadline_seconds: float,
        clock: Clock,
    ) -> None:
        self._api_key = _usable_key(api_key)
        self._base_url = normal_base_url(base_url)
        self._host = urlsplit(self._base_url).netloc.rpartition("@")[2]
        self._models: dict[Tier, str] = {"reasoning": reasoning_model, "routine": routine_model}
        self._deadline_seconds = deadline_seconds
        self._clock = clock
        self._lock = threading.Lock()
        self._calls: set[AbortableCall[Completion | ProviderError]] = set()
        self._closed = False

    def model_for(self, tier: Tier) -> str:
        return self._models[tier]

    def bound_input_tokens(self, prompt: Prompt) -> int:
        return bound_input_tokens(prompt)

    def describe(self) -> str:
        models = ", ".join((self._models["reasoning"], self._models["routine"]))
        elsewhere = f" at {self._host}" if self._base_url != DEFAULT_BASE_URL else ""
        return f"claude ({models}){elsewhere}"

    def send(self, prompt: Prompt) -> Completion:
        """Ask once. Every error names what to change, when to come back, or what is in doubt."""
        import anthropic  # noqa: F401 - before the deadline begins to run

        call: AbortableCall[Completion | ProviderError] = AbortableCall()
        with self._lock:
            if self._closed:
                raise ProviderBusy("sprintd is stopping; the call was not made")
            self._calls.add(call)
        try:
            result = call.run(lambda: self._exchange(prompt, call), self._deadline_seconds)
        finally:
            with self._lock:
                self._calls.discard(call)
        if isinstance(result, Completion):
            return result
        if result is None or (call.aborted and result.status is None):
            raise self._given_up(call)
        raise result

    def close(self) -> None:
        """Send nothing more; calls under way end at once, with OutcomeUnknown."""
        with self._lock:
            self._closed = True
            calls = tuple(self._calls)
        for call in calls:
            call.abort()

    def _exchange(
        self, prompt: Prompt, call: AbortableCall[Completion | ProviderError]
    ) -> Completion | ProviderError:
        """The reply or the error, as a value: an exception would carry the key in its chain."""
        try:
            reply = _create(
                self._base_url, self._api_key, prompt, self._deadline_seconds, call.trace
            )
            return read_reply(reply, prompt)
        except ProviderError as error:
            return error
        except Exception as error:  # noqa: BLE001 - whatever the library raises, money is at stake
            return self._explain(error, prompt, call)

    def _given_up(self, call: AbortableCall[Completion | ProviderError]) -> ProviderError:
        why = (
            "sprintd stopped during the call"
            if self._closed
            else f"{self._host} gave no reply within {self._deadline_seconds:g} s"
        )
        if call.request_started:
            return OutcomeUnknown(f"{why}; the call may have been billed")
        return ProviderBusy(f"{why}; the request was not sent")

    def _explain(
        self, error: Exception, prompt: Prompt, call: AbortableCall[Completion | ProviderError]
    ) -> ProviderError:
        import anthropic

        if isinstance(error, anthropic.APIStatusError) and not 200 <= error.status_code < 300:
            asked = Asked(self._host, prompt.model, self._setting_of(prompt.model))
            return explain(_answer(error, self._api_key), asked, self._clock.now())
        cause = error.__cause__ if isinstance(error, anthropic.APIConnectionError) else error
        return _explain_transport(cause or error, self._host, started=call.request_started)

    def _setting_of(self, model: str) -> str:
        tier = (
            "routine"
            if model == self._models["routine"] != self._models["reasoning"]
            else "reasoning"
        )
        return f"provider.{tier}_model"


def normal_base_url(text: str) -> str:
    """The address without a trailing /v1, /v1/messages or slash; empty is the service itself.

    Raises ProviderPermanent where it is not an http(s) address.
    """
    address = re.sub(r"/+(v1(/+messages)?/*)?$", "", text.strip() or DEFAULT_BASE_URL)
    try:
        parts = urlsplit(address)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable or re.search(r"[\s?#]", address):
        raise ProviderPermanent(
            f"{BASE_URL_SETTING} is not an address such as {DEFAULT_BASE_URL}",
            setting=BASE_URL_SETTING,
        )
    return address


def _create(
    base_url: str,
    api_key: str,
    prompt: Prompt,
    deadline_seconds: float,
    trace: Callable[[str, Any], None],
) -> Any:
    """One request on a connection of its own, so that cutting it harms no other call.

    Redirects are not followed: the prompt goes to no host but the configured one. A server on this
    machine is never asked through a proxy.
    """
    import anthropic
    import httpx2

    def tell_of_steps(request: httpx2.Request) -> None:
        request.extensions["trace"] = trace

    timeout = httpx2.Timeout(deadline_seconds, connect=min(CONNECT_SECONDS, deadline_seconds))
    try:
        http = httpx2.Client(
            trust_env=not is_this_machine(urlsplit(base_url).hostname or ""),
            follow_redirects=False,
            timeout=timeout,
            limits=httpx2.Limits(max_keepalive_connections=0),
            event_hooks={"request": [tell_of_steps]},
        )
    except (ValueError, ImportError, httpx2.InvalidURL):
        raise ProviderPermanent(
            "the proxy that the environment names cannot be used; correct HTTPS_PROXY",
            setting="HTTPS_PROXY",
        ) from None
    with anthropic.Anthropic(
        api_key=api_key,
        base_url=base_url,
        max_retries=0,
        timeout=timeout,
        open_telemetry=False,
        http_client=http,
    ) as client:
        reply = client.messages.create(**request_fields(prompt))
    return reply if isinstance(reply, anthropic.types.Message) else None


def _answer(error: Any, api_key: str) -> ErrorAnswer:
    """What counts of an error of the library, with the key struck out of its text."""

    def clean(value: object) -> str:
        return value.replace(api_key, "[key]") if isinstance(value, str) else ""

    return ErrorAnswer(
        status=error.status_code,
        kind=clean(error.type),
        code=clean(error.error_code),
        message=clean(error.api_message),
        headers={name.lower(): value for name, value in error.response.headers.items()},
        request_id=error.request_id,
    )


def _explain_transport(error: BaseException, host: str, *, started: bool) -> ProviderError:
    """A failure below HTTP. Only one that surely came before the request is free of charge."""
    import httpx2

    never_connected = (
        httpx2.ConnectError,
        httpx2.ConnectTimeout,
        httpx2.PoolTimeout,
        httpx2.ProxyError,
    )
    name = type(error).__name__
    if isinstance(error, never_connected):
        reason = redact(" ".join(str(error).split()))[:200] or name  # of the connection, or a proxy
        return ProviderBusy(f"{host} cannot be reached ({reason}); the request was not sent")
    if isinstance(error, httpx2.UnsupportedProtocol | httpx2.InvalidURL):
        return ProviderPermanent(f"{host} is not an address", setting=BASE_URL_SETTING)
    if isinstance(error, httpx2.LocalProtocolError) and not started:
        return ProviderPermanent("a header of the request is not valid", setting=KEY_SETTING)
    return OutcomeUnknown(
        f"the exchange with {host} broke before the reply was complete ({name}); "
        "it may have been billed"
    )


def _usable_key(text: str) -> str:
    key = text.strip()
    if not key or not key.isascii() or not key.isprintable() or " " in key:
        raise ProviderPermanent(
            f"{KEY_SETTING} is empty or holds characters that no key has", setting=KEY_SETTING
        )
    return key
