from __future__ import annotations

from dataclasses import replace

import pytest

from daemon.quality.assessment import assess
from daemon.quality.claims import SourceNote
from daemon.quality.copying import copies_a_source
from daemon.quality.normalise import clean, read
from daemon.quality.rules import QualityRules
from daemon.quality.verdict import Defect, Profile, TaskBrief, Verdict
from tests.unit.quality.judging import REPORT, rejecting

TASK = (
    "You work for a venture in Ecuador. Find out how many law firms in Quito and Cuenca would pay for a "
    "search of court rulings, what they pay today, and who the licensed vendors are. Give every figure "
    "with its source and say what could not be verified."
)
NOTE = (
    "The visit to the yard took place on a wet morning. Of the sixteen lorries in the queue, five had waited since "
    "the evening before. The foreman said that the second scale stands idle because its permit ran out in March. "
    "Drivers pay a boy two dollars to keep their place while they sleep. Nobody at the gate knew who orders the "
    "repair, and the form for it lies in a drawer without a number."
)
NOTA = (
    "La visita al patio fue una mañana de lluvia. De los dieciséis camiones de la fila, cinco esperaban desde la "
    "noche anterior. El capataz dijo que la segunda báscula está parada porque su permiso venció en marzo. Los "
    "choferes pagan dos dólares a un muchacho para que les guarde el puesto mientras duermen. En la garita nadie "
    "sabía quién ordena el arreglo."
)


def judged(text: str, prompt_text: str) -> Verdict:
    brief = TaskBrief("T", "?", profile="answer", prompt_text=prompt_text)
    return assess(text, brief, rules=QualityRules())


def copied(text: str, *notes: str, profile: Profile = "report") -> list[Defect]:
    brief = TaskBrief("T", "?", profile=profile)
    sources = [SourceNote(f"note-{i}", note) for i, note in enumerate(notes)]
    return list(copies_a_source(read(clean(text)), brief, sources))


def test_a_text_made_of_its_own_task_is_rejected() -> None:
    """More than thirty in a hundred of its four-word sequences are the task's."""
    text = (
        f"The question is clear. {TASK} This matters a great deal to the founders of the venture."
    )
    assert "restatement.prompt" in rejecting(judged(text, TASK))


def test_a_report_that_repeats_its_question_once_is_accepted() -> None:
    """A scope line is no restatement."""
    text = f"Scope: how many law firms in Quito and Cuenca would pay.\n\n{REPORT}"
    assert judged(text, TASK).outcome == "accept"


def test_a_larger_share_is_marked_before_it_is_rejected() -> None:
    """Between 15 and 30 in a hundred."""
    verdict = judged(f"{TASK}\n\n{REPORT}", TASK)
    assert [(d.check, d.rejects) for d in verdict.defects] == [("restatement.prompt", False)]


def test_a_direct_answer_may_repeat_the_words_of_its_question() -> None:
    """It adds what was asked for."""
    asked = "What does a first certified copy from the registry in Quito cost today?"
    answer = "A first certified copy from the registry in Quito costs $35 today."
    assert rejecting(judged(answer, asked)) == []


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        (
            'Name three buyers. Example: "Bufete Andino pays 40 dollars a month for 3 seats."',
            "Bufete Andino pays 40 dollars a month for 3 seats.",
        ),
        (
            'Nombra tres compradores. Ejemplo: "Bufete Andino paga 40 dólares al mes por 3 puestos".',
            "- Bufete Andino paga 40 dólares al mes por 3 puestos",
        ),
        (
            'One line each: "The lorries wait 47 minutes at gate 3". No more than 20 words.',
            "Findings of this week are listed here.\n\nThe lorries wait 47 minutes at gate 3",
        ),
    ],
)
def test_an_example_of_the_instructions_is_no_result(asked: str, text: str) -> None:
    """However short it is, and with a line around it."""
    assert {"restatement.prompt", "restatement.example"} & set(rejecting(judged(text, asked)))


@pytest.mark.parametrize("note", [NOTE, NOTA])
def test_a_report_that_is_one_of_its_notes_is_rejected(note: str) -> None:
    """Word for word, with a sentence of its own around it; the note is named."""
    other = "A tariff table of the port authority with prices of the year before last."
    defects = copied(f"Summary of the visit. {note}", other, note)
    assert [(d.check, d.rejects) for d in defects] == [("copying.source", True)]
    assert "note-1" in defects[0].message


def test_a_synthesis_of_several_notes_is_no_copy() -> None:
    """Sentences of each of them beside the author's own."""
    first, second = NOTE.split(". ", 2)[0], NOTA.split(". ", 2)[0]
    own = "What holds the yard up is a permit, not the number of lorries, so a second clerk would change nothing. "
    assert copied(f"{first}. {own} {second}. {own}", NOTE, NOTA) == []


def test_only_a_report_is_rejected_for_it() -> None:
    """Where a template or a form was asked for, its text is given."""
    assert [d.rejects for d in copied(NOTE, NOTE, profile="template")] == [False]


def test_a_writer_that_may_quote_is_let_pass_and_the_reason_is_told() -> None:
    """The offline writer selects sentences by design."""
    brief = TaskBrief("T", "?", may_quote=True)
    reading = read(clean(NOTE))
    (defect,) = copies_a_source(reading, brief, [SourceNote("yard", NOTE)])
    assert not defect.rejects
    assert "let pass" in defect.message
    (rejected,) = copies_a_source(
        reading, replace(brief, may_quote=False), [SourceNote("yard", NOTE)]
    )
    assert rejected.rejects


def test_the_wording_counts_not_the_layout() -> None:
    """A copy with other line breaks and list marks is one."""
    text = "\n".join(f"- {one}" for one in NOTE.split(". "))
    assert [d.rejects for d in copied(text, NOTE)] == [True]
