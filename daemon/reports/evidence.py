"""The evidence for each kill criterion, from accepted findings and the notes that they rest on.

A finding's sentence is borne out by a note that it was given only where that note, read with the
same measure, says the same figure (or makes the same statement) itself. Each such note is opened
again here: what it does not say any more, in a sentence of its own that counts, bears out nothing. What
such a note says otherwise, and the finding leaves out, is evidence that can only contradict.
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
from daemon.reports.passage_source import (
    NamedSource,
    is_taken_back,
    named_source,
    noted_date,
    retracted_passages,
)
from daemon.store import attempts, findings, texts
from daemon.store.attempts import AttemptRow
from daemon.store.database import Database
from daemon.store.findings import FindingRow
from daemon.workspace.criterion_tests import CONFIDENCES, CriterionTest, confidence_of
from daemon.workspace.definitions import KillCriterion

_LONGEST = 400
_PER_NOTE = 1_000_000  # more than a note has signs, so that no two places share an id
_MOST_LEFT_OUT = 50
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
        desk = _Desk(folder, db, frozenset(opened), {}, {}, {}, {}, {}, set())
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
    notes: dict[str, Note | None]
    sights: dict[tuple[str, Measure], list[tuple[Sight, str]]]
    sights_now: dict[tuple[str, Measure], list[tuple[Sight, str]]]
    first_with: dict[str, str]
    named: dict[tuple[str, str], NamedSource]
    left_out: set[tuple[str, str, str, float | None, bool]]

    def note(self, path: str) -> Note | None:
        """The note as it is now; None where it cannot be read."""
        if path not in self.notes:
            try:
                self.notes[path] = parse_note(self.folder.read(path), path)
            except Unreadable:
                self.notes[path] = None
        return self.notes[path]

    def says_now(self, path: str, measure: Measure) -> list[tuple[Sight, str]]:
        """What counts of that which a note says of a measure now; nothing where it was taken back."""
        if (path, measure) not in self.sights_now:
            note = self.note(path)
            body = citable_part(note.body, path) if note and not is_taken_back(note.front) else ""
            back = retracted_passages(body)
            seen = [(one, _flat(body[slice(*one.span)])) for one in sight(body, measure)]
            self.sights_now[path, measure] = [
                (one, sentence)
                for one, sentence in seen
                if not one.doubt and not any(sentence in passage for passage in back)
            ]
        return self.sights_now[path, measure]

    def named_by(self, note: Note, path: str, sentence: str) -> NamedSource:
        """What a note says of where a sentence of it is from."""
        if (path, sentence) not in self.named:
            self.named[path, sentence] = named_source(note.body, sentence)
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


def _of_finding(desk: _Desk, row: FindingRow, criterion: KillCriterion) -> Iterator[Evidence]:
    attempt = attempts.find_attempt(desk.db, row.attempt_id)
    verdict = _verdict(attempt)
    if attempt is None or verdict is None:
        return
    for test in criterion.tests:
        told: set[tuple[float | None, bool]] = set()
        for measure, against in _looks(test):
            for one in _told(desk, row, attempt, verdict, (test, measure, against)):
                told |= set() if one.doubt else {(_number(one.figure), against)}
                yield one
        yield from _left_out(desk, row, attempt, test, told)


def _told(
    desk: _Desk,
    row: FindingRow,
    attempt: AttemptRow,
    verdict: Verdict,
    look: tuple[CriterionTest, Measure, bool],
) -> Iterator[Evidence]:
    """The finding's own sentences."""
    test, measure, against = look
    gone = desk.note(row.path) is None
    for seen in sight(verdict.cleaned_text, measure):
        doubt = "file_gone" if gone else seen.doubt or _doubt(verdict.claims, seen)
        yield Evidence(
            id=f"{row.item}-{row.attempt_id}:{seen.span[0]}",
            test=test.id,
            item=row.item,
            path=row.path,
            sentence=_flat(verdict.cleaned_text[slice(*seen.span)])[:_LONGEST],
            figure=_decimal(seen.value),
            speaks_against=against,
            doubt=doubt,
            word=seen.word,
            sources=() if doubt else tuple(_sources(desk, attempt, measure, seen)),
        )


def _left_out(
    desk: _Desk,
    row: FindingRow,
    attempt: AttemptRow,
    test: CriterionTest,
    told: Collection[tuple[float | None, bool]],
) -> Iterator[Evidence]:
    """What notes that the finding was given say of the test, and it does not: of each note each figure
    once, whichever findings leave it out."""
    if not told:
        return  # there is nothing that it could contradict
    for number, (source, outside) in enumerate(_given(attempt), 1):
        path, known = str(source["path"]), set(told)
        for measure, against in _looks(test):
            for seen, sentence in desk.says_now(path, measure):
                key = _number(_decimal(seen.value)), against
                first = (row.criterion, test.id, path, *key) not in desk.left_out
                if key in known or not first or len(known) > _MOST_LEFT_OUT:
                    continue
                known.add(key)
                desk.left_out.add((row.criterion, test.id, path, *key))
                yield Evidence(
                    id=f"{row.item}-{row.attempt_id}:{number * _PER_NOTE + seen.span[0]}",
                    test=test.id,
                    item=row.item,
                    path=path,
                    sentence=sentence[:_LONGEST],
                    figure=_decimal(seen.value),
                    speaks_against=against,
                    sources=(_opened(desk, source, measure, [(seen, sentence)], outside=outside),),
                    told=False,
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
    for source, outside in _given(attempt):
        same = [
            (one, _flat(sentence))
            for one, sentence in desk.given(source, measure)
            if not one.doubt and (one.value, one.whole) == (seen.value, seen.whole)
        ]
        if same:
            yield _opened(desk, source, measure, same, outside=outside)


def _given(attempt: AttemptRow) -> Iterator[tuple[Mapping[str, Any], bool]]:
    """The notes that the agent was given and no model wrote, and whether each came from outside."""
    loaded = {unit["id"]: unit for unit in attempt.context.get("loaded", ())}
    for source in attempt.prompt.get("sources", ()):
        if not is_by_model(source["path"]):
            yield source, bool(loaded.get(source["id"], {}).get("outside", True))


def _opened(
    desk: _Desk,
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
    kept = next((one for seen, one in said if (one, seen.value, seen.whole) in now), None)
    if note is None or kept is None:
        return EvidenceSource(str(source["id"]), path, path, None, 0.0, "lost")
    named = desk.named_by(note, path, kept)
    return EvidenceSource(
        str(source["id"]),
        path,
        named.address or desk.itself(path, note),
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


def _number(value: Decimal | None) -> float | None:
    return None if value is None else float(value)


def _flat(text: str) -> str:
    return " ".join(text.split())
