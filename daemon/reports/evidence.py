"""The evidence for each kill criterion, from accepted findings and the notes that they rest on.

A finding's sentence is borne out by a note that it was given only where that note, read with the
same measure, says the same figure (or makes the same statement) itself. Each such note is opened
again here: what it does not say any more, in a sentence of its own that counts, bears out nothing. What
such a note says otherwise, and the finding leaves out, is evidence that can only contradict.
"""

from __future__ import annotations

import html
from collections.abc import Collection, Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

from daemon.governance.kill_criteria_evidence import Evidence, EvidenceSource
from daemon.knowledge.provenance import is_by_model
from daemon.memory.findings import FILE_DIGEST, file_digest
from daemon.memory.opening import OpenRoot
from daemon.quality.claims import Claim
from daemon.quality.measure import Measure
from daemon.quality.measure_scope import scope_of
from daemon.quality.measured import Sight, sight
from daemon.quality.verdict import Verdict
from daemon.quality.verdict_json import verdict_from_json
from daemon.reports.evidence_notes import Desk, decimal_of, flat, looks_of, opened_source
from daemon.reports.evidence_unexamined import unexamined
from daemon.store import attempts, findings
from daemon.store.attempts import AttemptRow
from daemon.store.database import Database
from daemon.store.findings import FindingRow
from daemon.workspace.criterion_tests import CriterionTest
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
        desk = Desk.over(folder, db, opened)
        for row in reversed(findings.list_findings(db)):
            if row.criterion in wanted:
                found[row.criterion].extend(_of_finding(desk, row, wanted[row.criterion]))
        for name, criterion in wanted.items():
            found[name].extend(unexamined(desk, criterion, found[name]))
    return {name: tuple(several) for name, several in found.items()}


def _of_finding(desk: Desk, row: FindingRow, criterion: KillCriterion) -> Iterator[Evidence]:
    attempt = attempts.find_attempt(desk.db, row.attempt_id)
    verdict = _verdict(attempt)
    if attempt is None or verdict is None:
        return
    for test in criterion.tests:
        told: set[tuple[float | None, bool]] = set()
        for measure, against in looks_of(test):
            for one in _told(desk, row, attempt, verdict, (test, measure, against)):
                told |= set() if one.doubt else {(_number(one.figure), against)}
                yield one
        if told:  # else there is nothing that it could contradict
            given = {str(source["path"]) for source, _ in _given(attempt)}
            desk.given_for[row.criterion, test.id] |= given
            yield from _left_out(desk, row, attempt, test, told)


def _told(
    desk: Desk,
    row: FindingRow,
    attempt: AttemptRow,
    verdict: Verdict,
    look: tuple[CriterionTest, Measure, bool],
) -> Iterator[Evidence]:
    """The finding's own sentences."""
    test, measure, against = look
    for seen in sight(verdict.cleaned_text, measure):
        sentence = flat(verdict.cleaned_text[slice(*seen.span)])
        doubt = (
            _file_fault(desk, row, attempt, sentence) or seen.doubt or _doubt(verdict.claims, seen)
        )
        yield Evidence(
            id=f"{row.item}-{row.attempt_id}:{seen.span[0]}",
            test=test.id,
            item=row.item,
            path=row.path,
            sentence=sentence[:_LONGEST],
            figure=decimal_of(seen.value),
            speaks_against=against,
            doubt=doubt,
            word=seen.word,
            sources=() if doubt else tuple(_sources(desk, attempt, measure, seen)),
            scope=scope_of(sentence),
        )


def _left_out(
    desk: Desk,
    row: FindingRow,
    attempt: AttemptRow,
    test: CriterionTest,
    told: Collection[tuple[float | None, bool]],
) -> Iterator[Evidence]:
    """What notes that the finding was given say of the test, and it does not: of each note each figure
    once, whichever findings leave it out."""
    for number, (source, outside) in enumerate(_given(attempt), 1):
        path, known = str(source["path"]), set(told)
        for measure, against in looks_of(test):
            for seen, sentence in desk.says_now(path, measure):
                key = _number(decimal_of(seen.value)), against
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
                    figure=decimal_of(seen.value),
                    speaks_against=against,
                    sources=(
                        opened_source(desk, source, measure, [(seen, sentence)], outside=outside),
                    ),
                    told=False,
                )


def _file_fault(
    desk: Desk, row: FindingRow, attempt: AttemptRow, sentence: str
) -> Literal["", "file_gone", "edited"]:
    """Whether the finding's file is as it was when it was accepted. Of one that was accepted before
    digests were kept, only whether the sentence still stands in it."""
    if desk.note(row.path) is None:
        return "file_gone"
    data, kept = desk.bytes_of[row.path], (attempt.verdict or {}).get(FILE_DIGEST)
    if kept:
        return "" if kept == file_digest(data) else "edited"
    return (
        ""
        if _letters(sentence) in _letters(html.unescape(data.decode("utf-8", "replace")))
        else "edited"
    )


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def _verdict(attempt: AttemptRow | None) -> Verdict | None:
    """None where it was not kept, or by a version that kept it otherwise: it is no evidence then."""
    try:
        return verdict_from_json(attempt.verdict) if attempt and attempt.verdict else None
    except ValueError:
        return None


def _doubt(claims: Sequence[Claim], seen: Sight) -> Any:
    """A sentence with a claim that no note bears out was kept out of what may be cited."""
    start, end = seen.span
    unsure = any(start <= one.span[0] < end and one.status in _UNSURE for one in claims)
    return "doubted" if unsure else ""


def _sources(
    desk: Desk, attempt: AttemptRow, measure: Measure, seen: Sight
) -> Iterator[EvidenceSource]:
    """The notes that say the same; what models wrote bears out nothing."""
    for source, outside in _given(attempt):
        same = [
            (one, flat(sentence))
            for one, sentence in desk.given(source, measure)
            if not one.doubt and (one.value, one.whole) == (seen.value, seen.whole)
        ]
        if same:
            yield opened_source(desk, source, measure, same, outside=outside)


def _given(attempt: AttemptRow) -> Iterator[tuple[Mapping[str, Any], bool]]:
    """The notes that the agent was given and no model wrote, and whether each came from outside."""
    loaded = {unit["id"]: unit for unit in attempt.context.get("loaded", ())}
    for source in attempt.prompt.get("sources", ()):
        if not is_by_model(source["path"]):
            yield source, bool(loaded.get(source["id"], {}).get("outside", True))


def _number(value: Decimal | None) -> float | None:
    return None if value is None else float(value)
