"""An accepted output as a finding: what may be cited, what may not, and the notes behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from daemon.config.phrases import Phrases
from daemon.knowledge.provenance import UNKNOWN, Provenance
from daemon.llm.provider import Completion
from daemon.memory.findings import FindingSource, NewFinding, Unverified
from daemon.quality.unverified import Moved, divide
from daemon.quality.verdict import Verdict
from daemon.sprint.annex import Annex, open_again
from daemon.sprint.parts import SprintParts
from daemon.store import api_calls
from daemon.store.attempts import AttemptRow


def finding_of(
    parts: SprintParts, row: AttemptRow, reply: Completion, verdict: Verdict
) -> NewFinding:
    """The finding that an accepted answer becomes; its sources are opened again for it.

    Every sentence with a claim that no note bears out, then or now, is moved out of the body.
    """
    asked = row.prompt
    annex = open_again(parts, row, verdict)
    divided = divide(verdict.cleaned_text, annex.doubted)
    return NewFinding(
        item=row.item,
        title=asked["title"],
        criterion=asked["criterion"],
        agent=row.agent,
        sprint_id=row.sprint_id,
        attempt_id=row.id,
        score=verdict.score,
        sources=_sources(row, annex),
        model=reply.model,
        cost_micros=_cost_micros(parts, row),
        created_at=row.created_at,
        body=divided.body,
        language=asked["language"],
        unverified=_unverified(divided.moved, Phrases(asked["language"])),
    )


def _unverified(moved: Sequence[Moved], say: Phrases) -> tuple[Unverified, ...]:
    return tuple(
        Unverified(
            one.text,
            tuple((claim, say.text(f"finding.unverified_{doubt}")) for claim, doubt in one.doubts),
        )
        for one in moved
    )


def _sources(row: AttemptRow, annex: Annex) -> tuple[FindingSource, ...]:
    """What the agent was given. What was stored before anybody asked where it came from counts as
    from outside and confidential."""
    loaded = {unit["id"]: unit for unit in row.context.get("loaded", ())}
    return tuple(
        FindingSource(
            s["id"],
            s["path"],
            s["title"],
            _provenance(loaded.get(s["id"], {})),
            annex.states.get(s["id"], "missing"),
        )
        for s in row.prompt["sources"]
    )


def _provenance(unit: Mapping[str, Any]) -> Provenance:
    outside = unit.get("outside", UNKNOWN.outside)
    return Provenance(outside, unit.get("sensitivity", UNKNOWN.sensitivity))


def _cost_micros(parts: SprintParts, row: AttemptRow) -> int:
    """What the item cost in this sprint, tries that failed included."""
    calls = api_calls.list_for_sprint(parts.db, row.sprint_id)
    return sum(call.cost_micros or 0 for call in calls if call.facts.item == row.item)
