"""Ranking of texts by their words: BM25 of SQLite's full-text index, over stems.

The index lives in memory for the length of one call. Stems come from the Snowball algorithms;
accents are folded by the tokeniser after stemming, so that an unaccented question finds
accented text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from contextlib import closing
from functools import lru_cache

import snowballstemmer

from daemon.store.driver import sqlite3

_ALGORITHMS = {"en": "english", "es": "spanish"}
_WORD = re.compile(r"\w+")
_LONGEST_WORD = 64  # characters; longer ones are not language, and are cut before stemming
_LONGEST_KEPT = 500  # characters of a text whose stems are kept for the next call
_MOST_TERMS = 100  # of a query; SQLite bounds the depth of an expression

_ENGLISH = """
a about above across actually after again against all already also always am among an and any are
as at away be because been before being below between both but by can cannot could did do does
doing down during each either else enough even ever every few for from further given had has have
having he her here hers him his how i if in into is it its itself just many may me might more most
much must my neither never next no non nor not now of off often on once only or other our ours out
over own per please rather same shall she should since so some still such than that the their
theirs them then there these they this those through to too under until up upon us very via was we
were what when where whether which while who whom whose why will with within without would yet you
your yours
"""
_SPANISH = """
a al algo algun alguna algunas alguno algunos ante antes aqui asi aun aunque bajo bien cada como
con contra cual cuales cuando cuanta cuantas cuanto cuantos cuya cuyas cuyo cuyos de del desde
donde dos durante e el ella ellas ello ellos en entre era eran es esa esas ese eso esos esta estan
estas este esto estos fue fueron ha haber habia han hasta hay he la las le les lo los mas me mi mis
mientras mucha muchas mucho muchos muy ni no nos nosotros nuestra nuestras nuestro nuestros o otra
otras otro otros para pero poco por porque pues que quien quienes se sea sean segun ser si sido
sin sobre son su sus tal tambien tan tanto te tiene tienen toda todas todo todos tras tu tus u un
una unas uno unos usted ustedes y ya yo
"""


def rank(texts: Sequence[str], query: str, language: str) -> list[float]:
    """How well each text answers the query: higher is better, 0 means no word in common.

    Words that carry no content are left out of the query. `language` is "en" or "es"; another
    one is ranked by whole words. Figures are comparable within one call only.
    """
    terms = list(content_terms(query, language))[:_MOST_TERMS]
    scores = [0.0] * len(texts)
    if not terms or not texts:
        return scores
    with closing(sqlite3.connect(":memory:")) as index:
        index.execute(
            "CREATE VIRTUAL TABLE text USING fts5(stems, tokenize='unicode61 remove_diacritics 2')"
        )
        index.executemany(
            "INSERT INTO text (rowid, stems) VALUES (?, ?)",
            ((row, _stemmed(text, language)) for row, text in enumerate(texts, start=1)),
        )
        expression = " OR ".join(f'"{term}"' for term in terms)
        found = index.execute(
            "SELECT rowid, bm25(text) FROM text WHERE text MATCH ?", (expression,)
        )
        for row, cost in found:
            scores[row - 1] = max(-cost, 1e-9)  # bm25() is negative; a match is never 0
    return scores


def stems(text: str, language: str) -> list[str]:
    """The stems of all words, in order and in lower case."""
    return [_stem(word[:_LONGEST_WORD], language) for word in _words(text.lower())]


def content_terms(text: str, language: str) -> dict[str, str]:
    """Stem -> word as written, for the words that carry content, in order and without repeats.

    Where a text consists of other words only, all of them count.
    """
    words = [word[:_LONGEST_WORD] for word in _words(text)]
    empty = _EMPTY_WORDS.get(language, frozenset())
    content = [word for word in words if fold(word) not in empty and word.strip("_")]
    terms: dict[str, str] = {}
    for word in content or words:
        terms.setdefault(_stem(word.lower(), language), word)
    return terms


def fold(word: str) -> str:
    """Lower case without the accents of Spanish: Cómo -> como."""
    return word.lower().translate(_ACCENTS)


def _stemmed(text: str, language: str) -> str:
    """Short texts are entries of a map, which every sprint ranks again; notes are not kept."""
    if len(text) > _LONGEST_KEPT:
        return " ".join(stems(text, language))
    return _stemmed_entry(text, language)


@lru_cache(maxsize=4_096)
def _stemmed_entry(text: str, language: str) -> str:
    return " ".join(stems(text, language))


def _words(text: str) -> list[str]:
    return _WORD.findall(unicodedata.normalize("NFC", text))


@lru_cache(maxsize=50_000)
def _stem(word: str, language: str) -> str:
    algorithm = _ALGORITHMS.get(language)
    if algorithm is None:
        return word
    stemmer = snowballstemmer.stemmer(algorithm)  # not shared: stemmers keep state between threads
    return str(stemmer.stemWord(word))


_ACCENTS = str.maketrans("áéíóúü", "aeiouu")
_EMPTY_WORDS = {"en": frozenset(_ENGLISH.split()), "es": frozenset(_SPANISH.split())}
