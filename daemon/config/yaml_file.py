"""YAML as people mean it: every scalar stays the text that was written, every key is unique.

Built on the parser's events, not on its loader: the loader turns NO into false, 13:00 into 780 and
1.10 into 1.1, and lets the last of two equal keys win. Types are the business of `validation`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import yaml

from daemon.config.document import Document, Places, dotted
from daemon.config.text_file import MAX_BYTES, decode
from daemon.config.yaml_faults import explain
from daemon.errors import Fault, WorkspaceInvalid

try:
    from yaml import CSafeLoader as _Loader
except ImportError:  # PyYAML without libyaml: the same events, some ten times slower
    from yaml import SafeLoader as _Loader  # type: ignore[assignment]

__all__ = ["MAX_DEPTH", "MAX_NODES", "Document", "parse_yaml"]

MAX_NODES = 500_000
MAX_DEPTH = 50
_MOST_FAULTS = 100
_NULLS = frozenset({"", "~", "null", "Null", "NULL"})


def parse_yaml(text: str | bytes, file: str, *, max_bytes: int = MAX_BYTES) -> Document:
    """Raises WorkspaceInvalid with every fault that can be told at once; `file` is for messages.

    Refused, besides what is not YAML: two equal keys, tags, anchors and references, a second
    document, more than MAX_DEPTH levels or MAX_NODES entries.
    """
    clean = decode(text, file, max_bytes=max_bytes)
    builder = _Builder(file)
    try:
        for event in yaml.parse(clean, Loader=_Loader):
            builder.take(event)
    except yaml.MarkedYAMLError as error:
        builder.stop(explain(error, clean, file))
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        builder.stop(Fault(file, 0, "", f"is not valid YAML: {error}"))
    return builder.finish()


def _line(event: yaml.Event) -> int:
    return event.start_mark.line + 1 if event.start_mark else 1


class _Frame:
    """A mapping or list that is still open."""

    __slots__ = ("key", "last", "places", "value")

    def __init__(self, value: dict[str, Any] | list[Any], places: Places) -> None:
        self.value = value
        self.places = places
        self.key: str | None = None  # read, its value not yet
        self.last: str | int = ""  # the newest entry


class _Builder:
    """Puts the events of one document together, without recursion."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._faults: list[Fault] = []
        self._stack: list[_Frame] = []
        self._root: Any = None
        self._places = Places(1)
        self._nodes = 0
        self._documents = 0
        self._takers: dict[type[Any], Callable[[Any], None]] = {
            yaml.ScalarEvent: self._scalar,
            yaml.MappingStartEvent: self._mapping,
            yaml.SequenceStartEvent: self._sequence,
            yaml.MappingEndEvent: self._close,
            yaml.SequenceEndEvent: self._close,
            yaml.AliasEvent: self._alias,
            yaml.DocumentStartEvent: self._document,
        }

    def take(self, event: yaml.Event) -> None:
        taker = self._takers.get(type(event))
        if taker is not None:
            taker(event)

    def stop(self, fault: Fault) -> None:
        """Raises WorkspaceInvalid with this fault and all before it."""
        raise WorkspaceInvalid([*self._faults, fault])

    def finish(self) -> Document:
        if self._faults:
            raise WorkspaceInvalid(self._faults)
        return Document(self._root, self._file, self._places)

    def _document(self, event: yaml.DocumentStartEvent) -> None:
        self._documents += 1
        if self._documents > 1:
            line = _line(event)
            message = "a second document starts here (---)"
            self.stop(Fault(self._file, line, "", message, "keep one document per file"))

    def _scalar(self, event: yaml.ScalarEvent) -> None:
        line = _line(event)
        if event.tag is not None or event.anchor is not None:
            self._marked(event, line)
        frame = self._stack[-1] if self._stack else None
        if frame is not None and frame.key is None and type(frame.value) is dict:
            self._key(frame, event.value, line)
            return
        plain = event.implicit[0]
        value = None if plain and event.value in _NULLS else event.value
        step = self._add(value, line)
        if not plain:
            (frame.places if frame else self._places).quoted.add(step)

    def _key(self, frame: _Frame, key: str, line: int) -> None:
        first = frame.places.lines.get(key)
        if first is not None:
            places = f"on lines {first} and {line}" if first != line else f"on line {line}"
            message = f"the key is written twice, {places}"
            self._fault(line, self._dotted(key), message, "keep one of the two")
        if not key:
            self._fault(
                line, self._dotted(""), "an entry has no key", "write a key before the colon"
            )
        frame.key = key
        frame.places.lines[key] = line

    def _add(self, value: Any, line: int) -> str | int:
        """Hang a value into the open container; returns the key or index it got."""
        self._nodes += 1
        if self._nodes > MAX_NODES:
            self.stop(Fault(self._file, line, "", f"holds more than {MAX_NODES:,} values"))
        if not self._stack:
            self._root, self._places.line = value, line
            return ""
        frame = self._stack[-1]
        step: str | int
        if isinstance(frame.value, dict):
            step = frame.key or ""
            frame.value[step] = value
            frame.key = None
        else:
            step = len(frame.value)
            frame.value.append(value)
            frame.places.lines[step] = line
        frame.last = step
        return step

    def _mapping(self, event: yaml.MappingStartEvent) -> None:
        self._open({}, event)

    def _sequence(self, event: yaml.SequenceStartEvent) -> None:
        self._open([], event)

    def _open(self, value: dict[str, Any] | list[Any], event: yaml.CollectionStartEvent) -> None:
        line = _line(event)
        if event.tag is not None or event.anchor is not None:
            self._marked(event, line)
        if len(self._stack) >= MAX_DEPTH:
            self.stop(Fault(self._file, line, "", f"is nested deeper than {MAX_DEPTH} levels"))
        parent = self._stack[-1] if self._stack else None
        if parent is not None and parent.key is None and isinstance(parent.value, dict):
            message = "a list or mapping is used as a key"
            self.stop(Fault(self._file, line, self._dotted(), message, "write the key as text"))
        step = self._add(value, line)
        places = Places(line) if parent else self._places
        if parent is not None:
            parent.places.inner[step] = places
        self._stack.append(_Frame(value, places))

    def _close(self, _event: yaml.Event) -> None:
        self._stack.pop()

    def _alias(self, event: yaml.AliasEvent) -> None:
        message = f"an unquoted * starts a reference (*{event.anchor}), which is not supported"
        line = _line(event)
        cure = 'put the text in quotes: "*..."'
        self.stop(Fault(self._file, line, self._dotted(), message, cure))

    def _marked(self, event: yaml.ScalarEvent | yaml.CollectionStartEvent, line: int) -> None:
        if event.anchor is not None:
            message = f"an unquoted & starts an anchor (&{event.anchor}), which is not supported"
            cure = 'put the text in quotes: "&...", or write the value out'
        else:
            message = f"an unquoted ! starts a tag ({event.tag}), which is not supported"
            cure = 'put the text in quotes: "!...", or remove the tag'
        self._fault(line, self._dotted(), message, cure)

    def _fault(self, line: int, key: str, message: str, cure: str) -> None:
        self._faults.append(Fault(self._file, line, key, message, cure))
        if len(self._faults) >= _MOST_FAULTS:
            raise WorkspaceInvalid(self._faults)

    def _dotted(self, key: str | None = None) -> str:
        """The place that is being read, as people write it: items[3].priority."""
        path = [frame.last for frame in self._stack[:-1]]
        if self._stack:
            frame = self._stack[-1]
            if isinstance(frame.value, list):
                path.append(len(frame.value))
            elif key is not None or frame.key is not None:
                path.append(key if key is not None else frame.key or "")
        return dotted(path)
