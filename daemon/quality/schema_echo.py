"""The form of an answer given back as the answer: names of types, empty slots, words that describe a form.

JSON, XML, a class, a table of fields or lines "label: value": nearly all of the text is such a form,
and not one of its values says anything.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from daemon.quality.normalise import Reading, fold
from daemon.quality.tables import RULER
from daemon.quality.verdict import Defect, Profile

_LONGEST = 20_000
_LEAST_VALUES = 2
_LEAST_LINES = 3
_MOST_VALUES = 400
_MOST_WORDS = 200
_TEXT_SHARE = 0.6
_TYPE = re.compile(
    r"(?:string|str|text|texto|number|numero|integer|int|float|decimal|boolean|bool|array|object|null|none|date|fecha"
    r"|datetime|list(?: of \w+)?|lista(?: de \w+)?|enum|any|url|uri|array of \w+|cadena|entero|booleano)"
    r"|(?:[^|\n]{1,24}\|){1,8}[^|\n]{1,24}|(?:y{2,4}|a{2,4}|d{1,2}|m{1,2}|h{1,2}"
    r"|s{1,2})(?:[-/:. t](?:y{2,4}|a{2,4}|d{1,2}|m{1,2}|h{1,2}|s{1,2}))+"
    r"|(?:int|integer|number|entero|numero|score|text|texto|string) ?\(?\d{1,3} ?(?:-|to|a) ?\d{1,3}\)?"
    r"|<[^<>]{0,60}>|\[[^\[\]]{0,60}\]|\{[^{}]{0,60}\}|\.\.\.|…|(?:your|the|insert|el|la|tu|su) .{0,40} here|"
    r"|(?:list|dict|optional|union|sequence|tuple|set|array|record|map)\[[^\n]{1,60}\]|\w{1,30}\[\]"
)
_EMPTY_NUMBER = re.compile(r"0(?:\.0+)?|1(?:\.0+)?|true|false")
# Words of which a description of a form consists: a value in these words alone says nothing.
_OF_FORM = frozenset(
    """
    a an the of or and in to for with by per each as that which if from this its it be is are at on not no only
    string strings text number numbers integer float boolean array arrays object objects list lists date iso url enum
    field type title name label key value values id ids note notes source sources reference references citation
    citations passage passages quote excerpt link links item items entry entries bullet bullets point points row rows
    short brief long concise descriptive clear plain one two three four five single several up max maximum min minimum
    least most word words character characters sentence sentences paragraph paragraphs line lines section sections
    summary description answer answered question finding findings claim claims evidence support supports supporting
    them confidence level low medium high score between optional required here your report result results reason
    reasons explanation explaining details key main recommended recommendation recommendations action actions next step
    steps topic subject author markdown json format output unclear go
    un una el la los las de del o y en para con por cada como que si desde este su se es sea no solo al lo
    cadena cadenas texto numero numeros entero booleano lista listas objeto objetos fecha campo tipo titulo nombre
    etiqueta clave claves valor valores nota notas fuente fuentes referencia referencias cita citas pasaje pasajes
    enlace enlaces elemento elementos vineta vinetas punto puntos fila filas corto corta breve largo conciso claro
    descriptivo descriptiva uno dos tres cuatro cinco varios varias hasta maximo minimo palabra palabras caracter
    caracteres frase frases oracion oraciones parrafo parrafos linea lineas seccion secciones resumen descripcion
    respuesta pregunta respondida respondido hallazgo hallazgos afirmacion afirmaciones evidencia respaldo respaldan
    respalda confianza nivel baja media alta bajo medio alto puntaje entre opcional obligatorio aqui informe
    resultado resultados motivo motivos razon razones explicacion detalle detalles principal principales recomendacion
    recomendaciones accion acciones proximo proximos paso pasos tema autor formato salida dudoso seguir parar
    """.split()  # noqa: SIM905 - a word list
)
_LABELLED = re.compile(
    r"[ \t]*+(?:(?:[-*+•]|\d{1,2}[.)])[ \t]*+)?[*_`\"]{0,3}[^\W\d][\w /-]{0,30}[*_`\"]{0,3}[ \t]?:"
    r"[ \t]*+[*_]{0,2}[ \t]*+(?P<value>\S[^\n]*)?$"
)
_CLASS = re.compile(
    r"(?:@\w+\s+)?(?:export )?(?:class|interface|type|struct|record) \w+[^\n]{0,60}[:{]?\s*$"
)
_TAG = re.compile(r"</?[A-Za-z][\w:-]{0,40}(?:\s[^<>\n]{0,120})?/?>")
_SIZE = re.compile(
    r"\(?(?:max\.?|min\.?|up to|hasta|de|of|from)?\.? ?\d{1,4}(?: ?(?:-|to|a) ?\d{1,4})?"
)
# "name of the school", "where it was found": what should stand there, in words.
_DESCRIBED = re.compile(
    r"y{4}|a{4}|(?:the |el |la )?(?:name|number|date|year|amount|price|place|source|kind|type|list|title|nombre"
    r"|numero"
    r"|fecha|anio|monto"
    r"|precio|lugar|fuente|tipo|lista|titulo)s? (?:of|where|from|in|de|del|donde) [^.\d]{2,40}"
    r"|(?:where|what|who|when|why|how|donde|de donde|que|quien|cuando|por que|como) [^.?\d]{2,50}"
)
_WORD = re.compile(r"[^\W\d_]+")
_OPENING = re.compile(
    r"\W{0,4}(?:here is|here's|below is|this is|sure|certainly|output|format|schema|esta es|aqui esta|este es"
    r"|a continuacion"
    r"|claro|salida|formato|esquema)\b[^\n]{0,120}:?\W*$"
)


def schema_echo(reading: Reading, profile: Profile) -> Iterable[Defect]:
    """Nearly all of the text is one form without a single value of its own."""
    if profile in ("code", "template"):
        return
    text = reading.raw.strip()
    if len(text) > _LONGEST:
        return
    if _is_json_form(text) or (reading.words <= _MOST_WORDS and _is_plain_form(fold(text))):
        message = "It gives back the form that its answer should have, without an answer."
        yield Defect("structure.schema_echo", message, rejects=True)


def _is_json_form(text: str) -> bool:
    start, end = text.find("{"), text.rfind("}") + 1
    if not 0 <= start < end or end - start < _TEXT_SHARE * len(text):
        return False
    try:
        parsed = json.loads(text[start:end])
    except (ValueError, RecursionError):
        return False
    return _is_schema(parsed) or _has_only_types(parsed)


def _is_schema(parsed: Any) -> bool:
    if not isinstance(parsed, dict):
        return False
    return (
        "properties" in parsed
        and {str(key).lower() for key in parsed} & {"type", "$schema"} != set()
    )


def _has_only_types(parsed: Any) -> bool:
    values = [
        fold(str(one).strip()) for one, _ in zip(_leaves(parsed), range(_MOST_VALUES), strict=False)
    ]
    telling = [one for one in values if not _EMPTY_NUMBER.fullmatch(one)]
    return len(telling) >= _LEAST_VALUES and all(map(_is_slot, telling))


def _leaves(parsed: Any) -> Iterator[Any]:
    waiting = [parsed]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            waiting.extend(one.values())
        elif isinstance(one, list):
            waiting.extend(one)
        elif one is not None:
            yield one


def _is_plain_form(text: str) -> bool:
    """Lines of fields, of a class or of a table, or nothing but tags."""
    lines = [line for line in text.split("\n") if line.strip(" \t`{}[](),;") and "```" not in line]
    if lines and (_OPENING.match(lines[0]) or _CLASS.match(lines[0])):
        lines = lines[1:]
    if len(lines) >= 2 and lines[0].lstrip().startswith("|"):
        return _is_table_of_fields(lines)
    if lines and all(line.lstrip().startswith("<") for line in lines):
        return _is_bare_markup("\n".join(lines))
    found = [_LABELLED.match(line) for line in lines]
    values = [one["value"] for one in found if one and one["value"]]
    return all(found) and len(values) >= _LEAST_LINES and all(map(_is_slot, values))


def _is_table_of_fields(lines: list[str]) -> bool:
    """Each row a field, the name of a type, and at most a description of the form."""
    rows = [
        [cell.strip(" *`_") for cell in line.strip().strip("|").split("|")]
        for line in lines
        if not RULER.fullmatch(line)
    ][1:]
    if len(rows) < _LEAST_LINES or any(len(row) < 2 for row in rows):
        return False
    return all(_TYPE.fullmatch(row[1]) and row[1] for row in rows) or all(
        all(_is_slot(cell) for cell in row[1:]) and any(row[1:]) for row in rows
    )


def _is_bare_markup(text: str) -> bool:
    tags = len(_TAG.findall(text))
    rest = [one for piece in _TAG.split(text) if (one := piece.strip())]
    return tags >= 2 * _LEAST_LINES and all(map(_is_slot, rest))


def _is_slot(value: str) -> bool:
    """A name of a type, a placeholder, or a description of what should stand there."""
    bare = value.strip().strip("\"'`,;").strip()
    if _TYPE.fullmatch(bare) or _DESCRIBED.fullmatch(bare):
        return True
    words = _WORD.findall(_SIZE.sub(" ", bare))
    if re.search(r"\d", _SIZE.sub(" ", bare)):
        return False
    inside = re.search(r"\{[^{}]*\}|\[[^\[\]]*\]|<[^<>]*>", bare) is not None
    unknown = sum(word not in _OF_FORM for word in words)
    return bool(words) and unknown <= (len(words) // 2 if inside else 0)
