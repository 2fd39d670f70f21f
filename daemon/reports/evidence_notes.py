"""Notes as the evidence needs them: opened again, read with a measure, with where they are from."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from daemon.governance.kill_criteria_evidence import EvidenceSource
from daemon.knowledge.provenance import OUTSIDE_FOLDERS, is_by_model, provenance_in
from daemon.memory.findings import citable_part
from daemon.memory.notes import MEMORY, Note, parse_note
from daemon.memory.opening import OpenRoot, Unreadable
from daemon.quality.measure import Measure
from daemon.quality.measure_copies import Telling, canonical_address
from daemon.quality.measured import Sight, sight
from daemon.reports.passage_source import (
    NamedSource,
    is_taken_back,
    named_source,
    newest_date,
    noted_date,
    passage_of,
    retracted_passages,
    without_figure,
)
from daemon.store import texts
from daemon.store.database import Database
from daemon.workspace.criterion_tests import CONFIDENCES, CriterionTest, confidence_of


@dataclass(frozen=True)
class Desk:
    """What is read for every finding; notes and their sentences are kept, for many findings share them.

    `given_for` are the notes that findings which tell of a test were given, by criterion and test."""

    folder: OpenRoot
    db: Database
    opened: frozenset[str]
    notes: dict[str, Note | None] = field(default_factory=dict)
    bytes_of: dict[str, bytes] = field(default_factory=dict)
    sights: dict[tuple[str, Measure], list[tuple[Sight, str]]] = field(default_factory=dict)
    sights_now: dict[tuple[str, Measure], list[tuple[Sight, str]]] = field(default_factory=dict)
    first_with: dict[str, str] = field(default_factory=dict)
    named: dict[tuple[str, str], NamedSource] = field(default_factory=dict)
    left_out: set[tuple[str, str, str, float | None, bool]] = field(default_factory=set)
    given_for: defaultdict[tuple[str, str], set[str]] = field(
        default_factory=lambda: defaultdict(set)
    )
    listed: list[str] = field(default_factory=list)

    @staticmethod
    def over(folder: OpenRoot, db: Database, opened: Collection[str]) -> Desk:
        """A desk with nothing read yet; `opened` as `collect_evidence` takes them."""
        return Desk(folder, db, frozenset(map(canonical_address, opened)))

    def paths(self) -> Sequence[str]:
        """Every note below memory/ that no model wrote, in order."""
        if not self.listed:
            self.listed.extend(
                sorted(
                    path
                    for path, refusal in self.folder.walk(MEMORY)
                    if not refusal and path.endswith(".md") and not is_by_model(path)
                )
            )
        return self.listed

    def note(self, path: str) -> Note | None:
        """The note as it is now; None where it cannot be read. `bytes_of` has what was read."""
        if path not in self.notes:
            try:
                self.bytes_of[path] = self.folder.read(path)
                self.notes[path] = parse_note(self.bytes_of[path], path)
            except Unreadable:
                self.notes[path] = None
        return self.notes[path]

    def says_now(self, path: str, measure: Measure) -> list[tuple[Sight, str]]:
        """What counts of that which a note says of a measure now; nothing where it was taken back."""
        if (path, measure) not in self.sights_now:
            note = self.note(path)
            body = citable_part(note.body, path) if note and not is_taken_back(note.front) else ""
            back = retracted_passages(body)
            seen = [(one, flat(body[slice(*one.span)])) for one in sight(body, measure)]
            self.sights_now[path, measure] = [
                (one, sentence)
                for one, sentence in seen
                if not one.doubt and not any(sentence in passage for passage in back)
            ]
        return self.sights_now[path, measure]

    def named_by(self, note: Note, path: str, sentence: str) -> NamedSource:
        """What a note says of where a sentence of it is from."""
        if (path, sentence) not in self.named:
            named = named_source(note.body, sentence)
            address = canonical_address(named.address)
            self.named[path, sentence] = replace(named, address=address)
        return self.named[path, sentence]

    def itself(self, path: str, note: Note) -> str:
        """What a note goes back to that names nothing: the first one with the same words."""
        return self.first_with.setdefault("".join(filter(str.isalnum, note.body.casefold())), path)

    def given(self, source: Mapping[str, Any], measure: Measure) -> list[tuple[Sight, str]]:
        """What a note says of a measure, as the agent was given it: sights with their sentences."""
        key = str(source["sha256"]), measure
        if key not in self.sights:
            body = citable_part(texts.find_text(self.db, key[0]) or "", str(source["path"]))
            self.sights[key] = [(one, body[slice(*one.span)]) for one in sight(body, measure)]
        return self.sights[key]


def looks_of(test: CriterionTest) -> Iterator[tuple[Measure, bool]]:
    """Each measure of a test, and whether what it finds speaks against it."""
    yield test.looks, False
    if test.refutes:
        yield test.refutes, True


def decimal_of(value: float | None) -> Decimal | None:
    return None if value is None else Decimal(str(round(value, 9)))


def flat(text: str) -> str:
    return " ".join(text.split())


def opened_source(
    desk: Desk,
    source: Mapping[str, Any],
    measure: Measure,
    said: Sequence[tuple[Sight, str]],
    *,
    outside: bool,
) -> EvidenceSource:
    """The note, opened again: the first of the sentences that it still says tells where it is from."""
    path = str(source["path"])
    note = desk.note(path)
    now = {(sentence, one.value, one.whole) for one, sentence in desk.says_now(path, measure)}
    held = (one for one in said if (one[1], one[0].value, one[0].whole) in now)
    seen, kept = next(held, (None, ""))
    if note is None or seen is None:
        return EvidenceSource(str(source["id"]), path, path, None, 0.0, "lost")
    of_when = without_figure(kept, seen.value)
    named = desk.named_by(note, path, kept)
    origin = named.address or desk.itself(path, note)
    dated_on = noted_date(note.front.get("as_of"), named, of_when)
    return EvidenceSource(
        str(source["id"]),
        path,
        origin,
        dated_on,
        _confidence(note, path, outside=outside),
        "opened" if not named.address or named.address in desk.opened else "named",
        newest_date(note.front.get("as_of"), named, of_when),
        Telling(
            path,
            origin,
            named=bool(named.address),
            dated_on=dated_on,
            said=kept,
            passage=passage_of(note.body, kept),
            body=note.body,
        ),
    )


def _confidence(note: Note, path: str, *, outside: bool) -> float:
    """What the note says of itself; a text from outside may say what it likes, and stays unsure."""
    said = confidence_of(note.front.get("confidence")) or 0.0
    outside = outside or provenance_in(note.front, path).outside or path.startswith(OUTSIDE_FOLDERS)
    return min(said, CONFIDENCES["low"]) if outside else said
