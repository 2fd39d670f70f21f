"""Which sentences of the sources answer a question: two-stage BM25, paragraph times sentence."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from daemon.llm.finding_text import is_finding, stated_part
from daemon.llm.passages import Paragraph, Passage, read_paragraphs
from daemon.llm.provider import SourceText
from daemon.store.search import fold, rank, stems

# A sentence whose words are nearly those of another says nothing new.
SAME_WORDS_SHARE = 0.8

# What a question asks its reader to do; no note answers these words.
_TASKS = """
analyse analyze answer assess check compare decide describe determine draft establish estimate
evaluate examine explain explore find give identify investigate judge list look make name produce
propose rank recommend report research review say search show state study suggest summarise
summarize tell use used weigh write
count criterion evidence happen happens keep kept need needs plan set sets suit suits turn turns
analiza analizar criterio evidencia averigua averiguar busca buscar calcula calcular compara comparar decide decidir
describe describir determina determinar di encuentra encontrar estima estimar evalua evaluar
examina examinar explica explicar haz hacer identifica identificar indica indicar informe
investiga investigar muestra mostrar nombra propon proponer recomienda recomendar resume resumir
revisa revisar
"""
_TASK_WORDS = frozenset(_TASKS.split())


@dataclass(frozen=True)
class Choice:
    """A passage that was picked, and where it stands: source, paragraph and passage numbers.

    `distance` says what has a word of the question: 0 the passage itself, 1 only its paragraph, 2
    only its source. The score compares passages of the same distance.
    """

    source: int
    place: tuple[int, int]
    passage: Passage
    score: float
    distance: int


def choose(sources: Sequence[SourceText], question: str, language: str) -> list[Choice]:
    """All quotable passages that have to do with the question, best first, none said twice.

    The score is the paragraph's (with its title, heading and lead-in) times the sentence's own.
    After these come, as context, the other sentences of their paragraphs, and then those of
    their sources. A source that the item names has to do with the question as a whole. Of an
    earlier finding, what sprintd added is left out, and what it quotes from another source here is
    taken from that source. The order depends on nothing but the arguments.
    """
    asked = without_task_words(question)
    paragraphs = [
        (number, source.title, place, paragraph)
        for number, source in enumerate(sources)
        for place, paragraph in enumerate(_paragraphs(source))
    ]
    outer = rank([f"{title} {one.text}" for _, title, _, one in paragraphs], asked, language)
    listed = [
        (number, (place, position), passage, whole)
        for (number, _, place, one), whole in zip(paragraphs, outer, strict=True)
        for position, passage in enumerate(one.passages)
    ]
    inner = rank([_with_columns(passage) for _, _, passage, _ in listed], asked, language)
    matched = {number for (number, *_), whole in zip(paragraphs, outer, strict=True) if whole}
    matched |= {number for number, source in enumerate(sources) if source.named}
    choices = [
        Choice(number, place, passage, whole * (own or 1.0), _distance(whole, own))
        for (number, place, passage, whole), own in zip(listed, inner, strict=True)
        if number in matched
    ]
    findings = {number for number, source in enumerate(sources) if is_finding(source)}
    choices.sort(
        key=lambda one: (one.distance, one.source in findings, -one.score, one.source, one.place)
    )
    return list(_without_repeats(_first_hand(choices, sources, findings), language))


def without_task_words(question: str) -> str:
    """The question without what it tells its reader to do; whole where nothing else is in it."""
    words = re.findall(r"\w+", question)
    kept = [word for word in words if fold(word) not in _TASK_WORDS]
    return " ".join(kept or words)


def _paragraphs(source: SourceText) -> list[Paragraph]:
    if is_finding(source):
        return read_paragraphs(stated_part(source.text), with_marks=True)
    return read_paragraphs(source.text)


def _first_hand(
    choices: Iterable[Choice], sources: Sequence[SourceText], findings: Collection[int]
) -> Iterator[Choice]:
    """Without what a finding only repeats, word for word, from a source that is here itself."""
    known = {
        number: " ".join(source.text.split())
        for number, source in enumerate(sources)
        if number not in findings
    }
    for choice in choices:
        said = choice.passage.text.removesuffix(f"[{choice.passage.origin}]").strip()
        if choice.source not in findings or not any(said in text for text in known.values()):
            yield choice


def _distance(paragraph: float, sentence: float) -> int:
    if sentence:
        return 0
    return 1 if paragraph else 2


def _with_columns(passage: Passage) -> str:
    """The text, and for a row of a table what its columns are called."""
    return f"{passage.header[0]} {passage.text}" if passage.header else passage.text


def _without_repeats(choices: Iterable[Choice], language: str) -> Iterator[Choice]:
    """Only the first of passages that have nearly the same words; at most 400 are compared."""
    kept: list[frozenset[str]] = []
    for choice in list(choices)[:400]:
        words = frozenset(stems(choice.passage.text, language))
        if any(len(words & other) >= SAME_WORDS_SHARE * len(words | other) for other in kept):
            continue
        kept.append(words)
        yield choice
