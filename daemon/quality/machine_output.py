"""Short texts that a machine wrote for a machine: calls in JSON, traces, shell lines, errors.

Patterns know the usual spellings; these checks count what all of them have in common.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from daemon.quality.normalise import Reading, count_words
from daemon.quality.verdict import Defect, Profile

_SHORT_WORDS = 300
_LONGEST = 20_000
_MOST_KEYS = 200
_FENCE = re.compile(r"\A```\w*\s*\n(.*?)\n?```\s*\Z", re.DOTALL)
_CALLED = frozenset(
    """tool tools tool_name tool_call tool_calls toolname function function_name function_call
    command commands action action_name recipient recipient_name method plugin skill herramienta
    nombre_herramienta funcion comando accion ferramenta funcao comando acao outil fonction commande
    werkzeug funktion befehl aktion strumento funzione azione""".split()  # noqa: SIM905 - a word list
)
_GIVEN = frozenset(
    """args arguments argument parameters params parameter input inputs tool_input action_input
    kwargs query q content payload url argumentos parametros entrada consulta argomenti parametri
    ingresso arguments parametres entree eingabe parameter""".split()  # noqa: SIM905 - a word list
)
_STEP = re.compile(r"(?m)^[ \t>*#-]{0,8}([a-z][a-z ]{1,24}?)[ \t]?\d{0,2}[ *]{0,4}:[ *]{0,4}(?=\S)")
_THOUGHT = re.compile(
    r"(?:thought|think|thinking|reasoning|reason|plan|idea|reflection|pensamiento|pensar|pienso|razonamiento"
    r"|reflexion|razon|pensamento|raciocinio|gedanke|uberlegung|pensee|reflexion|pensiero|ragionamento)s?"
)
_ACT = re.compile(
    r"(?:action|act|acting|call|calling|tool|tool (?:call|name|input|use)|action input|function|invoke|accion|actuar"
    r"|acto|llamada|llamar|herramienta|uso de herramienta|entrada(?: de la \w+)?|funcion|invocar|acao|ferramenta"
    r"|chamada|aktion|werkzeug|aufruf|appel|outil|azione|strumento|chiamata)s?"
)
_SEEN = re.compile(
    r"(?:observation|observe|result|results|tool (?:result|output|response)|output|response|see|obs|observacion"
    r"|observar|resultado(?: de la \w+)?|salida|ver|respuesta(?: de la \w+)?|observacao|saida|beobachtung|ergebnis"
    r"|ausgabe|resultat|sortie|osservazione|risultato)s?"
)
_PROMPT = re.compile(
    r"[ \t]{0,20}(?:[\w.-]{1,30}@[\w.-]{1,30}:\S{0,40} ?)?(?:[$>%#]|PS [^>\n]{0,60}>)[ \t]+"
)
_COMMAND = re.compile(
    r"[ \t]{0,20}(?:sudo )?(?:cd|ls|cat|grep|rg|awk|sed|head|tail|sort|uniq|wc|find|echo|export|source|exit|type|dir"
    r"|curl|wget|ssh|scp|docker(?:-compose)?|kubectl|helm|pip3?|npm|npx|yarn|node|python3?|Rscript|ruby|perl|php|java"
    r"|go|cargo|make|git|psql|mysql|sqlite3|mongo|redis-cli|jq|bash|sh|zsh|chmod|mkdir|rm|cp|mv|touch|aws|gcloud|az"
    r"|terraform|systemctl|journalctl|apt(?:-get)?|brew|conda|pwsh|Get-\w+|Invoke-\w+|Select-\w+)\b"
)
_SHELL_SIGN = re.compile(r"\s-{1,2}\w|[|/\\$=;*~]|\.\w{1,5}\b|['\"]|\binstall\b|&&|>")
_ERROR = re.compile(
    r"(?:[\w.]{0,60}(?:error|exception|timeout|failure)|error|excepcion|fehler|erreur|errore|erro)\b"
    r"(?: \d{3})?(?: ?[:\]]|\(|\.\w)"
)
_ERROR_JSON = re.compile(r"\{\s{0,9}\"(?:error|errors|exception|fault|error_code|status)\"\s{0,9}:")
_NO_VALUE = re.compile(r"\b(?:nan|undefined|null|none)\b")
_BOAST_WORDS = 14
_MOST_NOTHING_WORDS = 25
_NOTHING_BACK = re.compile(
    r"\b(?:return(?:ed|s|ing)?|results?|output|response|answer|value|devolv\w+|resultados?|salida|respuesta"
    r"|valor|retorn\w+"
    r"|obtuv\w+|obtained|got|gave|dio)\b[^.!?\n\w]{0,4}(?:was |is |fue |es |un |una |an? )?[`'\"]?"
    r"(?:null|undefined|none|nan|nil|\{\s?\}|\[\s?\]|n/a|\(?empty\)?|vaci[oa])[`'\"]?[.!]?\s*$"
    r"|\b(?:http(?: status)?|error|status|code|codigo|estado)?[ :]{0,2}[45]\d\d[ :-]{1,3}(?:forbidden|not found"
    r"|unauthori[sz]ed"
    r"|internal server error|bad gateway|service unavailable|gateway timeout|too many requests|bad request|timeout)\b"
)


def machine_output(reading: Reading, profile: Profile) -> Iterable[Defect]:
    """A short text that is a call, a trace, commands or an error; nothing for profiles of code."""
    if profile in ("code", "template") or reading.words > _SHORT_WORDS:
        return
    for check, message in (
        (_is_json_call, "It is a tool call in JSON, not a text."),
        (_is_trace, "It is a trace of thoughts, actions and made-up observations."),
        (_is_shell, "It is a list of shell commands, not a text."),
        (_is_error, "It is an error message, not a result."),
        (_is_nothing_back, "It is an error message, not a result."),
    ):
        if check(reading):
            yield Defect(f"structure.{check.__name__.removeprefix('_is_')}", message, rejects=True)
            return


def _is_json_call(reading: Reading) -> bool:
    """One JSON value that names what is to be called and what is given to it."""
    text = reading.raw.strip()
    fenced = _FENCE.match(text)
    text = fenced[1].strip() if fenced else text
    if not text.startswith(("{", "[")) or len(text) > _LONGEST:
        return False
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError):
        return False
    keys = {key for key, _ in zip(_keys(parsed), range(_MOST_KEYS), strict=False)}
    return bool(keys & _CALLED) and bool(keys & _GIVEN)


def _keys(parsed: Any) -> Iterator[str]:
    waiting = [parsed]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            for key, value in one.items():
                yield str(key).lower()
                waiting.append(value)
        elif isinstance(one, list):
            waiting.extend(one)


def _is_trace(reading: Reading) -> bool:
    """Lines labelled as thought, act and observation; an act and one of the others are enough."""
    labels = [found[1].strip() for found in _STEP.finditer(reading.open)]
    if len(labels) < 3:
        return False
    kinds = [any(kind.fullmatch(label) for label in labels) for kind in (_THOUGHT, _ACT, _SEEN)]
    known = sum(any(kind.fullmatch(label) for kind in (_THOUGHT, _ACT, _SEEN)) for label in labels)
    return kinds[1] and sum(kinds) >= 2 and known * 10 >= len(labels) * 7


def _is_shell(reading: Reading) -> bool:
    """Most lines are commands with a prompt, an option, a path or a pipe."""
    text = reading.raw.strip()
    lines = [
        line for line in text.split("\n") if line.strip() and not line.lstrip().startswith("```")
    ]
    commands = strong = 0
    for line in lines:
        prompt = _PROMPT.match(line)
        command = _COMMAND.match(line, prompt.end() if prompt else 0)
        if command and not line.rstrip().endswith((".", "!", "?")):
            commands += 1
            strong += bool(prompt) or bool(_SHELL_SIGN.search(line, command.end()))
    return bool(strong) and commands * 10 >= len(lines) * 6


def _is_error(reading: Reading) -> bool:
    """A short boast or nothing at all, and then an error with its type, or empty values."""
    text = reading.open.strip()
    found = _ERROR.search(text[:400]) or _ERROR_JSON.search(text[:400])
    if not found:
        return False
    before = text[: found.start()]
    if count_words(before) > _BOAST_WORDS or not _begins_something(before):
        return False
    figures = re.search(r"\d", before)
    return not figures or bool(_NO_VALUE.search(before))


def _is_nothing_back(reading: Reading) -> bool:
    """A few words that tell of success, and then a value that is none or the status of a failed request."""
    return reading.words <= _MOST_NOTHING_WORDS and bool(_NOTHING_BACK.search(reading.open.strip()))


def _begins_something(before: str) -> bool:
    """The error stands at a beginning: of the text, a line, a sentence, or behind a colon."""
    bare = before.rstrip(" \t*_`'\"([{")
    return not bare or bare.endswith((".", "!", ":", "\n", "…", "✅"))
