"""Forms of a model's summary. All these lies but a few were shown while it was checked word by word."""

from __future__ import annotations

from daemon.config.sections import Language
from daemon.reports.daily_check import fault_of
from daemon.reports.daily_forms import TONGUES
from tests.unit.reports.days import a_daily

LIES_EN = (
    "Yesterday the money cap of 20.00 USD was spent.",
    "Yesterday the cap was spent: 4.21 USD.",
    "The money is spent, and yesterday 2 findings were learned.",
    "Yesterday the program produced 4.21 USD.",
    "Yesterday 4.21 USD were recorded.",
    "Yesterday the program had 4.21 USD.",
    "Yesterday 11 items completed.",
    "Yesterday 1 model failed.",
    "Yesterday 1 output failed.",
    "Yesterday failed outputs: 1.",
    "Yesterday 4 items were done.",
    "Today 4 items were done.",
    "Yesterday 1 item was blocked.",
    "T05 is blocked until today.",
    "T05 is blocked as the money is spent.",
    "T05 is blocked by model calls.",
    "T05 has been blocked for 1 day.",
    "T05 is blocked for days.",
    "Yesterday 2 findings in 2 days.",
    "Yesterday 2 findings of 2 outputs.",
    "Yesterday 2 findings of T01.",
    "Yesterday 2 findings of 2 items.",
    "30 items are in-eligible today.",
    "Now the backlog is done: 4 items.",
    "Today 3 sprints completed, and the research is completed.",
    "Yesterday 1 sprint failed, and the program failed.",
    "Today 3 sprints have to be completed.",
    "Today 0 findings are to be learned.",
    "Yesterday 26 model calls at 4.21 USD.",
    "Yesterday findings T01 and T02 cost 4.21 USD.",
    "So far 0 findings were learned.",
    "Today 0 findings. In total 0 findings.",
    "Today 30 new items are eligible.",
    "Yesterday until 13:00 UTC 2 findings were learned.",
    "Yesterday 1 sprint failed and cost 4.21 USD.",
    "Yesterday 26 calls cost the cap of 20.00 USD.",
    "Yesterday a sprint failed; it cost 4.21 USD.",
    "Yesterday 11 sprints completed, 11 models.",
    "Yesterday 2 findings were learned, and the cap is spent.",
    "Yesterday 4.21 USD were spent by T01.",
    "Yesterday 25 model calls were by analyst.",
    "Yesterday twice as many findings: 2.",
    "Yesterday findings doubled, 2 findings.",
    "Yesterday XII sprints ran.",
    "Yesterday 1/2 of 2 findings.",
    "Yesterday 91.7 percent of 12 sprints completed.",
    "Yesterday 2 findings on 2026-11-29.",
    "On November 30 2 findings.",
    "No item is blocked.",
    "None is blocked.",
    "Yesterday 4.21 EUR were spent.",
    "Yesterday 4.210,00 USD.",
    "Yesterday 421 USD were spent.",
    "Yesterday 4,21.0 USD were spent.",
    "T5 is blocked.",
    "T0l and T02 are findings of yesterday.",
    "Please approve T05, which is blocked.",
    "The verdict of T01 is GO, of 2 findings.",
    "Ayer hubo 2 hallazgos.",
    "Yesterday `2` findings.",
    "Yesterday 2 \u202bfindings.",
    "Yesterday 2 f\u0456ndings.",
    "Yesterday 12 sprints failed to learn.",
    "T01 is blocked, and 2 findings yesterday.",
    "Today 2 findings were learned.",
    "Yesterday 6 model calls.",
    "Yesterday 0.90 USD were spent.",
    "Yesterday 3 of 3 sprints completed.",
    "Yesterday 12 of 12 sprints completed.",
    "Yesterday 1 of 12 sprints completed.",
    "Today 1 item is blocked from yesterday.",
    "2 items are waiting for outputs.",
    "2 items are waiting for money.",
    "Yesterday 2 findings had been learned.",
    "Yesterday 2 items were learned.",
    "Yesterday 1 item was rejected.",
    "Today 1 sprint completed of 3.",
    "Yesterday 2 findings are on-blocked.",
    "Yesterday 12 sprints ran, which is the cap.",
    "Yesterday there was no money, 0 sprints paused.",
    "Today 0 sprints paused by money.",
)
LIES_ES = (
    "Ayer se gastaron los 20,00 USD del tope.",
    "Ayer el tope de 20,00 USD fue gastado.",
    "El dinero fue gastado y ayer hubo 2 hallazgos.",
    "Ayer hubo 4,21 USD.",
    "Ayer se registraron 4,21 USD.",
    "Ayer 11 tareas completadas.",
    "Ayer 11 resultados completados.",
    "Ayer 1 modelo fallido.",
    "Ayer 1 resultado fallido.",
    "Ayer 4 tareas fueron hechas.",
    "Ayer hubo 1 tarea bloqueada.",
    "T05 está bloqueada hasta hoy.",
    "T05 está bloqueada desde ayer.",
    "T05 está bloqueada por el dinero.",
    "T05 está bloqueada por llamadas.",
    "T05 está bloqueada por 1 día.",
    "Ayer 2 hallazgos en 2 días.",
    "Ayer 2 hallazgos de 2 resultados.",
    "Ayer 2 hallazgos de T01.",
    "Ayer 2 hallazgos de 2 tareas.",
    "Ayer 26 llamadas a 4,21 USD.",
    "Ayer los hallazgos T01 y T02 costo 4,21 USD.",
    "Hasta ahora hubo 0 hallazgos.",
    "Hoy 0 hallazgos. En total 0 hallazgos.",
    "Hoy hay 30 tareas nuevas elegibles.",
    "Ayer hasta las 13:00 UTC hubo 2 hallazgos.",
    "Hoy 3 sprints completados y la investigación completados.",
    "Ayer 1 sprint fallido y el programa fallido.",
    "Ayer 1 sprint fallido con un costo de 4,21 USD.",
    "Ayer el costo fue el tope de 20,00 USD.",
    "Ayer hubo dos hallazgos.",
    "Ayer hubo II hallazgos.",
    "Ayer la mitad de 12 sprints completados.",
    "Ayer el doble de hallazgos: 2.",
    "Ayer 91,7 por ciento de los 12 sprints.",
    "Ayer 3 hallazgos.",
    "Hoy 2 hallazgos.",
    "Ayer 4.210 USD gastados.",
    "Ayer 4,21 euros gastados.",
    "Ninguna tarea está bloqueada.",
    "Hoy ningún sprint.",
    "Ayer no hubo 2 hallazgos.",
    "T99 está bloqueada.",
    "T01 está bloqueada.",
    "T05 es un hallazgo de ayer.",
    "Ayer 12 sprints completados.",
    "Ayer 2 resultados rechazados.",
    "Conviene aprobar T05, bloqueada.",
    "El veredicto es GO con 2 hallazgos de ayer.",
    "Yesterday 2 findings were learned.",
    "Ayer **2** hallazgos.",
    "Ayer 2 hallazgos\u200f.",
    "Ayer 2 hall\u0430zgos.",
    "El 29 de noviembre hubo 2 hallazgos.",
    "Ayer 6 llamadas.",
    "Ayer 0,90 USD gastados.",
    "Ayer 2 hallazgos, ambos rechazados.",
    "Ayer 11 de 11 sprints completados.",
    "Ahora el backlog 4 hechas.",
    "2 tareas en espera de dinero.",
    "Ahora 30 tareas in-elegibles.",
)
TRUE_EN = (
    "Yesterday 11 of 12 sprints completed.",
    "Yesterday 2 findings were learned and 1 output was rejected.",
    "Today so far 0 findings were learned in 3 sprints.",
    "1 item is blocked: T05.",
    "T05 is blocked.",
    "Yesterday 4.21 of 20.00 USD were spent in 26 model calls.",
    "Yesterday the program completed 11 sprints and 1 failed.",
    "Yesterday 2 findings (T01 and T02) were learned.",
    "Now 30 items are eligible, 2 are waiting, 4 are done and 1 is blocked.",
    "Yesterday 12 sprints ran: 11 completed and 1 failed.",
    "Yesterday USD 4.21 were spent.",
    "Today no output was rejected.",
    "The backlog has 30 eligible items and 4 done.",
    "Yesterday 26 model calls cost 4.21 USD of the cap of 20.00 USD.",
    "Yesterday the cap was 20.00 USD and 4.21 USD were spent.",
    "Today 3 of 3 sprints completed.",
    "Today, until 13:00 UTC, 3 sprints completed.",
    "Yesterday, 2 outputs were accepted and 1 was rejected.",
    "Yesterday 12 sprints (11 completed, 1 failed) cost 4.21 of 20.00 USD.",
    "2 items are waiting now.",
    "In total 12 sprints ran yesterday.",
)
TRUE_ES = (
    "Ayer hubo 2 hallazgos y 1 resultado fue rechazado.",
    "Ayer 11 de 12 sprints completados.",
    "Ayer se gastaron 4,21 de 20,00 USD en 26 llamadas.",
    "Hoy hasta ahora 3 sprints completados.",
    "T05 está bloqueada.",
    "Hay 1 tarea bloqueada: T05.",
    "Ahora hay 30 tareas elegibles, 2 en espera y 4 hechas.",
    "Hoy ningún resultado rechazado.",
    "Ayer se registraron 2 hallazgos: T01 y T02.",
    "Hoy hasta las 13:00 UTC se gastaron 0,90 USD en 6 llamadas a modelos.",
    "Ayer 12 sprints: 11 completados y 1 fallido.",
    "Los hallazgos de ayer son T01 y T02.",
    "El tope de ayer fue de 20,00 USD.",
)


def test_right_figures_in_a_wrong_sentence_are_left_out() -> None:
    """The cap as spent, money as made, items as sprints, what stands now as of yesterday, a reason, a forecast."""
    lies: tuple[tuple[Language, tuple[str, ...]], ...] = (("en", LIES_EN), ("es", LIES_ES))
    shown = [
        lie for language, each in lies for lie in each if not fault_of(a_daily(), lie, language)
    ]
    assert shown == []


def test_loose_ends_are_left_out() -> None:
    """A figure without what it counts, a bracket without its other, zeros that nobody writes, odd letters."""
    ends = ("30 eligible.", "Yesterday 1 failed.", "Yesterday 2 findings )", "Yesterday 2 findings (",
            "Yesterday 02 findings.", "Yesterday 2.0 findings.", "Yésterdáy 2 findings.",
            "Yesterday 12 sprints (11 completed (1 failed)).")  # fmt: skip
    assert [one for one in ends if not fault_of(a_daily(), one, "en")] == []


def test_plain_true_sentences_are_shown() -> None:
    """A check that refuses these is of no use."""
    true: tuple[tuple[Language, tuple[str, ...]], ...] = (("en", TRUE_EN), ("es", TRUE_ES))
    for language, texts in true:
        assert {one: fault_of(a_daily(), one, language) for one in texts} == dict.fromkeys(
            texts, ""
        )


def test_the_examples_that_a_model_is_given_are_forms() -> None:
    """They are true of this day, all together."""
    titles = {"T01": "Boats of 2025, in all", "T02": "Berths", "T05": "The lighthouse"}
    for language, tongue in TONGUES.items():
        told = " ".join(tongue.examples)
        for item, title in titles.items():
            for empty in ("The title", "El título"):
                told = told.replace(f'{item} "{empty}"', f'{item} "{title}"')
        assert fault_of(a_daily(), told, language) == ""


def test_an_item_can_be_neither_forged_nor_left_out() -> None:
    """The sign that stands for one inside is refused, and whoever counts items and names them names all."""
    assert fault_of(a_daily(), "\ue0000 is blocked.", "en")
    assert (
        fault_of(a_daily(), "Yesterday 2 findings: T01.", "en")
        == "it counts more items than it names"
    )
    assert fault_of(a_daily(), "Yesterday 2 findings: T01 and T02.", "en") == ""
    odd = a_daily(language_title="Mail @ harbour, <T02> & more")
    assert (
        fault_of(odd, 'T01 "Mail @ harbour, <T02> & more" is a finding of yesterday.', "en") == ""
    )
