"""The bound of input tokens."""

from __future__ import annotations

import pytest

from daemon.llm.provider import Prompt
from daemon.llm.token_bound import bound_input_tokens


@pytest.mark.parametrize(
    "text", ["plain words", "ñandú — 東京", "🙂" * 10, "\ud83d half", "ﷺ" * 100, ""]
)
def test_bound_is_never_below_the_bytes(text: str) -> None:
    """A tokeniser on bytes makes at most one token a byte, in either Unicode form."""
    prompt = Prompt("m", system=text, user=text, max_output_tokens=1)
    assert bound_input_tokens(prompt) >= 2 * len(text.encode("utf-8", "replace"))


def test_bound_allows_for_text_that_grows_when_normalised() -> None:
    """One Arabic ligature becomes eighteen letters under NFKC."""
    prompt = Prompt("m", system="", user="ﷺ" * 100, max_output_tokens=1)
    assert bound_input_tokens(prompt) >= 3300


def test_schema_counts() -> None:
    """The service explains the schema to the model, and bills the explanation."""
    plain = Prompt("m", system="s", user="u", max_output_tokens=1)
    with_schema = Prompt("m", "s", "u", 1, schema={"type": "object", "properties": {}})
    assert bound_input_tokens(with_schema) > bound_input_tokens(plain) + 1000
