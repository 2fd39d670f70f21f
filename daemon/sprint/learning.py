"""A person's complaint about an accepted output becomes a pattern, tried on everything accepted."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from daemon.errors import SprintdError
from daemon.quality.normalise import clean, read
from daemon.quality.pattern_draft import (
    NoPattern,
    PatternDraft,
    Where,
    free_id,
    nearest_harmless,
    regex_of,
    regex_of_phrase,
    sentence_with,
    sentences_of,
)
from daemon.quality.rules import QualityRules, parse_rules
from daemon.sprint.judging import judge_answer
from daemon.sprint.reading import QUALITY_FILE
from daemon.sprint.rejudging import Rejudged, rejudge
from daemon.store import attempts
from daemon.store.attempts import AttemptRow
from daemon.store.database import Database

_ORDER: tuple[Where, ...] = ("sentence", "head", "tail", "whole")
_MOST_SHOWN = 12
_FEWEST_WORDS = 3  # a source mark is no sentence
_MOST_NEIGHBOURS = 50  # accepted outputs that are searched for the nearest harmless sentence


class CannotLearn(SprintdError):
    """No pattern was made; the message says why and what to do."""


@dataclass(frozen=True)
class Lesson:
    """A draft and what it would do. `would_reject` and `would_mark`: other accepted outputs."""

    draft: PatternDraft
    entry: str
    new_text: str
    would_reject: tuple[Rejudged, ...]
    would_mark: tuple[Rejudged, ...]


def draft_from(
    db: Database, row: AttemptRow, rules: QualityRules, *, message: str, words: str, phrase: bool
) -> PatternDraft:
    """The pattern for the sentence of an accepted output that holds `words`.

    `phrase`: only these words, wherever they stand in a sentence. Of the ways in which a pattern
    counts the narrowest that rejects this output is taken; where none does, it only marks. Raises
    CannotLearn.
    """
    text = text_of(row)
    if not words.strip():
        raise CannotLearn(_choose(text))
    found = sentence_with(text, words)
    if found is None:
        raise CannotLearn(f"no sentence of that output holds {words[:80]!r}; {_choose(text)}")
    try:
        regex = regex_of_phrase(words) if phrase else regex_of(found[1])
    except NoPattern as error:
        raise CannotLearn(str(error)) from error
    for known in rules.patterns:
        if known.regex == regex:
            raise CannotLearn(f"{QUALITY_FILE} has this pattern already, as {known.id}")
    leaves = nearest_harmless(found[0], regex, _accepted_texts(db, text))
    if leaves is None:
        raise CannotLearn("there is no other sentence to show what must be left alone")
    taken = (known.id.partition(".")[2] for known in rules.patterns)
    draft = PatternDraft(free_id(message, taken), "sentence", regex, message, found[0], leaves)
    return _narrowest(db, row, rules, draft)


def try_out(
    db: Database,
    row: AttemptRow,
    draft: PatternDraft,
    *,
    toml: str,
    remark: str,
    max_rejections: int,
    told: Callable[[int, int], None] = lambda _done, _all: None,
) -> Lesson:
    """The draft as a part of quality.toml (`toml` is its text now), tried on all accepted outputs.

    Raises WorkspaceInvalid where the file with it is not sound.
    """
    entry = draft.as_toml(remark)
    new_text = f"{toml.rstrip()}\n\n{entry}" if toml.strip() else entry
    rules = parse_rules(new_text, QUALITY_FILE)
    compiled = re.compile(draft.regex)
    rejects, marks = [], []
    for one in rejudge(
        db,
        rules,
        max_rejections=max_rejections,
        told=told,
        only=lambda other: _concerns(other, row, compiled),
    ):
        checks = {defect.check: defect.rejects for defect in one.verdict.defects}
        if checks.get(draft.check):
            rejects.append(one)
        elif draft.check in checks:
            marks.append(one)
    return Lesson(draft, entry, new_text, tuple(rejects), tuple(marks))


def newest_accepted(db: Database, item: str) -> AttemptRow | None:
    """The newest accepted output of an item; None where it has none."""
    accepted = [row for row in attempts.list_for_item(db, item) if row.state == "accepted"]
    return accepted[-1] if accepted else None


def text_of(row: AttemptRow) -> str:
    """The output as it was accepted: without what was cut from it."""
    return str((row.verdict or {}).get("cleaned_text") or row.output or "")


def _concerns(other: AttemptRow, row: AttemptRow, compiled: re.Pattern[str]) -> bool:
    if other.id == row.id or other.state != "accepted":
        return False
    return bool(compiled.search(read(clean(text_of(other))).masked))


def _narrowest(
    db: Database, row: AttemptRow, rules: QualityRules, draft: PatternDraft
) -> PatternDraft:
    for where in _ORDER:
        tried = replace(draft, where=where)
        if _rejects(db, row, rules, tried):
            return tried
    return replace(draft, rejects=False)


def _rejects(db: Database, row: AttemptRow, rules: QualityRules, draft: PatternDraft) -> bool:
    [pattern] = parse_rules(draft.as_toml("a draft"), QUALITY_FILE).patterns
    verdict = judge_answer(
        db,
        row,
        text=row.output or "",
        stop_reason=row.stop_reason or "end_turn",
        model=row.model or "",
        rules=replace(rules, patterns=(*rules.patterns, pattern)),
        earlier=(),
    )
    return any(one.check == draft.check and one.rejects for one in verdict.defects)


def _accepted_texts(db: Database, text: str) -> Iterator[str]:
    """This output, then the newest accepted ones."""
    yield text
    for attempt_id in reversed(attempts.judged_ids(db, limit=2 * _MOST_NEIGHBOURS)):
        row = attempts.find_attempt(db, attempt_id)
        if row is not None and row.state == "accepted":
            yield text_of(row)


def _choose(text: str) -> str:
    sentences = [one for one in sentences_of(text) if len(one.split()) >= _FEWEST_WORDS]
    shown = [f"  {one if len(one) <= 120 else one[:119] + '…'}" for one in sentences[:_MOST_SHOWN]]
    more = len(sentences) - len(shown)
    tail = [f"  … and {more} more"] if more > 0 else []
    return "\n".join(["name the faulty sentence with --text; it has these:", *shown, *tail])
