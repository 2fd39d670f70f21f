"""Tables without values."""

from __future__ import annotations

import re
from collections.abc import Iterable

from daemon.quality.masks import is_table_row
from daemon.quality.normalise import Reading, count_words
from daemon.quality.verdict import Defect, Profile

_RULER = re.compile(r"[\s|:+-]+")
_NOTHING = re.compile(
    r"[\s*_]*(?:n[./]?a\.?|n[./]?d\.?|s[./]?d\.?|-+|—+|–+|\?+|\.\.\.|…|tbd|tba|not (?:available|found|known|disclosed)"
    r"|no (?:data|information|disponible|aplica|hay datos)|unknown|unavailable|pending|pendiente|none|null"
    r"|sin (?:datos|informacion|dato)|desconocid[oa]|por (?:determinar|definir|confirmar)|x+|\[[^\]]{0,20}\])?[\s*_]*"
)


def na_table(reading: Reading, profile: Profile) -> Iterable[Defect]:
    """Most cells of the text's tables say that there is no value."""
    if profile in ("template", "plan"):
        return
    empty = filled = 0
    words = 0
    for row in _body_rows(reading.open):
        cells = [cell.strip() for cell in row.strip().strip("|").split("|")][1:]
        nothing = sum(1 for cell in cells if _NOTHING.fullmatch(cell))
        empty += nothing
        filled += len(cells) - nothing
        words += count_words(row)
    if empty < 3 or empty < filled:
        return
    most_of_it = reading.prose_words < 60
    message = f"{empty} of {empty + filled} table cells have no value."
    yield Defect("structure.na_table", message, rejects=most_of_it)


def _body_rows(text: str) -> Iterable[str]:
    """Rows below each table's header; rulers are left out."""
    inside = False
    for line in text.split("\n"):
        row = is_table_row(line)
        if row and inside and not _RULER.fullmatch(line):
            yield line
        inside = row
