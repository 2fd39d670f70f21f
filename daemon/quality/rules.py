"""What a workspace says about quality: its threshold, and what its field counts as substance.

quality.toml, as text, becomes `QualityRules`; a fault names line and key. All keys are optional:

    threshold_hundredths = 40

    [[bonus]]                  # adds to (or, negative, takes from) the score, once
    name, hundredths, reason, regex | words

    [[pattern]]                # garbage that only this field knows
    id, where, regex | words, message, catches, leaves, rejects

Regexes are tried on lower case without accents. A pattern's two examples are tried when the file is read.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from daemon.config.toml_lines import KeyLines, key_lines, line_of
from daemon.config.toml_syntax import syntax_faults
from daemon.errors import Fault, WorkspaceInvalid
from daemon.quality.normalise import clean, fold, read
from daemon.quality.patterns import Family, Pattern

MOST_BONUS = 20
MOST_REGEX = 400

_NESTED = re.compile(r"\([^()]*[+*][^()]*\)[+*{]")
_TOP = ("threshold_hundredths", "bonus", "pattern")
_BONUS = {"name": str, "hundredths": int, "reason": str, "regex": str, "words": list}
_PATTERN = {
    "id": str,
    "where": str,
    "regex": str,
    "words": list,
    "message": str,
    "catches": str,
    "leaves": str,
    "rejects": bool,
}
_ID = re.compile(r"[a-z][a-z0-9_.-]{1,60}")


@dataclass(frozen=True)
class DomainBonus:
    """What the score gains where `compiled` is found in the folded text; may be negative."""

    name: str
    hundredths: int
    reason: str
    compiled: re.Pattern[str]


@dataclass(frozen=True)
class QualityRules:
    """A workspace's own rules. The default is the package's: threshold 40, nothing of a field."""

    threshold_hundredths: int = 40
    bonuses: tuple[DomainBonus, ...] = ()
    patterns: tuple[Pattern, ...] = ()


def parse_rules(text: str, file: str) -> QualityRules:
    """Rules from the text of quality.toml; without a threshold of its own it is 40.

    Raises WorkspaceInvalid with all faults of the file.
    """
    try:
        table = tomllib.loads(text)
    except (RecursionError, ValueError) as error:
        raise WorkspaceInvalid(syntax_faults(error, text, file)) from None
    reader = _Reader(file, key_lines(text))
    rules = reader.rules(table)
    if reader.faults:
        raise WorkspaceInvalid(reader.faults)
    return rules


class _Reader:
    """Collects faults, so that a person sees all of them at once."""

    def __init__(self, file: str, lines: KeyLines) -> None:
        self.file = file
        self.lines = lines
        self.faults: list[Fault] = []

    def rules(self, table: Mapping[str, Any]) -> QualityRules:
        for key in table:
            if key not in _TOP:
                self._fault(self._line(key), key, "unknown key", _meant(key, _TOP))
        threshold = table.get("threshold_hundredths", QualityRules.threshold_hundredths)
        if not _is_int(threshold) or not 0 <= threshold <= 100:
            line = self._line("threshold_hundredths")
            self._fault(line, "threshold_hundredths", "must be a whole number from 0 to 100")
        bonuses = [self._bonus(i, one) for i, one in self._tables(table, "bonus")]
        patterns = [self._pattern(i, one) for i, one in self._tables(table, "pattern")]
        self._doubles(patterns)
        return QualityRules(
            threshold,
            tuple(one for one in bonuses if one),
            tuple(one for one in patterns if one),
        )

    def _tables(self, table: Mapping[str, Any], kind: str) -> Iterable[tuple[int, dict[str, Any]]]:
        found = table.get(kind, [])
        if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
            self._fault(self._line(kind), kind, "must be tables", f"write [[{kind}]] above each")
            return ()
        return list(enumerate(found))

    def _bonus(self, index: int, table: dict[str, Any]) -> DomainBonus | None:
        before = len(self.faults)
        self._check(index, "bonus", table, _BONUS, ("name", "hundredths"))
        regex = self._regex(index, "bonus", table)
        hundredths = table.get("hundredths")
        if isinstance(hundredths, int) and not -MOST_BONUS <= hundredths <= MOST_BONUS:
            self._at(index, "bonus", "hundredths", f"must be from -{MOST_BONUS} to {MOST_BONUS}")
        if regex is None or len(self.faults) > before or not isinstance(hundredths, int):
            return None
        return DomainBonus(
            table["name"], hundredths, table.get("reason", "named by the workspace"), regex
        )

    def _pattern(self, index: int, table: dict[str, Any]) -> Pattern | None:
        before = len(self.faults)
        self._check(index, "pattern", table, _PATTERN, ("id", "message", "catches", "leaves"))
        regex = self._regex(index, "pattern", table)
        if isinstance(table.get("id"), str) and not _ID.fullmatch(table["id"]):
            self._at(index, "pattern", "id", "must be lower case letters, digits, dots, dashes")
        if table.get("where", "sentence") not in ("sentence", "head", "tail", "whole"):
            self._at(index, "pattern", "where", "must be sentence, head, tail or whole")
        if regex is None or len(self.faults) > before:
            return None
        pattern = _domain_pattern(table, regex)
        self._try_examples(index, pattern)
        return pattern

    def _try_examples(self, index: int, pattern: Pattern) -> None:
        if not pattern.compiled.search(read(clean(pattern.catches)).masked):
            self._at(index, "pattern", "catches", "this example is not caught by the pattern")
        if pattern.compiled.search(read(clean(pattern.leaves)).masked):
            self._at(index, "pattern", "leaves", "this example must be left alone, but is caught")

    def _check(
        self,
        index: int,
        kind: str,
        table: dict[str, Any],
        known: Mapping[str, type],
        needed: tuple[str, ...],
    ) -> None:
        for key, value in table.items():
            if key not in known:
                self._at(index, kind, key, "unknown key", _meant(key, known))
            elif not _is_a(value, known[key]):
                self._at(index, kind, key, f"must be {_NAMES[known[key]]}")
        for key in needed:
            if key not in table:
                line = self._line(kind, index)
                self._fault(line, f"{kind}[{index}].{key}", "is missing", f"add {key} = ...")

    def _regex(self, index: int, kind: str, table: dict[str, Any]) -> re.Pattern[str] | None:
        words, regex = table.get("words"), table.get("regex")
        if (words is None) == (regex is None):
            line = self._line(kind, index)
            self._fault(line, f"{kind}[{index}]", "needs either regex or words, not both")
            return None
        key = "regex" if words is None else "words"
        if isinstance(words, list):
            if not words or not all(isinstance(word, str) and word.strip() for word in words):
                self._at(index, kind, key, "must be a list of words")
                return None
            regex = rf"\b(?:{'|'.join(re.escape(fold(word.strip())) for word in words)})\b"
        return self._compile(index, kind, key, regex)

    def _compile(self, index: int, kind: str, key: str, regex: Any) -> re.Pattern[str] | None:
        if not isinstance(regex, str):
            return None
        if key == "regex" and len(regex) > MOST_REGEX:
            self._at(index, kind, key, f"is longer than {MOST_REGEX} characters")
        elif _NESTED.search(regex):
            self._at(
                index,
                kind,
                key,
                "repeats a repetition, which can take for ever",
                "bound it: {0,40}",
            )
        else:
            try:
                return re.compile(regex)
            except (re.error, OverflowError, RecursionError) as error:
                self._at(index, kind, key, f"is no regular expression: {error}")
        return None

    def _doubles(self, patterns: list[Pattern | None]) -> None:
        seen: set[str] = set()
        for index, pattern in enumerate(patterns):
            if pattern and pattern.id in seen:
                self._at(index, "pattern", "id", f"'{pattern.id}' is used twice")
            if pattern:
                seen.add(pattern.id)

    def _at(self, index: int, kind: str, key: str, message: str, cure: str = "") -> None:
        self._fault(self._line(kind, index, key), f"{kind}[{index}].{key}", message, cure)

    def _line(self, *path: str | int) -> int:
        """Of the key, else of its table; of an array of tables, its first."""
        return line_of(self.lines, path) or line_of(self.lines, (*path, 0))

    def _fault(self, line: int, key: str, message: str, cure: str = "") -> None:
        self.faults.append(Fault(self.file, line, key, message, cure))


_NAMES = {str: "text", int: "a whole number", bool: "true or false", list: "a list of words"}


def _meant(key: str, known: Iterable[str]) -> str:
    words = list(known)
    near = difflib.get_close_matches(key, words, n=1)
    return f"did you mean {near[0]}?" if near else f"known are {', '.join(words)}"


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_a(value: object, kind: type) -> bool:
    return _is_int(value) if kind is int else isinstance(value, kind)


def _domain_pattern(table: Mapping[str, Any], regex: re.Pattern[str]) -> Pattern:
    family = Family("domain", 0.35, 300, spare_figures=False, profiles_without=())
    return Pattern(
        id=f"domain.{table['id']}",
        family=family,
        language="any",
        regex=regex.pattern,
        message=table["message"],
        answers="named by the workspace",
        catches=table["catches"],
        leaves=table["leaves"],
        where=table.get("where", "sentence"),
        mask="masked",
        action="rejects" if table.get("rejects", True) else "flags",
        source=regex.pattern,
    )
