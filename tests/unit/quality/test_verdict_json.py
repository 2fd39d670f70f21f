from __future__ import annotations

import json

import pytest

from daemon.quality.verdict_json import verdict_as_json, verdict_from_json
from tests.unit.quality.judging import REPORT, judge


@pytest.mark.parametrize("text", [REPORT, "Sure! I can't help with that.", "", "😀 \ud800"])
def test_a_verdict_survives_storage(text: str) -> None:
    """Through JSON text and back it is equal."""
    verdict = judge(text, "report")
    assert verdict_from_json(json.loads(json.dumps(verdict_as_json(verdict)))) == verdict


@pytest.mark.parametrize("change", ["outcome", "parts", "cleaned_text"])
def test_what_is_no_stored_verdict_is_refused(change: str) -> None:
    """A missing part is an error, not a guess."""
    value = verdict_as_json(judge(REPORT))
    del value[change]
    with pytest.raises(ValueError, match="not a stored verdict"):
        verdict_from_json(value)


def test_an_unknown_outcome_is_refused() -> None:
    """Only the contract's three."""
    with pytest.raises(ValueError, match="outcome"):
        verdict_from_json(verdict_as_json(judge(REPORT)) | {"outcome": "maybe"})
