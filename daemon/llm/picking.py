"""Which of the sentences that have to do with a question stand in a brief, and in which part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest

from daemon.llm.finding_text import is_finding
from daemon.llm.provider import SourceText
from daemon.llm.selection import Choice
from daemon.llm.sentence_kinds import announces, has_figure, states_gap

BEST = 3  # passages in the section "most relevant"
ENOUGH_WORDS = 150  # context is added up to here, so that a brief can be judged on its content
MOST_WORDS = 420
MOST_GAPS = 4
_SAME_SOURCE = 0.4  # what a source's next best passage counts, so that one does not fill it all
_MOST_BEFORE = 2  # sentences that are quoted before one, so that its "these" means something


@dataclass
class Picks:
    """`best` and `evidence` are in order of relevance; `gaps` are what people wrote is not known."""

    best: list[Choice] = field(default_factory=list)
    evidence: list[Choice] = field(default_factory=list)
    gaps: list[Choice] = field(default_factory=list)

    def drop_last(self) -> bool:
        """Leave out what is missed least; False where nothing is left."""
        for part in (self.evidence, self.gaps, self.best):
            if part:
                part.pop()
                return True
        return False


def pick(choices: Sequence[Choice], sources: Sequence[SourceText]) -> Picks:
    """What the item names comes first, and of it what holds a figure; then what answers well.

    "Well" is a tenth of the score of the third best passage, and a third where the item names
    sources. Up to the lower number of words, what only stands near an answer is added.
    """
    facts = [one for one in choices if _states_fact(one, sources)]
    named = {number for number, source in enumerate(sources) if source.named}
    picks = Picks(best=_best(facts, sources))
    rest = [one for one in facts if one not in picks.best]
    words = sum(one.passage.words for one in picks.best)
    scores = sorted((one.score for one in facts if one.distance == 0), reverse=True)
    well = scores[min(len(scores), BEST) - 1] / (3 if named else 10) if scores else 0.0
    for one, limit in _in_order(rest, named, sources, well):
        if words >= limit:
            continue
        picks.evidence.append(one)
        words += one.passage.words
    picks.gaps = _gaps(choices, named)
    return picks


def with_sentences_before(picks: Picks) -> tuple[list[Choice], list[Choice]]:
    """Best and evidence, each sentence that points back behind the one that it points to."""
    best: list[Choice] = []
    evidence: list[Choice] = []
    for one in picks.best:
        _place(one, best, best)
    for one in picks.evidence:
        _place(one, best, evidence)
    return best, evidence


def _place(one: Choice, best: list[Choice], home: list[Choice]) -> None:
    """Put it behind its antecedent: where that stands already, else with it at the end of `home`."""
    if _index(one, best) is not None or _index(one, home) is not None:
        return
    chain = [one]
    while chain[0].passage.before and len(chain) <= _MOST_BEFORE:
        chain.insert(0, _before(chain[0]))
    for length in range(len(chain) - 1, 0, -1):
        for part in (best, home):
            at = _index(chain[length - 1], part)
            if at is not None:
                part[at + 1 : at + 1] = chain[length:]
                return
    home.extend(chain)


def _before(one: Choice) -> Choice:
    paragraph, position = one.place
    passage = one.passage.before or one.passage
    return replace(one, passage=passage, place=(paragraph, position - 1))


def _index(one: Choice, part: Sequence[Choice]) -> int | None:
    said = (one.source, one.passage.text)
    places = (at for at, other in enumerate(part) if (other.source, other.passage.text) == said)
    return next(places, None)


def _best(facts: Sequence[Choice], sources: Sequence[SourceText]) -> list[Choice]:
    """The first three, from different sources where they answer about as well.

    Of what the item names, answers come first and then figures; after them answers of others, and
    last the opening words of notes, which mostly say what the note is about.
    """
    groups: tuple[list[Choice], ...] = ([], [], [], [])
    for one in facts:
        named, figure = sources[one.source].named, has_figure(one.passage.text)
        if _only_opens(one, sources):
            groups[3].append(one)
        elif one.distance == 0:
            groups[0 if named else 2].append(one)
        elif named and figure:
            groups[1].append(one)
    picked: list[Choice] = []
    for group in groups:
        _take_best(group, picked)
    return picked or list(facts[:BEST])


def _take_best(group: Sequence[Choice], picked: list[Choice]) -> None:
    left = list(group)
    while left and len(picked) < BEST:
        used = [one.source for one in picked]
        first = max(left, key=lambda one: _worth(one, used.count(one.source)))
        left.remove(first)
        picked.append(first)


def _worth(one: Choice, used: int) -> float:
    """A figure counts more; what cannot stand alone, and a source that was used, count less."""
    worth = one.score * _SAME_SOURCE**used
    if has_figure(one.passage.text):
        worth *= 2
    if one.passage.points_back and one.passage.before is None:
        worth *= 0.3
    return worth


def _in_order(
    rest: Sequence[Choice], named: set[int], sources: Sequence[SourceText], well: float
) -> Iterator[tuple[Choice, int]]:
    """Each passage once, with the number of words below which it is still taken."""
    telling = [one for one in rest if one.source in named and _tells(one)]
    first = list(_by_turns(telling))
    others = [one for one in rest if one not in first]
    for one in first:
        yield one, MOST_WORDS
    for one in others:
        answers_well = one.distance == 0 and one.score >= well
        if named and one.source not in named and _only_opens(one, sources):
            answers_well = False
        yield one, MOST_WORDS if answers_well else ENOUGH_WORDS


def _states_fact(one: Choice, sources: Sequence[SourceText]) -> bool:
    """No gap, and no announcement of what the note is about."""
    text = one.passage.text
    return not states_gap(text) and not (_opens_note(one, sources) and announces(text))


def _opens_note(one: Choice, sources: Sequence[SourceText]) -> bool:
    return one.place[0] == 0 and not is_finding(sources[one.source])


def _only_opens(one: Choice, sources: Sequence[SourceText]) -> bool:
    """Opening words that hold no figure."""
    return _opens_note(one, sources) and not has_figure(one.passage.text)


def _tells(one: Choice) -> bool:
    """Worth quoting from a source that the item names, whatever the words of the question are."""
    stands_alone = one.passage.before is not None or not one.passage.points_back
    return stands_alone and (has_figure(one.passage.text) or one.distance == 0)


def _by_turns(choices: Sequence[Choice]) -> Iterator[Choice]:
    """One of each source, then the next of each; of a source, what has a figure first."""
    by_source: dict[int, list[Choice]] = {}
    for one in sorted(choices, key=lambda one: not has_figure(one.passage.text)):
        by_source.setdefault(one.source, []).append(one)
    for turn in zip_longest(*by_source.values()):
        yield from (one for one in turn if one is not None)


def _gaps(choices: Sequence[Choice], named: set[int]) -> list[Choice]:
    """What is open according to the notes: of the named sources, else where it answers."""
    open_points = [
        one
        for one in choices
        if states_gap(one.passage.text) and (one.source in named or one.distance == 0)
    ]
    return sorted(open_points, key=lambda one: one.source not in named)[:MOST_GAPS]
