"""Sources counted once, and notes that object to what counts."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal
from itertools import permutations

from daemon.governance.kill_criteria_evidence import Counted, Evidence, EvidenceSource, Side
from daemon.governance.kill_criteria_sources import halves_of, one_of_each, with_objections
from daemon.quality.measure_copies import Telling

ANA = "Ana walked the north quay on Monday with the harbour master and wrote down each purse."
CLERK = "The clerk telephoned every family from the yacht club, the papers of the bank beside him."


def source(path: str, body: str, *, on: date = date(2027, 2, 1)) -> EvidenceSource:
    telling = Telling(path, path, dated_on=on, said="Six pay.", body=f"{body} Six pay.")
    return EvidenceSource(path, path, path, on, 0.9, "opened", on, telling)


def counted(figure: int, side: Side, *sources: EvidenceSource, **changes: object) -> Counted:
    one = Evidence("T1-1:0", "paying", "T1", "memory/f.md", "s", Decimal(figure), sources=sources)
    return Counted(replace(one, **changes), side, sources)  # type: ignore[arg-type]


def test_copies_count_once_across_findings_in_any_order() -> None:
    """Two findings over two copies have one source; a note of somebody else makes two."""
    every = [
        counted(6, "for", source("a.md", ANA)),
        counted(6, "for", source("b.md", f"Reprinted. {ANA}")),
        counted(6, "for", source("c.md", CLERK)),
    ]
    for order in permutations(every):
        sources, copies = one_of_each(order)
        assert (halves_of(sources), copies) == (4, (("a.md", "b.md"),))


def test_of_copies_the_best_counts() -> None:
    """One that was opened makes whole what the others only name."""
    named = replace(source("b.md", f"Reprinted. {ANA}"), state="named")
    sources, _ = one_of_each([counted(6, "for", source("a.md", ANA), named)])
    assert halves_of(sources) == 2


def test_sources_whose_text_is_not_known_count_by_where_they_go_back_to() -> None:
    """As they did in reviews of old."""
    bare = [replace(source(name, ""), telling=None) for name in ("a.md", "b.md")]
    sources, copies = one_of_each([counted(6, "for", *bare)])
    assert (halves_of(sources), copies) == (4, ())


def test_an_objection_stands_on_another_side_of_the_same_scope_and_is_not_older() -> None:
    """What a finding left out of its own notes objects in any case; without a finding nothing does."""
    told = counted(6, "for", source("a.md", ANA), scope=frozenset({"2027"}))
    other = counted(1, "against", source("z.md", CLERK), told=False, examined=False)
    assert with_objections([told, other]) == ([told, other], [])
    agrees = replace(other, side="for")
    assert with_objections([told, agrees]) == ([told], [])
    elsewhere = replace(other, evidence=replace(other.evidence, scope=frozenset({"quito"})))
    assert with_objections([told, elsewhere]) == ([told], [(elsewhere.evidence, "other_scope")])
    older = counted(
        1, "against", source("z.md", CLERK, on=date(2027, 1, 31)), told=False, examined=False
    )
    assert with_objections([told, older]) == ([told], [(older.evidence, "earlier")])
    left_out = replace(older, evidence=replace(older.evidence, examined=True))
    assert with_objections([told, left_out]) == ([told, left_out], [])
    assert with_objections([other]) == ([], [])
