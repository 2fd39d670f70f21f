"""Tables without values."""

from __future__ import annotations

import re
from collections.abc import Iterable

from daemon.quality.masks import is_table_row
from daemon.quality.normalise import Reading
from daemon.quality.verdict import Defect, Profile

RULER = re.compile(r"[\s|:+-]+")
_LEAST_PROSE = 60
_TOTAL = re.compile(r"[\s|*_]{0,60}(?:totals?|sum|sums|suma|all|todos|todo)\b")
_SHARE = re.compile(r"[\s*_]{0,60}(\d{1,3}(?:[.,]\d{1,2})?) ?%[\s*_]*")
_WHOLE = 100.0
_ROUNDING = 2.5
_NOTHING = re.compile(
    r"[\s*_]*(?:n[./]?a\.?|n[./]?d\.?|s[./]?d\.?|-+|—+|–+|\?+|\.\.\.|…|tbd|tba|not (?:available|found|known"
    r"|disclosed)"
    r"|no (?:data|information|disponible|aplica|hay datos)|unknown|unavailable|pending|pendiente|none|null"
    r"|[a-z]\. ?[a-z]\.?|(?:not|non|nao|nicht|pas|no|sin|ohne|sem|nessun|keine?|aucune?) (?:se |yet |es |publicly )?"
    r"(?:report|indic|const|public|publish|divulg|disclos|stat|list|giv|registr|record|specif|especific|inform"
    r"|angabe|find"
    r"|encontr|hall|determin|divulgad|renseign|communiqu|indiqu|disponib|dispon|rilevat|cifra|figure|dato"
    r"|date)\w{0,8}"
    r"|sin (?:datos|informacion|dato)|desconocid[oa]|por (?:determinar|definir|confirmar)|x+|\[[^\]]{0,20}\])?[\s*_]*"
)


def na_table(reading: Reading, profile: Profile) -> Iterable[Defect]:
    """Most cells of a table say that there is no value; it rejects where tables are the text."""
    if profile in ("template", "plan"):
        return
    counts = [_count_cells(rows) for rows in _tables(reading.open)]
    bare = [(empty, filled) for empty, filled in counts if empty >= 3 and empty >= filled]
    if not bare:
        return
    empty, filled = bare[0]
    rejects = len(bare) == len(counts) and reading.prose_words < _LEAST_PROSE
    message = f"{empty} of {empty + filled} cells of a table have no value."
    yield Defect("structure.na_table", message, rejects=rejects)


def total_row(reading: Reading, profile: Profile) -> Iterable[Defect]:
    """A column of shares whose row of totals says 100 % and that does not come to it; marked only."""
    if profile in ("template", "code") or "%" not in reading.open:
        return
    for rows in _tables(reading.open):
        if len(rows) < 3 or not _TOTAL.match(rows[-1]):
            continue
        columns = zip(*(row.strip().strip("|").split("|")[1:] for row in rows), strict=False)
        for column in columns:
            shares = [_SHARE.fullmatch(cell) for cell in column]
            values = [float(one[1].replace(",", ".")) for one in shares if one]
            if len(values) < len(rows) or values[-1] != _WHOLE:
                continue
            if abs(sum(values[:-1]) - _WHOLE) > _ROUNDING:
                message = f"A column of shares adds up to {sum(values[:-1]):g} %, not to 100 %."
                yield Defect("plausibility.sum", message, rejects=False)
                return


def _count_cells(rows: list[str]) -> tuple[int, int]:
    """Cells without and with a value; the first column names the row and is left out."""
    empty = filled = 0
    for row in rows:
        for cell in row.strip().strip("|").split("|")[1:]:
            if _NOTHING.fullmatch(cell.strip()):
                empty += 1
            else:
                filled += 1
    return empty, filled


def _tables(text: str) -> Iterable[list[str]]:
    """The rows below each table's header; rulers are left out."""
    rows: list[str] | None = None
    for line in text.split("\n"):
        if not is_table_row(line):
            if rows:
                yield rows
            rows = None
        elif rows is None:
            rows = []
        elif not RULER.fullmatch(line):
            rows.append(line)
    if rows:
        yield rows
