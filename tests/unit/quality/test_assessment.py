from __future__ import annotations

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from daemon.quality.assessment import LONGEST_CHARACTERS, assess
from daemon.quality.rules import QualityRules
from daemon.quality.verdict import TaskBrief, Verdict
from daemon.quality.verdict_json import verdict_as_json, verdict_from_json
from tests.unit.quality.judging import REPORT, judge, rejecting

BRIEF = TaskBrief("T", "Who pays?", prompt_text="Find out who pays for a search of rulings.")
FRAGMENTS = (
    "I can't help. ", 'Let me search:\n', '<think>', '</think>', '```', '| a | b |\n',
    '|---|\n', '# ', '\n\n', '\xab', '\xbb', '"', '[x]%', '{{a}}', '<|im_start|>', '$35 ',
    '30% ', 'no puedo ', '- [ ] ', '\u202e', '\u200b', '\x00', '\ud800',
    '\U0001f469\u200d\U0001f3eb', 'https://a.ec ', '[1]', '## Sources\n1. a\n',
    '\u0645\u0631\u062d\u0628\u0627 ', '\u5e02\u573a\u3002', 'e\u0301', 'Tools used: x', '...',
    '\u0130',
)  # fmt: skip


def test_a_good_report_is_accepted_whole() -> None:
    """No defect, nothing cut, the score explained by its parts."""
    verdict = judge(REPORT, "report")
    assert (verdict.outcome, verdict.defects, verdict.stripped) == ("accept", (), ())
    assert verdict.cleaned_text == REPORT.strip("\n")
    assert verdict.score_hundredths == sum(part.hundredths for part in verdict.parts) == 65


def test_chatter_around_a_report_is_cut_and_the_report_accepted() -> None:
    """What is stored is the report."""
    verdict = judge(f"Sure! Here is the report:\n\n{REPORT}\nI hope this helps!", "report")
    assert (verdict.outcome, verdict.cleaned_text) == ("accept", REPORT.strip("\n"))
    assert verdict.stripped == ("Sure!", "Here is the report:", "I hope this helps!")


def test_a_phrase_of_planning_left_inside_a_report_marks_it_only() -> None:
    """Forty of fifty genuine reports were once thrown away for this."""
    text = REPORT.replace("## Limits", "Let me search for the fees of notaries:\n\n## Limits")
    verdict = judge(text, "report")
    assert verdict.outcome == "flag"
    assert verdict.defects[0].check == "planning.en.about_to"
    assert verdict.defects[0].span is not None
    assert "notaries" in verdict.cleaned_text[slice(*verdict.defects[0].span)]


def test_a_refusal_rejects_in_a_short_text_and_not_as_one_sentence_of_a_report() -> None:
    """Position and share decide, never the mere occurrence."""
    refusal = "I'm sorry, but I can't help with that."
    assert judge(refusal).outcome == "reject"
    assert (
        rejecting(judge(f"{REPORT}\n\nAsked again, it said: {refusal}\n{REPORT}", "report")) == []
    )


def test_many_empty_sentences_of_different_kinds_are_rejected_together() -> None:
    """No family reaches its share; the whole says nothing."""
    text = (
        "Let me gather the fees. I don't have access to the registry. The full report will follow. "
        "I reviewed many sources. No relevant results were found."
    )
    assert judge(text).outcome == "reject"


def test_an_output_cut_by_its_limit_is_rejected_whatever_it_holds() -> None:
    """A stub must never be stored as a whole result."""
    verdict = assess(REPORT, BRIEF, rules=QualityRules(), truncated=True)
    assert verdict.outcome == "reject"
    assert "output limit" in verdict.reasons[0]


def test_thinking_without_an_answer_is_rejected_and_kept() -> None:
    """Nothing is left, and what was cut can be read."""
    verdict = judge("<think>I should be careful.</think>")
    assert rejecting(verdict) == ["structure.empty"]
    assert verdict.stripped == ("<think>I should be careful.</think>",)


def test_the_reasons_are_sentences_for_the_next_attempt() -> None:
    """Each ends with a full stop and is there once."""
    reasons = judge("I can't open the PDF. I can't help with that.", "report").reasons
    assert len(set(reasons)) == len(reasons) > 1
    assert all(reason.endswith(".") for reason in reasons)


BRIEFS = {
    "en": """Quoted from the workspace's notes by sprintd's offline writer; it selects sentences and does not reason.

## Most relevant

- In 2024 the courts of first instance had 71,200 pending cases. [courts]
- The fee for a first certified copy is $35 in 21 of 24 provinces. [fees]

## Evidence by source

### Courts

- The council publishes the number of pending cases each March. [courts]

## What the notes do not say

Not in the notes: notaries, Loja.
""",
    "es": """Citado de las notas por el redactor sin conexión de sprintd; elige frases y no razona.

## Lo más pertinente

- En 2024 los juzgados de primera instancia tenían 71.200 causas pendientes. [juzgados]
- La tasa de la primera copia es de $35 en 21 de 24 provincias. [tasas]

## Lo que las notas no dicen

No está en las notas: notarías, Loja.
""",
}


@pytest.mark.parametrize("language", BRIEFS)
def test_a_brief_of_the_offline_writer_is_accepted(language: str) -> None:
    """It says that it does not reason, quotes with marks, and lists what is missing."""
    verdict = judge(BRIEFS[language], "report", language)
    assert (verdict.outcome, verdict.defects, verdict.stripped) == ("accept", (), ())


def test_ten_megabytes_get_a_verdict() -> None:
    """Nothing that long is read, and nothing of it is lost."""
    verdict = judge("word " * 2_000_000)
    assert rejecting(verdict) == ["structure.too_long"]
    assert len(verdict.cleaned_text) == 10_000_000


def test_the_longest_text_that_is_read_gets_a_verdict() -> None:
    """A million characters, without a line break."""
    assert judge("word " * (LONGEST_CHARACTERS // 5)).outcome == "reject"


@pytest.mark.parametrize(
    "text", ["", "\x00", "\ud800", "\u200b" * 9, "😀", "שלום עולם", "İ", "```", '"', "<think>"]
)
def test_odd_texts_get_a_verdict(text: str) -> None:
    """Empty, invisible, half a character, right to left."""
    assert isinstance(judge(text, "report"), Verdict)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.one_of(
        st.text(max_size=600),
        st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=12), max_size=60).map("".join),
        st.binary(max_size=400).map(lambda one: one.decode("latin-1")),
    ),
    st.sampled_from(["report", "answer", "plan", "template", "code"]),
)
@example("a\ud83d", "report")
def test_any_text_gets_a_verdict_that_can_be_stored(text: str, profile: str) -> None:
    """Never an exception; spans lie inside; the outcome follows from the defects; judging is repeatable."""
    brief = TaskBrief("T", "?", profile, prompt_text="Find out who pays.")  # type: ignore[arg-type]
    verdict = assess(text, brief, rules=QualityRules(), earlier=("x",))
    assert verdict == assess(text, brief, rules=QualityRules(), earlier=("x",))
    assert verdict_from_json(verdict_as_json(verdict)) == verdict
    assert verdict.cleaned_text.encode("utf-8").decode("utf-8") == verdict.cleaned_text
    assert 0 <= verdict.score_hundredths <= 100
    rejects = any(defect.rejects for defect in verdict.defects)
    assert verdict.outcome == ("reject" if rejects else "flag" if verdict.defects else "accept")
    for defect in verdict.defects:
        start, end = defect.span or (0, 0)
        assert 0 <= start <= end <= len(verdict.cleaned_text)


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet="ab c.\n#>`\"'-", max_size=200))
def test_cutting_loses_no_word(text: str) -> None:
    """What is cleaned and what is stripped are the whole output."""
    verdict = judge(text)
    kept = " ".join((verdict.cleaned_text, *verdict.stripped)).split()
    assert sorted(kept) == sorted(text.split())
