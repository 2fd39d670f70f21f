from __future__ import annotations

import pytest

from daemon.quality.claims import SourceNote
from daemon.quality.normalise import clean, read
from daemon.quality.reference_claims import reference_claims
from daemon.quality.verdict import TaskBrief

NOTES = (
    SourceNote(
        "pricing.monthly", "The price is 49 dollars [funding.round-a].", "memory/pricing/monthly.md"
    ),
    SourceNote("law-sources.gazette-2", "The gazette is free."),
)


def marks(text: str, notes: tuple[SourceNote, ...] = NOTES) -> list[tuple[str, str]]:
    claims = reference_claims(read(clean(text)), TaskBrief("T1", ""), notes)
    return [(claim.text, claim.status) for claim in claims]


@pytest.mark.parametrize(
    "mark",
    [
        "[pricing.monthly]",
        "[pricing.monthly, law-sources.gazette-2]",
        "[memory/pricing/monthly.md]",
        "[monthly]",
        "[funding.round-a]",
        "[1]",
        "[sic]",
        "[law.text](https://a.org)",
        "`[pricing.yearly]`",
        "[Node.js]",
        "[e.g. this]",
    ],
)
def test_a_mark_of_a_given_note_and_other_brackets_are_no_claims(mark: str) -> None:
    """Ids, paths, marks that a note itself carries, numbers, words, links and code."""
    claims = [claim for claim in marks(f"It is free {mark}.") if claim[0].startswith("[")]
    assert claims == []


@pytest.mark.parametrize(
    ("mark", "named"),
    [
        ("[pricing.yearly]", "[pricing.yearly]"),
        ("[pricing.monthly; law-sources.gazette-3]", "[law-sources.gazette-3]"),
        ("[memory/pricing/yearly.md]", "[memory/pricing/yearly.md]"),
    ],
)
def test_a_mark_of_a_note_that_was_not_given_is_absent(mark: str, named: str) -> None:
    """An invented source is one, whether it is an address or a note."""
    assert marks(f"It is free {mark}.") == [(named, "absent")]


def test_short_ids_with_numbers_are_known_by_their_shape() -> None:
    """[N7] beside notes N1 and N2 is a mark; beside others it is not."""
    notes = (SourceNote("N1", "It is free."), SourceNote("N2", "It is not."))
    assert marks("It is free [N7].", notes) == [("[N7]", "absent")]
    assert marks("It is free [N7].") == []
