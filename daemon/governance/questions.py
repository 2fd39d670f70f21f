"""What people are asked by itself: more money for the day, and an action that only they may allow."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

from daemon.clock import Clock, utc_text
from daemon.config.sections import ApprovalsSection
from daemon.errors import SprintdError
from daemon.governance.action_gate import ActionGate, Call
from daemon.governance.approvals import Approvals, Question
from daemon.governance.approved import MOST_SOURCES
from daemon.governance.budget import SCOPE, BudgetDay, usd_text
from daemon.governance.incidents import Voice
from daemon.knowledge.action import Action, Grant, Ruling, digest
from daemon.knowledge.tools import TOOLS
from daemon.store import approvals as rows
from daemon.store.approvals import ApprovalRow, UnreadableRow
from daemon.store.database import Database

MOST_ASKED = 20  # grants that wait at once; a flood of questions is answered by nobody
_APPROVERS = "approvals"
_log = logging.getLogger(__name__)


def build_approvals(
    db: Database,
    gate: ActionGate,
    clock: Clock,
    section: Callable[[], ApprovalsSection],
    voice: Callable[[], Voice],
) -> Approvals:
    """The approvals of a workspace, where people are asked for what `gate` says only they allow."""
    approvals = Approvals(db, gate, clock, section, voice)
    gate.on_escalation = AskForGrants(db, gate, approvals, voice)
    return approvals


def ask_for_money(
    db: Database, approvals: Approvals, day: BudgetDay, reason: str, voice: Voice
) -> ApprovalRow | None:
    """Ask to raise the day's cap, once a day; None where that was asked, or nothing may be.

    `reason` is why no call was made. A cap that is configured as zero is a wish, and stays.
    """
    micros, dedupe = approvals.section.raise_cap_micros, f"raise_cap/{day.day.isoformat()}"
    if not micros or day.cap_micros == day.raised_micros or _was_asked(db, dedupe):
        return None
    return approvals.ask(raise_question(day, micros, reason, "budget", voice, dedupe=dedupe))


def raise_question(
    day: BudgetDay,
    micros: int,
    why: str,
    asked_by: str,
    voice: Voice,
    *,
    dedupe: str | None = None,
) -> Question:
    """Whether so much may be added to the cap of this one day."""
    say = voice.phrases.text
    return Question(
        kind="raise_cap",
        title=say("approval.money_title", amount=usd_text(micros)),
        why=why,
        asked_by=asked_by,
        payload={"scope": SCOPE, "day": day.day.isoformat(), "micros": micros},
        if_unanswered=say("approval.money_unanswered", at=utc_text(day.ends_at)),
        dedupe=dedupe,
    )


def _was_asked(db: Database, dedupe: str) -> bool:
    """Also where the question was damaged since: to ask again each time would be a flood."""
    try:
        return rows.find_latest(db, dedupe) is not None
    except UnreadableRow as error:
        _log.error("%s; it is not asked again", error)
        return True


class AskForGrants:
    """Asks a person about an action that the policy leaves to one, once; for `ActionGate`.

    What is forbidden for good is never asked. Neither is a second time what was answered with no,
    nor the messages that ask, which would ask for themselves. Raises nothing.
    """

    def __init__(
        self, db: Database, gate: ActionGate, approvals: Approvals, voice: Callable[[], Voice]
    ) -> None:
        self._db, self._gate, self._approvals, self._voice = db, gate, approvals, voice

    def __call__(self, call: Call, action: Action, ruling: Ruling) -> None:
        try:
            self._ask(call, action, ruling)
        except SprintdError as error:
            _log.error("nobody was asked about %s by %s: %s", action.tool, action.actor, error)

    def _ask(self, call: Call, action: Action, ruling: Ruling) -> None:
        if _is_about_approvals(call):
            return
        given, dedupe = grants_for(self._gate, action), f"grant/{digest(action)}"
        if not given or self._was_asked(dedupe):
            return
        say = self._voice().phrases.text
        self._approvals.ask(
            Question(
                kind="grant",
                title=say("approval.grant_title", actor=action.actor, tool=action.tool),
                why=f"{ruling.reason} ({_targets(action)})",
                asked_by=action.actor,
                payload=grant_payload(action, given),
                if_unanswered=say("approval.grant_unanswered"),
                dedupe=dedupe,
            )
        )

    def _was_asked(self, dedupe: str) -> bool:
        """A yes was for one time, so that after it the same may be asked again."""
        latest = rows.find_latest(self._db, dedupe)
        if latest is not None:
            return latest.state != "done"
        waiting = [row for row in self._approvals.list_waiting() if row.kind == "grant"]
        if len(waiting) >= MOST_ASKED:
            _log.warning("%d grants wait for an answer already; no more are asked for", MOST_ASKED)
        return len(waiting) >= MOST_ASKED


def grants_for(gate: ActionGate, action: Action) -> tuple[Grant, ...]:
    """All that a person must grant for it to pass; empty where no grant lets it through."""
    given: list[Grant] = []
    ruling = gate.rule_on(action, given)
    while ruling.effect == "ESCALATE" and len(given) < MOST_SOURCES:
        level = TOOLS[action.tool].level if action.tool in TOOLS else ""
        given.append(Grant(ruling.bound_by, level, digest(action)))
        ruling = gate.rule_on(action, given)
    return tuple(given) if ruling.effect == "ALLOW" else ()


def grant_payload(action: Action, given: Sequence[Grant]) -> dict[str, object]:
    """What exactly this action is granted by; `given` has at least one."""
    return {
        "actor": action.actor,
        "tool": action.tool,
        "targets": [[target.kind, target.value] for target in action.targets],
        "args_sha256": action.args_sha256,
        "action_sha256": digest(action),
        "sources": [grant.source for grant in given],
        "level": given[0].level,
    }


def _is_about_approvals(call: Call) -> bool:
    key = str(call.arguments().get("key", ""))
    return call.actor == _APPROVERS or key.startswith("approval/")


def _targets(action: Action) -> str:
    return ", ".join(f"{target.kind} {target.value}" for target in action.targets[:5])
