"""The forms that a model's summary of a day is made of; what is in none of them cannot be said.

They are matched against lower case without accents, one behind the other. {n} is a figure, {m} the whole
that it is a part of, {items} a list of items; a form without its <noun> continues what stands before it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from daemon.config.sections import Language

STANDING = ("eligible", "waiting", "done", "blocked")
STATES = ("completed", "failed", "paused_budget", "interrupted", "no_work", "running")
FAMILIES: Mapping[str, str] = {
    **dict.fromkeys(("sprints", *STATES), "sprints"),
    **dict.fromkeys(("findings", "rejected"), "outputs"),
    **dict.fromkeys(STANDING, "items"),
}


@dataclass(frozen=True)
class Tongue:
    """One language. `joins` lead from a form to the next; `before` and `today` name the two days,
    with `on` before and `until` behind; `in_all` says nothing more about one day, and `no_standing` is what is not
    said of how things stand."""

    forms: tuple[tuple[str, re.Pattern[str]], ...]
    joins: Mapping[str, re.Pattern[str]]
    zero: frozenset[str]
    one: frozenset[str]
    before: str
    today: str
    until: str
    on: str
    in_all: str
    no_standing: str
    examples: tuple[str, ...]


ITEM = "\ue000"  # stands before an item's number in a text; nobody types it
_NUMBER = r"\d+(?:[.,]\d+)*"


def _forms(
    lines: str, *, number_words: str, joined: str, **words: str
) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """One a line: what it counts, and how it is said."""
    holes = {
        "n": rf"(?P<n>{number_words}|{_NUMBER})",
        "m": rf"(?P<m>{_NUMBER})",
        "items": rf"(?P<items>{ITEM}\d+(?:(?:, | {joined} |, {joined} ){ITEM}\d+)*)",
        **words,
    }
    found = []
    for line in filter(str.strip, lines.splitlines()):
        kind, _, said = line.strip().partition(" ")
        for name, hole in holes.items():
            said = said.replace(f"{{{name}}}", hole)
        found.append((kind, re.compile(said + rf"(?![\w{ITEM}])")))
    return tuple(found)


def _each(kinds: Sequence[str], words: Sequence[str], lines: str) -> str:
    """The lines for each kind; {kind} and {word} are its name and how it is said."""
    return "".join(
        lines.replace("{kind}", kind).replace("{word}", word)
        for kind, word in zip(kinds, words, strict=True)
    )


_EN = _forms(
    r"""
    findings (?:{there})?{n} (?P<noun>(?:new )?findings?)(?: {be}?{learned})?
    findings (?:{there})?{n} (?P<noun>outputs?) {be}?accepted
    findings {n} {be}?{learned}
    findings {program}(?:learned|recorded|produced) {n} (?P<noun>(?:new )?findings?)
    rejected (?:{there})?{n} (?P<noun>outputs?) {be}?rejected
    rejected (?:{there})?{n} rejected (?P<noun>outputs?)
    rejected {program}rejected {n} (?P<noun>outputs?)
    rejected {n} {be}?rejected
    sprints (?:{there})?{n} (?P<noun>sprints?)(?: ran)?
    sprints {program}ran {n} (?P<noun>sprints?)
    calls (?:{there})?{n} (?:model )?(?P<noun>calls?)(?: to (?:the )?models?)?
    usd (?P<noun>\$|usd ){n}(?: of (?:the )?(?:cap of )?(?:\$|usd )?{m})?(?: {be}?spent)?
    usd {n}(?: of (?:the )?(?:cap of )?{m})? (?P<noun>usd|dollars)(?: {be}?spent)?
    usd {n} (?P<noun>usd|dollars)(?: {be}?spent)? of (?:the )?cap of {m} (?:usd|dollars)
    usd {program}spent (?P<noun>\$){n}(?: of (?:the )?\$?{m})?
    usd {program}spent {n}(?: of (?:the )?{m})? (?P<noun>usd|dollars)
    usd the cost (?:is|was) {n}(?: of (?:the )?{m})? (?P<noun>usd|dollars)
    cap the (?:money )?cap (?:is|was) {n} (?P<noun>usd|dollars)
    findings (?:the )?(?:new )?(?P<noun>findings?)(?: {be}|: | ){items}(?: {be}learned)?
    findings {items} {be}(?:a )?(?P<noun>learned|(?:new )?findings?)
    findings (?:{there})?{n} (?P<noun>(?:new )?findings?) ?\({items}\)(?: {be}?{learned})?
    blocked {n} (?P<noun>items?) ?\({items}\) {is}blocked
    blocked {items} {is}(?P<noun>blocked)
    named {items}
    blocked (?:the )?blocked (?P<noun>items?)(?: {is}|: | ){items}
    """
    + _each(
        STATES,
        ("completed", "failed", "paused", "interrupted", "idle", "running"),
        r"""
    {kind} (?:{there})?{n}(?: of (?:the )?{m})? (?P<noun>sprints?) {be}?{word}
    {kind} (?:{there})?{n}(?: of (?:the )?{m})? {word}(?P<noun> sprints?)
    {kind} {n} {be}?{word}""",
    )
    + r"""
    completed {program}completed {n}(?: of (?:the )?{m})? (?P<noun>sprints?)"""
    + _each(
        STANDING,
        STANDING,
        r"""
    {kind} (?:{now})?{n} (?P<noun>items?) {is}?{word}
    {kind} (?:{now})?{n} {word}(?P<noun> items?)
    {kind} {n} {is}?{word}
    {kind} (?P<noun>(?:in )?the backlog(?:,)?) (?:has )?{n} (?:items? )?{is}?{word}(?: items?)?""",
    ),
    number_words="no|none|an?",
    joined="and",
    be="(?:(?:is|are|was|were|has been|have been) )",
    learned="(?:learned|accepted|recorded)",
    there="there (?:is|are|was|were) ",
    now="there (?:is|are) ",
    program="(?:the program )?",
    **{"is": "(?:(?:is|are) )"},
)

_ES = _forms(
    r"""
    findings (?:{there})?{n} (?P<noun>(?:nuevos? )?hallazgos?(?: nuevos?)?)(?: {be}?{learned})?
    findings (?:{there})?{n} (?P<noun>resultados?) {be}?aceptados?
    findings {n} {be}?{learned}
    findings se (?:registr|aprend|acept)(?:o|aron|io|ieron) {n} (?P<noun>(?:nuevos? )?hallazgos?)
    rejected (?:{there})?{n} (?P<noun>resultados?) {be}?rechazados?
    rejected se rechaz(?:o|aron) {n} (?P<noun>resultados?)
    rejected {n} {be}?rechazados?
    sprints (?:{there})?{n} (?P<noun>sprints?)
    sprints se ejecut(?:o|aron) {n} (?P<noun>sprints?)
    calls (?:{there})?{n} (?P<noun>llamadas?)(?: a(?:l)? modelos?| a los modelos| de modelos?)?
    usd (?:se gast(?:o|aron) )?{n}(?: de (?:los |un tope de )?{m})? (?P<noun>usd|dolares)(?: (?:fueron )?gastados)?
    usd el cost[oe] (?:es|fue) (?:de )?{n}(?: de (?:los )?{m})? (?P<noun>usd|dolares)
    cap el tope (?:de dinero )?(?:es|fue) (?:de )?{n} (?P<noun>usd|dolares)
    findings (?:el |los )?(?P<noun>hallazgos?)(?: {be}|: | ){items}
    findings {items} {be}(?P<noun>(?:un )?hallazgos?)
    findings se aprend(?:io|ieron) (?P<noun>){items}
    findings (?:{there})?{n} (?P<noun>(?:nuevos? )?hallazgos?) ?\({items}\)(?: {be}?{learned})?
    blocked {n} (?P<noun>tareas?) ?\({items}\) {is}bloqueadas?
    blocked {items} {is}(?P<noun>bloqueadas?)
    named {items}
    blocked (?:la |las )?(?P<noun>tareas?) bloqueadas?(?: {is}| son | es |: | ){items}
    completed se complet(?:o|aron) {n}(?: de (?:los )?{m})? (?P<noun>sprints?)
    failed {n}(?: de (?:los )?{m})? (?P<noun>sprints?) fall(?:o|aron)
    failed {n} fall(?:o|aron)
    failed fall(?:o|aron) {n} (?P<noun>sprints?)
    """
    + _each(
        STATES,
        (
            "completados?",
            "fallidos?",
            "(?:pausados?|en pausa)",
            "interrumpidos?",
            "sin trabajo",
            "en curso",
        ),
        r"""
    {kind} (?:{there})?{n}(?: de (?:los )?{m})? (?P<noun>sprints?) {be}?{word}
    {kind} {n} {be}?{word}""",
    )
    + _each(
        STANDING,
        ("(?:elegibles?|listas?)", "en espera", "hechas?", "bloqueadas?"),
        r"""
    {kind} (?:hay )?{n} (?P<noun>tareas?) {is}?{word}
    {kind} {n} {is}?{word}""",
    ),
    number_words="no hubo|no hay|ningun[oa]?|una?",
    joined="y",
    be="(?:(?:es|son|esta|estan|fue|fueron|quedo|quedaron) )",
    learned="(?:aprendidos?|aceptados?|registrados?)",
    there="(?:hay|hubo) ",
    **{"is": "(?:(?:esta|estan) )"},
)

_SIGNS = {",": r", ?(?:and |y )?", ":": r": ?", "(": r" ?\(", ")": r"\)"}


def _joins(**words: str) -> Mapping[str, re.Pattern[str]]:
    return {name: re.compile(said) for name, said in {**_SIGNS, **words}.items()}


TONGUES: Mapping[Language, Tongue] = {
    "en": Tongue(
        forms=_EN,
        joins=_joins(
            also=r" and (?:also )?",
            part=r"(?:,)? of which ",
            within=r"(?:,)? in ",
            beside=r"(?:,)? with ",
            cost=r" cost ",
        ),
        zero=frozenset({"no", "none"}),
        one=frozenset({"a", "an"}),
        before="yesterday",
        today="(?:so far )?today(?:,? so far)?|now",
        until=r"(?:,? (?:until|as of) {at}(?: utc)?)?",
        on="(?:on |of )?",
        in_all=r"(?:^| )in total(?!\w)",
        no_standing=r"\b(?:until|as of|so far)\b",
        examples=(
            "Yesterday 2 findings were learned and 1 output was rejected in 12 sprints (11 completed, 1 failed).",
            "Yesterday 11 of 12 sprints completed.",
            "Yesterday 4.21 of 20.00 USD were spent in 26 model calls.",
            'The findings of yesterday are T01 "The title" and T02 "The title".',
            "Today so far 0 findings were learned, 3 sprints completed and 0.90 USD were spent.",
            "Today there was no rejected output.",
            'T05 "The title" is blocked.',
            "30 items are eligible, 2 are waiting, 4 are done and 1 is blocked.",
        ),
    ),
    "es": Tongue(
        forms=_ES,
        joins=_joins(
            also=r" (?:y|e) (?:tambien )?",
            part=r"(?:,)? de los cuales ",
            within=r"(?:,)? en ",
            beside=r"(?:,)? con ",
            cost=r" cost(?:o|aron) ",
        ),
        zero=frozenset({"no hubo", "no hay", "ningun", "ninguno", "ninguna"}),
        one=frozenset({"un", "una"}),
        before="ayer",
        today="(?:hasta ahora )?hoy(?:,? hasta ahora)?|(?<!hasta )ahora",
        until=r"(?:,? hasta las {at}(?: utc)?)?",
        on="(?:el |de |del )?",
        in_all=r"(?:^| )en total(?!\w)",
        no_standing=r"\bhasta\b",
        examples=(
            "Ayer hubo 2 hallazgos y 1 resultado rechazado en 12 sprints (11 completados, 1 fallido).",
            "Ayer 11 de 12 sprints fueron completados.",
            "Ayer se gastaron 4,21 de 20,00 USD en 26 llamadas a modelos.",
            'Los hallazgos de ayer son T01 "El título" y T02 "El título".',
            "Hoy hasta ahora hubo 0 hallazgos, 3 sprints completados y 0,90 USD gastados.",
            "Hoy no hubo hallazgos.",
            'T05 "El título" está bloqueada.',
            "30 tareas están listas, 2 en espera, 4 hechas y 1 bloqueada.",
        ),
    ),
}
