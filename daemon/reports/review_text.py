"""The review as people get it, in text and in parts: verdicts first, then why, then what would help."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from daemon.config.phrases import Phrases
from daemon.governance.budget import usd_text
from daemon.notify import message
from daemon.notify.message import Part
from daemon.reports.daily import count_words
from daemon.reports.plain_text import one_line
from daemon.reports.review import CriterionReview, Narration, Review, review_as_json
from daemon.reports.review_words import change_lines, confidence_text, move_lines, state_lines
from daemon.reports.written import Written

_MOST_MOVES = 3


def write_review(review: Review, phrases: Phrases, narration: Narration | None = None) -> Written:
    """`narration` are a model's words that were let through; they stand behind the computed ones."""
    say, said = phrases.text, narration or Narration()
    since, until = review.week
    title = say("review.title", since=since, until=until)
    counted = Counter(one.verdict.outcome for one in review.criteria)
    overall = say(
        "review.overall",
        verdict=say(f"review.verdict_{review.outcome}"),
        confidence=confidence_text(review.confidence_hundredths),
        go=counted["go"],
        no_go=counted["no_go"],
        unknown=counted["not_yet_known"],
    )
    told = [(heading_line(one, phrases), _short(one, phrases, said)) for one in review.criteria]
    closing = [say("review.verdict_is_computed")]
    if said.left_out:
        closing.append(say("review.narrated_replaced", why=one_line(said.left_out)))
    text = [title, overall, *("\n  - ".join([head, *lines]) for head, lines in told), *closing]
    parts = (
        message.heading(title),
        message.text(overall),
        *(_part(head, lines) for head, lines in told),
        *map(message.small, closing),
    )
    return Written("\n".join(text), review_as_json(review, said), parts, title=overall)


def heading_line(one: CriterionReview, phrases: Phrases) -> str:
    return phrases.text(
        "review.criterion",
        id=one.criterion.id,
        name=one_line(one.criterion.name),
        verdict=phrases.text(f"review.verdict_{one.verdict.outcome}"),
        confidence=confidence_text(one.verdict.confidence_hundredths),
    )


def criterion_lines(one: CriterionReview, phrases: Phrases) -> Iterator[str]:
    """Everything that is known of one criterion, the most important first."""
    say = phrases.text
    yield from _consequences(one, phrases)
    yield from state_lines(one.verdict, phrases)
    yield say("review.changed", what="; ".join(change_lines(one.verdict, one.change, phrases)))
    for line in move_lines(one.verdict, phrases):
        yield say("review.moves", what=line)
    yield from _counts(one, phrases)


def _short(one: CriterionReview, phrases: Phrases, said: Narration) -> list[str]:
    say, moves = phrases.text, move_lines(one.verdict, phrases)
    changed = "; ".join(change_lines(one.verdict, one.change, phrases))
    words = (said.words or {}).get(one.criterion.id)
    return [
        *_consequences(one, phrases),
        *state_lines(one.verdict, phrases),
        *([say("review.narrated", model=said.model, words=one_line(words, 600))] if words else []),
        say("review.changed", what=changed),
        say("review.moves", what="; ".join(moves[:_MOST_MOVES])),
        *([say("review.more", id=one.criterion.id)] if len(moves) > _MOST_MOVES else []),
        *_counts(one, phrases),
    ]


def _consequences(one: CriterionReview, phrases: Phrases) -> Iterator[str]:
    """What the founders wrote down for this case, where it has come."""
    if one.verdict.late:
        yield phrases.text("review.late")
    if one.verdict.late or one.verdict.outcome == "no_go":
        yield phrases.text("review.consequence", if_failed=one_line(one.criterion.if_failed, 600))


def _counts(one: CriterionReview, phrases: Phrases) -> Iterator[str]:
    say, items, days = phrases.text, one.items, one.days_left
    yield say("review.findings", week=one.findings_this_week, all=one.findings)
    yield say("review.items", items=count_words("page.counted", items, phrases))
    left = say("review.days_over" if days < 0 else "review.days_left", days=abs(days))
    yield say("review.deadline", deadline=one.criterion.deadline, left=left)
    yield say("review.cost", usd=usd_text(one.cost_micros))


def _part(head: str, lines: Sequence[str]) -> Part:
    return message.lines([message.line(words) for words in lines], title=head)
