"""What keeps a text from being TOML at all, in words for whoever wrote it: of every file that people edit."""

from __future__ import annotations

import re
import tomllib

from daemon.config.document import dotted
from daemon.config.toml_lines import KeyLines, key_lines
from daemon.errors import Fault

_PLACE = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")
_CAUSES = (
    ("Expected '=' after a key", "a key is not followed by =", "write key = value"),
    ("Invalid value", "the value is not valid", 'put a text in double quotes: "..."'),
    ("Invalid initial character for a key", "a line starts with something that is no key", ""),
    ("Invalid statement", "this is neither a key = value nor a [section]", ""),
    (
        "Expected newline",
        "something follows after the value",
        "put a text in quotes, one key a line",
    ),
    ("Illegal character '\\n'", "a text is not closed on its line", "close the quote"),
    ("Unescaped '\\'", "a backslash in double quotes starts an escape", "use single quotes"),
    ("Expected ']", "the name of a section is not closed", "write [section]"),
    ("Expected \"'", "a text is never closed", "close the quote"),
    ("Unclosed array", "a [ is never closed", "close it"),
    ("Cannot overwrite", "the key is set twice", "keep one of the two"),
    ("Unterminated string", "a text is never closed", "close the quote"),
)


def syntax_faults(error: Exception, text: str, file: str) -> list[Fault]:
    """At least one for what `tomllib.loads` raised over the text: a key that stands there twice on each
    of its lines, else where and why it broke off."""
    if isinstance(error, RecursionError):
        return [Fault(file, 0, "", "lists are nested too deep")]
    if not isinstance(error, tomllib.TOMLDecodeError):
        return [Fault(file, 0, "", "holds a number of thousands of digits, or beyond all size")]
    return _twice(file, key_lines(text)) or [_syntax(str(error), text, file)]


def _twice(file: str, lines: KeyLines) -> list[Fault]:
    faults = []
    for path, places in lines.items():
        for line in places[1:]:
            message = f"is written twice, on lines {places[0]} and {line}"
            faults.append(Fault(file, line, dotted(path), message, "keep one of the two"))
    return faults


def _syntax(problem: str, text: str, file: str) -> Fault:
    place = _PLACE.search(problem)
    problem = _PLACE.sub("", problem)
    line = int(place.group(1)) if place and place.group(1) else text.rstrip().count("\n") + 1
    if place and not place.group(1) and problem == "Invalid value":
        return Fault(file, line, "", "a list or value is never closed", "close it")
    for start, message, cure in _CAUSES:
        if problem.startswith(start):
            return Fault(file, line, "", message, cure)
    return Fault(file, line, "", f"is not valid TOML: {problem}")
