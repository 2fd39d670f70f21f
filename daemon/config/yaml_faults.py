"""What went wrong in a file that is not YAML, in words that name the real cause and the cure."""

from __future__ import annotations

import re
from contextlib import suppress

import yaml

from daemon.errors import Fault

_QUOTE = 'put the whole text in quotes: "..."'
_INDENT = "use spaces only, two for each level"
_COLONS = re.compile(r":(?=\s|$)")


def explain(error: yaml.MarkedYAMLError, text: str, file: str) -> Fault:
    """One fault for a parser's error about `text`."""
    place = _Place(error, text)
    for rule in (_tab, _reserved, _colon, _quotes, _brackets, _indentation):
        found = rule(place)
        if found is not None:
            line, message, cure = found
            return Fault(file, line, "", message, cure)
    detail = " ".join(part for part in (place.context, place.problem) if part)
    return Fault(file, place.line, "", f"is not valid YAML: {detail}")


_Found = tuple[int, str, str] | None


class _Place:
    """The spot that the parser complains about, and the text around it."""

    def __init__(self, error: yaml.MarkedYAMLError, text: str) -> None:
        mark = error.problem_mark or error.context_mark
        lines = text.split("\n")
        index = mark.line if mark else 0
        self.problem = error.problem or ""
        self.context = error.context or ""
        self.line = index + 1
        self.context_line = error.context_mark.line + 1 if error.context_mark else self.line
        self.content = lines[index] if index < len(lines) else ""
        column = mark.column if mark else 0
        self.before = self.content[:column]
        self.char = self.content[column : column + 1]
        self._text, self._at = text, (index, column)

    def open_bracket(self) -> tuple[int, str]:
        """Line and sign of the innermost bracket that is open here: the parser may name what stands in it."""
        found = [(self.context_line, "[" if "sequence" in self.context else "{")]
        with suppress(yaml.YAMLError):
            for token in yaml.scan(self._text):
                if (token.start_mark.line, token.start_mark.column) >= self._at:
                    break
                if isinstance(token, yaml.FlowSequenceStartToken | yaml.FlowMappingStartToken):
                    found.append((token.start_mark.line + 1, token.id))
                elif isinstance(token, yaml.FlowSequenceEndToken | yaml.FlowMappingEndToken):
                    found = found[:-1] or found
        return found[-1]


def _tab(place: _Place) -> _Found:
    indent = place.content[: len(place.content) - len(place.content.lstrip())]
    if "\t" in indent:
        return place.line, "a tab is used for indentation", _INDENT
    if place.char == "\t" or "tab character" in place.problem:
        return place.line, "a tab stands where YAML wants spaces", "replace the tab by spaces"
    return None


def _reserved(place: _Place) -> _Found:
    """Texts that start with a character which YAML keeps for itself."""
    starts = {"while scanning an alias": "*", "while scanning an anchor": "&"}
    char = starts.get(place.context)
    if char is None and ("scanning a tag" in place.context or "parsing a tag" in place.context):
        char = "!"
    if char is None and "cannot start any token" in place.problem:
        char = place.char
    if char is None and "scanning a directive" in place.context:
        char = "%"
    if not char:
        return None
    message = f"an unquoted text starts with {char}, which YAML keeps for itself"
    return place.line, message, f'put the text in quotes: "{char}..."'


def _colon(place: _Place) -> _Found:
    if "simple key" in place.context:
        message = "a line is neither key: value nor part of the text before it"
        return place.context_line, message, "add the colon, or indent the line"
    if "unexpected ':'" in place.problem:
        return place.line, "an unquoted text holds a colon", _QUOTE
    if "mapping values are not allowed" not in place.problem:
        return None
    if len(_COLONS.findall(place.content)) > 1:
        return place.line, "an unquoted text holds a colon followed by a space", _QUOTE
    message = "this key does not fit here: its indentation differs from the lines around it"
    return place.line, message, "line it up with its neighbours, or complete the line before"


def _quotes(place: _Place) -> _Found:
    if "quoted scalar" in place.context:
        if "escape" in place.problem or "hexdecimal" in place.problem:
            message = "a backslash inside double quotes starts an escape sequence"
            return place.line, message, "use single quotes, or write the backslash twice"
        message = "a quote that opens here is never closed"
        return place.context_line, message, "close the quote on the same line"
    if place.before.rstrip()[-1:] in ("'", '"') and "did not find expected" in place.problem:
        return place.line, "text follows after a closing quote", _QUOTE
    return None


def _brackets(place: _Place) -> _Found:
    if "flow" not in place.context:
        return None
    line, bracket = place.open_bracket()
    message = f"a {bracket} that opens here is never closed, or a comma is missing in it"
    return line, message, f"close it, or quote a text that starts with {bracket}"


def _indentation(place: _Place) -> _Found:
    if "block scalar" in place.context:
        message = "a text that starts with > or | must begin on the next line"
        return place.line, message, _QUOTE
    if "block sequence entries are not allowed" in place.problem:
        message = "a list entry (- ) stands where no list can start"
        return place.line, message, "start the list on the line after its key"
    if "block" in place.context and "did not find expected" in place.problem:
        kind = "list" if "collection" in place.context else "mapping"
        message = f"this line does not fit the {kind} that starts on line {place.context_line}"
        return place.line, message, "check its indentation and its quotes"
    return None
