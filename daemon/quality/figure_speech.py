"""Which kinds of arithmetic a sentence speaks of: totals, rests, rises, shares, rates."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

_WORDS = {
    "rises": r"r[io]se|risen|gr[eo]w(?:th|n|s|ing)?|increas(?:e[sd]?|ing)|up(?! to)|gain(?:s|ed)?|higher|aument\w+"
    r"|crec\w+|subi\w*|sube\w*|alza|increment\w+",
    "falls": r"fell|fall(?:en|s|ing)?|drop(?:s|ped)?|declin\w{1,4}|decreas\w{1,4}|down|reduc\w+|lower"
    r"|disminu\w+|baj\w+|cay\w+|caida|cae|reduj\w+|rebaj\w+",
    "changes": r"chang\w{1,4}|from|variaci\w+|paso|pasaron|pasa|vari\w+",
    "rest": r"rest|remain(?:ing|der|s)?|left|others?|restantes?|resto|quedan|demas|otr[oa]s",
    "total": r"total(?:s|ling)?|sum(?:s|a|an)?|altogether|together|combined|in all|overall|both"
    r"|between them|adds? up|add(?:ed|ing) up|comes? to"
    r"|total(?:es)?|junt[oa]s|conjunto|amb[oa]s|sumad[oa]s|reunen|plus|mas",
    "compared": r"more|fewer|less|difference|gap|longer|shorter|later|earlier|minus|after|net|against|versus|compared"
    r"|ahead|lead|led|sav(?:es|ed|ings?)|ahorr\w+|deduct\w*|points|mas|menos|diferencia|brecha|antes"
    r"|despues|frente|ventaja"
    r"|descontad\w+|deduc\w+"
    r"|puntos|higher|lower|under \w+'s|dearer|cheaper|exceed(?:s|ed|ing)?|exced\w+"
    r"|super\w{1,3}",
    "rate": r"times|twice|average|mean|per|each|a (?:month|year|day|week)|every|ratio|worth"
    r"|equal(?:s|ing)?|charg\w+|sold at"
    r"|veces|doble|promedio|media|mitad|cada|por|mensual\w*|al (?:mes|ano|dia)|equivalen?|half|aplica\w*|si se",
    "mean": r"average[sd]?|mean|promedi\w+|medi[ao]",
    "gap": r"difference|gap|points?|diferencia|brecha|puntos",
    "yearly": r"annual(?:ly|i[sz]ed)?|year(?:ly)?|month(?:ly)?|anual(?:es|mente)?|ano|mensual\w*|mes",
    "shares": r"share|proportion|majority|that is|which is|or (?:about |some )?\d+|proporcion|cuota"
    r"|tasa|es decir|o sea"
    r"|(?:un|el) \d[\d.,]*|made? up|accounts? for|represent\w+|concentra\w*|margins?|margen",
}
_SAYS = {name: re.compile(rf"\b(?:{words})\b") for name, words in _WORDS.items()}
_SHOWN = re.compile(r"\d ?[+×÷*=/] ?[$€]?\d|= ?[~≈$€]*\d")
_PART = re.compile(
    r"(?:%|per ?cent|por ciento) (?:of|de|del|full)\b"
    r"|\d (?:\w+ )?(?:out )?(?:of|de) (?:the |los |las |sus )?\d|\d [^.\d]{0,40}\(\d[\d.,]* ?%"
)


@dataclass(frozen=True)
class Speech:
    """Which kinds of arithmetic a sentence speaks of; `certain` opens them all."""

    kinds: frozenset[str]
    certain: bool = False

    def of(self, *kinds: str) -> bool:
        return self.certain or any(kind in self.kinds for kind in kinds)

    @property
    def said(self) -> bool:
        return self.certain or bool(self.kinds)


def speech(folded: str, *, certain: bool) -> Speech:
    """How a sentence speaks of its figures. `certain` is for tables, whose figures are related."""
    kinds = {name for name, pattern in _SAYS.items() if pattern.search(folded)}
    if _PART.search(folded):
        kinds |= {"part", "shares"}
    return Speech(frozenset(kinds), certain or _SHOWN.search(folded) is not None)


def of_all_kinds(said: Speech) -> Speech:
    """The same, where every kind of arithmetic may be tried."""
    return replace(said, certain=True)
