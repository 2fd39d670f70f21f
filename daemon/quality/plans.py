"""What was to be done instead of what came of it: lists of steps, and method without a result."""

from __future__ import annotations

import re
from collections.abc import Iterable

from daemon.quality.content_words import content_list, content_stems
from daemon.quality.normalise import Reading, count_words
from daemon.quality.verdict import Defect, Profile

LIST_ITEM = re.compile(r"[ \t]{0,60}(?:[-*+•–]|\d{1,3}[.)])[ \t]+(?:\*\*|__)?")

_NUMBERED_STEP = re.compile(
    r"[ \t]{0,60}(?:[-*+•–][ \t]+)?(?:\*\*|__)?(?:step|phase|stage|week|day|paso|fase|etapa|semana|dia|passo|schritt"
    r"|phase|etape)[ \t]*\d{1,2}(?:[ \t]*[-–][ \t]*\d{1,2})?[ \t]*(?:\*\*|__)?[ \t]*[:.–—-][ \t]*(?:\*\*|__)?"
)
_RESEARCH_STEP = re.compile(
    r"(?:search|gather|collect|compil|writ|review|identify|contact|analy[sz]|find|interview|research|draft"
    r"|compar|investigat|check|verify|summari[sz]|prepar|creat|read|consult|map|list|defin|conduct|explor"
    r"|look|determin|assess|evaluat|obtain|query|browse|present|deliver|finali[sz]e|build|develop|outline"
    r"|visit|call|normali[sz]e|estimate|estimat|extract|segment|group|synthesi[sz]|survey|sample|schedule|tabulate"
    r"|buscar|recopilar|elaborar|redactar|revisar|identificar|contactar|analizar|encontrar|entrevistar"
    r"|investigar|comparar|verificar|resumir|preparar|crear|leer|consultar|mapear|listar|definir|realizar"
    r"|explorar|determinar|evaluar|obtener|presentar|entregar|finalizar|desarrollar|reunir|escribir"
    r"|clasificar|extrapolar|extraer|segmentar|aplicar|agrupar|estimar|visitar|llamar|calcular|sintetizar"
    r"|busqueda|recopilacion|elaboracion|redaccion|revision|analisis de|construir)\w*\b"
    # an infinitive of a language whose verbs end in one of a few ways, alone at the start of an item
    r"|(?:raccogliere|intervistare|confrontare|scrivere|cercare|verificare|analizzare|redigere|esaminare|raccolta"
    r"|recolher|pesquisar|procurar|levantar|entrevistar|comparar|escrever|redigir|elaborar|analisar|verificar"
    r"|rechercher|recueillir|collecter|interroger|rediger|analyser|examiner|verifier|identifier|contacter"
    r"|recherchieren|sammeln|befragen|vergleichen|schreiben|auswerten|prufen|recherche|erstellung|auswertung)\b"
)
_METHOD = content_stems(
    """
    methodology method methods approach mixed-methods qualitative quantitative semi-structured interviews interview
    questionnaire survey surveys sampling sample purposive random stratified likert scale coded coding transcribed
    recorded reviewers triangulation triangulated validity reliability descriptive statistics statistical analysed
    analyzed desk research literature review protocol procedure design experimental transversal cross-sectional
    population respondents participants instrument ethical rounds framework systematically criteria weighted bias
    metodologia metodo metodos enfoque mixto cualitativo cuantitativo diseno experimental transversal muestra muestreo
    aleatorio estratificado intencional entrevista entrevistas cuestionario encuesta encuestas instrumento validado
    juicio expertos alfa cronbach poblacion constituida procesados programa estadistico estadistica contrastaron
    revision bibliografica triangulacion fuentes investigacion documental protocolo procedimiento criterios ponderaron
    sesgo
    duplicado registro mediante prueba pruebas etica codificacion codificaron transcribieron analizaron aplico
    """
)
_RESULT = re.compile(
    r"\d|\b(?:found|results? (?:show|indicate|suggest)|shows?|showed|revealed|concluded?|we conclude|answered that"
    r"|most (?:of|said)|few|none of|majority|said|prefer\w*|higher|lower|faster|slower|cheaper|because"
    r"|encontr(?:o|amos|aron)|resultados? (?:muestran|indican|sugieren)|muestra que|muestran|revel(?:o|an|aron)"
    r"|conclu(?:ye|imos|yo)|la mayoria|pocos|ningun[oa]?|dij(?:o|eron)|prefier\w*|mayor que|menor que"
    r"|mas (?:barat|rapid|car)\w*|porque|respondieron que)\b"
)
_MOST_STEP_WORDS = 14
_LEAST_METHOD_WORDS = 5
_METHOD_SHARE = 0.25


def only_steps(reading: Reading, profile: Profile) -> Iterable[Defect]:
    """A plan where results were asked for: short list items that each begin with a verb of research."""
    if profile != "report" and profile != "answer":
        return
    items = steps = words = 0
    for line in reading.open.split("\n"):
        numbered = _NUMBERED_STEP.match(line)
        marker = numbered or LIST_ITEM.match(line)
        if not marker:
            continue
        items += 1
        size = count_words(line[marker.end() :])
        if size <= _MOST_STEP_WORDS and (numbered or _RESEARCH_STEP.match(line, marker.end())):
            steps += 1
            words += size
    if steps >= 3 and steps * 10 >= items * 7 and words * 2 >= reading.words - 2 * items:
        message = f"It is a plan of {steps} steps, not what they led to."
        yield Defect("structure.only_steps", message, rejects=True)


def only_method(reading: Reading, profile: Profile) -> Iterable[Defect]:
    """How it was done, in the words of methodology, without a figure or a sentence of result."""
    if profile != "report" or _RESULT.search(reading.open):
        return
    stems = content_list(reading.masked)
    method = [one for one in stems if one in _METHOD]
    if len(set(method)) >= _LEAST_METHOD_WORDS and len(method) >= _METHOD_SHARE * len(stems):
        message = "It says how the work was done and nothing that came of it."
        yield Defect("structure.only_method", message, rejects=True)
