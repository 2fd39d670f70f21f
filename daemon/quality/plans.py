"""What is to be done instead of what came of it: lists of steps."""

from __future__ import annotations

import re
from collections.abc import Iterable

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
    r"|visitas? a|diseno|tabulacion|procesamiento|trabajo de campo|entrega|informe|levantamiento|aplicacion"
    r"|validacion"
    r"|presentacion|entrevistas? (?:a|con)|encuestas? a|diagnostico|sistematizacion|seleccion|observacion|muestreo"
    r"|fieldwork|sampling|data collection|data analysis|reporting|pilot|kick-?off|interviews? with|site visits?"
    r"|ask|separat|work out|split|averag|divid|combin|clean|merge|narrow|convert|adjust|promedi|separ|digit"
    r"|depur|ajust"
    r"|make|put|conclu|take|sort|state|set up|pasar|sacar|juntar|armar|poner|hacer|conclu|ordenar|anotar"
    r"|busqueda|recopilacion|elaboracion|redaccion|revision|analisis de|construir)\w*\b"
    # an infinitive of a language whose verbs end in one of a few ways, alone at the start of an item
    r"|(?:raccogliere|intervistare|confrontare|scrivere|cercare|verificare|analizzare|redigere|esaminare|raccolta"
    r"|recolher|pesquisar|procurar|levantar|entrevistar|comparar|escrever|redigir|elaborar|analisar|verificar"
    r"|rechercher|recueillir|collecter|interroger|rediger|analyser|examiner|verifier|identifier|contacter"
    r"|recherchieren|sammeln|befragen|vergleichen|schreiben|auswerten|prufen|recherche|erstellung|auswertung)\b"
)
_INLINE_STEP = re.compile(
    r"(?:^|[.;:!\n] {0,3})\(?(?:(?:step|phase|stage|paso|fase|etapa|passo|schritt"
    r"|etape)[ \t]*)?\(?[1-9][.):]\)? (?=\S)"
    r"|(?:^|[.;:,!\n] {0,3}(?:and |then |y |e |luego )?|\b(?:and|y) )\([a-h]\) (?=\S)"
    r"|(?:^|[.;:!\n] {0,3})(?:step|phase|stage|paso|fase|etapa|passo|schritt|etape) (?:\d|\w{3,8})[.:]"
)
_MOST_STEP_WORDS = 14
_SHORT_WORDS = 300
_MOST_INLINE_WORDS = 18


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
