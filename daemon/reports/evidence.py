"""The evidence for each kill criterion, from accepted findings and the notes that they rest on.

A finding's sentence is borne out by a note that it was given only where that note, read with the
same measure, says the same figure (or makes the same statement) itself. Each such note is opened
again here: what it does not say any more bears out nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from daemon.governance.kill_criteria import Evidence, EvidenceSource
from daemon.knowledge.provenance import OUTSIDE_FOLDERS, is_by_model, provenance_in
from daemon.memory.findings import citable_part
from daemon.memory.notes import Note, parse_note
from daemon.memory.opening import OpenRoot, Unreadable
from daemon.quality.claims import Claim
from daemon.quality.measure import Measure
from daemon.quality.measured import Sight, sight
from daemon.quality.verdict import Verdict
from daemon.quality.verdict_json import verdict_from_json
from daemon.reports.passage_source import named_source, noted_date
from daemon.store import attempts, findings, texts
from daemon.store.attempts import AttemptRow
from daemon.store.database import Database
from daemon.store.findings import FindingRow
from daemon.workspace.criterion_tests import CONFIDENCES, CriterionTest, confidence_of
from daemon.workspace.definitions import KillCriterion

_LONGEST = 400
_UNSURE = ("absent", "weak")


def collect_evidence(
    root: Path,
    db: Database,
    criteria: Sequence[KillCriterion],
    *,
    opened: Collection[str] = (),
) -> dict[str, tuple[Evidence, ...]]:
    """By the criterion's id, the oldest finding first; every sentence that is about a test's measure.

    `opened` are addresses (host and path, as `passage_source.address_of` gives them) whose documents
    were opened again and say what the notes say. Raises StoreError, and Unreadable for the root.
    """
    wanted = {one.id: one for one in criteria if one.tests}
    found: dict[str, list[Evidence]] = {one.id: [] for one in criteria}
    with OpenRoot(root) as folder:
        desk = _Desk(folder, db, frozenset(opened), {}, {})
        for row in reversed(findings.list_findings(db)):
            if row.criterion in wanted:
                found[row.criterion].extend(_of_finding(desk, row, wanted[row.criterion]))
    return {name: tuple(several) for name, several in found.items()}


@dataclass(frozen=True)
class _Desk:
    """What is read for every finding; notes and their sentences are kept, for many findings share them."""

    folder: OpenRoot
    db: Database
    opened: frozenset[str]
    notes: dict[str, tuple[Note, str] | None]
    sights: dict[tuple[str, Measure], list[tuple[Sight, str]]]

    def note(self, path: str) -> tuple[Note, str] | None:
        """The note as it is now, and its text on one line; None where it cannot be read."""
        if path not in self.notes:
            try:
                note = parse_note(self.folder.read(path), path)
                self.notes[path] = note, _flat(note.body)
            except Unreadable:
                self.notes[path] = None
        return self.notes[path]

    def given(self, source: Mapping[str, Any], measure: Measure) -> list[tuple[Sight, str]]:
        """What a note says of a measure, as the agent was given it: sights with their sentences."""
        key = str(source["sha256"]), measure
        if key not in self.sights:
            body = citable_part(texts.find_text(self.db, key[0]) or "", str(source["path"]))
            self.sights[key] = [(one, body[slice(*one.span)]) for one in sight(body, measure)]
        return self.sights[key]


def _of_finding(desk: _Desk, row: FindingRow, criterion: KillCriterion) -> Iterator[Evidence]:
    attempt = attempts.find_attempt(desk.db, row.attempt_id)
    verdict = _verdict(attempt)
    if attempt is None or verdict is None:
        return
    gone = desk.note(row.path) is None
    for test in criterion.tests:
        for measure, against in _looks(test):
            for seen in sight(verdict.cleaned_text, measure):
                sentence = verdict.cleaned_text[slice(*seen.span)]
                doubt = "file_gone" if gone else seen.doubt or _doubt(verdict.claims, seen)
                yield Evidence(
                    id=f"{row.item}-{row.attempt_id}:{seen.span[0]}",
                    test=test.id,
                    item=row.item,
                    path=row.path,
                    sentence=_flat(sentence)[:_LONGEST],
                    figure=_decimal(seen.value),
                    speaks_against=against,
                    doubt=doubt,
                    word=seen.word,
                    sources=() if doubt else tuple(_sources(desk, attempt, measure, seen)),
                )


def _verdict(attempt: AttemptRow | None) -> Verdict | None:
    """None where it was not kept, or by a version that kept it otherwise: it is no evidence then."""
    try:
        return verdict_from_json(attempt.verdict) if attempt and attempt.verdict else None
    except ValueError:
        return None


def _looks(test: CriterionTest) -> Iterator[tuple[Measure, bool]]:
    yield test.looks, False
    if test.refutes:
        yield test.refutes, True


def _doubt(claims: Sequence[Claim], seen: Sight) -> Any:
    """A sentence with a claim that no note bears out was kept out of what may be cited."""
    start, end = seen.span
    unsure = any(start <= one.span[0] < end and one.status in _UNSURE for one in claims)
    return "doubted" if unsure else ""


def _sources(
    desk: _Desk, attempt: AttemptRow, measure: Measure, seen: Sight
) -> Iterator[EvidenceSource]:
    """The notes that say the same; what models wrote bears out nothing."""
    loaded = {unit["id"]: unit for unit in attempt.context.get("loaded", ())}
    for source in attempt.prompt.get("sources", ()):
        if is_by_model(source["path"]):
            continue
        same = [
            sentence
            for one, sentence in desk.given(source, measure)
            if not one.doubt and (one.value, one.whole) == (seen.value, seen.whole)
        ]
        if same:
            outside = bool(loaded.get(source["id"], {}).get("outside", True))
            yield _opened(desk, source, same, outside=outside)


def _opened(
    desk: _Desk, source: Mapping[str, Any], sentences: Sequence[str], *, outside: bool
) -> EvidenceSource:
    """The note, opened again: the first of the sentences that it still has tells where it is from."""
    path = str(source["path"])
    found = desk.note(path)
    lost = EvidenceSource(str(source["id"]), path, path, None, 0.0, "lost")
    if found is None:
        return lost
    note, flat = found
    kept = next((one for one in map(_flat, sentences) if one in flat), None)
    if kept is None:
        return lost
    named = named_source(note.body, kept)
    origin = named.address or path
    return EvidenceSource(
        lost.id,
        path,
        origin,
        noted_date(note.front.get("as_of"), named, kept),
        _confidence(note, path, outside=outside),
        "opened" if not named.address or named.address in desk.opened else "named",
    )


def _confidence(note: Note, path: str, *, outside: bool) -> float:
    """What the note says of itself; a text from outside may say what it likes, and stays unsure."""
    said = confidence_of(note.front.get("confidence")) or 0.0
    outside = outside or provenance_in(note.front, path).outside or path.startswith(OUTSIDE_FOLDERS)
    return min(said, CONFIDENCES["low"]) if outside else said


def _decimal(value: float | None) -> Decimal | None:
    return None if value is None else Decimal(str(round(value, 9)))


def _flat(text: str) -> str:
    return " ".join(text.split())
