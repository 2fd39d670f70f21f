"""What an error answer means; the whole table is tested over a socket in test_claude."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from daemon.errors import ProviderPermanent
from daemon.llm.service_errors import Asked, ErrorAnswer, explain, retry_after_seconds

NOW = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
ASKED = Asked("api.anthropic.com", "claude-sonnet-5-5", "provider.reasoning_model")


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after-ms": "x", "retry-after": "9"}, 9.0),
        ({"retry-after": "Mon, 30 Nov 2026 09:00:10 -0000"}, 10.0),
        ({"retry-after": "Mon, 30 Nov 2026 10:00:10 +0100"}, 10.0),
        ({"retry-after": "Mon, 99 Nov 2026 99:00:10 GMT"}, None),
        ({"retry-after": "inf"}, None),
        ({}, None),
    ],
)
def test_the_wait_is_read_in_all_its_forms(headers: dict[str, str], seconds: float | None) -> None:
    """Milliseconds win; dates count from now, whatever their zone."""
    assert retry_after_seconds(headers, NOW) == seconds


def test_the_words_of_a_service_are_quoted_on_one_short_line() -> None:
    """They come from outside, and may be a page long."""
    answer = ErrorAnswer(400, "invalid_request_error", "", "bad\n\x07 " * 500, {}, "req_1")
    error = explain(answer, ASKED, NOW)
    assert isinstance(error, ProviderPermanent)
    assert str(error).endswith("...")
    assert len(str(error)) < 400
    assert str(error).isprintable()
