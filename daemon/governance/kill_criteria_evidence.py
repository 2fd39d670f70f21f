"""What a verdict on a criterion is worked out from: sentences of findings, and the notes behind them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Literal

from daemon.quality.measure_copies import Telling
from daemon.quality.measured import SightDoubt

Side = Literal["for", "against", "between", "void"]
SourceState = Literal["opened", "named", "lost"]
Missed = Literal[
    "no_figure", "several_figures", "rounded", "other_whole", "other_period", "goal", "denied", "hearsay",
    "excluded", "doubted", "file_gone", "edited", "ungrounded", "lost", "elsewhere", "undated", "future",
    "stale", "unsure", "earlier", "other_scope",
]  # fmt: skip


@dataclass(frozen=True)
class EvidenceSource:
    """A note that says the same as a finding. `origin` is what it goes back to: the address that it
    names, else its own path. `confidence` is 0..1; `dated_on` is None where nothing says when.

    `newest_on` is the newest date that anything in it names, None where that is not known; `telling` is what
    it says and stands in, for finding copies.

    *opened*: it was opened again for this review and says so still, and so did the address that it
    names, if there is one; *named*: it does, but its address was not opened; *lost*: it does not.
    """

    id: str
    path: str
    origin: str
    dated_on: date | None
    confidence: float
    state: SourceState
    newest_on: date | None = None
    telling: Telling | None = None


@dataclass(frozen=True)
class Evidence:
    """One sentence of an accepted finding that is about a test's measure.

    `figure` is in the measure's unit, None where there is none. `speaks_against` is for statements.
    `doubt` is why the sentence cannot count whatever bears it out; `word` is the word of "excluded".
    `told` False: a note that findings rest on says it, at `path`, and the finding does not;
    `examined` False: a note says it that no finding which tells of the test was given. `scope` are the years,
    months and places that the sentence names.
    """

    id: str
    test: str
    item: str
    path: str
    sentence: str
    figure: Decimal | None = None
    speaks_against: bool = False
    doubt: SightDoubt | Literal["doubted", "file_gone", "edited"] = ""
    word: str = ""
    sources: tuple[EvidenceSource, ...] = ()
    told: bool = True
    examined: bool = True
    scope: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Counted:
    """Evidence that counts, on its side; `sources` are those that meet the needs."""

    evidence: Evidence
    side: Side
    sources: tuple[EvidenceSource, ...]
