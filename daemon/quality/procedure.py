"""How the work was done, and nothing that came of it: a text of method without a figure or a result."""

from __future__ import annotations

import re
from collections.abc import Iterable

from daemon.quality.content_words import content_list, content_stems
from daemon.quality.normalise import Reading, Sentence
from daemon.quality.verdict import Defect, Profile

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
_LAW = re.compile(r"\b(?:shall|podran?|deberan?|must)\b")
_DONE = (
    r"(?:pick|receiv|hand|mail|draw|ask|sampl|visit|fill|took|tak|mix|dri|siev|read|determin|repeat|discard"
    r"|search|screen|remov|sett?l|grad"
    r"|extract|weigh|weight|cross-?check|organi[sz]|compar|sent|train|photograph|transcrib|cod(?:ed|ify)|record"
    r"|classif"
    r"|select|defin|design|appl|us(?:ed|ing)|follow|conduct|combin|look|triangulat|consult|review|interview|measur"
    r"|calibrat|collect|gather|group|test|validat|contact|invit|pilot|calculat|estimat|analy[sz]|process|enter|check"
    r"|verif|list|map|coded|stor|label|rate|scor|rank|count|identif|assess|evaluat|examin|check|match|clean"
    r"|merg|tabulat"
    r"|drawn|chosen|kept|held|made|carried|divid|split|assign|observ|explor|studi|adopt|employ|recruit|approach"
    r"|anonymi"
    r"|reach|translat|draft|explain|inform|obtain|address|interpret|structur|distribut|administ|cover|consider"
    r"|summar)\w*"
)
_HECHO = (
    r"(?:recibi|digit|envi|sorte|extrajo|extraj|tom|visit|llen|fotograf|devolv|ponder|compar|busc|elimin|crib"
    r"|resolv|calific|volc|mir"
    r"|cruz|orden"
    r"|mezcl|sec|tamiz|ley|determin|repit|descart|entrevist|encuest|aplic|utiliz|emple|us[oa]|sigui|combin"
    r"|revis|consult"
    r"|analiz|proces|verific|comprob|contrast|clasific|selecc|defin|disen|realiz|llev|efectu|recopil|recog"
    r"|reuni|agrup"
    r"|prob|valid|contact|invit|calcul|estim|medi|midi|calibr|registr|codific|transcrib|triangul|tabul|muestre"
    r"|distribuy"
    r"|administr|explor|estudi|adopt|recurri|inform|explic|obtuv|convoc|grab|anot|identific|evalu|examin|cotej|depur"
    r"|dividi|asign|observ|sistematiz|interpret|resumi|elabor|parti|escog|hici|hizo|conform|traduj|estructur"
    r"|cubri)\w*"
)
_PROCEDURE = re.compile(
    rf"[^.!?\n]{{0,140}}?(?:\b(?:was|were|is|are|been|being) (?:\w+ly |then |also |only |first )*{_DONE}"
    rf"|\b(?:we|i|enumerators|interviewers|readers|reviewers|coders|researchers|observers|assistants|the team"
    rf"|each(?: \w+)?"
    rf"|two \w+|three \w+|our (?:approach|study|work|method)|the (?:study|review|research|approach|method|analysis))"
    rf"(?: \w+ly| then| also| each)* {_DONE}"
    rf"|\bse (?:le |les |l[oa]s? )?{_HECHO}"
    rf"|\b(?:fue|fueron|ha sido|han sido) (?:\w+mente )?{_HECHO}"
    rf"|\b(?:encuestadores|investigador\w*|lectores|revisores|codificadores|observadores|el equipo|un(?:a)? tercer\w*"
    rf"|dos \w+|tres \w+|cada \w+|nuestro (?:enfoque|estudio|trabajo|metodo)|(?:el|la) (?:estudio|revision|enfoque"
    rf"|metodo|investigacion|analisis))\b[^.!?\n]{{0,40}}? {_HECHO}"
    rf"|\b(?:{_HECHO}(?:amos|imos))\b)"
)
# What only a result says: a verb of state or change about the subject itself.
_STATES = re.compile(
    r"\b(?:is|are|was|were) (?:not |very |more |less |too |now |still )*(?:higher|lower|better|worse|larger|smaller"
    r"|cheaper|expensive|scarce|common|rare|open|closed|available|missing|broken|ready|high|low|good|bad|poor"
    r"|the (?:main"
    r"|cause|reason|largest|best))\b|\b(?:costs?|pays?|sells?|earns?|lacks?|needs?|rose|fell|grew|declin\w+|improv\w+"
    r"|worsen\w+|exceed\w*|depends?|leads? to|caus(?:ed|es)|won|lost)\b"
    r"|\b(?:cuestan?|pagan?|venden?|ganan?|faltan?|necesitan?|subi(?:o|eron)|baj(?:o|aron)|crec(?:io|ieron)"
    r"|mejor(?:o|aron)"
    r"|empeor\w+|superan?|depende\w*|caus(?:o|a|an)|son (?:mas|menos|muy)|es (?:mas|menos|muy)|hay|hubo|gan(?:o|aron)"
    r"|perdi(?:o|eron))\b"
)
# At least one word that belongs to studies and not to stories.
_METHOD_NAMED = re.compile(
    r"\b(?:method\w*|approach|protocol|sampl\w+|survey\w*|questionnaires?|interview\w*|random\w*|stratif\w+"
    r"|databases?"
    r"|desk research|literature|laboratory|electrode|readers?|coders?|enumerators?|respondents?|participants|criteria"
    r"|cross-?check\w*|triangulat\w+|triangul\w+|outliers?|replicat\w+|transcri\w+|screened|abstracts|form|forms|data"
    r"|information|sources"
    r"|metod\w+|enfoque|protocolo|muestr\w+|encuest\w+|cuestionario\w*|entrevist\w+|azar|aleatori\w+|estratific\w+"
    r"|bases de datos|gabinete|literatura|laboratorio|electrodo|lectores|codificador\w*|participantes|criterios"
    r"|valores extremos|atipicos|resumenes|fichas?|datos|informacion|fuentes)\b"
)
_LEAST_METHOD_WORDS = 5
_METHOD_SHARE = 0.25
_LEAST_SENTENCES = 3
_PROCEDURE_SHARE = 0.75
_MOST_WORDS = 400


def only_method(reading: Reading, profile: Profile) -> Iterable[Defect]:
    """The words of methodology, or sentences of what was done, without a figure or a sentence of result."""
    if profile != "report" or _RESULT.search(reading.open):
        return
    if (_has_words_of_method(reading) and not _LAW.search(reading.masked)) or _is_all_steps(
        reading
    ):
        message = "It says how the work was done and nothing that came of it."
        yield Defect("structure.only_method", message, rejects=True)


def _has_words_of_method(reading: Reading) -> bool:
    stems = content_list(reading.masked)
    method = [one for one in stems if one in _METHOD]
    return len(set(method)) >= _LEAST_METHOD_WORDS and len(method) >= _METHOD_SHARE * len(stems)


def _is_all_steps(reading: Reading) -> bool:
    """Nearly every sentence names a step of a study that was taken, and none states a fact of its subject."""
    if reading.words > _MOST_WORDS or len(reading.sentences) < _LEAST_SENTENCES:
        return False
    if not _METHOD_NAMED.search(reading.masked) or _STATES.search(reading.masked):
        return False
    steps = sum(one.words for one in reading.sentences if _is_step(reading, one))
    return steps >= _PROCEDURE_SHARE * reading.prose_words


def _is_step(reading: Reading, sentence: Sentence) -> bool:
    return _PROCEDURE.match(reading.masked, sentence.start, sentence.end) is not None
