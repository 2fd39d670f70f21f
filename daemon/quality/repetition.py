"""Texts that repeat: themselves, or an earlier output."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice
from operator import eq

from daemon.quality.anchored import Anchored
from daemon.quality.claims import Claim
from daemon.quality.content_words import content_list, content_stems
from daemon.quality.normalise import Reading, fold, split_words
from daemon.quality.verdict import Defect

SHINGLE_WORDS = 5
SAME_FROM = 0.5
LOOP_SHARE = 0.4
LONGEST_LOOP = 6
LOOP_ROUNDS = 6
LOOP_WORDS = 8

_FEWEST_SHINGLES = 4
_LEAST_SENTENCE = 4
_ENDLESS = 200
_MANY_ROUNDS = 10
_LEAST_TOLD = 16
_SAME_WORDS = 0.34
_MOST_CIRCLE_WORDS = 150
_LONG_LOOP_WORDS = 300
_NEW_SHARE = 0.1
_FEWEST_STUTTERED, _MOST_STUTTERED = 12, 60
_STUTTER_SHARE = 0.36
_MOST_NEWS = 20
_LONGEST_PASSAGE = 400
_LEAST_MARKER = 7
_MOST_MARKERS = 24
_MARKERS_SHARED = 0.4
_NEWS_WORDS = 3
_NEWS_SHARED = 0.65
_SHORTEST_TOKEN, _LONGEST_TOKEN = 20, 1000
_LONG_TOKEN = re.compile(rf"\S{{{_SHORTEST_TOKEN},{_LONGEST_TOKEN}}}")
_RUN = re.compile(r"([^\s\-=_.*#|~+<>0])\1{39,}|([,;:!?])\2{11,}|([^\W\d_]{2,15}?)\3{5,}")
_MANY_LETTERS = re.compile(r"[^\W\d_]{12}")
_RUN_OF_ONE, _RUN_OF_MARKS = 40, 12
_DATE_WORDS = """
january february march april may june july august september october november december
enero febrero marzo abril mayo junio julio agosto septiembre setiembre octubre noviembre diciembre
monday tuesday wednesday thursday friday saturday sunday
lunes martes miercoles jueves viernes sabado domingo st nd rd th
"""
_OF_A_DATE = frozenset(_DATE_WORDS.split())
_FIGURE = re.compile(r"\d(?:[\d.,]*\d)?")
_YEAR_OR_DATE = re.compile(
    r"(?:19|20)\d\d|\b(?:19|20)\d\d-\d\d|[a-z]{3,}\.? (?:de )?(?:19|20)\d\d\b"
)
_NEWS = Anchored(
    r"\b(?:new|news|fresh|latest)(?: (?:this|since|in the last|for this|of the|from this))"
    r"(?: (?:week|month|sprint|cycle|period|day|quarter|last report|last sprint))?\b"
    r"|\b(?:newly|just|recently|for the first time,? we(?: have)?|this week,? we|we (?:have )?now|today we) "
    r"(?:found|discovered|identified|confirmed|obtained|learned|interviewed|established|surfaced)\b"
    r"|\bthis (?:month|week|quarter)'s (?:\w+ )?(?:headline|news|novelty|development|update)s?\b"
    r"|\bnoticias? (?:reciente|de"
    r" (?:la semana|ultima hora))s?\b|\b(?:acaba|acaban) de \w+(?:ar|er|ir)(?:se)?\b|\bhas just (?:been )?\w+ed\b"
    r"|\b(?:new|latest|breaking|fresh) (?:finding|result|discovery|evidence|update|data|news|insight)s?\b"
    r"|\bbreaking\b(?=:| -)|\b(?:novedad(?:es)?|primicia|ultima hora|lo nuevo)\b"
    r"|\b(?:nuev[oa]s?|reciente|recientes|ultim[oa]s?) (?:hallazgo|resultado|dato|descubrimiento|evidencia"
    r"|noticia)s?\b"
    r"|\b(?:esta semana|hoy|acabamos de|por primera vez|recien) "
    r"(?:descubr|encontr|identific|confirm|obtuv|averigu|entrevist|halla)\w*"
)
_SAME_AS = re.compile(
    r"\b(?:(?:the )?same (?:\w+ ){0,3}?(?:as|from|of)|as (?:already )?(?:reported|found|noted|stated)"
    r"|already reported)"
    r" (?:\w+ ){0,4}?(?:sprint|report|output|week|month|update|finding)\b"
    r"|\b(?:l[oa]s? mism[oa]s?(?: \w+){0,3}? (?:del?|que)|ya (?:informad|reportad|publicad)[oa]s?"
    r"|como ya se (?:informo|reporto))"
    r"(?: \w+){0,4}? (?:sprint|informe|reporte|entrega|semana|mes|hallazgo)\b"
)


def loops(reading: Reading) -> Iterable[Defect]:
    """Token degeneration anywhere; sentences that come again and again in most of the text."""
    run = any(_may_run(token) and _RUN.search(token) for token in _long_tokens(reading.raw))
    if run or _has_token_loop(reading.prose_tokens) or _says_little(reading):
        yield Defect("repetition.tokens", "It falls into repeating the same words.", rejects=True)
        return
    counts: Counter[str] = Counter()
    sizes: dict[str, int] = {}
    before = 0
    for sentence in reading.sentences:
        if sentence.words >= _LEAST_SENTENCE:
            # With what it quotes: a list of what each of twenty sources says is no loop.
            start = max(before, reading.open.rfind("\n", before, sentence.start) + 1)
            key = reading.open[start : sentence.end].strip(" .!?*_\n")
            counts[key] += 1
            sizes[key] = sentence.words
        before = sentence.end
    again = sum((count - 1) * sizes[key] for key, count in counts.items() if count > 2)
    if again and again >= LOOP_SHARE * reading.prose_words:
        yield Defect(
            "repetition.sentences", "It says the same sentences again and again.", rejects=True
        )
    elif _turns_in_circles(reading) or _stutters(reading):
        message = "It says the same few words over and over."
        yield Defect("repetition.circles", message, rejects=True)


def _long_tokens(text: str) -> list[str]:
    """What `_LONG_TOKEN` finds; a word that is longer than it reads is cut as it cuts."""
    words = [word for word in text.split() if len(word) >= _SHORTEST_TOKEN]
    too_long = any(len(word) > _LONGEST_TOKEN for word in words)
    return _LONG_TOKEN.findall(text) if too_long else words


def _may_run(token: str) -> bool:
    """Whether `_RUN` can find anything there: letters enough for six of two, or one sign often enough."""
    return (
        _MANY_LETTERS.search(token) is not None
        or any(sign * _RUN_OF_ONE in token for sign in token[::_RUN_OF_ONE])
        or any(mark * _RUN_OF_MARKS in token for mark in ",;:!?")
    )


def _turns_in_circles(reading: Reading) -> bool:
    """A text of some sentences in which hardly a third of the content words is a new one."""
    if len(reading.sentences) < _LEAST_SENTENCE or reading.words > _MOST_CIRCLE_WORDS:
        return False
    told = content_list(reading.masked)
    return len(told) >= _LEAST_TOLD and len(set(told)) <= _SAME_WORDS * len(told)


def repeats_earlier(
    reading: Reading, earlier: Sequence[str], claims: Sequence[Claim] = ()
) -> Iterable[Defect]:
    """An earlier output again, figures and dates aside (Jaccard of 5-word shingles from SAME_FROM).

    An update is none: one figure that the earlier output has not, and that the sources support,
    makes it new. A new date alone does not.
    """
    own_words = _bare(reading.tokens) if earlier else []
    if not own_words:
        return
    markers = _markers(own_words)
    own: set[tuple[str, ...]] = set()
    for text in earlier:
        if not _may_be_near(markers, text):
            continue
        folded = fold(text)
        words = _bare(split_words(folded))
        own = own or _shingles(own_words)
        shared = 1.0 if words == own_words else _jaccard(own, _shingles(words))
        if shared >= SAME_FROM and not _new_figures(claims, folded):
            how = "word for word" if shared == 1.0 else f"in {shared:.0%} of its wording"
            message = (
                f"It repeats an earlier output {how} and adds no figure that the notes support."
            )
            yield Defect("repetition.earlier", message, rejects=True)
            return


def stale_news(reading: Reading, earlier: Sequence[str]) -> Iterable[Defect]:
    """What it calls new stands in an earlier output, figures and all; or it says so itself."""
    for found in islice(_NEWS.finditer(reading, reading.masked), _MOST_NEWS):
        start, end = _passage(reading, found.start())
        passage = reading.open[start:end]
        if _SAME_AS.search(passage) or any(_told_before(passage, text) for text in earlier):
            message = "It calls new what an earlier output says already."
            span = reading.span(start, end)
            yield Defect("repetition.stale_news", message, rejects=False, span=span)
            return


def _bare(words: Sequence[str]) -> list[str]:
    """Without digits and the names of months and days, so that a new date makes no new text."""
    return [word for word in words if word not in _OF_A_DATE and not word.isdigit()]


def _shingles(words: Sequence[str]) -> set[tuple[str, ...]]:
    return set(zip(*(words[start:] for start in range(SHINGLE_WORDS)), strict=False))


def _jaccard(own: set[tuple[str, ...]], other: set[tuple[str, ...]]) -> float:
    if min(len(own), len(other)) < _FEWEST_SHINGLES:
        return 0.0
    common = len(own & other)
    return common / (len(own) + len(other) - common)


def _markers(words: Sequence[str]) -> list[str]:
    """Some long plain words, evenly from the whole text: cheap to look for in another one."""
    telling = list(dict.fromkeys(w for w in words if len(w) >= _LEAST_MARKER and w.isascii()))
    return telling[:: max(1, len(telling) // _MOST_MARKERS)]


def _may_be_near(markers: Sequence[str], text: str) -> bool:
    """Texts that share half of their wording share most of their long words."""
    if len(markers) < _MOST_MARKERS // 2:
        return True
    lower = text.lower()
    return sum(one in lower for one in markers) >= _MARKERS_SHARED * len(markers)


def _new_figures(claims: Sequence[Claim], folded: str) -> bool:
    known = set(_FIGURE.findall(folded))
    for claim in claims:
        if claim.kind != "figure" or claim.status not in ("supported", "derived"):
            continue
        text = fold(claim.text)
        figures = _FIGURE.findall(text)
        if _YEAR_OR_DATE.search(text) or any(word in _OF_A_DATE for word in split_words(text)):
            continue
        if figures and not known.issuperset(figures):
            return True
    return False


def _told_before(passage: str, earlier: str) -> bool:
    """Whether the earlier output has all of its figures and most of its content words."""
    stems = content_stems(_NEWS.regex.sub(" ", passage))
    if len(stems) < _NEWS_WORDS:
        return False
    known = fold(earlier)
    if not set(_FIGURE.findall(passage)) <= set(_FIGURE.findall(known)):
        return False
    return len(stems & content_stems(known)) >= _NEWS_SHARED * len(stems)


def _passage(reading: Reading, at: int) -> tuple[int, int]:
    """The sentence at a place with the one behind it: news may stand behind a colon or full stop."""
    index = reading.sentence_at(at)
    if index is None:
        return at, at
    start = reading.sentences[index].start
    end = reading.sentences[min(index + 1, len(reading.sentences) - 1)].end
    return start, min(end, start + _LONGEST_PASSAGE)


def _says_little(reading: Reading) -> bool:
    """A long text of which hardly a tenth is not there already: a loop longer than LONGEST_LOOP words.

    Cells of tables repeat by nature; where there are any, only the prose is looked at.
    """
    cells = any(mask.kind == "table" for mask in reading.masks)
    bare = _bare(reading.prose_tokens if cells else reading.tokens)
    most = _NEW_SHARE * len(bare)
    return len(bare) >= _LONG_LOOP_WORDS and len(set(bare)) <= most >= len(_shingles(bare))


def _stutters(reading: Reading) -> bool:
    """A short text of prose that has hardly a third as many different words as words."""
    words = reading.prose_tokens
    if not _FEWEST_STUTTERED <= len(words) <= _MOST_STUTTERED or "|" in reading.open:
        return False
    return len(set(words)) <= _STUTTER_SHARE * len(words)


def _has_token_loop(words: Sequence[str]) -> bool:
    """Whether one to six words come at least six times in a row; with a number in them they may be cells."""
    for size in range(1, LONGEST_LOOP + 1):
        needed = max(size * (LOOP_ROUNDS - 1), LOOP_WORDS - size)
        same = bytes(map(eq, words, words[size:]))
        at = same.find(b"\x01" * needed)
        while at >= 0:
            end = same.find(b"\x00", at)
            end = len(same) if end < 0 else end
            unit = words[at : at + size]
            rounds = (end - at) // size + 1
            mixed = rounds >= _MANY_ROUNDS and not all(map(str.isdigit, unit))
            if mixed or end - at >= _ENDLESS or not any(map(str.isdigit, unit)):
                return True
            at = same.find(b"\x01" * needed, end)
    return False
