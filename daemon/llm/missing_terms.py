"""Which things that a question asks about occur in none of the sources."""

from __future__ import annotations

import re
from collections.abc import Iterable

from daemon.llm.provider import SourceText
from daemon.llm.selection import without_task_words
from daemon.llm.sentences import split_sentences
from daemon.store.search import content_terms, fold, stems

SHORTEST = 5  # letters; shorter words are rarely what a note would be about
_WORDS = """
above actual actually after against almost already apart aside assume avoid bands avoided aimed based became
become before begin begins behind below better beyond brand bring broad broken built called carry
change choice choices choose clear clock close closed common compared conflict could count counts
cover covered current currently dated decided decline design direct during early earliest enough
every exact exactly exist exists expect extra faced faces fairly first floor format fully general
given gives grade graded green happen helps house hosts indicative keeping kinds large largest later
latest least leave lesson lessons letters level levels likely limits little lower maximum means
measured middle might minimum needs number numbers offer offered often option options order other
outside over paths people perhaps place plain plausibly points polite possible prefer prove punish quick
quickly quoted range ranges ratio reach reachable readable reason reasons replace replaces resident
respects result results return right rules second segment serve served several sheet shortlist
should shown signal similar single small stands start stated status steps still strong takes target
targets teams terms thing things third those three threshold thresholds touch touches toward turned
under until useful using usual value values volume weakest weeks where which while whole wider within
without would years
abajo ahora ademas alguna algunas alguno algunos alto antes apenas aparte bueno cambio casi cierto
clara claro comienza comun cosas cuales cuando cuanto deben deberia debe desde despues dentro durante
empezar entre estado etapa fuera general grande grandes hacer hacia haber incluso limite lugar mayor
medio mejor menor menos mismo momento motivo muestra mucho ninguna ninguno nivel nueva nuevo numero
opcion orden otras otros parte pasos peor pequena pequeno podria primer primera primero propio prueba
puede pueden punto puntos rango razon regla reglas resultado segun segundo siempre sirve sobre tiene
tienen tercero tipo tipos todas todos trata umbral valor varios veces
"""
_NO_THINGS = frozenset(_WORDS.split())
_NO_NOUN = {
    "en": re.compile(r".*(?:ly|ing|ed|able|ible|ous|ful|less|ive|ical|est)$"),
    "es": re.compile(  # a noun in -an has an accent: huracán
        r".*(?:mente|[ai]ndo|[ai]d[ao]s?|able|ible|[aei]r|an)$"
    ),
}


def missing_terms(sources: Iterable[SourceText], question: str, language: str) -> list[str]:
    """Words of the question that are in none of the sources by their stem, as they were written.

    Only what is probably the name of a thing: verbs, adjectives, words of measure and order, and
    short words say nothing about what a note lacks. A name in capitals always counts.
    """
    known: set[str] = set()
    for source in sources:
        known.update(fold(stem) for stem in stems(f"{source.title} {source.text}", language))
    asked = content_terms(without_task_words(_asked_part(question)), language)
    return [
        word
        for stem, word in asked.items()
        if fold(stem) not in known and _names_a_thing(word, language)
    ]


def _asked_part(question: str) -> str:
    """What ends in a question mark, where anything does: a title names a task and no thing."""
    asked = [sentence for sentence in split_sentences(question) if sentence.endswith("?")]
    return " ".join(asked) or question


def _names_a_thing(word: str, language: str) -> bool:
    if len(word) > 1 and word.isupper():
        return True
    plain = fold(word)
    no_noun = _NO_NOUN.get(language)
    return (
        len(word) >= SHORTEST
        and not any(char.isdigit() for char in word)
        and plain not in _NO_THINGS
        and not (no_noun and no_noun.match(word.lower()))
    )
