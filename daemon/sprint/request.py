"""What an agent is sent for an assignment, put together without writing or asking anything."""

from __future__ import annotations

from dataclasses import dataclass

from daemon.llm.provider import Prompt
from daemon.sprint.context import ContextPlan, load_sources
from daemon.sprint.orchestrator import Assignment
from daemon.sprint.parts import SprintParts
from daemon.sprint.prompts import attempt_prompt, task_text
from daemon.sprint.reasons import reasons_for_next, reasons_without_words
from daemon.store import attempts
from daemon.workspace.definitions import Workspace


@dataclass(frozen=True)
class Request:
    """The prompt, its task without the notes, and the context as it could be read."""

    prompt: Prompt
    task: str
    context: ContextPlan


def build_request(
    parts: SprintParts, workspace: Workspace, assignment: Assignment, plan: ContextPlan
) -> Request:
    """Reads the planned units and the reasons of the last rejection. Raises StoreError."""
    item, agent = workspace.item(assignment.item), workspace.agent(assignment.agent)
    sources, context = load_sources(parts.root, plan)
    last = attempts.last_rejected(parts.db, item.id)
    # Another agent may read what this one may not, so none of its words are passed on.
    tell = reasons_without_words if last and last.agent != agent.id else reasons_for_next
    reasons = tell(last.verdict if last else None)
    task = task_text(item, workspace.playbook(item.playbook), reasons)
    prompt = attempt_prompt(
        model=parts.metered.model_for(agent.tier),
        agent=agent,
        language=parts.config.daemon.language,
        item=item,
        task=task,
        sources=sources,
    )
    return Request(prompt, task, context)
