"""Where a text quotes: in quotation marks of any kind, and in block quotes."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from daemon.quality.normalise import Reading
from daemon.quality.note_texts import blocked_by

FEWEST_WORDS = 5

_MARKED = (
    re.compile(
        r"\"(?<![\w\"].)(?=[^\s\"])(?P<inner>[^\"\n]++(?:\n(?![ \t]*\n)[^\"\n]++){0,5}+)\"(?!\w)"
    ),
    re.compile(r"«(?P<inner>[^«»]{1,3000}+)»"),
    re.compile(
        r"'(?<![\w'].)(?=[^\W\d_]|[¿¡])(?P<inner>(?:[^'\n]++|(?<=\w)'(?=\w))++)(?<=[\w.,!?…;])'(?![\w'])"
    ),
)
_BLOCK_LINE = re.compile(r"(?m)^[ \t]{0,3}>[^\n]*")
_BLOCK_MARK = re.compile(r"(?m)^[ \t]{0,3}>[ \t>]*")
_AUTHOR = re.compile(r"(?m)^[ \t]*(?:-{1,2}|[–—])\s*\S[^\n]{0,120}\s*\Z")
_CALLOUT = re.compile(
    r"\s*(?:\[!|(?:\*\*|__)[^*_\n]{1,60}(?:\*\*|__)|[A-ZÁÉÍÓÚ]\w+:|[^\w\s\"«'¿¡(\[*_]\s)"
)
_GAP = re.compile(r"\.\.\.|…|\[[^\]\n]{0,160}\]|\( ?\.\.\. ?\)")
_INSIDE_WORD = re.compile(r"\[([^\W_]{1,3})\](?=\w)")
_WORD = re.compile(r"[^\W_]+")
_TITLE_LEAD = re.compile(
    r"(?:titled|entitled|titulad[oa]s?|title|titulo|called|llamad[oa]s?|denominad[oa]s?|named|paper|article|articulo"
    r"|book|libro|report|informe|study|estudio|chapter|capitulo|section|seccion|blog|post|course|curso|film"
    r"|podcast|song|thesis|tesis|work|proyecto|project|program|programa|see|vease)[,:]?\s*[*_(]*$"
)
_MADE_UP_LEAD = re.compile(
    r"(?:such as|like|e\.?g\.?,?|for (?:example|instance),?|por ejemplo,?|tal(?:es)? como|quer(?:y|ies)"
    r"|search(?:ing|ed)?(?: for)?"
    r"|prompts?|phras(?:e|ing)|wording|slogan|labell?ed|questions?|hypothes[ie]s|hipotesis|preguntas?|consultas?"
    r"|busca(?:r|ndo)|frase|lema|mensaje|message|say(?:ing)? something like|ask(?:ing)?|preguntar|i\.?e\.?,?"
    r"|meaning|es decir,?|script|template|plantilla|subject|asunto|idea(?: that)?|means)[,:]?\s*[*_(]*$"
)


@dataclass(frozen=True)
class Quotation:
    """Words between marks, [start, end) of the reading with the marks.

    `parts` are its folded words, cut where it leaves something out. `firm`: it claims to be what
    somebody said or wrote; otherwise it may be an example, a question or the author's own box.
    """

    start: int
    end: int
    parts: tuple[tuple[str, ...], ...]
    firm: bool

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(word for part in self.parts for word in part)


def find_quotations(reading: Reading) -> list[Quotation]:
    """Quotations of five words or more, in order; titles, headings, code, references left out."""
    hidden = _merged(
        (mask.start, mask.end)
        for mask in reading.masks
        if mask.kind in ("code", "references", "heading")
    )
    found = [*_inline(reading, hidden)]
    taken = [(one.start, one.end) for one in found]
    found.extend(
        one for one in _blocks(reading, hidden) if not blocked_by(taken, one.start, one.end)
    )
    return sorted(found, key=lambda one: one.start)


def _merged(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _inline(reading: Reading, hidden: Sequence[tuple[int, int]]) -> Iterable[Quotation]:
    starts = [start for start, _ in hidden]
    for match in _quoted(reading.raw):
        at = bisect_right(starts, match.start()) - 1
        if at >= 0 and hidden[at][1] > match.start():
            continue
        start, end = match.span("inner")
        parts = split_words(reading.open[start:end])
        if _too_short(parts) or _is_title(reading, match.start(), start, end):
            continue
        lead = reading.open[max(0, match.start() - 40) : match.start()]
        asks = reading.raw[start:end].rstrip("'\" ").endswith("?")
        firm = not asks and not _MADE_UP_LEAD.search(lead)
        yield Quotation(match.start(), match.end(), parts, firm)


def _quoted(raw: str) -> Iterable[re.Match[str]]:
    """What stands between marks; a quotation inside another one is left out."""
    found = [match for pattern in _MARKED for match in pattern.finditer(raw)]
    end = 0
    for match in sorted(found, key=lambda one: (one.start(), -one.end())):
        if match.start() >= end:
            end = match.end()
            yield match


def _blocks(reading: Reading, hidden: Sequence[tuple[int, int]]) -> Iterable[Quotation]:
    for start, end in _block_spans(reading.raw):
        if blocked_by(hidden, start, end):
            continue
        body = _BLOCK_MARK.sub("", reading.raw[start:end])
        author = _AUTHOR.search(body)
        folded = _BLOCK_MARK.sub("", reading.open[start:end])
        parts = split_words(folded[: author.start()] if author else folded)
        if not _too_short(parts) and not _CALLOUT.match(body):
            yield Quotation(start, end, parts, firm=author is not None)


def _block_spans(raw: str) -> Iterable[tuple[int, int]]:
    """Lines of one block quote together."""
    start = end = -1
    for line in _BLOCK_LINE.finditer(raw):
        if line.start() != end + 1:
            if start >= 0:
                yield start, end
            start = line.start()
        end = line.end()
    if start >= 0:
        yield start, end


def split_words(folded: str) -> tuple[tuple[str, ...], ...]:
    """The words of a quotation, cut at ellipses and at what stands in square brackets."""
    folded = _INSIDE_WORD.sub(r"\1", folded)
    parts = (tuple(_WORD.findall(part)) for part in _GAP.split(folded))
    return tuple(part for part in parts if part)


def _too_short(parts: tuple[tuple[str, ...], ...]) -> bool:
    return sum(map(len, parts)) < FEWEST_WORDS


def _is_title(reading: Reading, at: int, start: int, end: int) -> bool:
    """A name of a work: said to be one, or Written Like One."""
    if _TITLE_LEAD.search(reading.open[max(0, at - 30) : at]):
        return True
    inner = reading.raw[start:end].strip()
    long = [word for word in _WORD.findall(inner) if len(word) >= 4 and not word.isdigit()]
    capitals = sum(1 for word in long if word[0].isupper())
    return bool(long) and capitals * 4 >= len(long) * 3 and not inner.endswith((".", "!"))
