"""The model's words for a review: asked for once a slot, through the money gate; no failure matters."""

from __future__ import annotations

from daemon.governance.budget import Caller
from daemon.governance.metered import MeteredProvider
from daemon.reports.model_words import ask_for_words
from daemon.reports.narration import check_narration, has_evidence, narration_prompt
from daemon.reports.post import slot_name
from daemon.reports.review import Narration, Review

_MOST_FAULTS = 3


def narrate(
    metered: MeteredProvider, review: Review, *, language: str, by_model: bool
) -> Narration:
    """Nobody is asked without `by_model` (`reports.summary_by_model`), where the provider writes no JSON,
    or where no evidence counts for anything."""
    if not by_model or not metered.writes_json or not any(map(has_evidence, review.criteria)):
        return Narration()
    prompt = narration_prompt(review, model=metered.model_for("routine"), language=language)
    told = ask_for_words(metered, f"review/{slot_name(review.slot)}", prompt, Caller("review"))
    if told.fault:
        return Narration(left_out=told.fault)
    kept, faults = check_narration(review, told.value, language)
    return Narration(told.model, kept, "; ".join(faults[:_MOST_FAULTS]))
