"""assess: one output and its task in, one verdict out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from daemon.quality.arithmetic import does_not_add_up
from daemon.quality.claims import Claim, SourceNote
from daemon.quality.comparisons import against_own_figures
from daemon.quality.conclusions import against_own_numbers
from daemon.quality.copying import copies_a_source, restates_prompt
from daemon.quality.garbage import judge_hits
from daemon.quality.grounding import claim_defects, ground
from daemon.quality.hits import find_hits
from daemon.quality.language import other_language
from daemon.quality.misread import without_misread
from daemon.quality.normalise import Reading, clean, read
from daemon.quality.plausibility import implausible
from daemon.quality.relevance import off_topic, says_nothing
from daemon.quality.repetition import loops, repeats_earlier, stale_news
from daemon.quality.rules import QualityRules
from daemon.quality.score import score_parts, total
from daemon.quality.strip import strip_chatter
from daemon.quality.structure import structure_defects
from daemon.quality.verdict import Defect, Outcome, ScorePart, TaskBrief, Verdict

LONGEST_CHARACTERS = 1_000_000

_EARLIER_LOOKED_AT = 50


def assess(
    output: str,
    task: TaskBrief,
    *,
    rules: QualityRules,
    truncated: bool = False,
    sources: Sequence[SourceNote] = (),
    earlier: Sequence[str] = (),
) -> Verdict:
    """Judge one output. Pure, deterministic, linear in the output's length; never raises for any text.

    1. Clean it and cut the chatter around it; what was cut is kept in `stripped`.
    2. Read what is left once: masks, sentences, words.
    3. Look up what it claims in the notes.
    4. Collect defects: garbage patterns, shape, repetition, what only the task and the notes can
       tell, what cannot be right, claims without a note.
    5. Score it; below the threshold it is rejected, except in the profile `answer`.

    `truncated` says that the provider stopped at its output limit: such a text is never whole and is
    rejected. `earlier` are outputs that this one may not repeat (newest first, 50 are looked at); a
    deterministic provider repeats itself on a retry, so give the outputs of other items, or accepted
    ones, there. `sources` is what the agent was given: what the text claims is looked up there.
    """
    if len(output) > LONGEST_CHARACTERS:
        return _too_long(output, rules, task)
    stripped = strip_chatter(clean(output), task.profile)
    reading = read(stripped.text)
    hits = without_misread(reading, find_hits(reading, rules.patterns))
    claims = ground(reading, task, sources)
    defects = [
        *_cut_by_limit(truncated=truncated),
        *judge_hits(reading, hits, task.profile),
        *structure_defects(reading, task.profile),
        *_repetition(reading, claims, earlier),
        *_given(reading, task, sources),
        *_plausibility(reading, task),
        *claim_defects(claims),
    ]
    parts = score_parts(reading, hits, rules)
    threshold = None if task.profile == "answer" else rules.threshold_hundredths
    defects.extend(_below_threshold(parts, threshold))
    return Verdict(
        outcome=_outcome(defects),
        score_hundredths=total(parts),
        parts=parts,
        defects=tuple(_once(defects)),
        cleaned_text=stripped.text,
        stripped=stripped.cut,
        threshold_hundredths=threshold,
        claims=claims,
    )


def _too_long(output: str, rules: QualityRules, task: TaskBrief) -> Verdict:
    """No model call returns this much; it is kept whole and not looked into."""
    message = (
        f"It has {len(output):,} characters, more than {LONGEST_CHARACTERS:,}; nothing was read."
    )
    return Verdict(
        outcome="reject",
        score_hundredths=0,
        parts=(ScorePart("content", 0, "it was too long to be read"),),
        defects=(Defect("structure.too_long", message, rejects=True),),
        cleaned_text=clean(output),
        threshold_hundredths=None if task.profile == "answer" else rules.threshold_hundredths,
    )


def _cut_by_limit(*, truncated: bool) -> Iterable[Defect]:
    if truncated:
        message = (
            "It was cut by the output limit, so its end is missing; write less or raise the limit."
        )
        yield Defect("structure.truncated", message, rejects=True)


def _repetition(
    reading: Reading, claims: Sequence[Claim], earlier: Sequence[str]
) -> Iterable[Defect]:
    yield from loops(reading)
    yield from repeats_earlier(reading, earlier[:_EARLIER_LOOKED_AT], claims)
    yield from stale_news(reading, earlier[:_EARLIER_LOOKED_AT])


def _given(reading: Reading, task: TaskBrief, sources: Sequence[SourceNote]) -> Iterable[Defect]:
    """What only its question, its instructions and its notes can tell."""
    yield from restates_prompt(reading, task.prompt_text)
    yield from copies_a_source(reading, task, sources)
    yield from off_topic(reading, task)
    yield from says_nothing(reading, task)


def _plausibility(reading: Reading, task: TaskBrief) -> Iterable[Defect]:
    yield from implausible(reading)
    yield from does_not_add_up(reading)
    yield from against_own_numbers(reading, task)
    yield from against_own_figures(reading)
    yield from other_language(reading, task.language)


def _below_threshold(parts: Sequence[ScorePart], threshold: int | None) -> Iterable[Defect]:
    score = total(tuple(parts))
    if threshold is not None and score < threshold:
        message = (
            f"Its content score is {score / 100:.2f}, below the threshold of {threshold / 100:.2f}."
        )
        yield Defect("score.below_threshold", message, rejects=True)


def _once(defects: Iterable[Defect]) -> Iterable[Defect]:
    """Each defect once, rejecting ones first."""
    seen: set[Defect] = set()
    for defect in sorted(defects, key=lambda one: not one.rejects):
        if defect not in seen:
            seen.add(defect)
            yield defect


def _outcome(defects: Sequence[Defect]) -> Outcome:
    if any(defect.rejects for defect in defects):
        return "reject"
    return "flag" if defects else "accept"
