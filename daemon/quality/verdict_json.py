"""Verdicts as plain JSON values, for the store and the command line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast, get_args

from daemon.quality.claims import Claim, ClaimKind, ClaimStatus
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
        "claims": [_claim_as_json(claim) for claim in verdict.claims],
        "judged": verdict.judged,
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
            claims=tuple(_claim(one) for one in value.get("claims", ())),
            judged=str(value.get("judged", "")),
        )
    except (KeyError, TypeError) as error:
        raise ValueError(f"this is not a stored verdict: {error!r}") from error


def _defect(value: Mapping[str, Any]) -> Defect:
    span = value.get("span")
    place = (int(span[0]), int(span[1])) if span else None
    return Defect(str(value["check"]), str(value["message"]), bool(value["rejects"]), place)


def _claim_as_json(claim: Claim) -> dict[str, Any]:
    place = list(claim.place) if claim.place else None
    return {**vars(claim), "span": list(claim.span), "place": place}


def _claim(value: Mapping[str, Any]) -> Claim:
    if value["kind"] not in get_args(ClaimKind) or value["status"] not in get_args(ClaimStatus):
        raise ValueError(f"a claim cannot be a {value['kind']!r} that is {value['status']!r}")
    start, end = value["span"]
    place = value.get("place")
    return Claim(
        kind=cast("ClaimKind", value["kind"]),
        text=str(value["text"]),
        span=(int(start), int(end)),
        status=cast("ClaimStatus", value["status"]),
        source=str(value.get("source", "")),
        place=(int(place[0]), int(place[1])) if place else None,
        passage=str(value.get("passage", "")),
        note=str(value.get("note", "")),
    )
