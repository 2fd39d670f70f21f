"""The TOML files of `patterns/` and their named pieces, before they become patterns.

One `[[pattern]]` is one way in which a text fails.

A file of one family begins with `[family]`: how much of a text must match before it counts.

    share         matched words over all words from which the family rejects, 0..1
    short_words   up to so many words one match in a telling position (head, tail) rejects
    spare_figures sentences with digits are left alone
    up_to_words   longer texts are not looked at; without it all are
    counts_with   other families whose matched words count towards this one's share

Each `[[pattern]]` has id, language, regex, message, answers, catches, leaves, and, where the
family's own does not fit, where, mask, action, share, short_words, up_to_words, spare_figures
and profiles_without. `{name}` in a regex stands for that entry of `_words.toml`. Clause patterns (head,
tail, sentence) are tried where a sentence or clause begins.

A file of one language begins with `language = "pt"`. Each of its patterns names the `family` whose
settings it takes. Its `[words]` are its own named pieces; two of them have a meaning: `lead` is what
may stand in front of a clause ("Sorry, but ..."), `joins` are words that begin one (and, because).
All patterns are tried on all texts, whatever the workspace speaks: to add a language, add a file.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Any

_WORD_NAME = re.compile(r"\{([a-z_]+)\}")


@lru_cache(maxsize=1)
def load_tables() -> tuple[tuple[str, dict[str, Any]], ...]:
    """File name and table of each pattern file, in the order of their names; read once."""
    folder = files("daemon.quality") / "patterns"
    entries = sorted(folder.iterdir(), key=lambda one: one.name)
    return tuple(
        (entry.name, tomllib.loads(entry.read_text(encoding="utf-8")))
        for entry in entries
        if entry.name.endswith(".toml") and not entry.name.startswith("_")
    )


@lru_cache(maxsize=1)
def load_words() -> dict[str, str]:
    """Named pieces of regexes; a piece may use those above it."""
    text = (files("daemon.quality") / "patterns" / "_words.toml").read_text(encoding="utf-8")
    return with_pieces(tomllib.loads(text), {})


def with_pieces(table: Mapping[str, str], known: Mapping[str, str]) -> dict[str, str]:
    """The pieces of a table beside the known ones, each with the pieces it uses put in."""
    words = dict(known)
    for name, regex in table.items():
        words[name] = put_in(regex, words)
    return words


def put_in(regex: str, words: Mapping[str, str]) -> str:
    """`{name}` replaced by that piece. Raises KeyError for a name that there is not."""
    return _WORD_NAME.sub(lambda found: f"(?:{words[found.group(1)]})", regex)


def pieces_of_languages(piece: str) -> Iterable[str]:
    """This piece of each language file that has one."""
    for _, table in load_tables():
        words = with_pieces(table.get("words", {}), {})
        if piece in words:
            yield words[piece]
