from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime

import pytest

from daemon.errors import StoreError
from daemon.governance.replies import check_reply, read_reply
from daemon.llm.provider import Usage
from daemon.store.effects import EffectRow
from tests.standins.paid_provider import reply

NOW = datetime(2026, 11, 30, tzinfo=UTC)


def done(result: dict[str, object] | None) -> EffectRow:
    return EffectRow("k", "done", "me", NOW, result, NOW, NOW)


def test_a_kept_reply_is_read_back_equal() -> None:
    """Text, model, all five token counts, stop reason and request id."""
    kept = reply("Two\nlines, ñ", usage=Usage(1, 2, 3, 4, 5))
    assert read_reply(done(asdict(kept))) == kept


def test_an_effect_under_way_has_no_reply() -> None:
    """Started is not done."""
    assert read_reply(EffectRow("k", "started", "me", NOW, None, NOW, None)) is None


@pytest.mark.parametrize("result", [None, {}, {"text": "x"}, {**asdict(reply()), "extra": 1}])
def test_a_damaged_reply_is_an_error_and_not_a_missing_one(
    result: dict[str, object] | None,
) -> None:
    """A missing reply would be asked and paid for again."""
    with pytest.raises(StoreError, match="the stored reply 'k' cannot be read"):
        read_reply(done(result))


def test_a_proper_reply_passes_unchanged() -> None:
    """Nothing is repaired where nothing is broken."""
    assert check_reply(reply("Añejo \U0001f600")) == reply("Añejo \U0001f600")
