"""What notes in memory say of a test that no finding was given: nobody examined it, so it proves nothing.

It is looked for only where a finding tells of the test, and only in the places that the test takes its
evidence from. It can contradict what findings tell, and nothing else.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from itertools import islice

from daemon.governance.kill_criteria_evidence import Evidence
from daemon.knowledge.paths import covers
from daemon.quality.measure_scope import scope_of
from daemon.reports.evidence_notes import Desk, decimal_of, looks_of, opened_source
from daemon.reports.passage_source import without_figure
from daemon.workspace.criterion_tests import CriterionTest
from daemon.workspace.definitions import KillCriterion

_LONGEST = 400
_MOST = 50


def unexamined(
    desk: Desk, criterion: KillCriterion, evidence: Sequence[Evidence]
) -> Iterator[Evidence]:
    """By test and path; of each note each figure once, at most 50 for a test. `evidence` is what the
    criterion's findings tell and leave out, `desk.given_for` which notes they were given."""
    told = {one.test for one in evidence if one.told and not one.doubt and one.sources}
    if not told:
        return
    for test in criterion.tests:
        if test.id in told:
            examined = desk.given_for[criterion.id, test.id]
            yield from islice(_of_test(desk, test, examined), _MOST)


def _of_test(desk: Desk, test: CriterionTest, examined: set[str]) -> Iterator[Evidence]:
    for path in desk.paths():
        if path in examined or (test.needs.places and not covers(test.needs.places, path)):
            continue
        yield from _of_note(desk, test, path)


def _of_note(desk: Desk, test: CriterionTest, path: str) -> Iterator[Evidence]:
    known: set[tuple[float | None, bool]] = set()
    for measure, against in looks_of(test):
        for seen, sentence in desk.says_now(path, measure):
            if (seen.value, against) in known:
                continue
            known.add((seen.value, against))
            source = {"id": path.removesuffix(".md").replace("/", "."), "path": path}
            yield Evidence(
                id=f"note-{zlib.crc32(path.encode())}:{seen.span[0]}",
                test=test.id,
                item="",
                path=path,
                sentence=sentence[:_LONGEST],
                figure=decimal_of(seen.value),
                speaks_against=against,
                sources=(opened_source(desk, source, measure, [(seen, sentence)], outside=False),),
                told=False,
                examined=False,
                scope=scope_of(without_figure(sentence, seen.value)),
            )
