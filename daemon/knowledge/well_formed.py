"""Whether an action and what comes with it can be judged at all: of the right types and shapes.

Types are compared exactly: something that only behaves like text may behave differently the second
time it is asked.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from daemon.knowledge.action import (
    EVERY_AGENT,
    LEVELS,
    MOST_TARGETS,
    POWERS,
    TARGET_KINDS,
    Action,
    Grant,
    Limits,
    Policy,
    Target,
    Tool,
)
from daemon.knowledge.case import Case
from daemon.knowledge.path_scope import target_fault

_SHA256 = re.compile(r"[0-9a-f]{64}")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
_LABEL = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
# At least two labels, the last one no number: so no address, however it is written.
_HOST = re.compile(rf"(?:{_LABEL}\.)+(?![0-9]+(?:x[0-9a-f]*)?\Z){_LABEL}")
_MOST_HOST = 253
_MICROS = re.compile(r"0|[1-9][0-9]{0,14}")


def case_fault(case: Case) -> str:
    """What is wrong with the case, as a sentence; empty where it can be judged."""
    return next(_faults(case), "")


def is_host(value: str) -> bool:
    """Whether it is a plain host name: lower case, no port, no user, no address of numbers."""
    return len(value) <= _MOST_HOST and _HOST.fullmatch(value) is not None


def is_name(value: str) -> bool:
    """Whether it can be the name of an actor, a capability or a vendor."""
    return _NAME.fullmatch(value) is not None


def _faults(case: Case) -> Iterator[str]:
    """In this order: each relies on the ones before it."""
    yield from _given_faults(case)
    yield from _action_faults(case.policy, case.action)
    for target in case.action.targets:
        yield from _target_faults(target)
    yield from _call_faults(case.tool, case.action)


def _given_faults(case: Any) -> Iterator[str]:
    if type(case.action) is not Action:
        yield "the action is no action"
    if not isinstance(case.ceilings, Mapping):
        yield "the ceilings are no mapping"
    elif not all(type(source) is str for source in case.ceilings):
        yield "a ceiling's source is not text"
    if not isinstance(case.powers, (set, frozenset)) or not case.powers <= POWERS:
        yield f"the powers are not some of {', '.join(sorted(POWERS))}"
    if not isinstance(case.grants, (list, tuple)):
        yield "the grants are no list"
    elif not all(_is_grant(grant) for grant in case.grants):
        yield "a grant is no grant"
    if type(case.used) is not Limits or not all(map(_is_count, vars(case.used).values())):
        yield "what was used so far is not given in whole numbers"


def _action_faults(policy: Policy, action: Any) -> Iterator[str]:
    if type(action.actor) is not str or not is_name(action.actor) or action.actor == EVERY_AGENT:
        yield "the actor is no actor's name"
    if type(action.tool) is not str or action.tool not in policy.tools:
        yield f"there is no tool {_shown(action.tool)}"
    elif policy.tools[action.tool].level not in LEVELS:
        yield f"the level of {action.tool} is none of {', '.join(LEVELS)}"
    if type(action.args_sha256) is not str or not _SHA256.fullmatch(action.args_sha256):
        yield "the digest of the arguments is missing"
    if type(action.targets) is not tuple:
        yield "the targets are no tuple"
    elif len(action.targets) > MOST_TARGETS:
        yield f"there are more than {MOST_TARGETS} targets"


def _target_faults(target: Any) -> Iterator[str]:
    if type(target) is not Target or not all(type(part) is str for part in vars(target).values()):
        yield "a target is not text"
    elif target.kind not in TARGET_KINDS:
        yield f"there is no target of the kind {_shown(target.kind)}"
    elif target.kind in ("read", "write"):
        fault = target_fault(target.value)
        if fault:
            yield f"the path {_shown(target.value)} {fault}"
    elif target.kind == "host":
        if not is_host(target.value):
            yield f"{_shown(target.value)} is no plain host name"
    elif target.kind == "spend":
        if not _MICROS.fullmatch(target.value):
            yield f"{_shown(target.value)} is no amount in whole micro-dollars"
    elif not is_name(target.value):
        yield f"{_shown(target.value)} is no name of a {target.kind}"


def _call_faults(tool: Tool, action: Action) -> Iterator[str]:
    """A tool's targets are those of its parameters: none is missing and none is there besides."""
    there = Counter(target.kind for target in action.targets)
    for kind, (least, most) in tool.counts.items():
        count = there[kind]  # type: ignore[index]
        if not least <= count <= most:
            wanted = str(least) if least == most else f"{least} to {most}"
            yield f"{tool.name} takes {wanted} target(s) of the kind {kind}, not {count}"


def _is_grant(grant: object) -> bool:
    return type(grant) is Grant and all(type(part) is str for part in vars(grant).values())


def _is_count(count: object) -> bool:
    return type(count) is int and count >= 0


def _shown(value: object) -> str:
    """Short and on one line, whatever is in it: the reason is read by people and by a model."""
    return ascii(value[:80]) if type(value) is str else f"of the type {type(value).__name__}"
