"""The digest of arguments: one for all spellings, none for what JSON would lose."""

from __future__ import annotations

import math

import pytest

from daemon.errors import LedgerError
from daemon.ledger.entry import digest_of


def test_two_spellings_of_the_same_arguments_have_one_digest() -> None:
    """The order of keys is none; text is its characters."""
    assert digest_of({"b": 1, "a": "é"}) == digest_of({"a": "\u00e9", "b": 1})
    assert digest_of({"a": 1}) != digest_of({"a": "1"})
    assert len(digest_of(None)) == 64


@pytest.mark.parametrize(
    "value", [math.nan, math.inf, 2**53 + 1, {"a": "\ud800"}, {1: "x"}, {"a": object()}, b"bytes"]
)
def test_what_json_cannot_say_has_no_digest(value: object) -> None:
    """An action whose arguments cannot be told apart is not recorded as if they could."""
    with pytest.raises(LedgerError, match="have no digest"):
        digest_of(value)


def test_arguments_nested_without_end_have_no_digest() -> None:
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(LedgerError, match="have no digest"):
        digest_of(deep)
