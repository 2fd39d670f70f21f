"""The rules of the action gate. Each objects or says nothing (None).

Those that follow the manifest narrow down the scopes that allow the action; one that leaves none
objects. So an action is never put together from two scopes: the tool of one, the path of another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from daemon.knowledge.action import APPROVAL, POWERS, ActionScope, Limits, digest
from daemon.knowledge.authority import all_ceilings, effective_authority, raised, rank_of
from daemon.knowledge.case import Case, Objection
from daemon.knowledge.path_scope import allows, denies, folded, is_governance
from daemon.knowledge.paths import is_private
from daemon.knowledge.well_formed import case_fault

Rule = Callable[[Case], Objection | None]


def _policy(case: Case) -> Objection | None:
    """Only a manifest without an error may drive an action."""
    if not case.policy.faults:
        return None
    more = len(case.policy.faults) - 1
    also = f" (and {more} more)" if more else ""
    return Objection(f"the manifest cannot govern: {case.policy.faults[0]}{also}")


def _well_formed(case: Case) -> Objection | None:
    fault = case_fault(case)
    return Objection(fault) if fault else None


def _governance(case: Case) -> Objection | None:
    """Rules, keys and the program itself: closed to everybody, whatever a scope says."""
    for path in case.values("write"):
        if is_governance(path):
            return Objection(f"{path} governs the daemon; no actor may write it", final=True)
    for path in case.values("read"):
        if is_private(path):
            return Objection(f"{path} is private to the daemon; no actor may read it", final=True)
    return None


def _denied(case: Case) -> Objection | None:
    """The union of all denials for this actor, those of scopes that grant nothing now included."""
    actor = case.action.actor
    for scope in case.all_scopes:
        what = _denied_by(case, scope)
        if what:
            return Objection(f"{what} is denied to {actor} by {scope.id}", final=True)
    return None


def _eligible(case: Case) -> Objection | None:
    case.scopes = case.all_scopes
    if not case.scopes:
        return Objection(f"no action scope names {case.action.actor}")
    reason = f"{case.scopes[0].id} grants nothing: {case.scopes[0].held}"
    return None if case.keep(lambda scope: not scope.held) else Objection(reason)


def _tools(case: Case) -> Objection | None:
    tool = case.action.tool
    if case.keep(lambda scope: tool in scope.tools):
        return None
    return Objection(f"{case.action.actor} may not use {tool}")


def _paths(case: Case) -> Objection | None:
    """Reading and writing are told apart: a folder that may be read may not be written for it."""
    reads, writes = case.values("read"), case.values("write")
    before = case.scopes
    if case.keep(lambda scope: _all_in(reads, scope.reads) and _all_in(writes, scope.writes)):
        return None
    for verb, paths in (("read", reads), ("write", writes)):
        for path in paths:
            entries = [scope.reads if verb == "read" else scope.writes for scope in before]
            if not any(allows(entry, path) for entry in entries):
                return _not_in_scope(case, f"{verb} {path}")
    return _not_in_scope(case, "touch all of these paths in one call")


def _hosts(case: Case) -> Objection | None:
    hosts = case.values("host")
    if case.keep(lambda scope: scope.hosts.issuperset(hosts)):
        return None
    return _not_in_scope(case, f"reach {', '.join(hosts)}")


def _capabilities(case: Case) -> Objection | None:
    wanted = case.values("capability")
    if case.keep(lambda scope: scope.capabilities.issuperset(wanted)):
        return None
    return _not_in_scope(case, f"use {', '.join(wanted)}")


def _spend(case: Case) -> Objection | None:
    micros, vendors = case.amount_micros, case.values("vendor")
    if micros > 0 and not vendors:
        return Objection("an amount is to be spent, and nobody is named who gets it")
    if not case.keep(lambda scope: scope.vendors.issuperset(vendors)):
        return _not_in_scope(case, f"pay {', '.join(vendors)}")
    if case.values("spend") and not case.keep(lambda scope: _affords(scope, micros)):
        return _not_in_scope(case, f"spend {micros:,} micro-dollars at once")
    return None


def _authority(case: Case) -> Objection | None:
    """The lowest of all sources must reach the level that the tool takes."""
    ceilings = all_ceilings(case.policy, case.action.actor, case.scopes, case.ceilings)
    if case.grants:
        ceilings = raised(ceilings, case.grants, digest(case.action))
    case.level, case.bound_by = effective_authority(ceilings)
    needed = case.tool.level
    if rank_of(case.level) >= rank_of(needed):
        return None
    reason = f"{case.action.tool} takes the level {needed}; {case.bound_by} allows {case.level}"
    return Objection(reason, "ESCALATE")


def _rule_of_two(case: Case) -> Objection | None:
    if not case.powers >= POWERS:
        return None
    reason = f"{case.action.actor} holds all of {', '.join(sorted(POWERS))}; two at most"
    return Objection(reason, final=True)


def _approval(case: Case) -> Objection | None:
    """What a scope wants a person to agree to first."""
    kinds = {"tool", *(target.kind for target in case.action.targets)}
    asking = next((scope for scope in case.scopes if not scope.asks.isdisjoint(kinds)), None)
    if asking is None:
        return None
    this = digest(case.action)
    if any(grant.source == APPROVAL and grant.action_sha256 == this for grant in case.grants):
        return None
    return Objection(f"{asking.id} asks for a person's approval", "ESCALATE", bound_by=APPROVAL)


def _limits(case: Case) -> Objection | None:
    """All scopes that allow the action limit it. What is not declared is refused."""
    asked = Limits(1, len(case.values("write")), case.amount_micros)
    for name in ("calls", "writes", "spend_micros"):
        amount = getattr(asked, name)
        if not amount:
            continue
        limits = [getattr(scope.limits, name) for scope in case.scopes]
        if None in limits:
            return Objection(f"{case.action.actor} has no limit of {name} declared")
        total = getattr(case.used, name) + amount
        if total > min(limits):
            return Objection(f"{total:,} {name} would pass the limit of {min(limits):,}")
    return None


# In this order, which is that of the words above each of them; the first objection decides.
GATES: Mapping[str, Rule] = {
    "policy": _policy,
    "well-formed": _well_formed,
    "governance files": _governance,
    "deny": _denied,
    "eligibility": _eligible,
    "tools": _tools,
    "paths": _paths,
    "hosts": _hosts,
    "capabilities": _capabilities,
    "spend": _spend,
    "authority": _authority,
    "rule of two": _rule_of_two,
    "approval": _approval,
    "limits": _limits,
}


def _denied_by(case: Case, scope: ActionScope) -> str:
    """What of the action this scope denies; empty where nothing."""
    if _folded_in(case.action.tool, scope.deny.tools):
        return case.action.tool
    if "tool" in scope.refuses:
        return "every action"
    for target in case.action.targets:
        if target.kind in scope.refuses or _denies_target(scope, target.kind, target.value):
            return target.value
    return ""


def _denies_target(scope: ActionScope, kind: str, value: str) -> bool:
    match kind:
        case "read" | "write":
            return denies(scope.deny.paths, value)
        case "host":
            return _folded_in(value, scope.deny.hosts)
        case "capability":
            return _folded_in(value, scope.deny.capabilities)
        case _:
            return False


def _folded_in(value: str, denied: frozenset[str]) -> bool:
    return bool(denied) and folded(value) in map(folded, denied)


def _all_in(paths: Iterable[str], entries: tuple[str, ...]) -> bool:
    return all(allows(entries, path) for path in paths)


def _affords(scope: ActionScope, micros: int) -> bool:
    return scope.max_spend_micros is not None and micros <= scope.max_spend_micros


def _not_in_scope(case: Case, what: str) -> Objection:
    return Objection(f"{case.action.actor} may not {what} with {case.action.tool}")
