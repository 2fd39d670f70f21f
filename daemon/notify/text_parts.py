"""Long text in parts that a far side accepts; nothing is lost between them."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

_JOINER = "\N{ZERO WIDTH JOINER}"


def utf16_units(character: str) -> int:
    """How many units a character takes where text is counted as JavaScript does."""
    return 2 if ord(character) > 0xFFFF else 1


def split_text(text: str, limit: int, size: Callable[[str], int] = utf16_units) -> list[str]:
    """The text in parts of at most `limit`, by the `size` of each character; none for no text.

    Ends a part after a line end in its last quarter, else after a blank, else between two characters as
    people see them (a letter stays with its accents, an emoji whole). Joined, the parts are the text.
    """
    parts = []
    while text:
        parts.append(cut_text(text, limit, size))
        text = text[len(parts[-1]) :]
    return parts


def cut_text(text: str, limit: int, size: Callable[[str], int] = utf16_units) -> str:
    """The first part of `split_text`; empty for no text."""
    end = _fits(text, limit, size)
    return text[: _good_end(text, end)] if end < len(text) else text


def _fits(text: str, limit: int, size: Callable[[str], int]) -> int:
    """How many characters fit; at least one, so that splitting comes to an end."""
    used = 0
    for index, character in enumerate(text):
        used += size(character)
        if used > limit:
            return max(1, index)
    return len(text)


def _good_end(text: str, end: int) -> int:
    for mark, start in (("\n", end * 3 // 4), (" ", end // 2)):
        found = text.rfind(mark, start, end)
        if found >= 0 and not _is_inside(text, found + 1):
            return found + 1
    whole = end
    while whole > 1 and _is_inside(text, whole):
        whole -= 1
    return whole if whole > 1 else end


def _is_inside(text: str, at: int) -> bool:
    """Whether the place before `text[at]` is within what people see as one character."""
    before, after = text[at - 1], text[at]
    if _JOINER in (before, after) or unicodedata.category(after).startswith("M"):
        return True
    if 0x1F3FB <= ord(after) <= 0x1F3FF or 0xE0020 <= ord(after) <= 0xE007F:  # skin, flags' tags
        return True
    return _is_flag(after) and _letters_before(text, at) % 2 == 1


def _letters_before(text: str, at: int) -> int:
    """How many of the letters that flags are made of, two each, stand right before a place."""
    start = at
    while start > 0 and _is_flag(text[start - 1]):
        start -= 1
    return at - start


def _is_flag(character: str) -> bool:
    return 0x1F1E6 <= ord(character) <= 0x1F1FF
