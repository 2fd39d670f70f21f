"""What kind of statement a sentence is, told by its words; English and Spanish."""

from __future__ import annotations

import re

from daemon.store.search import fold

# Words that begin a sentence and mean something in the sentence before.
_POINTERS = re.compile(
    r"""["'“«(¿¡\s]*(?:
        these|those|this|that|such|it|its|they|them|their|both|neither|he|she|his|her
        |the\ (?:same|former|latter)|(?:none|each|all|some|most|one)\ of\ (?:them|these|those)
        |(?:in|on|at|by|of|for|from|with)\ the\ same|one\ (?:year|month)\ (?:before|earlier|later)
        |here|so|therefore|however|but|and|also|then|instead
        |est[aeo]s?|es[aeo]s?|aquel|aquell[ao]s?|dich[ao]s?|tal|tales|ell[ao]s|ello|amb[ao]s|sus?
        |(?:el|la|lo|los|las)\ mism[ao]s?|ningun[ao]?\ de\ (?:ell|est|es)[ao]s|por\ (?:eso|ello|esto)
        |(?:en|por|de|con)\ (?:el|la|los|las)\ mism[ao]s?
        |pero|y|ademas|tambien|asi|entonces|alli|sin\ embargo
    )\b""",
    re.VERBOSE,
)
# "The numbers of that study": such a word may also stand after a preposition near the beginning.
_POINTER_INSIDE = re.compile(
    r"(?:\w+ ){0,5}(?:of|in|by|with|from|than|at|for|on|\w+ing|de|en|por|con)"
    r" (?:this|these|those|that (?!the\b|an?\b|it\b|they\b)|es[aeo]s?\b|est[ao]s\b|dich[ao]s?\b)"
    r"|(?:\w+ ){1,3}(?:therefore|thus|por tanto)\b"
)
_GAP = re.compile(
    r"(?:disagreement|not known|unknown|not verified|open question|desacuerdo|discrepancia"
    r"|no se sabe|desconocido|sin verificar|por verificar|no consta)\s*:"
)
_ANNOUNCES = re.compile(
    r"(?:how|what|which|who|whom|whose|why|where|when|como|que|cual|cuales|quien|quienes|donde"
    r"|cuando|cuant[ao]s?)\b"
)
_MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|ene|abr|ago|dic"
# Numbers that name something instead of counting it: dates, years, articles, names such as GPT-4.
_NAMES = re.compile(
    rf"\d{{4}}-\d\d-\d\d|\b\d{{1,2}} (?:de )?(?:{_MONTHS})[a-z]*|\b(?:1[89]|20)\d\d\b"
    r"|\bart[a-z]*\.? \d+(?:-\d+)?|\b[a-z]+-?\d+\b"
)


def points_back(sentence: str) -> bool:
    """Whether a reader needs the sentence before: it begins with "These", "The same", "Esa" ..."""
    plain = fold(sentence)
    return bool(_POINTERS.match(plain) or _POINTER_INSIDE.match(plain))


def states_gap(sentence: str) -> bool:
    """Whether it says that something is open: it begins with "Not known:", "Desacuerdo:" ..."""
    return bool(_GAP.match(fold(sentence)))


def announces(sentence: str) -> bool:
    """Whether it only says what a note is about, as its first words do: "How often, and by whom." """
    return bool(_ANNOUNCES.match(fold(sentence)))


def has_figure(sentence: str) -> bool:
    """Whether it counts, measures or prices something; a date or the number of an article does not."""
    return any(char.isdigit() for char in _NAMES.sub(" ", fold(sentence)))
