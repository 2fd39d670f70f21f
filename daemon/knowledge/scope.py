"""The action gate's judgement: may this actor do this, now? Pure, and closed where in doubt.

Unlike other readers of the protocol, a dimension that a scope does not declare allows nothing, not
everything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from daemon.knowledge.action import NOTHING_USED, Action, Grant, Limits, Policy, Ruling
from daemon.knowledge.case import Case
from daemon.knowledge.scope_rules import GATES

ALLOWED = "all"  # the gate that an ALLOW names


def check_conformance(
    policy: Policy,
    action: Action,
    *,
    ceilings: Mapping[str, str],
    powers: frozenset[str] = frozenset(),
    grants: Sequence[Grant] = (),
    used: Limits = NOTHING_USED,
) -> Ruling:
    """Whether `action` may happen, by the first rule of GATES that objects. Never raises.

    `ceilings` are authority levels by source (agent, team, backlog item, workspace); the lowest
    counts, and without any it is "observe". `powers` are those of the actor. `used` is what the
    actor did before in this sprint or run of a job. ESCALATE: not now, but a grant for `bound_by`
    and this action's digest may change it; the other rules are asked again then.
    """
    try:
        return _judged(Case(policy, action, ceilings, powers, grants, used))
    except Exception as error:  # noqa: BLE001 - what cannot be judged is refused
        reason = f"the action cannot be judged ({type(error).__name__})"
        return Ruling("DENY", "error", reason, final=False)


def _judged(case: Case) -> Ruling:
    for gate, rule in GATES.items():
        objection = rule(case)
        if objection is not None:
            bound_by = objection.bound_by or case.bound_by
            return Ruling(
                objection.effect, gate, objection.reason, objection.final, case.level, bound_by
            )
    reason = f"within {', '.join(scope.id for scope in case.scopes)}"
    return Ruling("ALLOW", ALLOWED, reason, final=False, level=case.level, bound_by=case.bound_by)
