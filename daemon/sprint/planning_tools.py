"""The tools of planning: the only ones that a model ever gets, each call through the action gate.

A refusal is a value: its text goes back as the tool's result, and the model can correct itself. What a
tool gives back is framed as data. Nothing that a text says changes what the tools may do: the gate
judges by the manifest alone.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from daemon.governance.action_gate import Call, Refused
from daemon.knowledge.action import Ruling
from daemon.knowledge.tools import TOOLS
from daemon.llm.provider import SourceText, ToolCall, ToolResult, ToolSpec
from daemon.memory.opening import Unreadable
from daemon.sprint.framing import frame_sources
from daemon.sprint.parts import SprintParts
from daemon.sprint.planning_units import PlanningUnits, Reference
from daemon.store.search import rank

MOST_CALLS = 8  # of one reply; the others are answered with an error
_MOST_LISTED = 60
_MOST_FOUND = 12
_LONGEST_REFUSAL = 600
_JSON_TYPES: Mapping[str, type] = {"string": str, "integer": int}

Arguments = Mapping[str, Any]


@dataclass(frozen=True)
class PlanningTool:
    """One tool. `schema` is that of the arguments that a model gives; `to_arguments` makes of them the
    ones that the gate judges, which must name every target. `hidden` says why the policy is not
    enough (empty: it is). `run` gets the judged arguments; it may raise Unreadable.
    """

    name: str
    description: str
    schema: Mapping[str, Any]
    run: Callable[[Arguments], SourceText]
    to_arguments: Callable[[Arguments], Arguments] = dict
    hidden: Callable[[Arguments], str] = lambda _arguments: ""

    @property
    def spec(self) -> ToolSpec:
        return ToolSpec(self.name, self.description, self.schema)


class Toolbox:
    """The tools of one actor in one sprint.

    `private`: a confidential text was read, so what the model makes up from now on, as the name of a
    tool or of a parameter, is recorded and shown by its digest.
    """

    def __init__(
        self,
        parts: SprintParts,
        actor: str,
        sprint_id: int,
        tools: Sequence[PlanningTool],
        *,
        private: Callable[[], bool] = lambda: False,
    ) -> None:
        self._parts, self._actor, self._sprint_id = parts, actor, sprint_id
        self._private = private
        allowed = parts.actions.tools_of(actor)
        self._tools = {tool.name: tool for tool in tools if tool.name in allowed}

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        """What the model is told of: only what a scope of the actor names."""
        return tuple(tool.spec for tool in self._tools.values())

    def answer(self, calls: Sequence[ToolCall]) -> tuple[ToolResult, ...]:
        """A result for each call, in their order."""
        return tuple(
            self._one(call)
            if number < MOST_CALLS
            else ToolResult(
                call.id, f"not done: at most {MOST_CALLS} calls at a time", is_error=True
            )
            for number, call in enumerate(calls)
        )

    def _one(self, call: ToolCall) -> ToolResult:
        tool, given, name = self._tools.get(call.name), _read(call.arguments), call.name
        if self._private():
            name, given = _without_words(name, given)
        arguments = tool.to_arguments(given) if tool else given
        self._parts.say(f"planning: {call.name if tool else 'a tool that is not there'}")
        try:
            found = self._parts.actions.perform(
                Call(self._actor, name, lambda: arguments),
                lambda: _run(tool, arguments),
                sprint=self._sprint_id,
                further=lambda: _objection(tool, given, arguments),
            )
        except Unreadable as error:
            return ToolResult(call.id, f"not done: {error}", is_error=True)
        if isinstance(found, Refused):
            why = found.message[:_LONGEST_REFUSAL]
            return ToolResult(call.id, f"refused: {why}", is_error=True)
        return ToolResult(call.id, frame_sources((found,)))


def unit_tools(units: PlanningUnits, language: str) -> tuple[PlanningTool, ...]:
    """The tools over what lies in memory/."""

    def listed(arguments: Arguments) -> SourceText:
        query, limit = str(arguments.get("query", "")), int(arguments.get("limit", _MOST_LISTED))
        found = _ranked(units, query, language) if query.strip() else [*units.visible.values()]
        return _as_text("list_units", found[: max(1, min(limit, _MOST_LISTED))], len(found))

    def searched(arguments: Arguments) -> SourceText:
        limit = int(arguments.get("limit", _MOST_FOUND))
        found = _ranked(units, str(arguments["query"]), language)
        return _as_text("search_memory", found[: max(1, min(limit, _MOST_FOUND))], len(found))

    def with_path(given: Arguments) -> Arguments:
        named = given.get("unit")
        if "path" not in given and isinstance(named, str):
            given = {**given, "path": units.path_of(named)}
        path = given.get("path")
        if units.read_confidential and isinstance(path, str) and not units.is_known(path):
            return {**given, "path": by_digest(path)}
        return dict(given)

    return (
        PlanningTool(
            "list_units",
            "List the notes and findings that you may read, by id, with the question that each "
            "answers. With a query, the best matches first.",
            _schema(query="string", limit="integer"),
            listed,
        ),
        PlanningTool(
            "read_unit",
            "Read one note or finding, by its id (unit) or by its path.",
            _schema(unit="string", path="string"),
            lambda arguments: units.read(arguments["path"]),
            with_path,
            lambda arguments: units.why_hidden(arguments["path"]),
        ),
        PlanningTool(
            "search_memory",
            "Search the notes and findings by words; gives references, not texts.",
            _schema("query", query="string", limit="integer"),
            searched,
        ),
    )


def by_digest(text: str) -> str:
    """What stands in records for words that may be copied from a confidential text."""
    return f"sha256-{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()}"


def _without_words(name: str, given: Arguments) -> tuple[str, Arguments]:
    if name not in TOOLS:
        return by_digest(name), {}
    known = TOOLS[name].parameters
    return name, {key if key in known else by_digest(key): value for key, value in given.items()}


def _schema(*required: str, **types: str) -> Mapping[str, Any]:
    properties = {name: {"type": kind} for name, kind in types.items()}
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def _read(text: str) -> Arguments:
    """The arguments as the model gave them; what is no object is one argument without a name."""
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    return found if isinstance(found, dict) else {"": found}


def _run(tool: PlanningTool | None, arguments: Arguments) -> SourceText:
    if tool is None:  # a tool of the gate that is none of planning: `_objection` has refused it
        raise Unreadable("", "there is no such tool here")
    return tool.run(arguments)


def _objection(tool: PlanningTool | None, given: Arguments, arguments: Arguments) -> Ruling | None:
    """What the policy cannot know: which tools planning has, the types, whom a unit is for."""
    if tool is None:
        return Ruling("DENY", "tools", "planning has no such tool", final=True)
    for name, value in given.items():
        kind = tool.schema["properties"].get(name, {}).get("type", "")
        if type(value) is not _JSON_TYPES.get(kind):
            reason = f"{name} must be of the type {kind}" if kind else f"there is no {name!r}"
            return Ruling("DENY", "well-formed", reason, final=False)
    hidden = tool.hidden(arguments)
    return Ruling("DENY", "audience", hidden, final=False) if hidden else None


def _ranked(units: PlanningUnits, query: str, language: str) -> list[Reference]:
    """Those that share a word with the query, the best first."""
    known = [*units.visible.values()]
    scores = rank([f"{one.id} {one.words}" for one in known], query, language)
    pairs = sorted(zip(scores, known, strict=True), key=lambda pair: (-pair[0], pair[1].id))
    return [one for score, one in pairs if score > 0]


def _as_text(name: str, found: Sequence[Reference], of: int) -> SourceText:
    lines = [
        f"- {one.id} ({one.path}): {one.title}"
        + (f" [{one.provenance.sensitivity}]" if one.mapped and one.provenance.sensitivity else "")
        for one in found
    ]
    more = [f"({of - len(found)} more; narrow it down with a query)"] if of > len(found) else []
    text = "\n".join([*lines, *more]) or "Nothing was found."
    return SourceText(name, "", f"{of} found", text, untrusted=True)
