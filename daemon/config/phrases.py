"""The sentences that people read, in their language: one key for each in phrases/*.toml."""

from __future__ import annotations

import re
import string
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any, get_args

from daemon.config.sections import Language

_FORMS = re.compile(r"[^{}|]*\|[^{}|]*")


class Phrases:
    """One language's sentences. All tables have the same keys and placeholders (a test says so)."""

    def __init__(self, language: Language) -> None:
        self.language: Language = language
        self._table = load_table(language)

    def text(self, key: str, /, **values: object) -> str:
        """The sentence `key` with its {placeholders} filled in.

        {count:item|items} is the word that agrees with the number `count`: the first one for 1.

        Raises KeyError for a key that the table does not have, and ValueError where a value is
        missing or is not one of the sentence's placeholders: both are faults of the caller.
        """
        form = self._table.get(key)
        if form is None:
            raise KeyError(f"no phrase {key!r} in phrases/{self.language}.toml")
        wanted = placeholders(form)
        if wanted != frozenset(values):
            given = ", ".join(sorted(values)) or "nothing"
            names = ", ".join(sorted(wanted)) or "nothing"
            raise ValueError(f"phrase {key!r} wants {names}, got {given}")
        return _filled(form, values)

    def has(self, key: str) -> bool:
        return key in self._table


def placeholders(form: str) -> frozenset[str]:
    """The names in braces. Raises ValueError for a brace that is not a plain name in a pair, alone or
    with two forms of a word behind a colon."""
    names = set()
    for _text, name, spec, conversion in string.Formatter().parse(form):
        if name is None:
            continue
        if conversion or not name.isidentifier() or (spec and not _FORMS.fullmatch(spec)):
            raise ValueError(f"a placeholder is {{item}} or {{count:item|items}}: {form!r}")
        names.add(name)
    return frozenset(names)


@cache
def load_table(language: Language) -> dict[str, str]:
    """All sentences of a language by dotted key. Raises ValueError where an entry is no text."""
    if language not in get_args(Language):
        raise ValueError(f"no phrases for the language {language!r}")
    file = resources.files("daemon.config") / "phrases" / f"{language}.toml"
    return dict(_flat(tomllib.loads(file.read_text("utf-8")), ""))


def _filled(form: str, values: Mapping[str, object]) -> str:
    parts = []
    for text, name, spec, _ in string.Formatter().parse(form):
        parts.append(text)
        if name is not None:
            parts.append(_agreeing(spec, values[name]) if spec else str(values[name]))
    return "".join(parts)


def _agreeing(forms: str, number: object) -> str:
    """English and Spanish have one form for 1 and one for all else, 0 and fractions among them."""
    one, _, many = forms.partition("|")
    return one if str(number) == "1" else many


def _flat(table: dict[str, Any], prefix: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for key, value in table.items():
        if isinstance(value, dict):
            found.extend(_flat(value, f"{prefix}{key}."))
        elif isinstance(value, str):
            found.append((f"{prefix}{key}", value))
        else:
            raise ValueError(f"the phrase {prefix}{key} is not a text")
    return found
