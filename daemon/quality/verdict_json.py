"""Verdicts as plain JSON values, for the store and the command line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast, get_args

from daemon.quality.verdict import Defect, Outcome, ScorePart, Verdict


def verdict_as_json(verdict: Verdict) -> dict[str, Any]:
    """Everything a verdict holds, as dicts, lists, text, numbers and None."""
    return {
        "outcome": verdict.outcome,
        "score_hundredths": verdict.score_hundredths,
        "threshold_hundredths": verdict.threshold_hundredths,
        "parts": [
            {"name": part.name, "hundredths": part.hundredths, "reason": part.reason}
            for part in verdict.parts
        ],
        "defects": [
            {
                "check": defect.check,
                "message": defect.message,
                "rejects": defect.rejects,
                "span": list(defect.span) if defect.span else None,
            }
            for defect in verdict.defects
        ],
        "cleaned_text": verdict.cleaned_text,
        "stripped": list(verdict.stripped),
    }


def verdict_from_json(value: Mapping[str, Any]) -> Verdict:
    """The verdict that `verdict_as_json` gave; unknown keys are ignored.

    Raises ValueError where a part is missing or of another kind.
    """
    try:
        outcome = value["outcome"]
        if outcome not in get_args(Outcome):
            raise ValueError(f"a verdict's outcome cannot be {outcome!r}")
        return Verdict(
            outcome=cast("Outcome", outcome),
            score_hundredths=int(value["score_hundredths"]),
            parts=tuple(
                ScorePart(one["name"], int(one["hundredths"]), one["reason"])
                for one in value["parts"]
            ),
            defects=tuple(_defect(one) for one in value["defects"]),
            cleaned_text=str(value["cleaned_text"]),
            stripped=tuple(str(one) for one in value.get("stripped", ())),
            threshold_hundredths=value.get("threshold_hundredths"),
        )
    except (KeyError, TypeError) as error:
        raise ValueError(f"this is not a stored verdict: {error!r}") from error


def _defect(value: Mapping[str, Any]) -> Defect:
    span = value.get("span")
    place = (int(span[0]), int(span[1])) if span else None
    return Defect(str(value["check"]), str(value["message"]), bool(value["rejects"]), place)
