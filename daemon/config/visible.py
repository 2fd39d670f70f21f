"""Characters that nobody sees, named where text of models, notes and files is shown to people.

One rule for pages, terminal, Slack, Notion, files and PDF, by what Unicode says of a character and not
by a list of tricks. Named, as in [U+202E], is what has no shape of its own: control characters,
formats (they join, part, turn or mark what is around them), line and paragraph separators, private and
half characters, and what Unicode lets a font leave out (fillers, variation selectors, tags).

As they are stay line ends and tabs, and formats where they make a shape that is seen: an emoji's
joiner, selector and flag tags, a form of a Chinese character, the joiners behind a letter of a script
that is written with them (Persian, Hindi), and the few formats that are signs themselves: at most one
behind each sign that is seen, so no sentence hides in them.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

# Unicode's Other_Default_Ignorable_Code_Point and Variation_Selector (PropList.txt), which Python's
# tables do not have, and the two blanks that Unicode counts as signs.
_IGNORED = (
    *((0x034F, 0x034F), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F), (0x2065, 0x2065)),
    *((0x2800, 0x2800), (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8)),
    *((0x1D159, 0x1D159), (0xE0000, 0xE0FFF)),
)
# Prepended_Concatenation_Mark: formats with a shape, such as the Arabic sign of a year.
_SEEN = frozenset(
    (*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD, *b"\t\n\r")
)
_UNSEEN = frozenset(("Cc", "Cf", "Cs", "Co", "Zl", "Zp"))
_JOINED_SCRIPTS = "\u0620-\u065f\u066e-\u08c7\u0900-\u0dff\u1000-\u109f\u1780-\u17b3\u1820-\u1878"
_EMOJI = "\u00a9\u00ae\u203c\u2049\u2100-\u27ff\u2801-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
_KEPT = (
    "\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f",  # flags of regions
    rf"[{_EMOJI}][\ufe0e\ufe0f]?[\U0001f3fb-\U0001f3ff]?(?:\u200d(?=[{_EMOJI}]))?",
    "[0-9#*]\ufe0f\u20e3",
    rf"[{_JOINED_SCRIPTS}][\u200c\u200d]",
    rf"[{_HAN}][\ufe00-\ufe02\U000e0100-\U000e010f]",
    "[\u1820-\u1878][\u180b-\u180f]",  # Mongolian
)
_RUN = 4  # of more signs in a row only the first and the last are named


def visible(text: str) -> str:
    """The text with each character that nobody sees as its number, as in gpj.[U+202E]exe.

    A long row of them is told with its length: [U+200B ×40], [U+E0041…U+E007A ×57].
    """
    if text.isascii() and text.isprintable():
        return text
    unseen = "".join(sorted(char for char in set(text) if _is_unseen(char)))
    return _pattern(unseen).sub(_shown, text) if unseen else text


def _shown(found: re.Match[str]) -> str:
    row = found["unseen"]
    if row is None:
        return found[0]
    if len(row) <= _RUN:
        return "".join(f"[{_number(char)}]" for char in row)
    ends = _number(row[0]) if len(set(row)) == 1 else f"{_number(row[0])}…{_number(row[-1])}"
    return f"[{ends} ×{len(row)}]"


def _number(char: str) -> str:
    return f"U+{ord(char):04X}"


@lru_cache(64)
def _pattern(unseen: str) -> re.Pattern[str]:
    """What stays as it is, so that it is passed over, or a row of the `unseen`."""
    return re.compile(f"{'|'.join(_KEPT)}|(?P<unseen>[{re.escape(unseen)}]+)")


def _is_unseen(char: str) -> bool:
    code = ord(char)
    if code in _SEEN:
        return False
    is_ignored = any(first <= code <= last for first, last in _IGNORED)
    return is_ignored or unicodedata.category(char) in _UNSEEN
