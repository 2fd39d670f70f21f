"""What a model is asked to write about verdicts that are decided, and what of its answer may be shown.

It gets ids and figures, never a sentence from outside, and can change nothing: each check that its words
fail leaves them out, and the worked-out reasons stand without them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from daemon.governance.kill_criteria import Outcome, TestState
from daemon.llm.provider import Prompt
from daemon.quality.claims import SourceNote
from daemon.quality.figure_claims import figure_claims
from daemon.quality.normalise import clean, fold, read
from daemon.quality.number_words import find_word_numbers
from daemon.quality.verdict import TaskBrief
from daemon.reports.narration_figures import CITED, bound_fault
from daemon.reports.narration_words import strange_word
from daemon.reports.review import CriterionReview, Review, criterion_as_json

_MOST_TOKENS = 3_000
_LONGEST = 900

_SYSTEM = """\
You write two or three plain sentences for each criterion, for founders who read in a hurry. The verdicts
were worked out by rule and are final: explain them, never weigh, soften or repeat them in other words.
Put the id of the evidence in square brackets right behind each figure of it; write bounds with their
sign, and dates and ids as in the data; use no other numbers. Use the words of the data and plain words such as
note, source, figure, bound, date, counts, stands, missing, needed: every other word is refused. Say what
counts, what disagrees and what is missing. Draw no conclusion of your own and give no advice."""

NARRATION_SCHEMA: Mapping[str, object] = {
    "type": "object",
    "properties": {
        "criteria": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "id": {"type": "string"},
                    "verdict": {"type": "string", "enum": ["go", "no_go", "not_yet_known"]},
                    "reasoning": {"type": "string"},
                },
                "required": ["id", "verdict", "reasoning"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["criteria"],
    "additionalProperties": False,
}

_EVIDENCE_ID = re.compile(r"[A-Za-z0-9_-]+-\d+:\d+")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_SMALL_WORDS = re.compile(
    r"\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozens?|half|third|quarter|twice|double"
    r"|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce|docenas?|mitad|tercio|cuarto|doble|hundreds?"
    r"|thousands?|millions?|cientos?|miles|millones)\b"
)
_LINK = re.compile(r"https?:|\]\(|!\[|www\.|<[@!#]|@(?:here|channel|everyone)", re.IGNORECASE)
_NO_GO = r"\bno[ -]?go\b"
_GO = r"(?<!no-)(?<!no )\bgo\b"
_UNKNOWN = r"\b(?:not (?:yet )?known|unknown|undecided|inconclusive|unclear|no se sabe|desconocid\w*|inciert\w*)\b"
_YES = (
    r"\b(?:met|meets?|pass(?:es|ed)?|prov(?:es|ed|en)|confirm\w*|satisf\w+|validat\w+|demonstrat\w+|succe\w+|achiev\w+"
    r"|exceed\w*|clear(?:ed|ly|s)?|proceed\w*|continu\w+|invest\w*|green|certain\w*|definit\w*|obvious\w*|strong\w*"
    r"|convinc\w+|overwhelm\w*|excellent|ready|safe\w*|viable|feasible|approv\w+|shows? that|cumpl\w+|demuestr\w+"
    r"|demostrad\w+|super(?:a|an|o|ado)\b|alcanz\w+|logr\w+|prob(?:o|ado|ada)\b|verde|adelante|exito\w*|segur\w+"
    r"|clar[oa]\w*|evidente\w*|fuerte\w*|convincente\w*|viab\w+|factib\w+|aprob\w+)\b"
)
_NOT = (
    r"\b(?:fail\w*|disprov\w+|refut\w+|stop\w*|shut\w*|abandon\w*|kill\w*|dead|reject\w*|unmet|red|doom\w*|hopeless"
    r"|worthless|weak\w*|close (?:down|the)|give up|cancel\w*|terminat\w+|fracas\w+|incumpl\w+|cerrar|cierr\w+|deten\w+"
    r"|rechaz\w+|rojo|muert\w+|inviab\w+|debil\w*|cancel\w+)\b"
)
_ADVICE = (  # what explains no verdict, whichever it is
    r"\b(?:verdicts?|veredictos?|decisions?|decisi\w+|conclu\w+|should|must|recommend\w*|advis\w+|suggest\w*|urge\w*"
    r"|build|launch|expand|hire|ignore\w*|overrid\w+|overrul\w+|disregard\w*|actually|really|in fact|in truth|instead"
    r"|despite|wrong\w*|incorrect\w*|mistak\w+|errors?|erroneous|settled|resolved|proof|evident\w*|trust|believe"
    r"|debe\w*|recomiend\w+|aconsej\w+|sugier\w+|construir|lanzar|ignor\w+|en realidad|realmente|a pesar|equivocad\w*"
    r"|errone\w+|resuelt\w+|prueba de|confi(?:a|en|ar)\b)"
)
_FORBIDDEN: Mapping[Outcome, tuple[str, ...]] = {
    "go": (_NO_GO, _UNKNOWN, _NOT),
    "no_go": (_GO, _UNKNOWN, _YES),
    "not_yet_known": (_GO, _NO_GO, _YES, _NOT),
}
_OWN_WORDS: Mapping[Outcome, str] = {
    "go": _GO,
    "no_go": _NO_GO,
    "not_yet_known": r"\bnot(?:_| )yet(?:_| )known\b|\btodavia no se sabe\b",
}
_STANDS = (
    r"\b(?:is|are|was|were|stands?|counts?|counted|comes?|says?|said|agrees?|rests?|es|son|esta|estan|quedan?"
    r"|cuentan?|dicen?) (?:all |only |both |here |solo |ambas )?"
)
_STATES: Mapping[TestState, str] = {
    "for": rf"{_STANDS}(?:for|a favor|por)\b|\b(?:es|son|esta|estan) para(?=\W*$|\W*[.,;:]| y )",
    "against": rf"{_STANDS}(?:against|en contra|contra)\b",
    "between": r"\b(?:is|are|stands?|es|esta|queda) (?:between|entre)(?=\W*$|\W*[.,;:])",
    "contradicted": r"\bcontradi\w+|\bdis?agree\w*|\bdiffer\w*|\bdifier\w+|\bdistint\w+",
    "open": r"\b(?:is|are|stands?|es|esta) (?:open|abiert[oa])\b",
    "void": r"\b(?:is|are|es|esta) (?:void|nula)\b",
    "unguarded": r"\bunguarded\b",
}


def narration_prompt(review: Review, *, model: str, language: str) -> Prompt:
    """One request for all criteria that any evidence counts for."""
    data = [_data(one) for one in review.criteria if has_evidence(one)]
    user = (
        f"The data:\n{json.dumps(data, ensure_ascii=False, indent=1)}\n\n"
        f"Write in the language {language!r}. Answer with JSON only: "
        '{"criteria": [{"id": "...", "verdict": "as in the data", "reasoning": "..."}]}'
    )
    return Prompt(
        model=model,
        system=_SYSTEM,
        user=user,
        max_output_tokens=_MOST_TOKENS,
        schema=NARRATION_SCHEMA,
        language=language,
    )


def has_evidence(one: CriterionReview) -> bool:
    """Whether there is anything to tell of it."""
    return any(test.counted for test in one.verdict.tests)


def check_narration(review: Review, answer: Any, language: str) -> tuple[dict[str, str], list[str]]:
    """The words that may be shown, by criterion, and why others may not; never raises."""
    by_id = {one.criterion.id: one for one in review.criteria}
    kept: dict[str, str] = {}
    faults: list[str] = []
    entries = answer.get("criteria") if isinstance(answer, dict) else None
    for entry in entries if isinstance(entries, list) else ():
        name = entry.get("id") if isinstance(entry, dict) else None
        one = by_id.get(name) if isinstance(name, str) else None
        if one is None or name in kept:
            faults.append("it names no criterion, or one twice")
            continue
        words = entry.get("reasoning")
        fault = fault_of(
            one, entry.get("verdict"), words if isinstance(words, str) else "", language
        )
        if fault:
            faults.append(f"{name}: {fault}")
        else:
            kept[one.criterion.id] = " ".join(clean(words).split())
    if not isinstance(entries, list):
        faults.append("it is not the JSON that was asked for")
    return kept, faults


def fault_of(one: CriterionReview, verdict: object, words: str, language: str) -> str:
    """Why words about a criterion may not be shown; empty where they may. They are to be in `language`."""
    outcome = one.verdict.outcome
    if verdict != outcome:
        return "it has another verdict"
    if not words.strip() or len(words) > _LONGEST:
        return "it is empty or too long"
    if _LINK.search(words):
        return "it has a link or a mention"
    fault = _citation_fault(one, words)
    if fault:
        return fault
    folded = fold(words)
    for pattern in (*_FORBIDDEN[outcome], _ADVICE):
        found = re.search(pattern, folded)
        if found:
            return f'"{found.group()}" does not go with the verdict'
    return _figure_fault(one, words) or _word_fault(one, words, language) or bound_fault(one, words)


def _citation_fault(one: CriterionReview, words: str) -> str:
    known = {counted.evidence.id for test in one.verdict.tests for counted in test.counted}
    cited = {part.strip() for found in CITED.finditer(words) for part in found[1].split(",")}
    unknown = sorted((cited | set(_EVIDENCE_ID.findall(words))) - known)
    if unknown:
        return f"it names evidence that there is not: {unknown[0][:40]}"
    return "" if cited & known else "it names no evidence"


def _word_fault(one: CriterionReview, words: str, language: str) -> str:
    """Words and signs that are neither plain nor the data's."""
    outcome, tests = one.verdict.outcome, one.verdict.tests
    looks = [test.test.looks for test in tests]
    own = [one.criterion.id, one.criterion.name, *(test.test.id for test in tests)]
    own += [test.test.measure for test in tests] + [unit for look in looks for unit in look.unit]
    bare = re.sub(_OWN_WORDS[outcome], " ", fold(clean(CITED.sub(" ", words))))
    word = strange_word(bare, own, language)
    if not word and "%" in bare and not any("%" in text for text in own):
        word = "%"
    if word:
        return f"it has words that are not the data's: {word[:40]}"
    for state, pattern in _STATES.items():
        found = re.search(pattern, bare)
        if found and not any(test.state == state for test in tests):
            return f'no test is "{found.group()}"'
    return ""


def _figure_fault(one: CriterionReview, words: str) -> str:
    """Every number stands in the data; the quality gate's own look-up has to find it there as well."""
    bare = CITED.sub(" ", words)
    for test in one.verdict.tests:
        bare = bare.replace(test.test.id, " ")
    bare = bare.replace(one.criterion.id, " ")
    data = json.dumps(_data(one), ensure_ascii=False)
    allowed = set(map(_value, _NUMBER.findall(data)))
    for number in _NUMBER.findall(bare):
        if _value(number) not in allowed:
            return f"it has a figure that is not in the data: {number}"
    folded = fold(bare)
    worded = [str(value) for _, _, value in find_word_numbers(folded)] + _SMALL_WORDS.findall(
        folded
    )
    if worded:
        return f"it has a figure in words: {worded[0]}"
    source = SourceNote("data", "\n".join(_sentences(one)))
    claims = figure_claims(read(clean(bare)), TaskBrief(one.criterion.id, ""), [source])
    absent = [claim.text for claim in claims if claim.status == "absent"]
    return f"it has a figure that is not in the data: {absent[0]}" if absent else ""


def _value(written: str) -> Decimal | str:
    """1,000 and 1000 and 1000.0 are the same; a comma is never taken for a decimal point."""
    return Decimal(written.replace(",", "")) if written.count(".") < 2 else written


def _data(one: CriterionReview) -> dict[str, Any]:
    """What the model gets: no sentence of a finding or a note is in it."""
    facts = criterion_as_json(one)
    tests = [
        {
            **{name: test[name] for name in ("id", "measure", "go", "no_go", "state")},
            "evidence": [
                {
                    "id": counted["id"],
                    "side": counted["side"],
                    "figure": counted["figure"],
                    "dates": sorted({s["dated_on"] for s in counted["sources"] if s["dated_on"]}),
                }
                for counted in test["counted"]
            ],
            "seen_not_counted": len(test["not_counted"]),
        }
        for test in facts["tests"]
    ]
    return {
        "id": facts["criterion"],
        "name": facts["name"],
        "verdict": facts["verdict"],
        "deadline": facts["deadline"],
        "tests": tests,
    }


def _sentences(one: CriterionReview) -> Iterator[str]:
    data = _data(one)
    yield f"{data['id']} {data['name']} deadline {data['deadline']}"
    for test in data["tests"]:
        for counted in test["evidence"]:
            dates = " ".join(counted["dates"])
            yield f"{test['measure']}: {counted['figure']} ({dates}) go {test['go']} no_go {test['no_go']}"
        yield f"{test['measure']}: {test['seen_not_counted']} seen, go {test['go']} no_go {test['no_go']}"
