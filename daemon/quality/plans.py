"""What was to be done instead of what came of it: lists of steps, and method without a result."""

from __future__ import annotations

import re
from collections.abc import Iterable

from daemon.quality.content_words import content_list, content_stems
from daemon.quality.normalise import Reading, count_words
from daemon.quality.verdict import Defect, Profile

LIST_ITEM = re.compile(r"[ \t]{0,60}(?:[-*+•–]|\d{1,3}[.)]|\(?[a-hA-H]\))[ \t]+(?:\*\*|__)?")

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
    r"|pull|phone|plot|scrap|interpret|ring|chart|graficar|bajar|descargar|compartir|mapear"
    r"|walk|match|measure|simulat|propos|request|cross-check|count|weigh|test|trace|recruit|observ|record|rank"
    r"|calculat|select|audit|inspect|validat|design|score|photograph|translat|transcrib|publish|refine"
    r"|recorrer|cotejar|simular|proponer|solicitar|pedir|medir|contar|pesar|probar|trazar|reclutar|observar|registrar"
    r"|seleccionar|auditar|inspeccionar|validar|disenar|puntuar|traducir|transcribir|publicar"
    r"|consolidar|tabular|sistematizar|georreferenciar|cruzar|preguntar|cuantificar|conformar|socializar|triangular"
    r"|visitas? a|diseno|tabulacion|procesamiento|trabajo de campo|entrega|informe|levantamiento|aplicacion|validacion"
    r"|presentacion|entrevistas? (?:a|con)|encuestas? a|diagnostico|sistematizacion|seleccion|observacion|muestreo"
    r"|fieldwork|sampling|data collection|data analysis|reporting|pilot|kick-?off|interviews? with|site visits?"
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
    contacted invited approached asked reminder reminders anonymised anonymized weighted weighting regression logistic
    robust pre-test pretest pilot piloted wording refine instrument experts reviewed judged acceptable trial randomised
    randomized blocks replicates replicate fitted scored observers observer logged station plot plots means compared
    test tukey anova significance visually level form filled recruited consent eligible transcripts themes coders
    kappa baseline control treatment calibrated laboratory samples sampled homogenised measured readings
    contacto productores pidio llenar ficha respuestas anonimizaron ponderadas piloto ayudo ajustar redaccion revisaron
    ensayo dispuso bloques azar repeticiones colocaron retiraron muestrearon visualmente medias compararon tukey
    anova nivel tratamiento control testigo parcelas calibrado laboratorio muestras mediciones lecturas consentimiento
    informado categorias confiabilidad regresion logistica recordatorios invito invitaron formulario enviaron
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
_INLINE_STEP = re.compile(
    r"(?:^|[.;:!\n] {0,3})\(?(?:(?:step|phase|stage|paso|fase|etapa|passo|schritt|etape)[ \t]*)?\(?[1-9][.):]\)? (?=\S)"
    r"|(?:^|[.;:!\n] {0,3})(?:step|phase|stage|paso|fase|etapa|passo|schritt|etape) (?:\d|\w{3,8})[.:]"
)
_MOST_STEP_WORDS = 14
_SHORT_WORDS = 300
_MOST_INLINE_WORDS = 18
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
    inline = _inline_steps(reading.open) if reading.words <= _SHORT_WORDS else 0
    if inline >= 3 or (
        steps >= 3 and steps * 10 >= items * 7 and words * 2 >= reading.words - 2 * items
    ):
        steps = max(steps, inline)
        message = f"It is a plan of {steps} steps, not what they led to."
        yield Defect("structure.only_steps", message, rejects=True)


def _inline_steps(text: str) -> int:
    """How many steps a text of one line names, where it is nothing else; 0 where it is no such text."""
    places = [found.span() for found in _INLINE_STEP.finditer(text)]
    if len(places) < 3 or count_words(text[: places[0][0]]) > _MOST_INLINE_WORDS:
        return 0
    ends = [start for start, _ in places[1:]] + [len(text)]
    bodies = [text[end:until] for (_, end), until in zip(places, ends, strict=True)]
    verbs = sum(_RESEARCH_STEP.match(body.lstrip(" *_")) is not None for body in bodies)
    short = all(count_words(body) <= _MOST_INLINE_WORDS for body in bodies)
    return len(places) if short and verbs * 10 >= len(places) * 6 else 0


def only_method(reading: Reading, profile: Profile) -> Iterable[Defect]:
    """How it was done, in the words of methodology, without a figure or a sentence of result."""
    if profile != "report" or _RESULT.search(reading.open):
        return
    stems = content_list(reading.masked)
    method = [one for one in stems if one in _METHOD]
    if len(set(method)) >= _LEAST_METHOD_WORDS and len(method) >= _METHOD_SHARE * len(stems):
        message = "It says how the work was done and nothing that came of it."
        yield Defect("structure.only_method", message, rejects=True)
