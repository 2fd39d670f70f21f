"""The offline writer's own words. Whatever else stands in its briefs is quoted."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Frame:
    """The writer's own words in one language."""

    opening: str
    best: str
    evidence: str
    gaps: str
    missing: str
    no_source: str
    no_match: str

    def headings(self) -> tuple[str, ...]:
        return self.best, self.evidence, self.gaps

    def lines(self) -> tuple[str, ...]:
        """Whole lines of prose that say nothing about the subject."""
        return self.opening, self.no_source, self.no_match


FRAMES = {
    "en": Frame(
        opening="Quoted from the workspace's notes by sprintd's offline writer; it selects "
        "sentences and does not reason.",
        best="Most relevant",
        evidence="Evidence by source",
        gaps="What the notes do not say",
        missing="Not in the notes: {terms}.",
        no_source="No note was loaded, so there is nothing to quote.",
        no_match="No sentence of the loaded notes has to do with the question.",
    ),
    "es": Frame(
        opening="Citado de las notas del espacio de trabajo por el redactor sin conexión de "
        "sprintd; elige frases y no razona.",
        best="Lo más pertinente",
        evidence="Evidencia por fuente",
        gaps="Lo que las notas no dicen",
        missing="No está en las notas: {terms}.",
        no_source="No se cargó ninguna nota, así que no hay nada que citar.",
        no_match="Ninguna frase de las notas cargadas tiene que ver con la pregunta.",
    ),
}
