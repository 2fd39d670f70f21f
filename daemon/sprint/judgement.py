"""What a judge's answer means for a verdict: pure, and nothing but a clear yes accepts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, cast, get_args

from daemon.knowledge.confidence import ConfidenceSignal, assess_confidence
from daemon.quality.verdict import Defect, Verdict, with_defect

Decision = Literal["sound", "unsound", "unsure"]
Fault = Literal["contradicted", "swapped", "unsupported", "off_topic"]

LEAST_CONFIDENCE = 0.7
ADDRESSED = "judge.addressed"

_MOST_PROBLEMS = 10
_LONGEST = 300
_JUDGE = (
    r"(?:an?|the|any|our|your)?[ ]?(?:ai|llm|model|automated|automatic|quality|language)?[ -]?(?:model )?"
    r"(?:judge|grader|evaluator|assessor|reviewer|checker)"
)
_JUEZ = r"(?:juez|jueza|evaluador|evaluadora|revisor|revisora)"
_ASKED = r"(?:please|accept|approve|pass|mark|rate|score|answer|return|respond|reply|confirm|treat|ignore)"
_OUTPUT = r"(?:output|report|answer|deliverable|text|response|finding)"
_ADDRESSES = re.compile(
    rf"\bas {_JUDGE}\b[,:]? (?:you (?:must|should|shall|will|have to|are)|{_ASKED})\b"
    rf"|\b(?:dear|attention,?|note (?:to|for)|message (?:to|for)|instructions? (?:to|for)) {_JUDGE}\b"
    rf"|\b(?:accept|approve|pass) this {_OUTPUT}\b"
    rf"|\b(?:rate|score|mark|judge|grade) this {_OUTPUT} (?:as|with)\b"
    r"|\"decision\"\s*:\s*\"sound\""
    rf"|\bcomo {_JUEZ}\b[,:]? (?:debes?|tienes que|acept|aprueb|apru|marc|respond)"
    rf"|\b(?:nota|mensaje|instrucci[oó]n(?:es)?) (?:para|al?) (?:el |la )?{_JUEZ}\b"
    r"|\b(?:acepta|acepte|aprueba|apruebe|valida|valide) est[ae] (?:informe|respuesta|texto|entrega|resultado)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Problem:
    """One complaint of a judge; `quote` is what it is about, word for word from the judged text."""

    kind: Fault
    quote: str
    reason: str


@dataclass(frozen=True)
class Judgement:
    """A judge's answer in order. `confidence` is 0..1, how sure it is of its decision."""

    decision: Decision
    confidence: float
    problems: tuple[Problem, ...]
    reason: str


def read_judgement(value: Any, text: str) -> Judgement:
    """The answer as it was asked for. `text` is what was judged.

    Raises ValueError with one sentence for every other answer: unknown words, a yes with complaints,
    a no without any, a complaint about something that the text does not say.
    """
    if not isinstance(value, Mapping):
        raise ValueError("the judge's answer is no object")
    decision, confidence = value.get("decision"), value.get("confidence")
    if decision not in get_args(Decision):
        raise ValueError(f"the judge's decision cannot be {str(decision)[:40]!r}")
    if type(confidence) not in (int, float) or not 0 <= confidence <= 1:  # type: ignore[operator]
        raise ValueError(f"the judge's confidence cannot be {str(confidence)[:40]!r}")
    listed = value.get("problems")
    if not isinstance(listed, list) or len(listed) > _MOST_PROBLEMS:
        raise ValueError(f"the judge's problems are no list of at most {_MOST_PROBLEMS}")
    said = _folded(text)
    problems = tuple(_problem(one, said) for one in listed)
    if (decision == "sound") == bool(problems) and decision != "unsure":
        raise ValueError(f"the judge says {decision!r} with {len(problems)} problems")
    return Judgement(
        cast("Decision", decision),
        float(cast("float", confidence)),
        problems,
        _line(value.get("reason", "")),
    )


def apply_judgement(verdict: Verdict, judgement: Judgement, model: str) -> Verdict:
    """The verdict after the judge's word: only a sure "sound" leaves it accepted."""
    said = replace(verdict, judged=f"{model}: {judgement.decision}, {judgement.confidence:.2f}")
    if judgement.decision == "sound":
        signal = ConfidenceSignal(
            "judge", judgement.confidence, judgement.reason or "no reason given"
        )
        gate = assess_confidence(
            "", threshold=LEAST_CONFIDENCE, include_self_report=False, evaluations=[signal]
        )
        return said if gate.passed else _unsure(said, gate.detail)
    if judgement.decision == "unsure" and not judgement.problems:
        return _unsure(said, judgement.reason or "it gave no reason")
    check = "judge.unsure" if judgement.decision == "unsure" else "judge.unsound"
    for problem in judgement.problems:
        message = f"The judge, {_WORDS[problem.kind]}: “{problem.quote}”. {problem.reason}"
        place = _span(verdict.cleaned_text, problem.quote)
        said = with_defect(said, Defect(check, message.strip(), rejects=True, span=place))
    return said


def hide_addresses(text: str) -> tuple[str, tuple[tuple[int, int], ...]]:
    """The text for a judge, without the sentences that speak to it, and where those stand.

    They are cut so that they cannot help, whatever the judge is made of.
    """
    spans: list[tuple[int, int]] = []
    for found in _ADDRESSES.finditer(text):
        start = max(text.rfind(mark, 0, found.start()) + 1 for mark in ".!?\n")
        ends = [at + 1 for mark in ".!?\n" if (at := text.find(mark, found.end())) >= 0]
        end = min(ends, default=len(text))
        if spans and start < spans[-1][1]:
            spans[-1] = (spans[-1][0], max(end, spans[-1][1]))
        else:
            spans.append((start, end))
    hidden = text
    for start, end in reversed(spans):
        hidden = f"{hidden[:start]} […] {hidden[end:]}"
    return hidden, tuple(spans)


_WORDS: dict[Fault, str] = {
    "contradicted": "the notes say the opposite of this",
    "swapped": "the notes say this of something else",
    "unsupported": "the notes do not say this",
    "off_topic": "this does not answer the question",
}


def _unsure(verdict: Verdict, why: str) -> Verdict:
    message = f"The judge is not sure that the notes bear it out: {why}."
    return with_defect(verdict, Defect("judge.unsure", message, rejects=True))


def _problem(value: Any, said: str) -> Problem:
    if not isinstance(value, Mapping) or value.get("kind") not in get_args(Fault):
        raise ValueError("the judge names a problem of no known kind")
    quote = value.get("quote")
    if not isinstance(quote, str) or len(_folded(quote)) < 8 or _folded(quote) not in said:
        raise ValueError(f"the judge complains of what the text does not say: {str(quote)[:80]!r}")
    return Problem(cast("Fault", value["kind"]), _line(quote), _line(value.get("reason", "")))


def _span(text: str, quote: str) -> tuple[int, int] | None:
    start = text.find(quote)
    return (start, start + len(quote)) if start >= 0 else None


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _line(text: Any) -> str:
    return " ".join(str(text).split())[:_LONGEST]
