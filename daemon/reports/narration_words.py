"""The words that a model may explain a verdict with: no list of bad words is ever complete, this one is short.

They name what was seen, counted and missed, and value nothing. Words of the data come in addition.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from daemon.quality.normalise import fold

_WORD = re.compile(r"[^\W\d_]+")
_STRANGE = re.compile(r"[^\w\s.,;:()\[\]%$€£<>=/'\"+-]|_")
_TAG = re.compile(r"[<>](?!=? ?[-+]?[\d.])")
_ENGLISH = """
a an the this that these those its it is are was were has have had been be there here which who whose what where
when while and or but of in on at by to from with for as than then so because since between both also each
either other others another same further more only first second last besides yet evidence finding findings note
notes source sources record records sentence sentences figure figures value values number numbers count counts
counted measure measures test tests criterion criteria bound bounds threshold thresholds deadline date dates
dated day days month months year years week weeks id ids statement statements data reason reasons side sides
name names named give gives given say says said state states stated report reports reported show shown stand
stands rest rests come comes against contradict contradicts contradicted contradiction disagree disagrees
disagreement differ differs different agree agrees open opened guard guards guarded unguarded void miss misses
missing needed needs need seen found read listed about answers question questions review
"""
_SPANISH = """
un una el la los las lo este esta estos estas ese esa esos esas que es son fue fueron ha han hay y e o u pero de
del al en con para por como cual cuyo donde cuando mientras porque pues entre ambos ambas tambien cada otro otra
otros otras mismo misma mas solo primera primero segunda segundo ultima ultimo ademas aun todavia evidencia
hallazgo hallazgos nota notas fuente fuentes registro registros frase frases cifra cifras valor valores numero
numeros cuenta cuentan contado contada contados contadas medida medidas prueba pruebas criterio criterios limite
limites umbral umbrales plazo fecha fechas fechada dia dias mes meses ano anos semana semanas declaracion datos
razon razones lado lados dice dicen da dan dada muestra estan queda quedan contra contradice contradicen
contradicha contradiccion difiere difieren distinta distintas coincide coinciden abierta abiertas abierto guarda
nula falta faltan faltante necesita necesitan visto vista vistas leida respuestas pregunta preguntas revision
"""
_PLAIN = {"en": frozenset(_ENGLISH.split()), "es": frozenset(_SPANISH.split())}


def strange_word(words: str, own: Iterable[str], language: str) -> str:
    """The first word, or sign, that is neither plain in the language nor in the texts `own`; empty for none.
    A language that is not known has no plain words. < and > stand before figures only: else they are markup."""
    sign = _STRANGE.search(words) or _TAG.search(words)
    if sign:
        return sign.group()
    known = {word for text in own for word in _WORD.findall(fold(text))}
    plain = _PLAIN.get(language, frozenset())
    return next(
        (word for word in _WORD.findall(fold(words)) if word not in plain and word not in known),
        "",
    )
