"""Words by which a sentence is no plain statement of what was found, in folded English and Spanish.

They err towards doubt: a result that is told in plain words has none of them.
"""

from __future__ import annotations

import re

# Behind which a figure is a bound, a guess or a range.
ROUNDED = re.compile(
    r"(?:\b(?:about|around|approximately|approx|roughly|nearly|almost|some|over|more than|less than|under|up to"
    r"|at least|at most|close to|circa|ca|fewer than|between|from|exceed(?:s|ing)?|(?:minimum|maximum)(?: of)?"
    r"|(?:min|max)\.?|upwards of|north of|just short of|as (?:many|few|much|little) as|unos|unas|cerca de|casi"
    r"|aproximadamente|alrededor de|mas de|menos de|hasta|al menos|como (?:minimo|maximo|mucho)|a lo sumo"
    r"|(?:por lo|cuando) menos|(?:un )?(?:minimo|maximo)(?: de)?|entre|desde)"
    r"|[~≈<>≥≤±])[ ~$€£]{0,3}(?:us\$|usd )?$"
)
# A minus in front: what is below nothing is never read as what is above it.
SIGNED = re.compile(
    r"(?:(?:^|[\s(=:|])[-\u2212\u2013][ ]?(?:us\$|usd |[$€£])?|\b(?:minus|negative|menos) )$"
)
# How much something changed, a part or a multiple, a period that is over: the figure is not the measure's.
RELATIVE = re.compile(
    r"\b(?:by|times|x|half(?: of)?|(?:third|quarter|tenth|fraction|part) of|doubl(?:e|ed)(?: of)?|twice|triple"
    r"|(?:up|down|grew|grown|rose|risen|fell|fallen|dropped|gained|lost|increased|decreased)"
    r"|the (?:last|past|previous|first|next)|past|previous|(?:los|las) (?:ultim|primer|proxim)[oa]s"
    r"|mitad de|(?:tercio|cuarto|decimo|parte) de|doble(?: de)?|triple(?: de)?|veces"
    r"|(?:subio|bajo|crecio|cayo|aumento|disminuyo)(?: en| un)?) (?:[$€£]|us\$|usd )?$"
    r"|\b(?!us\$)[a-z]{1,3}\$ ?$"
)
RELATIVE_BEHIND = re.compile(
    r"[^\w.,;:]{0,3}(?:(?:%|per cent|percent|por ciento|usd|dollars|dolares|[a-z]+)[^\w.,;:]{0,2}){0,2}"
    r"\b(?:more|less|fewer|shorter|longer|higher|lower|faster|slower|better|worse|up|down|ago|earlier|later"
    r"|mas|menos|mayor|menor|antes|atras)\b|-?ish\b"
    r"|[^\w.,;:]{0,2}(?:(?:usd|dollars?|dolares)[^\w.,;:]{0,2})?(?:per|each|an?|por|cada|al)\b(?! cent| ciento)"
    r"|[^\w.,;:]{0,2}(?:cad|aud|mxn|nzd|hkd|sgd|brl|cop|pen|clp|ars)\b"
)
# Behind which a number is a name.
LABEL = re.compile(
    r"\b(?:version|v|table|section|figure|page|chapter|step|part|level|art|article|question|round|phase|no|nos"
    r"|number|tabla|seccion|pagina|capitulo|figura|articulo|pregunta|numero|fase|ronda|paso)\.? ?$"
)
# What is wanted, supposed, hearsay or left open, against what was found.
GOAL = re.compile(
    r"\b(?:if|would|could|should|might|must|will|shall|goals?|targets?|thresholds?|plan(?:s|ned)?|expect\w*"
    r"|aim\w*|wants?|needs?|hop(?:e|es|ing)|forecast\w*|project(?:ed|ions?)|estimat\w+|assum\w+|suppos\w+"
    r"|hypothe\w+|criteri(?:on|a)|propos\w+|require[ds]?|unless|whether|until|unknown|perhaps|possibly|likely"
    r"|intend\w*|intention\w*|promis\w+|consider\w*|willing\w*|interested|ready to|agreed? to|try(?:ing)? to"
    r"|can|going to|(?:are|is|were|was) to|have to|asked|asks?|request\w*|wait\w*|await\w*|pending|drafts?"
    r"|drafted|review(?:s|ing)|under review|ideal\w*|imagin\w+|pretend\w*|look(?:s|ed|ing)? for|simulat\w+"
    r"|modell?ed|examples?|next (?:week|month|quarter|year)|by (?:20\d\d|the end)|so far|as yet|for now"
    r"|alleg\w+|rumou?r\w*|reportedly|claim(?:s|ed|ing)?|is said|say that|we hear|hearsay|gossip"
    r"|intencion\w*|prometi?\w+|dispuest\w+|interesad\w+|considera\w*"
    r"|si|podr[ia]\w*|deber[ia]\w*|debe\w*|seria\w*|metas?|objetivos?|umbral(?:es)?|planea\w*|esper\w+"
    r"|necesita\w*|estima\w*|supone\w*|hipotesis|criterios?|propuest\w+|requier\w+|salvo|hasta que"
    r"|quiza\w*|posiblemente|sera\w?|tendra\w*|pagar(?:a|an|ia|ian)|tal vez|a lo mejor|acaso|puede[n]?"
    r"|han? de|van? a|pendientes?|borrador\w*|solicit\w+|pid(?:e|en|io|ieron)|en revision|simula\w+|ideal\w*"
    r"|ejemplos?|proxim[oa]s? (?:semana|mes|trimestre|ano)s?|hasta ahora|por ahora|dicen|se dice|rumor\w*"
    r"|presunt\w+|supuest\w+)\b|\?|¿|\b(?:green|amber|red|verde|ambar|rojo)\b ?:|^[\"'(*_ ]*let\b"
)
# What says that it is not so, or not any more, or that all but these.
DENIED = re.compile(
    r"\b(?:not|no|nor|none|nobody|nothing|never|neither|without|cannot|refus\w+|declin\w+|reject\w+|cancel\w*"
    r"|stop\w*|ceas\w+|quit|dej(?:o|an|aron) de|fail\w*|yet to|hardly|barely|scarcely|rarely|seldom|unable"
    r"|unpaid|lack\w*|unlikely|impossible|exclud\w+|except(?:ed|ing|ions?)?|all but|other than|aside from"
    r"|apart from|instead of|rather than|refund\w*|revok\w+|expire[ds]?|expir(?:y|ing)|postpon\w+|forged|fake\w*"
    r"|retract\w*|obsolete|supersed\w+|outdated|formerly|used to|invalid\w*|mistak\w+|erroneous\w*|untrue"
    r"|untruth\w*|myths?|li(?:e|es|ed)|doubt\w*|dubious|disput\w+|overturn\w*|lapsed"
    r"|withdr[ae]w\w*|sin|nunca|ningun\w*|nadie|nada|tampoco|ni|rechaz\w+|retir\w+|fals[eo]\w*|wrong\w*"
    r"|den(?:y|ies|ied)|deni?eg\w+|nieg\w+|neg[oó]|apenas|excepto|excluy\w+|aparte de|en lugar de"
    r"|reembols\w+|devolvi\w+|revoc\w+|vencid[oa]s?|caduc\w+|aplaz\w+|mentiras?|mitos?|dud(?:a|oso|osa)s?"
    r"|falt(?:a|an|o|aron)|carec\w+|incapa\w+|imposible|nul[oa]s?|anul\w+|obsolet[oa]s?|erroneo?\w*)\b"
    r"|n['’´`]t\b"
)
# What a whole passage says of itself.
RETRACTED = re.compile(
    r"\b(?:retract\w*|supersed\w+|obsolete|no longer (?:true|holds?|valid|correct)|disregard\w*"
    r"|obsolet[oa]s?|ya no (?:vale|es cierto|rige)|sin efecto|retractad[oa]s?)\b"
)
