"""Cut what stands around the work: thinking, greetings, announced searches, closing courtesies.

Whole sentences only, and only from the two ends of a text. What is cut is kept, in order.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from daemon.quality.clauses import clause_starts, has_figure
from daemon.quality.epilogue import cut_epilogue
from daemon.quality.normalise import Reading, Sentence, count_words, read
from daemon.quality.patterns import Pattern, PatternGroup, clause_groups
from daemon.quality.verdict import Profile

_THINKING = (
    "think",
    "thinking",
    "thought",
    "reasoning",
    "scratchpad",
    "reflection",
    "analysis_notes",
    "pensamiento",
    "razonamiento",
    "reflexion",
    "reflexión",
    "inner_monologue",
    "chain_of_thought",
)
_OPENS = re.compile(rf"(?im)^[ \t]*[<\[]({'|'.join(_THINKING)})[>\]]|◁think▷")
_CLOSES = re.compile(rf"(?i)[<\[]/({'|'.join(_THINKING)})[>\]]|◁/think▷")
# What _OPENS and _CLOSES both hold; it begins with one plain class, which is found at once.
_TAG = re.compile(rf"(?i)[<\[◁]/?(?:{'|'.join(_THINKING)})[>\]▷]")
_ONLY_MARKS = re.compile(r"[\s*_#>\-–—=.:!?)\]\"'|]*")
_MOST_SENTENCES = 60
_MOST_TAIL = 12
_FIRST_LOOK = 1_500
_LONG_LOOK = 12_000
_LAST_LOOK = 2_000
_PLANNING_MAY_BE = 0.35


@dataclass(frozen=True)
class Stripped:
    """What is left, and what was cut, in the order of the text."""

    text: str
    cut: tuple[str, ...]


def strip_chatter(text: str, profile: Profile) -> Stripped:
    """The text without thinking blocks, leading chatter and closing chatter."""
    without, thoughts = _cut_thinking(text)
    rest, head = _cut_head(without, profile)
    rest, epilogue = cut_epilogue(rest)
    rest, tail = _cut_tail(rest)
    return Stripped(rest.strip("\n"), (*thoughts, *head, *tail, *epilogue))


def _cut_thinking(text: str) -> tuple[str, list[str]]:
    """Blocks that open on a line of their own; one that never closes takes the rest with it."""
    if not _TAG.search(text):
        return text, []
    kept: list[str] = []
    cut: list[str] = []
    at = 0
    first_close = _CLOSES.search(text)
    first_open = _OPENS.search(text)
    unopened = first_open is None or (first_close and first_close.start() < first_open.start())
    if first_close and unopened and _stands_alone(text, first_close):
        cut.append(text[: first_close.end()])
        at = first_close.end()
    while opened := _OPENS.search(text, at):
        if _in_fence(text, opened.start()):
            kept.append(text[at : opened.end()])
            at = opened.end()
            continue
        closed = _CLOSES.search(text, opened.end())
        end = closed.end() if closed else len(text)
        kept.append(text[at : opened.start()])
        cut.append(text[opened.start() : end])
        at = end
    kept.append(text[at:])
    return "".join(kept), cut


def _stands_alone(text: str, close: re.Match[str]) -> bool:
    """A closing tag without its opening one counts only where nothing else is on its line."""
    line_end = text.find("\n", close.end())
    line_end = len(text) if line_end < 0 else line_end
    return not text[close.end() : line_end].strip() and not _in_fence(text, close.start())


def _in_fence(text: str, at: int) -> bool:
    return text.count("```", 0, at) % 2 == 1


def _cut_head(text: str, profile: Profile) -> tuple[str, list[str]]:
    """Leading sentences that are chatter; announced searches too, unless they are half the text."""
    if not text.strip():
        return text, []
    opening = read(_opening(text, _FIRST_LOOK))
    courtesy, planning = _leading_patterns()
    kinds = courtesy if profile == "plan" else (*courtesy, *planning)
    count = _leading_count(opening, kinds)
    if count == len(opening.sentences):
        opening = read(_opening(text, _LONG_LOOK))
        count = _leading_count(opening, kinds)
    leading = opening.sentences[:count]
    planned = sum(one.words for one in leading if not _is_any(courtesy, opening, one))
    if planned and planned >= _PLANNING_MAY_BE * count_words(text):
        leading = leading[: _leading_count(opening, courtesy)]
    return _remove(text, opening, [(one.start, one.end) for one in leading])


def _leading_count(reading: Reading, groups: tuple[PatternGroup, ...]) -> int:
    for count, sentence in enumerate(reading.sentences[:_MOST_SENTENCES]):
        if not _is_any(groups, reading, sentence):
            return count
    return min(len(reading.sentences), _MOST_SENTENCES)


def _opening(text: str, most: int) -> str:
    """The beginning of the text, cut at a line's end."""
    if len(text) <= most:
        return text
    end = text.rfind("\n", 0, most)
    return text[: end if end > 0 else most]


def _cut_tail(text: str) -> tuple[str, list[str]]:
    """Closing sentences that are courtesies, assurances or an epilogue about tools."""
    if not text.strip():
        return text, []
    start = max(0, len(text) - _LAST_LOOK)
    start = text.rfind("\n", 0, start) + 1 if start else 0
    ending = read(text[start:])
    patterns = _closing_patterns()
    runs: list[tuple[int, int]] = []
    for sentence in reversed(ending.sentences[-_MOST_TAIL:]):
        if not _is_any(patterns, ending, sentence) or _followed(ending, sentence, runs):
            break
        runs.insert(0, (sentence.start, sentence.end))
    rest, cut = _remove(text[start:], ending, runs)
    return text[:start] + rest, cut


def _followed(reading: Reading, sentence: Sentence, runs: list[tuple[int, int]]) -> bool:
    """Whether a table, quotation, code or reference list stands behind it: then it ends nothing."""
    until = runs[0][0] if runs else len(reading.raw)
    return _ONLY_MARKS.fullmatch(reading.raw, sentence.end, until) is None


def _is_any(groups: tuple[PatternGroup, ...], reading: Reading, sentence: Sentence) -> bool:
    """Whether one of them matches this sentence; a courtesy must be all of it, to its end."""
    digits = has_figure(reading, sentence)
    starts = clause_starts(reading, sentence)
    for group in groups:
        text = reading.open if group.mask == "open" else reading.masked
        for start in starts.every:
            for pattern in group.likely(text, start, sentence.end):
                if digits and pattern.spare_figures:
                    continue
                found = pattern.compiled.match(text, start, sentence.end)
                if found and (
                    pattern.action != "strips" or _is_all(reading, found.end(), sentence)
                ):
                    return True
    return False


def _is_all(reading: Reading, end: int, sentence: Sentence) -> bool:
    return _ONLY_MARKS.fullmatch(reading.raw, end, sentence.end) is not None


def _remove(text: str, reading: Reading, runs: list[tuple[int, int]]) -> tuple[str, list[str]]:
    kept: list[str] = []
    cut: list[str] = []
    at = 0
    for start, end in runs:
        first, last = reading.span(start, end)
        marks = _line_marks(text, first, last, at)
        kept.append(text[at:marks])
        cut.append(text[first:last].strip())
        at = last
        while at < len(text) and text[at] in " \t*_":
            at += 1
    kept.append(text[at:])
    return "".join(kept), cut


def _line_marks(text: str, first: int, last: int, at: int) -> int:
    """Where the cut begins: list markers go with a sentence that is alone on its line."""
    start = max(text.rfind("\n", 0, first) + 1, at)
    end = text.find("\n", last)
    end = len(text) if end < 0 else end
    alone = not text[start:first].strip("*_->#+ \t0123456789.)") and not text[last:end].strip(
        "*_ \t"
    )
    return start if alone else first


@lru_cache(maxsize=1)
def _leading_patterns() -> tuple[tuple[PatternGroup, ...], tuple[PatternGroup, ...]]:
    return _groups("strips", "head"), _groups("planning", "")


@lru_cache(maxsize=1)
def _closing_patterns() -> tuple[PatternGroup, ...]:
    return _groups("strips", "tail")


def _groups(kind: str, where: str) -> tuple[PatternGroup, ...]:
    """What is cut from one end (strips), or the patterns of a family, in groups."""

    def wanted(one: Pattern) -> bool:
        if kind == "strips":
            return one.action == "strips" and one.where == where
        return one.family.name == kind

    return tuple(group for group in clause_groups() if wanted(group.patterns[0]))
