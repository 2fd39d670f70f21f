"""Regexes of a line's beginning are tried there alone, and find what a search finds."""

from __future__ import annotations

import random
import re

from daemon.quality.figures import _HEADING_NUMBER, _NUMBERING
from daemon.quality.limits_told import _LIMITS
from daemon.quality.lines import at_lines, first_at_line
from daemon.quality.reported_speech import _AFTERWARDS

_PARTS = (
    "\n", "\n", "\n\n", "\r\n", " ", "  ", "1. ", "12) ", "## 3.1 ", "- ", "| 4 | ", "Limits", "Limitations:",
    "What we could not verify", "## Next steps", "In the coming weeks", "we found 14", "(2) ", "> 7. ", "\u2028",
    "Sin verificar", "próximos pasos", "next,", "#", "*", "a",
)  # fmt: skip


def test_a_lines_beginnings_give_what_a_search_of_the_whole_text_gives() -> None:
    """On 600 made texts each regex finds the same places, and the same first one."""
    dice = random.Random(5)
    found = 0
    for _ in range(600):
        text = "".join(dice.choices(_PARTS, k=dice.randint(0, 24)))
        for pattern in (_NUMBERING, _HEADING_NUMBER, _LIMITS, _AFTERWARDS):
            expected = [one.span() for one in pattern.finditer(text)]
            assert [one.span() for one in at_lines(pattern, text)] == expected
            first = first_at_line(pattern, text)
            assert (first and first.span()) == (expected[0] if expected else None)
            found += len(expected)
    assert found > 600


def test_a_match_over_several_lines_is_not_found_twice() -> None:
    """A match that takes the next line along hides what begins there, as in a search."""
    pattern = re.compile(r"^a\n?a?", re.MULTILINE)
    text = "a\na\na\n"
    assert [one.span() for one in at_lines(pattern, text)] == [(0, 3), (4, 6)]
