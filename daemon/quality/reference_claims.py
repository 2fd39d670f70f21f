"""The references of an output, looked up in its sources."""

from __future__ import annotations

from collections.abc import Sequence

from daemon.quality.citation_marks import mark_claims
from daemon.quality.claims import Claim, SourceNote
from daemon.quality.norm_claims import norm_claims
from daemon.quality.normalise import Reading
from daemon.quality.note_texts import given_text, note_text
from daemon.quality.quote_claims import quote_claims
from daemon.quality.url_claims import url_claims
from daemon.quality.verdict import TaskBrief


def reference_claims(
    reading: Reading, task: TaskBrief, sources: Sequence[SourceNote]
) -> tuple[Claim, ...]:
    """Addresses, note marks, quotations and norms, in the order of the text; never raises.

    What the task itself says (its question, its instructions) is no claim. Nothing but the notes
    counts as evidence: that the output calls a ruling "verified" changes nothing.
    """
    notes = [note_text(source) for source in sources]
    given = given_text(task.question, task.prompt_text)
    found = [
        *url_claims(reading, given, notes, task.profile),
        *mark_claims(reading, notes),
        *quote_claims(reading, given, notes, task.profile),
        *norm_claims(reading, given, notes),
    ]
    return tuple(sorted(found, key=lambda claim: claim.span))
