"""What a consolidation will do, worked out before anything is written. Pure: files in, files out.

A document is split by who may be given its parts and by whether they are confidential: so nobody gets
through it what its parts did not give him, and nothing is kept from those who had all of it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from daemon.knowledge.archive import CONSOLIDATED, archived_path, original_path
from daemon.knowledge.paths import covers
from daemon.knowledge.provenance import is_confidential
from daemon.memory.documents import Sheet, render_sheet
from daemon.memory.fitting import fit
from daemon.memory.likeness import key_of
from daemon.memory.merge_terms import (
    GivenDocument,
    GivenNote,
    MergePlan,
    MergeRules,
    Move,
    NewDocument,
    NewFile,
    Readers,
)
from daemon.memory.merging import by_topic, fewer_origins, find_pairs, join, mark_superseded
from daemon.memory.statements import Origin, Statement, read_statements

_ANYTHING = "*"
_LARGEST_FILE = 400_000  # bytes of one file of statements in the archive


class _Class(NamedTuple):
    """What may stand in one document."""

    shelf: str
    confidential: bool
    readers: Readers


def make_plan(
    run: str, notes: Sequence[GivenNote], documents: Sequence[GivenDocument], rules: MergeRules
) -> MergePlan:
    """Merge the notes into the documents, within the ceiling. The same values give the same plan."""
    classes: dict[_Class, list[Statement]] = {}
    homes = {one.path: _readers_of(one, rules) for one in documents}
    for document in documents:
        for statement in document.sheet.statements:
            for kind, part in _split(statement, document.sheet.name, rules, homes):
                classes.setdefault(kind, []).append(part)
    taken: dict[str, _Class] = {}
    for given in notes:
        kind = _class_of(given.origin, _shelf_for(given, rules), rules, homes)
        taken[given.note.path] = kind
        classes.setdefault(kind, []).extend(read_statements(given.note, given.origin))
    widest = frozenset[str]().union(*(kind.readers for kind in classes))
    before = {one.path: one for one in documents}
    made = {
        _path_of(kind, widest): _make(run, kind, classes[kind], before, widest, rules)
        for kind in sorted(classes, key=_order)
    }
    changed = {path: one for path, one in made.items() if _differs(before.get(path), *one)}
    replaced = [before[path] for path in changed if path in before]
    leaving = [(one.note.path, one.sha256) for one in notes]
    leaving += [(one.path, one.sha256) for one in documents if one.path not in made]
    return MergePlan(
        run=run,
        documents=tuple(new for new, _ in changed.values()),
        kept_files=(
            *(file for _, files in changed.values() for file in files),
            *(NewFile(archived_path(one.path, run), one.text) for one in replaced),
        ),
        moves=tuple(Move(path, archived_path(path, run), sha256) for path, sha256 in leaving),
        unchanged=tuple(before[path] for path in made if path not in changed),
        taken={path: _path_of(kind, widest) for path, kind in taken.items()},
    )


def _differs(old: GivenDocument | None, new: NewDocument, files: Sequence[NewFile]) -> bool:
    """Also where the document stays as it is because nothing of the notes has room in it."""
    return old is None or old.text != new.text or bool(files)


def _order(kind: _Class) -> tuple[str, bool, list[str]]:
    return kind.shelf, kind.confidential, sorted(kind.readers)


def _make(
    run: str,
    kind: _Class,
    statements: Sequence[Statement],
    before: Mapping[str, GivenDocument],
    widest: Readers,
    rules: MergeRules,
) -> tuple[NewDocument, list[NewFile]]:
    """The document, and the files in the archive for what it has no room for."""
    path = _path_of(kind, widest)
    old = before.get(path)
    title = old.sheet.title if old else _title_of(kind, widest, rules)  # a person may change it
    joined = join(statements)
    arranged = rules.arrange(Sheet(kind.shelf, title, by_topic(mark_superseded(joined))))
    shorter = [fewer_origins(one) for one in arranged.statements]

    def sheet(some: Sequence[Statement]) -> Sheet:
        shown = by_topic(some)
        return Sheet(kind.shelf, title, shown, find_pairs(shown), old.sheet.front if old else ())

    def render(some: Sequence[Statement]) -> str:
        return render_sheet(sheet(some), rules.phrases)

    # Marked again: the next run knows no sources but those that stay.
    named = mark_superseded([one for one, _ in shorter])
    fitted = fit(named, render, rules.ceiling_bytes)
    archived = [*fitted.left_out, *(rest for _, rest in shorter if rest is not None)]
    known = {key_of(one.text) for one in old.sheet.statements} if old else set()
    new = NewDocument(
        path,
        render(fitted.kept),
        old.sha256 if old else "",
        len(fitted.kept),
        sum(key_of(one.text) not in known for one in fitted.kept),
        len(statements) - len(joined),
        len(find_pairs(fitted.kept)),
        sum(bool(one.superseded_on) for one in fitted.kept),
        sum(one.outside for one in fitted.kept),
        len(archived),
    )
    return new, list(_archive_files(run, path, sheet(archived), rules))


def _archive_files(run: str, path: str, sheet: Sheet, rules: MergeRules) -> Iterator[NewFile]:
    """Statements without room, in files that are never too large to be read again."""
    name = path.removeprefix(CONSOLIDATED).removesuffix(".md")
    waiting, number = list(sheet.statements), 1
    while waiting:
        some: list[Statement] = []
        size = 0
        while waiting and (not some or size + len(waiting[0].text.encode()) < _LARGEST_FILE):
            size += 2 * len(waiting[0].text.encode()) + 400
            some.append(waiting.pop(0))
        tail = "" if number == 1 else f"-{number}"
        text = render_sheet(Sheet(sheet.name, sheet.title, tuple(some)), rules.phrases)
        yield NewFile(archived_path(f"memory/statements/{name}{tail}.md", run), text)
        number += 1


def _split(
    statement: Statement, name: str, rules: MergeRules, homes: Mapping[str, Readers]
) -> Iterator[tuple[_Class, Statement]]:
    """A statement of a document by the classes of its sources, which may have changed since."""
    shelf = name if name in {one.name for one in rules.shelves} else _rest(rules)
    found: dict[_Class, list[Origin]] = {}
    for origin in statement.origins:
        found.setdefault(_class_of(origin, shelf, rules, homes), []).append(origin)
    for kind, origins in found.items():
        part = statement.by(origins)
        yield kind, replace(part, group="", group_by_hand=False) if len(found) > 1 else part


def _class_of(
    origin: Origin, shelf: str, rules: MergeRules, homes: Mapping[str, Readers]
) -> _Class:
    was = original_path(origin.path)
    readers = homes.get(was, frozenset()) if was.startswith(CONSOLIDATED) else rules.readers(was)
    return _Class(shelf, is_confidential(origin.sensitivity), readers)


def _readers_of(document: GivenDocument, rules: MergeRules) -> Readers:
    """Who may be given a document: whoever may be given every part of it."""
    parts = {original_path(o.path) for one in document.sheet.statements for o in one.origins}
    sets = [rules.readers(part) for part in sorted(parts) if not part.startswith(CONSOLIDATED)]
    return frozenset.intersection(*sets) if sets else frozenset()


def _shelf_for(given: GivenNote, rules: MergeRules) -> str:
    """The first document that takes the note; else the one for everything else."""
    words = {given.note.front.get("criterion"), given.note.front.get("agent")} - {None, ""}
    for shelf in rules.shelves:
        paths = [entry for entry in shelf.entries if "/" in entry]
        if words & set(shelf.entries) or covers(paths, given.note.path):
            return shelf.name
    return _rest(rules)


def _rest(rules: MergeRules) -> str:
    named = [one.name for one in rules.shelves if _ANYTHING in one.entries]
    return (named or [rules.shelves[0].name])[0]


def _path_of(kind: _Class, widest: Readers) -> str:
    words = [kind.shelf, *_suffixes(kind, widest)]
    return f"{CONSOLIDATED}{'-'.join(words)}.md"


def _title_of(kind: _Class, widest: Readers, rules: MergeRules) -> str:
    title = next((one.title for one in rules.shelves if one.name == kind.shelf), kind.shelf)
    suffixes = _suffixes(kind, widest)
    return f"{title} ({', '.join(suffixes)})" if suffixes else title


def _suffixes(kind: _Class, widest: Readers) -> list[str]:
    """None for the document of all who read findings at all."""
    words = []
    if not kind.readers:
        words.append("people")
    elif kind.readers != widest:
        ids = sorted(kind.readers)
        digest = hashlib.sha256("\n".join(ids).encode()).hexdigest()[:6]
        words.append(ids[0] if len(ids) == 1 else f"group-{digest}")
    return [*words, *(["confidential"] if kind.confidential else [])]
