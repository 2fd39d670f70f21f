"""The characters of a text: compatibility forms, quotes and invisible ones made plain, offsets kept."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

_ZERO_WIDTH = dict.fromkeys(
    (
        *(0x00AD, 0x061C, 0x180E, 0xFEFF),
        *range(0x200B, 0x2010),
        *range(0x202A, 0x202F),
        *range(0x2060, 0x2070),
    )
)
_QUOTES = {
    **dict.fromkeys(map(ord, "\u2018\u2019\u201a\u201b\u2032\u02bc\u00b4\uff07"), "'"),
    **dict.fromkeys(map(ord, "\u201c\u201d\u201e\u201f\u2033\uff02"), '"'),
    **dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2212"), "-"),
}
ZERO_WIDTH_SIGNS = frozenset(map(chr, _ZERO_WIDTH))
_QUOTE_SIGNS = frozenset(map(chr, _QUOTES))
_ASCII = bytes(range(128))
_NON_ASCII_RUN = re.compile(r"[\x00-\x7f]?[^\x00-\x7f]+")


def plain(text: str) -> tuple[str, tuple[int, ...] | None]:
    """The `raw` of a reading, and the offset in `text` of each of its characters (None: the same)."""
    if text.isascii():
        return text, None
    signs = signs_of(text)
    text_quotes = text
    for sign in signs & _QUOTE_SIGNS:
        text_quotes = text_quotes.replace(sign, _QUOTES[ord(sign)])
    if not signs & ZERO_WIDTH_SIGNS and unicodedata.is_normalized("NFKC", text_quotes):
        return text_quotes, None
    pieces: list[str] = []
    offsets: list[int] = []
    at = 0
    for run in _NON_ASCII_RUN.finditer(text_quotes):
        pieces.append(text_quotes[at : run.start()])
        offsets.extend(range(at, run.start()))
        for start, cluster in _clusters(run.group(), run.start()):
            changed = unicodedata.normalize("NFKC", cluster).translate(_ZERO_WIDTH)
            changed = changed.translate(_QUOTES)
            pieces.append(changed)
            offsets.extend([start] * len(changed))
        at = run.end()
    pieces.append(text_quotes[at:])
    offsets.extend(range(at, len(text_quotes)))
    return "".join(pieces), tuple(offsets)


def signs_of(text: str) -> frozenset[str]:
    """The characters beyond ASCII, each once."""
    rest = text.encode("utf-8", "surrogatepass").translate(None, _ASCII)
    return frozenset(rest.decode("utf-8", "surrogatepass"))


def _clusters(run: str, offset: int) -> Iterable[tuple[int, str]]:
    """A base character with its combining marks, and where it stands."""
    start = 0
    for index in range(1, len(run)):
        if not unicodedata.combining(run[index]) or index - start > 8:
            yield offset + start, run[start:index]
            start = index
    yield offset + start, run[start:]
