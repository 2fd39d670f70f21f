"""How the tests of grounding ask for claims."""

from __future__ import annotations

from daemon.quality.claims import Claim, SourceNote
from daemon.quality.figure_claims import figure_claims
from daemon.quality.normalise import clean, read
from daemon.quality.verdict import TaskBrief

FIRMS = """# Legal search in Ecuador

Ecuador has 63,000 registered lawyers and Colombia 340,000. Clio holds 27% of the market and
LexisNexis 43%. The law came into force on 3 March 2025. There were two hundred and fifty rulings on
water. The register answers in 1,278 seconds on average.

| City | Lawyers asked | Would pay |
|---|---|---|
| Quito | 26 | 20 |
| Cuenca | 15 | 9 |

The licence of the search costs $49 a month. Revenue of the search went from $40,000 to $50,000.
"""


def look_up(text: str, *notes: str, question: str = "") -> list[Claim]:
    """The claims about figures of a text whose writer had these notes, named note-0, note-1 ..."""
    sources = [SourceNote(f"note-{number}", note) for number, note in enumerate(notes or (FIRMS,))]
    return list(figure_claims(read(clean(text)), TaskBrief("T", question), sources))


def statuses(text: str, *notes: str, question: str = "") -> dict[str, str]:
    """Each figure as written with what came of it."""
    return {claim.text: claim.status for claim in look_up(text, *notes, question=question)}
