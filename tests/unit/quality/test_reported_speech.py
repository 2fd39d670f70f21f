# ruff: noqa: E501 - each text is one literal, as it would be written
"""What others said, told without quotation marks, is theirs; what an author says of himself is not."""

from __future__ import annotations

import pytest

from daemon.quality.reported_speech import _UNMARKED, _unmarked, afterwards, reported_speech
from tests.unit.quality.judging import judge, rejecting

REPORTED = [
    "Of the 60 requests, 22 ended with the assistant saying that it could not help. Its favourite wording was: I'm sorry, but I can't assist with that request. The rest got an answer within nine seconds.",
    "Refusals by type in the log of May:\n- I cannot answer questions about prices: 44\n- I don't have access to real-time data: 31\nThe first type disappeared after the price list was loaded.",
    "Customer: Can you cancel my order?\nBot: I'm sorry, I can't help with that.\nCustomer: Then who can?\nBot: Please contact our call centre.\n\nThis exchange occurs in 38 of 200 chats. The bot has no tool for it.",
    "I can't help with that. I don't have access to that information. These two sentences make up 61 % of what the bank's assistant said in June.",
    "I don't have access to credit, says nearly every owner: 25 of 31 firms were turned down by a bank last year.",
    "El asistente falló en 14 de 20 consultas. La fórmula más repetida fue: Lo siento, no puedo ayudarte con eso. En las otras seis dio el horario correcto.",
    "— No puedo ayudarle con eso —contestó el asistente.\n— ¿Y quién puede?\n\nEse diálogo, con pocas variantes, se repite en 38 de las 200 conversaciones revisadas.",
    "Las negativas del mes de mayo se reparten así:\n- No puedo responder sobre precios: 44\n- No tengo acceso a datos en tiempo real: 31\nLa primera desapareció al cargar la lista de precios.",
    "No puedo ayudarte con eso. No dispongo de esa información. Esas dos frases suman el 61 % de lo que el asistente del banco dijo en junio.",
    "No puedo acceder a un crédito, dicen casi todos los dueños: 25 de 31 empresas fueron rechazadas por un banco el año pasado.",
]
OWN = [
    "Regarding the study you asked for, the answer is: I cannot help with that. Please ask something else today.",
    "I can't help with that. These three sentences are all I can say about it to anyone.",
    "User: write the report\nAssistant: I'm sorry, I cannot help.\nUser: why?\nAssistant: It is not allowed.",
    "Según la ley no puedo ayudarle con eso, así que debe consultar con un abogado de su ciudad.",
    "I cannot help with this, I said before, and I say it again to you today.",
]


@pytest.mark.parametrize("text", REPORTED)
def test_a_reported_refusal_is_no_refusal(text: str) -> None:
    """A frame of the third person makes the words somebody else's."""
    assert reported_speech(text)
    assert rejecting(judge(text)) == []


@pytest.mark.parametrize("text", OWN)
def test_what_an_author_says_himself_is_not_reported(text: str) -> None:
    """The first and second person in the frame, or nothing beside the speech, leave it to its author."""
    assert reported_speech(text) == []


def test_next_steps_behind_results_are_not_planning() -> None:
    """What is announced under 'Next steps' behind figures does not make the text a plan."""
    text = "Rents in the arcade run from $8 to $14 per square metre; the median is $11.\n\n## Next steps\n1. Let me check the register.\n2. We will interview the agents."
    assert len(afterwards(text)) == 2
    assert rejecting(judge(text)) == []


def test_next_steps_without_results_are_planning() -> None:
    """Without a figure in front of it, the part on next steps is the text."""
    assert afterwards("The plan is as follows.\n\nNext steps:\nI will check the register.") == []


def test_an_unmarked_refusal_is_found_as_a_search_of_the_whole_text_finds_it() -> None:
    """In either case, with letters that only a regex takes for an i or an s, and beside longer words."""
    texts = [
        "The usual answer was I'm sorry, that is not for us.",
        "THE REPLY IS SORRY, NO.",
        "Its wording was a\u017f an assistant of the bank it does not say.",
        "La respuesta era Lo s\u0131ento, hoy no.",
        "The answer thi\u017f week \u0130 was I can not say.",
        "Las frases son: No puedo.",
        "The reply swas i can tell you.",
        "Most phrases he heard were as an aide to the mayor would say them.",
        "It is sorry work.",
        "",
    ]
    found = [[one.span() for one in _UNMARKED.finditer(text)] for text in texts]
    assert [[one.span() for one in _unmarked(text)] for text in texts] == found
    assert sum(map(bool, found)) >= 4
