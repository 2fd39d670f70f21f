"""The optional judge: a cheap model looks for what no rule can see, and never accepts by failing.

It is asked only where the rules accept, under a key of its own, so its answer is paid for once and
is read again after a crash. What happens where it gives none stands in docs/quality.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from daemon.config.sections import Tier
from daemon.errors import ProviderError
from daemon.governance.budget import Caller, Refusal
from daemon.llm.json_reply import parse_json_reply
from daemon.llm.provider import OFFLINE_MODEL, Completion, Prompt, SourceText
from daemon.quality.verdict import Defect, Verdict, with_defect
from daemon.sprint.judge_prompt import judge_prompt
from daemon.sprint.judgement import (
    ADDRESSED,
    Judgement,
    apply_judgement,
    hide_addresses,
    read_judgement,
)
from daemon.sprint.judging import sources_of
from daemon.sprint.parts import SprintParts
from daemon.store import effects
from daemon.store.attempts import AttemptRow
from daemon.workspace.definitions import Workspace

MOST_ANSWERS = 3


class JudgeMissing(ProviderError):
    """The playbook wants a judge, and the provider that is configured has none."""


def wants_judge(row: AttemptRow) -> bool:
    """Whether the playbook had its judge on when the attempt was begun."""
    return bool(row.prompt.get("judge"))


def judge_tiers(workspace: Workspace) -> frozenset[Tier]:
    """The tiers whose model a judge of this workspace needs; empty where no playbook has one."""
    wanted = any(playbook.judge for playbook in workspace.playbooks)
    return frozenset({"routine"}) if wanted else frozenset()


def judged(parts: SprintParts, row: AttemptRow, verdict: Verdict, writer: str) -> Verdict | Refusal:
    """The verdict with the judge's word in it; or why the judge may not be asked now.

    A verdict that rejects already is given back as it is, and so is one that no judge is wanted for.
    What `writer`, the offline one, wrote is quoted, and there is no judge: it is marked as not judged.
    Up to three answers that say nothing usable are asked for; after the third the text is rejected,
    and a person is needed where that repeats. Raises ProviderError where the judge cannot be asked or
    its answer is lost: the attempt stays open, nothing is counted against it.
    """
    if not wants_judge(row) or not verdict.accepted:
        return verdict
    if writer == OFFLINE_MODEL:
        return _not_judged(verdict)
    if not parts.metered.writes_json:
        raise JudgeMissing(
            f"{row.item} waits for its judge: the provider {parts.metered.provider_name} has none"
        )
    hidden, addresses = hide_addresses(verdict.cleaned_text)
    for span in addresses:
        message = "This sentence speaks to whoever judges the text; the judge was not shown it."
        verdict = _marked(verdict, ADDRESSED, message, span)
    prompt = _prompt(parts, row, hidden)
    fault = ""
    for key in _keys(parts, row):
        answer = parts.metered.complete(key, prompt, _caller(row))
        if isinstance(answer, Refusal):
            return answer
        try:
            return apply_judgement(verdict, _read(answer, hidden), answer.model)
        except ValueError as error:
            fault = str(error)
    message = f"The judge gave no usable answer in {MOST_ANSWERS} tries, the last: {fault}."
    return with_defect(verdict, Defect("judge.unusable", message, rejects=True))


def _not_judged(verdict: Verdict) -> Verdict:
    message = "Not judged: the offline provider has no judge; the text quotes its notes and passes the rules."
    return _marked(verdict, "judge.none", message, None)


def _marked(verdict: Verdict, check: str, message: str, span: tuple[int, int] | None) -> Verdict:
    """Accepted as before, and never without a mark."""
    marked = with_defect(verdict, Defect(check, message, rejects=False, span=span))
    return replace(marked, outcome="flag") if marked.outcome == "accept" else marked


def _read(answer: Completion, text: str) -> Judgement:
    """Raises ValueError for an answer that is not whole or not as it was asked for: a yes with
    words or a second answer beside it is no sure one."""
    if answer.stop_reason != "end_turn":
        raise ValueError(f'the service ended the answer with "{answer.stop_reason}"')
    return read_judgement(parse_json_reply(answer.text, alone=True), text)


def _keys(parts: SprintParts, row: AttemptRow) -> Iterator[str]:
    """The keys to ask under: the stored answers' first, then new ones; three answers in all.

    A key whose answer was lost is passed over and does not count: that was the service's fault.
    """
    base = f"{row.effect_key}/judge"
    number, answers = 1, 0
    while answers < MOST_ANSWERS:
        key = base if number == 1 else f"{base}/{number}"
        number += 1
        kept = effects.find_effect(parts.db, key)
        if kept is not None and kept.state != "done":
            continue
        yield key
        answers += 1


def _caller(row: AttemptRow) -> Caller:
    return Caller("judge", sprint_id=row.sprint_id, item=row.item)


def _prompt(parts: SprintParts, row: AttemptRow, text: str) -> Prompt:
    notes = tuple(
        SourceText(note.id, note.path, note.id, note.text, untrusted=True)
        for note in sources_of(parts.db, row)
    )
    return judge_prompt(
        model=parts.metered.model_for("routine"),
        question=row.prompt["question"],
        text=text,
        notes=notes,
        language=row.prompt["language"],
    )
