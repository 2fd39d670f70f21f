"""The last lines of a text that count its tools, steps, tokens and cost: an account of the run, no content."""

from __future__ import annotations

import re

from daemon.quality.normalise import count_words, fold

_MOST_LINES = 6
_MOST_WORDS = 60
_LEAST_SIGNS = 2
_RULE = re.compile(r"[\s*_=—–-]*")
_SIGNS = tuple(
    re.compile(sign)
    for sign in (
        r"\b(?:tools?|functions?|plugins?|agents?|herramientas?|funciones|agentes?|outils?|werkzeuge|strumenti)\b",
        r"\b(?:actions?|calls?|acciones|llamadas|queries|searches|busquedas)\b \w+ ?:",
        r"\b(?:steps?|iterations?|turns?|rounds|pasos|iteraciones|turnos|etapas)\b(?: \w+)? ?:",
        r"\b(?:model|modelo|modell|modele)\b ?:|\b(?:gpt|claude|gemini|llama|mistral|deepseek|qwen)[ -]?\w",
        r"\b(?:cost|costo|coste|kosten|cout)\b ?:? ?(?:[$€]|\d)",
        r"\btokens?\b",
        r"\b(?:stop|finish|end) ?(?:_ ?)?reason\b|\bmotivo de (?:fin|parada)\b|\b(?:end_turn|exit code)\b",
        (
            r"\b(?:trace|traza|run log|(?:end|fin) (?:of|de|del) (?:the |la )?"
            r"(?:run|trace|log|traza|ejecucion|registro))\b"
        ),
        (
            r"\b(?:generated|made|built|produced|created|compiled|generado|hecho|elaborado|creado|producido) "
            r"(?:with|using|by|con|mediante|usando|por)\b"
        ),
        r"\b\w+(?:tool|_search|_reader|_page|_file|search_\w+)\b|\b[a-z]+_[a-z_]+\b",
        r"[×x] ?\d\b|\(\d+ (?:calls?|times|veces|llamadas)\)",
        r"\b(?:web search|page read|busqueda web|lectura de pagina|summary|resumen)\b",
        r"\b(?:duration|elapsed|runtime|latency|duracion|tiempo)\b ?:",
    )
)


def cut_epilogue(text: str) -> tuple[str, list[str]]:
    """The text without such lines at its end, and the lines. A text of nothing else is left as it is."""
    lines = text.rstrip().split("\n")
    kept = len(lines)
    while kept > 1 and len(lines) - kept < _MOST_LINES and _is_account(lines[kept - 1]):
        kept -= 1
    cut = [line.strip() for line in lines[kept:] if line.strip()]
    rest = "\n".join(lines[:kept]).rstrip()
    if not cut or not rest.strip():
        return text, []
    while (last := rest.rpartition("\n"))[0] and _RULE.fullmatch(last[2]):
        rest = last[0].rstrip()
    return rest, cut


def _is_account(line: str) -> bool:
    if not line.strip() or line.lstrip().startswith(("|", "#", "```")):
        return False
    folded = fold(line)
    signs = sum(sign.search(folded) is not None for sign in _SIGNS)
    return count_words(line) <= _MOST_WORDS and signs >= _LEAST_SIGNS and _is_labelled(folded)


def _is_labelled(folded: str) -> bool:
    """A list of labels and values in brackets or behind a rule, and no sentence with a verb of its own."""
    begins = re.match(r"\W{0,6}(?:\w+ ){0,3}\w+ ?:", folded)
    return bool(begins) and not re.search(
        r"\b(?:that|which|because|is|are|was|were|que|porque|es|son|fue|fueron)\b",
        folded,
    )
