"""What can be known before a sprint pays for anything: who would read what, and what is missing."""

from __future__ import annotations

from daemon.clock import day_of
from daemon.knowledge.unit import Manifest
from daemon.llm.prices import UnknownPrice
from daemon.llm.provider import Prompt
from daemon.sprint.context import ContextPlan, NotesUnreadable, plan_context
from daemon.sprint.judge import judge_tiers
from daemon.sprint.offer import Assignment, Backdrop
from daemon.sprint.parts import SprintParts
from daemon.sprint.reading import known_findings
from daemon.store import items
from daemon.workspace.board import Board, read_board
from daemon.workspace.definitions import Workspace

_MOST_LOOKED_AT = 20  # items whose notes are looked for before the planning


def context_for(
    parts: SprintParts, workspace: Workspace, manifest: Manifest, assignment: Assignment
) -> ContextPlan:
    """What the agent of an assignment would read, and why."""
    return plan_context(
        manifest=manifest,
        findings=known_findings(parts),
        agent=workspace.agent(assignment.agent),
        item=workspace.item(assignment.item),
        as_of=day_of(parts.clock.now()),
        ceiling_tokens=parts.config.sprint.context_ceiling_tokens,
        max_units=parts.config.sprint.max_units,
        root=parts.root,
        language=parts.config.daemon.language,
    )


def current_board(parts: SprintParts, workspace: Workspace) -> Board:
    """Where every backlog item stands now."""
    return read_board(workspace, items.list_item_states(parts.db), day_of(parts.clock.now()))


def missing_price(parts: SprintParts, workspace: Workspace) -> UnknownPrice | None:
    """The first model without a price that a sprint could need now; None where all have one.

    Known before the planning is paid for: its plan could not be carried out.
    """
    agents = {item.agent for item in current_board(parts, workspace).eligible}
    tiers = {workspace.agent(agent).tier for agent in agents}
    if tiers and parts.metered.writes_json:
        tiers |= {"reasoning", *judge_tiers(workspace)}
    for tier in sorted(tiers):
        try:
            parts.metered.worst_case_micros(Prompt(parts.metered.model_for(tier), "", "", 1))
        except UnknownPrice as error:
            return error
    return None


def missing_notes(
    parts: SprintParts, workspace: Workspace, manifest: Manifest, backdrop: Backdrop
) -> NotesUnreadable | None:
    """Known before the planning is paid for: no item that could be chosen has a note to read."""
    first: NotesUnreadable | None = None
    for item in backdrop.eligible[:_MOST_LOOKED_AT]:
        context = context_for(parts, workspace, manifest, Assignment(item.id, item.agent, ""))
        if not context.unreadable:
            return None
        first = first or NotesUnreadable(item.id, context.unreadable)
    return first
