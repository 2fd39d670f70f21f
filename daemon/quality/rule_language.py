"""Sentences of statutes and contracts: what a party shall do is a rule that is told, not a plan of the writer."""

from __future__ import annotations

import re

from daemon.quality.normalise import Reading, Sentence

_ACTOR = (
    r"(?:data )?(?:controllers?|processors?|authorit(?:y|ies)|applicants?|lessees?|lessors?|tenants?|landlords?"
    r"|part(?:y|ies)"
    r"|courts?|judges?|offices?|councils?|tribunals?|ministers?|secretar(?:y|ies)|holders?|licen[sc]ees?|operators?"
    r"|employers?|employees?|contractors?|suppliers?|purchasers?|buyers?|sellers?|borrowers?|lenders?|insurers?"
    r"|members?"
    r"|boards?|directors?|providers?|debtors?|creditors?|agenc(?:y|ies)|regulators?|states?|municipalit(?:y|ies)"
    r"|notar(?:y|ies)|registrars?|registry|carriers?|owners?|notices?|notifications?|decisions?|records?|fines?"
    r"|appeals?"
    r"|licen[cs]es?|permits?|disputes?|contracts?|agreements?|certificates?"
    r"|responsables?|encargados?|autoridad(?:es)?|solicitantes?|arrendatari[oa]s?|arrendador(?:a|es)?|inquilin[oa]s?"
    r"|partes?|tribunal(?:es)?|juez(?:a)?|jueces|oficinas?|concejo|ministeri[oa]|secretaria|titular(?:es)?"
    r"|concesionari[oa]s?|operador(?:a|es)?|emplead(?:or|ora|ores|o|a|os)|contratistas?|proveedor(?:a|es)?"
    r"|comprador(?:a|es)?"
    r"|vendedor(?:a|es)?|deudor(?:a|es)?|acreedor(?:a|es)?|aseguradora?s?|miembros?|directorio|administrador(?:a|es)?"
    r"|municipio|gobierno|entidad(?:es)?|notari[oa]s?|registrador(?:a)?|transportistas?|propietari[oa]s?|soci[oa]s?"
    r"|avisos?|notificacion(?:es)?|resolucion(?:es)?|decision(?:es)?|registros?|multas?|recursos?|licencias?"
    r"|permisos?"
    r"|controversias?|contratos?|plazos?|certificados?)"
)
_RULE = re.compile(
    rf"(?:where|if|when|unless|once|within|cuando|si|en caso de|dentro de|salvo|una vez)?[^.!?\n]{{0,90}}?"
    rf"\b(?:the|an?|any|each|every|no|all|el|la|los|las|un|una|todo|toda|ningun|cada) (?:\w+ ){{0,2}}{_ACTOR}\b"
    r"[^.!?\n]{0,60}?\b(?:shall|will|must|may (?:be|not|request|appeal)|is entitled|are entitled|deberan?"
    r"|podran?|tendran?"
    r"|quedaran?|sera|seran|\w{3,}(?:ara|aran|era|eran|ira|iran))\b"
)
_STRONG = re.compile(
    r"\b(?:shall|must not|may be appealed|undue delay|deberan?|podran?|no podran?|sera sancionad\w+|impugn\w+)\b"
)
_OF_THE_WORK = re.compile(
    r"\b(?:i|we|our|my|you|this (?:report|study|paper|analysis|document|section|note)|the (?:report|study"
    r"|analysis|paper"
    r"|research|team|agent|assistant|researcher|section|chapter|findings|deliverable)|yo|nosotros|nuestr[oa]s?"
    r"|(?:este|el) (?:informe|estudio|analisis|documento|equipo|agente|asistente|investigador|capitulo|trabajo"
    r"|reporte)"
    r"|(?:esta|la) (?:seccion|investigacion|nota|entrega))\b"
)


MOST_WORDS = 600


def rules_told(reading: Reading) -> frozenset[int]:
    """Starts of the sentences that name a party and its duty; made for texts of up to MOST_WORDS words.

    None where they are fewer than half of all, or where no sentence says "shall" or its like.
    """
    sentences = reading.sentences
    told = [one for one in sentences if _is_rule(reading, one)]
    strong = any(_STRONG.search(reading.masked, one.start, one.end) for one in told)
    if len(told) < 2 or len(told) * 2 < len(sentences) or not strong:
        return frozenset()
    return frozenset(one.start for one in told)


def _is_rule(reading: Reading, sentence: Sentence) -> bool:
    if _OF_THE_WORK.search(reading.masked, sentence.start, sentence.end):
        return False
    return _RULE.match(reading.masked, sentence.start, sentence.end) is not None
