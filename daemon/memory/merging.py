"""Statements brought together: the same said twice is said once, and what differs stands side by side.
Pure; nothing is ever shortened or reworded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from daemon.knowledge.provenance import highest
from daemon.memory.likeness import key_of, shape_of, stands_alone
from daemon.memory.statements import Origin, Statement

_Place = tuple[str, str, bool]  # lineage, topic, unverified
_Newest = Mapping[_Place, Sequence[tuple[tuple[str, ...], str]]]
_MOST_FIGURES = 8  # of a statement that is compared; a whole table is not
_MOST_ORIGINS = 3  # that a document names; the others are told in the archive


def join(statements: Iterable[Statement]) -> tuple[Statement, ...]:
    """Each thing once, where it stood first, with all its sources and what it stood under in each. What
    says nothing without its heading is joined under the same one alone. What was superseded and is
    said again by a newer note holds again."""
    found: dict[tuple[str, bool, str], Statement] = {}
    for one in statements:
        key = key_of(one.text), one.unverified, "" if stands_alone(one.text) else one.topic
        found[key] = _joined(found[key], one) if key in found else one
    return tuple(found.values())


def mark_superseded(statements: Sequence[Statement]) -> tuple[Statement, ...]:
    """With the day of the newer figure, where every source of a statement says another one now.

    Only the same item's later finding, or the same note, edited, replaces what it said before; two
    sources that differ are a contradiction, which is for people.
    """
    marked, places = list(statements), {one: at for at, one in enumerate(statements)}
    for group in _same_subject(statements):
        newest = _newest_figures(group)
        for one in group:
            days = [_replaced_on(origin, one, newest) for origin in one.origins]
            place = places[one]
            if days and all(days) and not marked[place].superseded_on:
                marked[place] = replace(one, superseded_on=max(days))
    return tuple(marked)


def find_pairs(statements: Iterable[Statement]) -> tuple[tuple[Statement, ...], ...]:
    """Groups of two and more that hold and give different figures of the same thing, by different
    notes; each in the order of days. The same statements give the same groups, in whatever order."""
    pairs: list[tuple[Statement, ...]] = []
    taken: set[Statement] = set()
    for group in _same_subject(sorted(filter(_holds, statements), key=_by_day)):
        free = [one for one in group if one not in taken]
        if len({_figures(one) for one in free}) > 1 and len({_lineages(one) for one in free}) > 1:
            taken.update(free)
            pairs.append(tuple(free))
    return tuple(pairs)


def fewer_origins(statement: Statement) -> tuple[Statement, Statement | None]:
    """It with its first and newest sources, and the same with the others for the archive, if any.

    No mark is lost with a source: of those from outside and of the strictest ones, one stays.
    """
    if len(statement.origins) <= _MOST_ORIGINS:
        return statement, None
    ordered = sorted(statement.origins)
    kept = [ordered[0], *ordered[-(_MOST_ORIGINS - 1) :]]
    for wanted in (
        next((one for one in ordered if one.outside), None),
        next(one for one in ordered if one.sensitivity == statement.sensitivity),
    ):
        if wanted is not None and not _marks(kept, wanted):
            kept.append(wanted)
    others = tuple(one for one in ordered if one not in kept)
    return statement.by(sorted(kept)), statement.by(others) if others else None


def by_topic(statements: Iterable[Statement]) -> tuple[Statement, ...]:
    """As a document shows them: what holds, what is unverified, what was superseded; in each of them
    those of one heading and topic beside each other, otherwise in the order given."""
    found: dict[tuple[bool, bool], dict[str, dict[str, list[Statement]]]] = {}
    for one in statements:
        section = found.setdefault((bool(one.superseded_on), one.unverified), {})
        group = one.group if _holds(one) or one.group_by_hand else ""
        section.setdefault(group, {}).setdefault(one.topic, []).append(one)
    topics = (topic for _, groups in sorted(found.items()) for topic in groups.values())
    return tuple(one for topic in topics for same in topic.values() for one in same)


def _holds(statement: Statement) -> bool:
    return not (statement.superseded_on or statement.unverified)


def _by_day(statement: Statement) -> tuple[str, str, str]:
    return statement.newest, statement.text, statement.topic


def _joined(one: Statement, other: Statement) -> Statement:
    topics = ((origin, other.topic_of(origin)) for origin in other.origins)
    told = (replace(origin, topic="" if topic == one.topic else topic) for origin, topic in topics)
    origins = tuple(sorted({*one.origins, *told}))
    superseded = max(filter(None, (one.superseded_on, other.superseded_on)), default="")
    if not (one.superseded_on and other.superseded_on):
        newest = other.newest if one.superseded_on else one.newest
        superseded = superseded if superseded > newest else ""
    placed = next((s for s in (one, other) if s.group_by_hand), one if one.group else other)
    return replace(
        one, origins=_once_a_path(origins), superseded_on=superseded,
        group=placed.group, group_by_hand=placed.group_by_hand,
    )  # fmt: skip


def _once_a_path(origins: Sequence[Origin]) -> tuple[Origin, ...]:
    """One for each note, day and topic, with every mark that was ever on it."""
    found: dict[tuple[str, str, str], Origin] = {}
    for one in origins:
        before = found.get((one.on, one.path, one.topic), one)
        sensitivity = highest((one.sensitivity, before.sensitivity))
        found[one.on, one.path, one.topic] = replace(
            one, outside=one.outside or before.outside, sensitivity=sensitivity
        )
    return tuple(found.values())


def _same_subject(statements: Sequence[Statement]) -> list[list[Statement]]:
    """Groups of statements on one subject that differ in one figure and in nothing else."""
    found: dict[tuple[frozenset[str], tuple[str, ...]], list[Statement]] = {}
    for one in statements:
        shape = shape_of(one.text)
        if shape is None or len(shape.figures) > _MOST_FIGURES:
            continue
        for place in range(len(shape.figures)):
            others = (*shape.figures[:place], "#", *shape.figures[place + 1 :])
            found.setdefault((shape.subject, others), []).append(one)
    return [same for same in found.values() if len({_figures(one) for one in same}) > 1]


def _figures(statement: Statement) -> tuple[str, ...]:
    shape = shape_of(statement.text)
    return shape.figures if shape else ()


def _newest_figures(group: Sequence[Statement]) -> _Newest:
    """By what may replace each other: the two figures that were given last, with their days."""
    found: dict[_Place, dict[tuple[str, ...], str]] = {}
    for one in group:
        for origin in one.origins:
            days = found.setdefault(_place_of(origin, one), {})
            days[_figures(one)] = max(origin.on, days.get(_figures(one), ""))
    return {
        place: sorted(days.items(), key=lambda pair: pair[1], reverse=True)[:2]
        for place, days in found.items()
    }


def _replaced_on(origin: Origin, statement: Statement, newest: _Newest) -> str:
    """The day on which a later note of the same lineage gave another figure under the same heading;
    empty: none did."""
    figures = _figures(statement)
    others = newest[_place_of(origin, statement)]
    later = next((day for other, day in others if other != figures), "")
    same = [other.on for other in statement.origins if other.lineage == origin.lineage]
    return later if later > max(same) else ""


def _place_of(origin: Origin, statement: Statement) -> _Place:
    return origin.lineage, statement.topic_of(origin), statement.unverified


def _lineages(statement: Statement) -> frozenset[str]:
    return frozenset(origin.lineage for origin in statement.origins)


def _marks(kept: Sequence[Origin], wanted: Origin) -> bool:
    outside = any(one.outside for one in kept) or not wanted.outside
    return outside and wanted.sensitivity in {one.sensitivity for one in kept}
