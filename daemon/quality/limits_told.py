"""The part of a report that tells its limits: what it could not see says nothing against what it found."""

from __future__ import annotations

import re

from daemon.quality.lines import first_at_line

Span = tuple[int, int]

_FEWEST_BEFORE = 12
_MOST_SHARE = 0.65
_LIMITS = re.compile(
    r"(?im)^[ \t]{0,3}#{0,6}[ \t]*[*_]{0,3}(?:\d{1,2}[.)] ?)?"
    r"(?:(?:some |main |known |data )?(?:limitations?|limits|caveats?|gaps)"
    r"(?: (?:of|in|to) (?:this|the|our|these) [\w-]+(?: [\w-]+)?)?"
    r"|(?:not|un|what (?:is|was) not|what (?:we|i) (?:could|did) not) ?(?:verified|verify|confirmed|confirm"
    r"|checked|check"
    r"|known|know|covered|cover|established|establish|see|find)(?: yet| here)?"
    r"|(?:claims? )?not (?:independently )?verified"
    r"|scope and limit\w+|open questions|open points|remaining (?:gaps|doubts|questions)|data quality"
    r"|(?:principales )?(?:limitaci(?:ones|[oó]n)|l[ií]mites?|salvedades|advertencias|vac[ií]os|lagunas)"
    r"(?: (?:de|del|en) (?:este|esta|el|la|los|las|estos)? ?[\w-]+)?"
    r"|(?:sin|no|lo que no (?:se )?(?:pudo|pudimos|pude|est[aá])|lo) ?(?:verificad[oa]s?|verificar"
    r"|confirmad[oa]s?|confirmar"
    r"|comprobad[oa]s?|comprobar)|qu[eé] no (?:se sabe|sabemos|se pudo \w+)|preguntas abiertas|dudas pendientes"
    r"|alcance y l[ií]mites|calidad de los datos)"
    r"[ \t]*[*_]{0,3}[ \t]*(?::|\.?[ \t]*[*_]{0,3}[ \t]*$)"
)
# A text that speaks of its own making in front of its limits has found nothing that they could limit.
_OF_ITSELF = re.compile(
    r"(?i)\b(?:i|i'm|we (?:will|could|cannot)|this (?:report|document|analysis|study|section|summary"
    r"|response) (?:aims|will"
    r"|provides|seeks|examines|presents|offers|is)|(?:este|el presente) (?:informe|documento|an[aá]lisis"
    r"|estudio) (?:busca"
    r"|pretende|presenta|examina|ofrece|tiene|es|aborda)|no (?:data|results|information)|sin (?:datos|resultados)"
    r"|no (?:hay|se encontr\w+|dispon\w+))\b"
)
_WORD = re.compile(r"[^\W_]+")


def limits_told(text: str) -> list[Span]:
    """The lines under a heading or label of limits, where a finding stands in front and is no smaller part."""
    found = first_at_line(_LIMITS, text)
    if not found:
        return []
    before = text[: found.start()]
    end = _end_of_part(text, found)
    words = len(_WORD.findall(before))
    inside = len(_WORD.findall(text[found.start() : end]))
    if words < _FEWEST_BEFORE or inside > _MOST_SHARE * (words + inside):
        return []
    if _OF_ITSELF.search(before):
        return []
    return [(found.start(), end)]


def _end_of_part(text: str, found: re.Match[str]) -> int:
    """Up to the next heading; of a label within a paragraph, to the paragraph's end."""
    is_label = found.group().rstrip(" *_").endswith(":") and not found.group().lstrip().startswith(
        "#"
    )
    ends = [
        text.find(mark, found.end() + 1) for mark in (("\n\n",) if is_label else ("\n#", "\n**"))
    ]
    known = [at for at in ends if at >= 0]
    return min(known) if known else len(text)
