"""With what a regex can begin, and what every match of it must hold: read from the regex itself.

A gate with hundreds of patterns cannot try each of them at each sentence. Most of them begin with
one of a few words, so the first letters of a sentence leave a handful to be tried. Both answers
are allowed to be too wide (a pattern is then tried in vain) and never too narrow.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, Literal

Edge = Literal["text", "line"]

OPENING = 6

# The standard library's own reading of a regex: the one place that knows its whole grammar.
_parser: Any = importlib.import_module("re._parser")

_ANYTHING: tuple[frozenset[str], frozenset[str]] = (frozenset(), frozenset([""]))
_NOTHING: tuple[frozenset[str], frozenset[str]] = (frozenset([""]), frozenset())
_MOST_OPENINGS = 3_000
_MOST_PAIRS = 6_000
_MOST_OF_A_CLASS = 40
_MOST_OF_A_REPEAT = 300
_LEAST_LITERAL = 3
_BEST_LITERAL = 6
_MOST_LITERALS = 60
_REPEATS = ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT")

# Beginnings that may go on, and beginnings behind which anything may stand.
_Beginnings = tuple[frozenset[str], frozenset[str]]


@lru_cache(maxsize=2_000)
def openings(source: str) -> frozenset[str]:
    """What a match can begin with, at most OPENING characters each; `{""}` where that is anything.

    Every match begins with one of these, whole.
    """
    parsed = _parsed(source)
    if parsed.state.flags & re.IGNORECASE:
        return frozenset([""])
    going_on, over = _of_sequence(parsed)
    every = going_on | over
    return frozenset([""]) if "" in every else every


@lru_cache(maxsize=2_000)
def required(source: str) -> frozenset[str]:
    """Pieces of text, in lower case, of which every match holds one; empty where none is known."""
    return _required(_parsed(source)) or frozenset()


@lru_cache(maxsize=2_000)
def edge(source: str) -> Edge | None:
    """Whether every match stands at the beginning of the text or of a line; None for anywhere."""
    parsed = _parsed(source)
    return _edge(parsed, in_lines=bool(parsed.state.flags & re.MULTILINE))


def shortest_first(literals: Iterable[str]) -> Sequence[str]:
    """In an order that does not depend on the run."""
    return sorted(literals, key=lambda one: (len(one), one))


@lru_cache(maxsize=8)
def _parsed(source: str) -> Any:
    return _parser.parse(source)


def _edge(nodes: Iterable[tuple[Any, Any]], *, in_lines: bool) -> Edge | None:
    for name, value in nodes:
        kind = str(name)
        if kind == "AT" and str(value) == "AT_BEGINNING_STRING":
            return "text"
        if kind == "AT" and str(value) == "AT_BEGINNING":
            return "line" if in_lines else "text"
        if kind == "SUBPATTERN" and not (value[1] or value[2]):
            return _edge(value[3], in_lines=in_lines)
        if kind == "BRANCH":
            every = {_edge(branch, in_lines=in_lines) for branch in value[1]}
            return None if None in every else "line" if "line" in every else "text"
        return None
    return None


def _of_sequence(nodes: Iterable[tuple[Any, Any]]) -> _Beginnings:
    going_on, over = _NOTHING
    for name, value in nodes:
        going_on, over = _joined((going_on, over), _of_node(str(name), value))
        if len(going_on) + len(over) > _MOST_OPENINGS:
            return frozenset(), going_on | over
        if not going_on:
            break
    return going_on, over


def _joined(first: _Beginnings, second: _Beginnings) -> _Beginnings:
    if len(first[0]) * (len(second[0]) + len(second[1])) > _MOST_PAIRS:
        return frozenset(), first[0] | first[1]
    both = {one + two for one in first[0] for two in second[0]}
    over = {(one + two)[:OPENING] for one in first[0] for two in second[1]}
    over |= {one[:OPENING] for one in both if len(one) >= OPENING}
    return frozenset(one for one in both if len(one) < OPENING), first[1] | over


def _of_node(name: str, value: Any) -> _Beginnings:
    if name == "LITERAL":
        return frozenset([chr(value)]), frozenset()
    if name == "IN":
        return _of_class(value)
    if name == "BRANCH":
        return _of_branches(value[1])
    if name == "SUBPATTERN":
        return _ANYTHING if value[1] or value[2] else _of_sequence(value[3])
    if name == "ATOMIC_GROUP":
        return _of_sequence(value)
    if name in _REPEATS:
        return _of_repeat(*value)
    return _NOTHING if name in ("AT", "ASSERT", "ASSERT_NOT") else _ANYTHING


def _of_branches(branches: Iterable[Any]) -> _Beginnings:
    every = [_of_sequence(branch) for branch in branches]
    return (
        frozenset().union(*(going_on for going_on, _ in every)),
        frozenset().union(*(over for _, over in every)),
    )


def _of_class(members: Iterable[tuple[Any, Any]]) -> _Beginnings:
    found: set[str] = set()
    for name, value in members:
        if str(name) == "LITERAL":
            found.add(chr(value))
        elif str(name) == "RANGE" and value[1] - value[0] < _MOST_OF_A_CLASS:
            found.update(map(chr, range(value[0], value[1] + 1)))
        else:
            return _ANYTHING
    return frozenset(found), frozenset()


def _of_repeat(least: int, most: int, nodes: Any) -> _Beginnings:
    once = _of_sequence(nodes)
    so_far: _Beginnings = _NOTHING
    ends: frozenset[str] = frozenset([""]) if least == 0 else frozenset()
    for count in range(1, min(int(most), OPENING + 1) + 1):
        so_far = _joined(so_far, once)
        if count >= least:
            ends |= so_far[0]
        if len(so_far[0]) + len(so_far[1]) > _MOST_OF_A_REPEAT:
            return ends, so_far[0] | so_far[1]
    if least > OPENING:
        return frozenset(), so_far[0] | so_far[1]
    return ends, so_far[1]


def _required(nodes: Iterable[tuple[Any, Any]]) -> frozenset[str] | None:
    found: list[frozenset[str]] = []
    run = ""
    for name, value in nodes:
        if str(name) == "LITERAL":
            run += chr(value)
            continue
        found.append(frozenset([run.lower()]))
        run = ""
        inner = _required_of_node(str(name), value)
        if inner:
            found.append(inner)
    found.append(frozenset([run.lower()]))
    usable = [
        one for one in found if _shortest(one) >= _LEAST_LITERAL and all(map(str.isascii, one))
    ]
    return max(usable, key=_worth, default=None)


def _required_of_node(name: str, value: Any) -> frozenset[str] | None:
    if name == "SUBPATTERN":
        return _required(value[3])
    if name == "ATOMIC_GROUP":
        return _required(value)
    if name == "ASSERT" and value[0] > 0:  # it looks ahead, within the same text
        return _required(value[1])
    if name in _REPEATS and value[0] > 0:
        return _required(value[2])
    if name == "BRANCH":
        every = [_required(branch) for branch in value[1]]
        known = frozenset().union(*(one for one in every if one))
        return known if all(every) and len(known) <= _MOST_LITERALS else None
    return None


def _shortest(literals: frozenset[str]) -> int:
    return min(map(len, literals), default=0)


def _worth(literals: frozenset[str]) -> tuple[int, int]:
    return min(_shortest(literals), _BEST_LITERAL), -len(literals)
