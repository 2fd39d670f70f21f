"""Names of laws: when "LOPDP" and "Ley Orgánica de Protección de Datos Personales" are one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

_WORD = re.compile(r"[^\W_]+")
_SMALL = frozenset((
             "de",         "del",         "la",         "las",         "los",         "el",
    "lo",         "y",         "e",         "o",         "a",         "al",         "en",
    "para",         "por",         "sobre",         "of",         "the",         "on",
    "and",         "for",         "in",         "to",         "an",         "con",         "un",
    "una",         "que",         "no",         "num",         "nro",
))  # fmt: skip
_SAME_WORDS = {
    "law": "ley", "act": "ley", "statute": "ley", "code": "codi", "data": "dato", "labour": "trab",
    "labor": "trab", "work": "trab", "workers": "trab", "laboral": "trab", "tax": "trib",
    "taxation": "trib", "tax's": "trib", "health": "salu", "rights": "dere", "human": "huma",
    "criminal": "pena", "penal": "pena", "procedure": "proc", "consumer": "cons.", "company": "comp",
    "consumidor": "cons.", "consumidores": "cons.", "companies": "comp", "companias": "comp",
    "regulation": "regl", "regulations": "regl", "rules": "regl", "european": "euro", "union": "unio",
    "commerce": "come", "electronic": "elec", "bank": "banc", "children": "nine", "childhood": "nine",
    "environment": "ambi", "environmental": "ambi", "treaty": "trat", "judicial": "judi",
}  # fmt: skip
_KINDS = frozenset(("ley", "codi", "regl", "dire", "decr", "orga", "gene", "repu", "ecua", "naci"))
_ALIASES = (
    frozenset(("gdpr", "rgpd", "2016/679", "regl gene prot dato", "gene dato prot regl")),
    frozenset(("cre", "cpe", "const", "cons", "cons repu", "cons repu ecua", "cart magn")),
    frozenset(("echr", "cedh", "euro conv huma dere", "conv euro dere huma")),
    frozenset(("achr", "cadh", "amer conv huma dere", "conv amer dere huma")),
    frozenset(("tfeu", "tfue")),
    frozenset(("udhr", "dudh")),
    frozenset(
        ("lopdp", "ley orga prot dato pers", "pers dato prot ley", "orga ley pers dato prot")
    ),
)


@dataclass(frozen=True)
class Instrument:
    """The name of a law as written, folded. `acronym` is set where it is one (in capitals)."""

    name: str
    acronym: bool
    loose: bool = False

    @property
    def shown(self) -> str:
        return self.name.upper() if self.acronym else self.name


@lru_cache(maxsize=2_048)
def keys_of(name: str) -> tuple[str, ...]:
    """The telling words of a name, four letters each, English legal words as the Spanish ones."""
    words = [word for word in _WORD.findall(name) if word not in _SMALL]
    return tuple(_SAME_WORDS.get(word, word[:4]) for word in words)


def same_instrument(one: Instrument, other: Instrument) -> bool | None:
    """True or False where it can be told from the names; None where it cannot."""
    if one.name == other.name or _alias(one) & _alias(other):
        return True
    if one.acronym and other.acronym:
        return False
    if one.acronym or other.acronym:
        short, long = (one, other) if one.acronym else (other, one)
        return True if abbreviates(short.name, long.name) else None
    mine, theirs = set(keys_of(one.name)), set(keys_of(other.name))
    shared = mine & theirs
    fewer = min(len(mine), len(theirs))
    if shared - _KINDS and len(shared) * 3 >= fewer * 2:
        return True
    if mine == theirs:
        return True
    return None if one.loose or other.loose or not mine or not theirs else False


def abbreviates(acronym: str, name: str) -> bool:
    """Whether the letters are the beginnings of the name's words in order (COGEP, LOPDP)."""
    words = [word for word in _WORD.findall(name) if word not in _SMALL]
    return 2 <= len(words) <= 12 and len(acronym) <= 12 and _spells(acronym, tuple(words))


def _spells(letters: str, words: tuple[str, ...]) -> bool:
    """One to three letters of each word in turn; words at the end may be left out, the first two not."""
    if not letters:
        return True
    return bool(words) and any(
        words[0][:taken] == letters[:taken] and _spells(letters[taken:], words[1:])
        for taken in range(min(3, len(letters)), 0, -1)
    )


def _alias(one: Instrument) -> frozenset[int]:
    """The rows of `_ALIASES` that hold this name."""
    joined = one.name if one.acronym else " ".join(keys_of(one.name))
    return frozenset(
        at
        for at, row in enumerate(_ALIASES)
        if joined in row or any(digits in one.name for digits in row if "/" in digits)
    )
