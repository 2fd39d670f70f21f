"""The model's words for a review: asked for once a slot, through the money gate; no failure matters."""

from __future__ import annotations

from datetime import datetime

from daemon.errors import SprintdError
from daemon.governance.budget import Caller, Refusal
from daemon.governance.metered import MeteredProvider
from daemon.llm.json_reply import parse_json_reply
from daemon.reports.narration import check_narration, has_evidence, narration_prompt
from daemon.reports.post import slot_name
from daemon.reports.review import Narration, Review

_MOST_FAULTS = 3


def narrate(metered: MeteredProvider, review: Review, *, language: str) -> Narration:
    """Nobody is asked where the provider writes no JSON, or where no evidence counts for anything."""
    if not metered.writes_json or not any(map(has_evidence, review.criteria)):
        return Narration()
    prompt = narration_prompt(review, model=metered.model_for("routine"), language=language)
    try:
        reply = metered.complete(_key(review.slot), prompt, Caller("review"))
        if isinstance(reply, Refusal):
            return Narration(left_out=reply.message)
        if reply.stop_reason != "end_turn":
            return Narration(left_out=f'the service ended the answer with "{reply.stop_reason}"')
        kept, faults = check_narration(review, parse_json_reply(reply.text, alone=True))
    except (SprintdError, ValueError) as error:
        return Narration(left_out=str(error))
    return Narration(reply.model, kept, "; ".join(faults[:_MOST_FAULTS]))


def _key(slot: datetime) -> str:
    return f"review/{slot_name(slot)}"
