"""The door to Claude: the real library over a real socket, against the stand-in."""

from __future__ import annotations

import socket
import threading
import traceback
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from daemon.clock import ManualClock
from daemon.errors import OutcomeUnknown, ProviderBusy, ProviderError, ProviderPermanent
from daemon.llm.claude import ClaudeProvider, normal_base_url
from daemon.llm.provider import Prompt, Usage
from tests.standins.messages_api import (
    MessagesApi,
    Step,
    changed,
    cut_after,
    error,
    garbage_json,
    held,
    overloaded,
    plain_text,
    says,
)

NOW = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
SCHEMA = {
    "type": "object",
    "properties": {"items": {"type": "array", "items": {"type": "object", "properties": {}}}},
    "required": ["items"],
}


@pytest.fixture
def api() -> Iterator[MessagesApi]:
    with MessagesApi(thinks=True) as running:
        yield running


def provider_for(
    api: MessagesApi, *, path: str = "", deadline_seconds: float = 5.0, **changes: str
) -> ClaudeProvider:
    settings = {
        "api_key": api.api_key,
        "base_url": api.base_url + path,
        "reasoning_model": "claude-sonnet-5-5",
        "routine_model": "claude-haiku-5-5",
        **changes,
    }
    return ClaudeProvider(**settings, deadline_seconds=deadline_seconds, clock=ManualClock(NOW))


def prompt_of(**changes: Any) -> Prompt:
    fields: dict[str, Any] = {
        "model": "claude-sonnet-5-5",
        "system": "You are a careful analyst.",
        "user": "How many firms export cocoa?",
        "max_output_tokens": 1000,
    }
    return Prompt(**{**fields, **changes})


def failure_of(api: MessagesApi, step: Step, **changes: Any) -> ProviderError:
    api.script(step)
    with pytest.raises(ProviderError) as caught:
        provider_for(api).send(prompt_of(**changes))
    assert len(api.requests) == 1, "an attempt is one request: the caller decides about the next"
    assert api.api_key not in "".join(traceback.format_exception(caught.value))
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    return caught.value


class TestReply:
    def test_text_of_a_reply_that_begins_with_thinking_is_the_text(self, api: MessagesApi) -> None:
        """The first block may be a thinking block; only text blocks are joined."""
        api.script(says("Forty firms.", stop_reason="stop_sequence"))
        completion = provider_for(api).send(prompt_of())
        assert completion.text == "Forty firms."
        assert completion.stop_reason == "end_turn"
        assert completion.model == "claude-sonnet-5-5"
        assert completion.request_id == "req_0001"

    def test_unknown_blocks_are_skipped_and_texts_joined(self, api: MessagesApi) -> None:
        """A block of a type that the library does not know comes back with text None."""
        content = [
            {"type": "brand_new", "payload": 1},
            {"type": "text", "text": "One. "},
            {"type": "text", "text": "Two."},
        ]
        api.script(changed(content=content))
        assert provider_for(api).send(prompt_of()).text == "One. Two."

    @pytest.mark.parametrize(
        ("told", "meant"),
        [
            ("end_turn", "end_turn"),
            ("max_tokens", "max_tokens"),
            ("model_context_window_exceeded", "max_tokens"),
            ("refusal", "refusal"),
            ("tool_use", "other"),
            ("pause_turn", "other"),
            ("something_new", "other"),
        ],
    )
    def test_stop_reasons_are_mapped(self, api: MessagesApi, told: str, meant: str) -> None:
        """Every stop reason of the service has one of our four."""
        api.script(changed(stop_reason=told))
        assert provider_for(api).send(prompt_of()).stop_reason == meant

    def test_a_reply_cut_in_mid_word_is_marked_truncated(self) -> None:
        """The limit of output tokens is sent, and reaching it is never a complete reply."""
        with MessagesApi(reply=lambda request: "extraordinarily " * 90) as api:
            completion = provider_for(api).send(prompt_of(max_output_tokens=10))
        assert completion.truncated
        assert completion.usage.output_tokens == 10

    def test_model_of_the_reply_is_kept(self, api: MessagesApi) -> None:
        """A proxy may answer with another model, and that one sets the price."""
        api.script(changed(model="claude-opus-5-5"))
        assert provider_for(api).send(prompt_of()).model == "claude-opus-5-5"

    def test_usage_with_cache_split(self, api: MessagesApi) -> None:
        """Writes for five minutes and for an hour have different prices."""
        usage = {
            "input_tokens": 3,
            "output_tokens": 5,
            "cache_creation_input_tokens": 30,
            "cache_read_input_tokens": 7,
            "cache_creation": {"ephemeral_5m_input_tokens": 10, "ephemeral_1h_input_tokens": 20},
        }
        api.script(changed(usage=usage))
        assert provider_for(api).send(prompt_of()).usage == Usage(3, 5, 10, 20, 7)

    def test_usage_without_split_counts_writes_as_five_minutes(self, api: MessagesApi) -> None:
        """No field that is None may break the sum, and no write may get lost."""
        usage = {"input_tokens": 3, "output_tokens": 5, "cache_creation_input_tokens": 30}
        api.script(
            changed(usage={**usage, "cache_read_input_tokens": None, "cache_creation": None})
        )
        assert provider_for(api).send(prompt_of()).usage == Usage(3, 5, 30, 0, 0)

    def test_usage_of_zero_is_counted_by_ourselves(self, api: MessagesApi) -> None:
        """Some local servers report nothing; nothing must not mean free."""
        api.script(says("Four words are here.", usage={"input_tokens": 0, "output_tokens": 0}))
        provider = provider_for(api)
        usage = provider.send(prompt_of()).usage
        assert usage == Usage(provider.bound_input_tokens(prompt_of()), 20)


class TestRequest:
    def test_request_carries_the_prompt_and_nothing_else(self, api: MessagesApi) -> None:
        """No tools, no sampling, no thinking: the stand-in refuses them, and they are not sent."""
        provider_for(api).send(prompt_of())
        assert api.requests[0].body == {
            "model": "claude-sonnet-5-5",
            "max_tokens": 1000,
            "system": "You are a careful analyst.",
            "messages": [{"role": "user", "content": "How many firms export cocoa?"}],
        }
        assert api.requests[0].headers["authorization"] == f"Bearer {api.api_key}"

    def test_schema_and_effort_are_sent_with_every_object_closed(self, api: MessagesApi) -> None:
        """The service wants additionalProperties false in each object of a schema."""
        provider_for(api).send(prompt_of(schema=SCHEMA, effort="low"))
        sent = api.requests[0].body["output_config"]
        assert sent["effort"] == "low"
        assert sent["format"]["schema"]["additionalProperties"] is False
        inner = sent["format"]["schema"]["properties"]["items"]["items"]
        assert inner["additionalProperties"] is False
        assert "additionalProperties" not in SCHEMA

    @pytest.mark.parametrize("path", ["", "/", "/v1", "/v1/", "/v1/messages"])
    def test_base_url_works_in_all_its_forms(self, api: MessagesApi, path: str) -> None:
        """With or without /v1, one request goes to /v1/messages."""
        provider_for(api, path=path).send(prompt_of())
        assert [request.path for request in api.requests] == ["/v1/messages"]

    @pytest.mark.parametrize("address", ["ftp://x", "api.anthropic.com", "http://", "http://h:x"])
    def test_an_address_that_is_none_names_the_setting(self, address: str) -> None:
        """The fault is told when the provider is built, not at the first call."""
        with pytest.raises(ProviderPermanent) as caught:
            normal_base_url(address)
        assert caught.value.setting == "provider.base_url"

    def test_empty_base_url_is_the_service(self) -> None:
        """No address in the configuration means the public one."""
        assert normal_base_url("") == "https://api.anthropic.com"

    def test_half_a_surrogate_pair_is_replaced(self, api: MessagesApi) -> None:
        """Text from broken documents must not end a sprint before the request is written."""
        provider_for(api).send(prompt_of(user="broken \ud83d text, whole ü"))
        assert api.requests[0].body["messages"][0]["content"] == "broken ? text, whole ü"

    def test_max_tokens_above_the_streaming_limit_of_the_library(self, api: MessagesApi) -> None:
        """Without a timeout of its own the library refuses more than 21,333 output tokens."""
        provider_for(api).send(prompt_of(max_output_tokens=64_000))
        assert api.requests[0].body["max_tokens"] == 64_000

    def test_key_with_a_newline_from_a_file_is_stripped(self, api: MessagesApi) -> None:
        """A secret file ends in a newline; unstripped, it is a header that cannot be sent."""
        assert provider_for(api, api_key=api.api_key + "\n").send(prompt_of()).text

    @pytest.mark.parametrize("key", ["", " ", "sk-\n-x", "sk-ü", "sk x"])
    def test_a_key_that_cannot_be_one_is_refused_without_being_shown(self, key: str) -> None:
        """Nothing is sent, and the message names the setting and not the key."""
        with pytest.raises(ProviderPermanent) as caught:
            ClaudeProvider(
                api_key=key,
                base_url="",
                reasoning_model="a",
                routine_model="b",
                deadline_seconds=5,
                clock=ManualClock(NOW),
            )
        assert caught.value.setting == "ANTHROPIC_API_KEY"
        assert "sk-" not in str(caught.value)


class TestPermanentErrors:
    @pytest.mark.parametrize(
        ("step", "setting", "words"),
        [
            (error(400, "invalid_request_error", "bad"), "provider.reasoning_model", "bad"),
            (
                error(400, "invalid_request_error", "Your credit balance is too low"),
                "billing",
                "credit",
            ),
            (
                error(400, "invalid_request_error", "You have reached your spend limit"),
                "billing",
                "limit",
            ),
            (
                error(400, "invalid_request_error", "prompt is too long: 9 > 8"),
                "sprint.context_ceiling_tokens",
                "too large",
            ),
            (error(401, "authentication_error", "invalid"), "ANTHROPIC_API_KEY", "401"),
            (error(402, "billing_error", "unpaid invoice"), "billing", "unpaid invoice"),
            (error(403, "permission_error", "no"), "ANTHROPIC_API_KEY", "claude-sonnet-5-5"),
            (
                error(404, "not_found_error", "model: claude-sonnet-5-5"),
                "provider.reasoning_model",
                "does not have the model claude-sonnet-5-5",
            ),
            (
                Step(404, body=b"<html>nothing</html>", content_type="text/html"),
                "provider.base_url",
                "no Messages API",
            ),
            (
                error(413, "request_too_large", "too big"),
                "sprint.context_ceiling_tokens",
                "too large",
            ),
            (error(429, "rate_limit_error", "spend cap"), "billing", "spend"),
            (error(405, "", "not allowed"), "provider.base_url", "not allowed"),
            (error(410, "", "gone for good"), "provider.base_url", "gone for good"),
            (error(415, "", "no such type"), "provider.base_url", "no such type"),
            (error(422, "", "no field x"), "provider.base_url", "no field x"),
            (Step(307, {"location": "http://127.0.0.1:1/x"}, body=b""), "provider.base_url", "307"),
        ],
    )
    def test_errors_that_a_person_must_cure(
        self, api: MessagesApi, step: Step, setting: str, words: str
    ) -> None:
        """Each names the one setting to change; none is asked twice."""
        failure = failure_of(api, step)
        assert isinstance(failure, ProviderPermanent)
        assert failure.setting == setting
        assert failure.status == step.status
        assert failure.request_id == "req_0001"
        assert words in str(failure)

    def test_a_retired_routine_model_names_its_own_setting(self, api: MessagesApi) -> None:
        """The alert says which model and which of the two settings."""
        api.models.discard("claude-haiku-5-5")
        with pytest.raises(ProviderPermanent, match="claude-haiku-5-5") as caught:
            provider_for(api).send(prompt_of(model="claude-haiku-5-5"))
        assert caught.value.setting == "provider.routine_model"

    def test_spend_limit_by_code_is_permanent_even_with_retry_after(self, api: MessagesApi) -> None:
        """The stable code says what the status does not."""
        body = (
            b'{"type":"error","error":{"type":"rate_limit_error","message":"limit",'
            b'"details":{"error_code":"enforced_spend_limit_reached"}}}'
        )
        failure = failure_of(api, Step(429, {"retry-after": "99999"}, body=body))
        assert isinstance(failure, ProviderPermanent)
        assert failure.setting == "billing"

    def test_an_answer_that_repeats_the_key_is_cleaned(self, api: MessagesApi) -> None:
        """A proxy may put the key into its error; it goes no further."""
        failure = failure_of(
            api, error(401, "authentication_error", f"no such key {api.api_key}\nbye\x1b[31m")
        )
        assert "[key] bye" in str(failure)
        assert "\x1b" not in str(failure)


class TestBusy:
    @pytest.mark.parametrize(
        ("header", "seconds"),
        [
            ("7", 7.0),
            ("0.5", 0.5),
            ("Mon, 30 Nov 2026 09:01:30 GMT", 90.0),
            ("Mon, 30 Nov 2026 08:00:00 GMT", 0.0),
            ("soon", None),
            ("nan", None),
            ("-3", 0.0),
        ],
    )
    def test_rate_limit_says_how_long(
        self, api: MessagesApi, header: str, seconds: float | None
    ) -> None:
        """Seconds or a date, and None where it cannot be read."""
        failure = failure_of(api, error(429, "rate_limit_error", "slow", retry_after=header))
        assert isinstance(failure, ProviderBusy)
        assert failure.retry_after_seconds == seconds

    @pytest.mark.parametrize(
        "step", [overloaded(), error(503, "api_error", "down", retry_after="4")]
    )
    def test_overload_is_busy(self, api: MessagesApi, step: Step) -> None:
        """Nothing was done, so nothing is billed, and an error text is never a reply."""
        failure = failure_of(api, step)
        assert isinstance(failure, ProviderBusy)
        assert failure.retry_after_seconds == (4.0 if step.headers else None)

    def test_three_overloads_then_success(self, api: MessagesApi) -> None:
        """The same provider goes on working after refusals."""
        api.script(overloaded(), overloaded(), overloaded())
        provider = provider_for(api)
        for _ in range(3):
            with pytest.raises(ProviderBusy):
                provider.send(prompt_of())
        assert provider.send(prompt_of()).stop_reason == "end_turn"
        assert len(api.served) == 1

    def test_a_refused_connection_is_busy(self) -> None:
        """Nobody listens: the request was never sent."""
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            with MessagesApi() as api:
                address = f"http://127.0.0.1:{taken.getsockname()[1]}"
                with pytest.raises(ProviderBusy, match="not sent"):
                    provider_for(api, base_url=address).send(prompt_of())

    def test_an_unknown_host_is_busy(self, api: MessagesApi) -> None:
        """A name that does not resolve may be a network that is down for a while."""
        with pytest.raises(ProviderBusy, match="not sent"):
            provider_for(api, base_url="http://no-such-host.invalid").send(prompt_of())


class TestOutcomeUnknown:
    @pytest.mark.parametrize(
        "step",
        [
            *(error(status, "api_error", "hm") for status in (408, 409, 425, 500, 501, 502, 504)),
            cut_after(0),
            cut_after(40),
            garbage_json(),
            plain_text(),
            Step(body=b'{"foo": 1}'),
            Step(body=b'"a string"'),
            Step(body=b""),
            changed(usage=None),
            changed(usage={}),
            changed(usage={"input_tokens": None, "output_tokens": 3}),
            changed(usage={"input_tokens": "many", "output_tokens": 3}),
            changed(stop_reason=None),
            changed(content=None),
            changed(content=["text"]),
        ],
    )
    def test_a_reply_that_cannot_be_trusted_may_have_been_billed(
        self, api: MessagesApi, step: Step
    ) -> None:
        """Server failures, cut bodies, garbage and replies without a bill keep the reservation."""
        failure = failure_of(api, step)
        assert isinstance(failure, OutcomeUnknown)
        assert "billed" in str(failure)


class TestDeadline:
    def test_deadline_ends_a_call_that_gets_no_answer(self, api: MessagesApi) -> None:
        """The request was sent, so its outcome is unknown; its thread ends with it."""
        api.script(held(threading.Event()))
        with pytest.raises(OutcomeUnknown, match=r"within 0\.2 s"):
            provider_for(api, deadline_seconds=0.2).send(prompt_of())
        assert "sprintd-model-call" not in {thread.name for thread in threading.enumerate()}

    def test_deadline_before_the_connection_stands_is_busy(self) -> None:
        """A host that swallows the connection gets no request, so nothing can be billed."""
        with socket.socket() as full, socket.socket() as first, socket.socket() as second:
            full.bind(("127.0.0.1", 0))
            full.listen(0)
            for waiting in (first, second):  # the queue of the listener is full after these
                waiting.setblocking(False)
                waiting.connect_ex(full.getsockname())
            with MessagesApi() as api:
                address = f"http://127.0.0.1:{full.getsockname()[1]}"
                provider = provider_for(api, base_url=address, deadline_seconds=0.2)
                with pytest.raises(ProviderBusy, match="not sent"):
                    provider.send(prompt_of())

    def test_close_ends_a_call_under_way(self, api: MessagesApi) -> None:
        """Shutting down does not wait for a model; the money stays counted."""
        api.script(held(threading.Event()))
        provider = provider_for(api, deadline_seconds=30)
        caught: list[ProviderError] = []

        def ask() -> None:
            try:
                provider.send(prompt_of())
            except ProviderError as failure:
                caught.append(failure)

        thread = threading.Thread(target=ask)
        thread.start()
        assert api.wait_for_requests(1)
        provider.close()
        thread.join(timeout=5)
        assert not thread.is_alive()
        assert isinstance(caught[0], OutcomeUnknown)
        with pytest.raises(ProviderBusy, match="stopping"):
            provider.send(prompt_of())
        assert len(api.requests) == 1

    def test_one_aborted_call_does_not_harm_another(self, api: MessagesApi) -> None:
        """Each call has a connection of its own."""
        api.script(held(threading.Event()))
        slow = provider_for(api, deadline_seconds=0.2)
        with pytest.raises(OutcomeUnknown):
            slow.send(prompt_of())
        assert slow.send(prompt_of()).text


def test_loopback_is_never_asked_through_a_proxy(
    api: MessagesApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    """HTTP_PROXY in the service's environment must not catch a server on the same machine."""
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert provider_for(api).send(prompt_of()).text


def test_a_proxy_that_cannot_be_used_is_named(
    api: MessagesApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The environment of the service is a setting like any other."""
    for name in ("NO_PROXY", "no_proxy", "http_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HTTP_PROXY", "gopher://127.0.0.1:9")
    with pytest.raises(ProviderPermanent) as caught:
        provider_for(api, base_url="http://no-such-host.invalid").send(prompt_of())
    assert caught.value.setting == "HTTPS_PROXY"
    assert "gopher" not in str(caught.value)


def test_environment_does_not_redirect_the_calls(
    api: MessagesApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The library's own variables lose against what the configuration says."""
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "another-key")
    assert provider_for(api).send(prompt_of()).text


def test_describe_is_one_line_without_secrets(api: MessagesApi) -> None:
    """It names both models, and the host where it is another one, without its credentials."""
    provider = provider_for(api, base_url="https://user:secret@proxy.example/v1")
    assert provider.describe() == "claude (claude-sonnet-5-5, claude-haiku-5-5) at proxy.example"
    assert (
        provider_for(api, base_url="").describe() == "claude (claude-sonnet-5-5, claude-haiku-5-5)"
    )
    assert provider.model_for("routine") == "claude-haiku-5-5"
