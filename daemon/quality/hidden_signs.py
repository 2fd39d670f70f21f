"""Signs that nobody sees and that change what a text says: reversed reading order, smuggled letters."""

from __future__ import annotations

import re
from collections.abc import Iterable

from daemon.quality.characters import signs_of
from daemon.quality.verdict import Defect

# Right-to-left and left-to-right override: letters are shown in another order than they stand.
_OVERRIDE = re.compile("[\u202d\u202e]")
# Embedding and isolate from right to left: at home in Arabic and Hebrew, in other texts a trick.
_TURNED = re.compile("[\u202b\u2067]")
_FROM_THE_RIGHT = re.compile("[\u0590-\u08ff\ufb1d-\ufefc]")
# Tags spell letters that are not shown; only a flag (U+1F3F4) uses them.
_TAGS = re.compile("(?<![\U0001f3f4\U000e0020-\U000e007f])[\U000e0020-\U000e007f]{3}")
_TURNING = frozenset("\u202b\u202d\u202e\u2067")
_FIRST_TAG = "\U000e0020"


def hidden_signs(text: str) -> Iterable[Defect]:
    """A rejecting defect for each kind of hidden sign in this cleaned text, at its first place."""
    signs = signs_of(text)
    if _TURNING.isdisjoint(signs) and max(signs, default="") < _FIRST_TAG:
        return
    turned = _OVERRIDE.search(text)
    if turned is None and not _FROM_THE_RIGHT.search(text):
        turned = _TURNED.search(text)
    if turned:
        message = "It holds control characters that show its letters in another order."
        yield Defect("hidden_signs.reading_order", message, rejects=True, span=turned.span())
    tags = _TAGS.search(text)
    if tags:
        message = "It holds letters that are not shown to a reader."
        yield Defect("hidden_signs.tags", message, rejects=True, span=tags.span())
