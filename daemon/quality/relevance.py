"""Whether a text is about its question at all: another subject, or no subject."""

from __future__ import annotations

import re
from collections.abc import Iterable

from daemon.quality.content_words import content_list, content_stems
from daemon.quality.language import detect_language
from daemon.quality.normalise import Reading, fold, split_words
from daemon.quality.verdict import Defect, TaskBrief

TOPIC_WORDS = 20

_FEWEST_ASKED = 3
_WELL_ASKED = 5
_FEWEST_TOLD = 14
_ROOT = 4
_OPENING = 2_000
_SPOKEN = ("en", "es")
_FEWEST_GENERAL = 25
_GENERAL_SHARE = 0.30
_MOST_ASKED_SHARE = 0.5
_SPECIFIC = re.compile(r"\d|https?://|\"[^\"\n]{12,}\"")
_NAME_INSIDE = re.compile(r"(?<=[a-zà-ÿ,;] )(?:[A-ZÁÉÍÓÚÑ][\w&'-]+|[A-Z]{2,})")
# Words that fit every venture: what is said with them alone could be said of any other.
_GENERAL = content_stems(
    """
    today world environment landscape business businesses company companies organisation organizations firm enterprise
    market competitive competition innovation innovative technology digital transformation growth sustainable
    sustainability success successful strategy strategic strategies stakeholder stakeholders customer customers client
    quality value values trust vision mission goals objective objectives opportunity opportunities challenge challenges
    factor factors important importance crucial essential fundamental key vital role play approach proactive process
    processes improve improvement efficiency efficient effective optimise optimize leverage foster collaboration
    collaborate team talent adapt adaptable agile change changes thrive evolve evolving dynamic modern future long-term
    balance balanced decision decisions consider careful carefully various variety several many partner partners
    relationship relationships potential unlock achieve develop development solution solutions need needs ensure
    resource resources benefit benefits risk risks performance excellence culture experience align alignment holistic
    ultimately therefore overall conclusion sector industry economy society global globalised era age ever rapidly
    mundo entorno actual empresa empresas negocio negocios organizacion organizaciones mercado mercados competitivo
    competitiva competencia innovacion innovar tecnologia tecnologico transformacion crecimiento sostenible
    sostenibilidad exito exitosa exitoso estrategia estrategico estrategica estrategicos interesado cliente clientes
    calidad valor valores confianza vision mision metas objetivo oportunidad oportunidades reto retos desafio desafios
    factor factores importante importancia esencial clave vital papel juega juegan enfoque proceso procesos mejora
    mejorar continua eficiencia eficiente eficaz optimizar aprovechar fomentar colaboracion equipo talento humano
    adaptarse adaptacion adapten agil cambio cambios prosperar prosperaran dinamico dinamica moderno futuro equilibrio
    decision decisiones considerar cuidadosamente diversos diversas aliado aliados socio socios relacion relaciones
    potencial lograr alcanzar desarrollo solucion soluciones necesidad necesidades garantizar recurso recursos
    beneficio beneficios riesgo riesgos desempeno excelencia cultura experiencia integral definitiva apostar generar
    automation automate automating automated communication partnership partnerships honesty honest commitment
    transparency transparent respect mindset leadership leader leaders training tasks task errors error time times save
    focus matters matter truly embrace prepared constant constantly foundation base day both parties party sides clear
    clearly always good great better best better-prepared misunderstandings everyone people step advance progress
    automatizacion automatizar comunicacion alianza alianzas honestidad compromiso comprometido transparencia respeto
    mentalidad liderazgo lider lideres capacitacion permanente tareas errores tiempo ahorrar enfocarse importa llego
    llegado llegada quedarse acepten preparados preparado constante evolucion fundamento partes ambas claro clara claros
    siempre bueno buena buen mejores malentendidos acuerdo acuerdos construye paso avance progreso verdaderamente
    detenimiento recomendable beneficie profesional profesionales pasion esfuerzo dedicacion trabajo herramientas
    herramienta tools tool reducir reduce dedicar tecnologicas tecnologica planificacion constancia personas realidad
    permite permiten contar indispensable economia sociedad global globalizado sector industria era
    """
)


def off_topic(reading: Reading, task: TaskBrief) -> Iterable[Defect]:
    """It shares no content word with its question, in the same language and at some length.

    Short direct answers need not repeat a word of their question, so a text is marked only where it
    has fewer than TOPIC_WORDS different content words, or answers a short question.
    """
    if task.profile not in ("report", "answer"):
        return
    question = fold(task.question)
    asked = _roots(question)
    opening = reading.open[: reading.open.rfind(" ", 0, _OPENING) + 1]
    if len(asked) < _FEWEST_ASKED or asked & _roots(opening):
        return
    told = _roots(reading.open)
    if len(told) < _FEWEST_TOLD or asked & told or not _same_language(reading, question, task):
        return
    message = "It shares no content word with its question, so it seems to be about something else."
    long_enough = task.profile == "report" and len(told) >= TOPIC_WORDS
    rejects = long_enough and len(asked) >= _WELL_ASKED
    yield Defect("relevance.off_topic", message, rejects=rejects)


def _roots(folded: str) -> set[str]:
    return {stem[:_ROOT] for stem in content_stems(folded)}


def says_nothing(reading: Reading, task: TaskBrief) -> Iterable[Defect]:
    """No figure, name, address or quotation, and mostly words that fit every venture."""
    if task.profile != "report" or reading.words < _FEWEST_GENERAL:
        return
    if _SPECIFIC.search(reading.raw) or _NAME_INSIDE.search(_unmarked(reading.raw)):
        return
    stems = content_list(reading.masked)
    general = sum(one in _GENERAL for one in stems)
    asked = content_stems(fold(task.question)) - _GENERAL
    told = asked & set(stems)
    if general < _GENERAL_SHARE * max(1, len(stems)) or len(told) > _MOST_ASKED_SHARE * len(asked):
        return
    message = "It names nothing and counts nothing: its sentences fit every subject."
    yield Defect("relevance.says_nothing", message, rejects=True)


def _same_language(reading: Reading, question: str, task: TaskBrief) -> bool:
    """Only words of one language can be the same, and only of two are the empty ones known."""
    asked_in = detect_language(question, split_words(question)) or task.language
    spoken = detect_language(reading.masked, reading.prose_tokens)
    return spoken == asked_in and spoken in _SPOKEN


def _unmarked(text: str) -> str:
    """Without headings, whose words are written large."""
    lines = (line for line in text.split("\n") if not line.lstrip().startswith(("#", "**")))
    return "\n".join(lines)
