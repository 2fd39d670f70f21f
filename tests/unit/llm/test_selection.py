"""How often the answering sentence is among the three that are picked first."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon.llm.extractive import FRAMES, ExtractiveProvider
from daemon.llm.provider import Prompt, SourceText
from daemon.llm.selection import choose
from tests.briefs import quoted_sentences

MEMORY = Path(__file__).parents[3] / "memory"

# question -> words that only the answering sentence holds, over all starting notes at once
ENGLISH = {
    "How often did Westlaw AI-Assisted Research hallucinate?": "33 % hallucinated",
    "How many questions did the preregistered study ask?": "202 questions",
    "How many lawyers does Ecuador have?": "Nobody publishes how many lawyers",
    "What does Harvey cost for each lawyer?": "USD 1,000-1,200",
    "How much did Superhuman lift its share of very disappointed users?": "22 to 58 %",
    "What does an auditor charge for a SOC 2 Type 1 report?": "USD 5,000-25,000",
    "What is the median gross revenue retention of software companies?": "at 84 %",
    "How long should a paid pilot last?": "60-90 days",
    "Is the official gazette free to read?": "reading the Registro Oficial is free",
    "How many false citation cases did the AI Hallucination Cases database list?": "979 cases",
    "How much money did FIEDS put into its call?": "USD 12 million",
    "How many audit reports does the Comptroller publish?": "29,000 approved audit reports",
    "When could organisations register their data protection officers?": "1 November",
    "What does a Westlaw search cost on a transactional plan?": "USD 60 and USD 100",
}

SPANISH_NOTES = (
    SourceText(
        "puerto",
        "memory/puerto.md",
        "El puerto de Bahía Clara",
        """# El puerto de Bahía Clara

El puerto movió 412.000 contenedores en 2024, un 6,5 % más que el año anterior. La autoridad
portuaria atribuye el alza a dos líneas nuevas con Asia. Según la Cámara de Comercio, la espera
media de un camión bajó de 9 a 4 horas.

La concesión vence en 2031. El Estado no ha decidido si la prorroga o si abre un concurso. El
contrato (R.O. No. 88 de 2001) fija un canon anual de USD 14,2 millones.
""",
    ),
    SourceText(
        "pesca",
        "memory/pesca.md",
        "La pesca artesanal",
        """# La pesca artesanal

Unas 2.300 familias viven de la pesca artesanal en la bahía. Venden casi todo a tres
intermediarios, que pagan entre USD 1,10 y USD 1,60 por libra. Los pescadores piden una cámara de
frío propia, p. ej. en el muelle viejo.

La veda del dorado dura de julio a octubre. Durante la veda las lanchas buscan calamar. La
Dra. Salas calcula que el combustible se lleva el 45 % de los ingresos.
""",
    ),
    SourceText(
        "agua",
        "memory/agua.md",
        "Agua potable",
        """# Agua potable

La planta potabilizadora produce 18.000 metros cúbicos diarios. La red pierde cuatro de cada
diez litros por fugas. El municipio pidió un crédito para cambiar 60 km de tuberías.

| Barrio | Horas de servicio |
|---|---|
| Centro | 24 |
| La Loma | 7 |
""",
    ),
)
SPANISH = {
    "¿Cuántos contenedores movió el puerto?": "412.000 contenedores",
    "¿Cuándo vence la concesión?": "vence en 2031",
    "¿Qué canon fija el contrato?": "USD 14,2 millones",
    "¿Cuánto pagan los intermediarios por libra?": "USD 1,60",
    "¿Cuánto dura la veda del dorado?": "de julio a octubre",
    "¿Qué parte de los ingresos se lleva el combustible?": "45 %",
    "¿Cuánta agua se pierde por fugas?": "cuatro de cada diez",
    "¿Cuántas horas de servicio tiene La Loma?": "| La Loma | 7 |",
    "cuanto bajo la espera de los camiones": "de 9 a 4 horas",
}


def share_answered(
    sources: tuple[SourceText, ...], questions: dict[str, str], language: str, picks: int
) -> tuple[float, list[str]]:
    missed = [
        question
        for question, answer in questions.items()
        if not any(
            answer in choice.passage.text for choice in choose(sources, question, language)[:picks]
        )
    ]
    return 1 - len(missed) / len(questions), missed


def starting_notes() -> tuple[SourceText, ...]:
    paths = sorted(path for path in MEMORY.rglob("*.md") if "findings" not in path.parts)
    if len(paths) < 20:
        pytest.skip("the sample's starting notes are not in this checkout")
    return tuple(
        SourceText(path.stem, str(path), path.stem.replace("-", " "), path.read_text("utf-8"))
        for path in paths
    )


def test_three_picks_answer_nine_of_ten_english_questions() -> None:
    """Over all the starting notes at once, about 330 sentences."""
    share, missed = share_answered(starting_notes(), ENGLISH, "en", picks=3)
    assert share >= 0.85, missed


def test_the_first_pick_answers_most_english_questions() -> None:
    """The first line under "most relevant" is what a hurried reader takes away."""
    share, missed = share_answered(starting_notes(), ENGLISH, "en", picks=1)
    assert share >= 0.6, missed


def test_three_picks_answer_the_spanish_questions() -> None:
    """Stems and folded accents do for Spanish what they do for English."""
    share, missed = share_answered(SPANISH_NOTES, SPANISH, "es", picks=3)
    assert share >= 0.88, missed


def test_spanish_brief_has_a_spanish_frame_and_names_what_is_missing() -> None:
    """The language of the workspace is the language of the brief."""
    question = "¿Cuántos contenedores movió el puerto y cuántos drones vigilan?"
    prompt = Prompt("extractive-1", "", "", 900, question, SPANISH_NOTES, language="es")
    brief = ExtractiveProvider().send(prompt).text
    assert brief.startswith(FRAMES["es"].opening)
    assert "## Lo más pertinente" in brief
    assert brief.rstrip().endswith("No está en las notas: drones.")
    everything = " ".join(" ".join(source.text.split()) for source in SPANISH_NOTES)
    assert quoted_sentences(brief)
    assert all(sentence in everything for sentence in quoted_sentences(brief))


def test_an_unknown_language_still_gets_a_brief() -> None:
    """Whole words and the English frame, rather than an error."""
    sources = (SourceText("a", "a.md", "Kran", "Ein Kran steht dort seit gestern."),)
    prompt = Prompt("extractive-1", "", "", 900, "Wo steht der Kran?", sources, language="de")
    assert "- Ein Kran steht dort seit gestern. [a]" in ExtractiveProvider().send(prompt).text
