"""The tools that the action gate knows, and how a call of one becomes an Action.

What is not in the table is refused, and so is a parameter that its tool does not declare: the gate
can judge only what it can name.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import Final

import rfc8785

from daemon.knowledge.action import Action, Parameter, Ruling, Target, Tool

# Who acts for the daemon itself. No agent may have one of these names: it would have its scope.
SYSTEM_ACTORS: Final = frozenset({"sprint", "diagnosis", "reports", "consolidation", "approvals"})

_ARGUMENT = Parameter("argument")
_OPTIONAL = Parameter("argument", required=False)

TOOLS: Final[Mapping[str, Tool]] = {
    tool.name: tool
    for tool in (
        Tool("list_units", "observe", {"query": _OPTIONAL, "limit": _OPTIONAL}),
        Tool("read_unit", "observe", {"unit": _OPTIONAL, "path": Parameter("read")}),
        Tool("search_memory", "observe", {"query": _ARGUMENT, "limit": _OPTIONAL}),
        Tool(
            "model.call",
            "explain",
            {
                "provider": Parameter("vendor"),
                "max_cost_micros": Parameter("spend"),
                "model": _OPTIONAL,
                "tier": _OPTIONAL,
                "purpose": _OPTIONAL,
                "item": _OPTIONAL,
                "prompt_sha256": _OPTIONAL,
            },
        ),
        Tool(
            "memory.write",
            "commit",
            {"path": Parameter("write"), "content_sha256": _ARGUMENT, "item": _OPTIONAL},
        ),
        Tool(
            "memory.move",
            "commit",
            {"path": Parameter("write"), "to": Parameter("write"), "content_sha256": _ARGUMENT},
        ),
        Tool(
            "approval.execute",
            "commit",
            {"kind": Parameter("capability"), "approval": _ARGUMENT, "payload_sha256": _ARGUMENT},
        ),
        Tool(
            "message.send",
            "commit",
            {
                "channel": Parameter("capability"),
                "host": Parameter("host", required=False),
                "key": _ARGUMENT,
                "content_sha256": _ARGUMENT,
            },
        ),
    )
}


def build_action(
    actor: str, tool: str, arguments: Mapping[str, object], tools: Mapping[str, Tool] = TOOLS
) -> Action | Ruling:
    """The action that a call with these arguments is; a Ruling (DENY) where it is no sound call.

    The targets are taken from the arguments themselves, in the tool's order, so that no caller can
    leave one out. Amounts may be whole numbers; every other target is text. Never raises.
    """
    try:
        return _built(actor, tool, arguments, tools)
    except _NoCallError as error:
        return Ruling("DENY", "well-formed", str(error), final=False)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is no call
        reason = f"the call cannot be read ({type(error).__name__})"
        return Ruling("DENY", "well-formed", reason, final=False)


class _NoCallError(Exception):
    """What is wrong with a call, as a sentence for whoever made it."""


def _built(
    actor: str, tool: str, arguments: Mapping[str, object], tools: Mapping[str, Tool]
) -> Action:
    if type(tool) is not str or tool not in tools:
        raise _NoCallError(f"there is no tool {tool!r}; the tools are {', '.join(sorted(tools))}")
    known = tools[tool]
    _check_names(known, arguments)
    targets = tuple(
        target
        for name, parameter in known.parameters.items()
        if name in arguments and parameter.kind != "argument"
        for target in _targets(name, parameter, arguments[name])
    )
    canonical = rfc8785.dumps(dict(arguments))  # type: ignore[arg-type]  # it refuses what is no JSON
    return Action(actor, tool, targets, hashlib.sha256(canonical).hexdigest())


def _check_names(tool: Tool, arguments: Mapping[str, object]) -> None:
    for name in arguments:
        if name not in tool.parameters:
            known = ", ".join(tool.parameters) or "none"
            raise _NoCallError(f"{tool.name} has no parameter {name!r}; it has {known}")
    for name, parameter in tool.parameters.items():
        if parameter.required and name not in arguments:
            raise _NoCallError(f"{tool.name} needs the parameter {name}")


def _targets(name: str, parameter: Parameter, value: object) -> Iterator[Target]:
    if parameter.many:
        if not isinstance(value, (list, tuple)) or not value:
            raise _NoCallError(f"{name} must be a list with at least one entry")
        for entry in value:
            yield _target(name, parameter, entry)
    else:
        yield _target(name, parameter, value)


def _target(name: str, parameter: Parameter, value: object) -> Target:
    if parameter.kind == "argument":
        raise _NoCallError(f"{name} is no target")
    if parameter.kind == "spend" and type(value) is int:
        return Target("spend", str(value))
    if type(value) is not str:
        raise _NoCallError(f"{name} must be text")
    return Target(parameter.kind, value)
