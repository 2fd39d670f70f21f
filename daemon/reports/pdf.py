"""Reports as a PDF: offline, with fonts of the package, the same bytes for the same text.

A character that the fonts do not have, or that nobody sees, is printed as its number, as in [U+4E2D], so
that nothing is lost without a mark.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache
from html import escape
from importlib import resources
from io import BytesIO
from itertools import groupby
from typing import Any

from reportlab.lib.colors import HexColor
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate, Spacer

from daemon.config.visible import visible
from daemon.reports.blocks import Block, blocks_of

_FONTS = {
    "sprintd": "DejaVuSans",
    "sprintd-bold": "DejaVuSans-Bold",
    "sprintd-mono": "DejaVuSansMono",
}
_INK, _GREY = HexColor("#1a1a1a"), HexColor("#666666")
_LONGEST = 20_000  # characters of one paragraph; a longer line is several


def render_pdf(bodies: Sequence[str], footer: str) -> bytes:
    """Each report begins on a page of its own; `footer` stands on every page with its number."""
    out = BytesIO()
    document = SimpleDocTemplate(
        out, pagesize=A4, invariant=1, leftMargin=20 * mm, rightMargin=20 * mm,
        topMargin=18 * mm, bottomMargin=20 * mm, title=printable_text(footer, "sprintd"),
        author="sprintd",
    )  # fmt: skip
    flow: list[Any] = []
    _fonts()
    for number, body in enumerate(bodies):
        flow += [PageBreak()] if number else []
        flow += _flow_of(blocks_of(body))
    foot = _Foot(footer)
    document.build(flow or [Spacer(1, 1)], onFirstPage=foot, onLaterPages=foot)
    return out.getvalue()


def printable_text(text: str, font: str) -> str:
    """The text in characters that the font has; runs of others become their numbers in brackets."""
    known = _fonts()[font].face.charToGlyph
    composed = unicodedata.normalize("NFC", visible(text))
    shown = (
        "".join(run) if fits else _numbers(run)
        for fits, run in groupby(_seen(composed), lambda char: ord(char) in known)
    )
    return "".join(shown)


class _Foot:
    """Drawn on every page."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __call__(self, canvas: Any, document: Any) -> None:
        canvas.saveState()
        canvas.setFont("sprintd", 7.5)
        canvas.setFillColor(_GREY)
        canvas.drawString(20 * mm, 11 * mm, printable_text(self._text, "sprintd")[:130])
        canvas.drawRightString(A4[0] - 20 * mm, 11 * mm, str(document.page))
        canvas.restoreState()


def _flow_of(blocks: Sequence[Block]) -> list[Any]:
    """With some air where a list ends, and around code."""
    flow: list[Any] = []
    for before, block in zip([None, *blocks], blocks, strict=False):
        apart = (
            before and before.kind != block.kind and {before.kind, block.kind} & {"item", "code"}
        )
        flow += [Spacer(1, 4)] if apart and block.kind != "item" else []
        flow += _drawn(block)
    return flow


def _drawn(block: Block) -> Iterator[Any]:
    style = _styles()[block.kind]
    for number, piece in enumerate(one for line in block.lines for one in _pieces(line)):
        text = escape(printable_text(piece, style.fontName), quote=False)
        if block.kind == "item" and not number:
            yield Paragraph(text, style, bulletText="•")
        else:
            yield Paragraph(text or " ", style)


def _pieces(line: str) -> Iterator[str]:
    """The line, cut at blanks where it is too long for one paragraph."""
    while len(line) > _LONGEST:
        end = line.rfind(" ", _LONGEST // 2, _LONGEST)
        end = end if end > 0 else _LONGEST
        yield line[:end]
        line = line[end:]
    yield line


def _numbers(run: Iterator[str]) -> str:
    return f"[{' '.join(f'U+{ord(char):04X}' for char in run)}]"


def _seen(text: str) -> Iterator[str]:
    """Without what has no shape of its own: control signs, joiners, signs that turn the direction.
    A blank of any kind is a blank: without it 12 and 5 would be 125."""
    for char in text:
        if char.isspace():
            yield " "
        elif char.isprintable() and not 0xFE00 <= ord(char) <= 0xFE0F:
            yield char


@cache
def _fonts() -> dict[str, Any]:
    """By the name they are asked for, known to the library once a process."""
    folder = resources.files("daemon.reports") / "fonts"
    found = {}
    for name, file in _FONTS.items():
        with resources.as_file(folder / f"{file}.ttf") as path:
            found[name] = TTFont(name, str(path))
        pdfmetrics.registerFont(found[name])
    return found


@cache
def _styles() -> dict[str, Any]:
    text = ParagraphStyle(
        "text", fontName="sprintd", fontSize=9.5, leading=13.5, textColor=_INK, spaceAfter=3,
        splitLongWords=1,
    )  # fmt: skip
    return {
        "text": text,
        "title": ParagraphStyle(
            "title", text, fontName="sprintd-bold", fontSize=15, leading=20, spaceAfter=8
        ),
        "heading": ParagraphStyle(
            "heading", text, fontName="sprintd-bold", fontSize=10.5, leading=15, spaceBefore=8,
            keepWithNext=1,
        ),
        "item": ParagraphStyle(
            "item", text, leftIndent=12, bulletIndent=2, bulletFontName="sprintd", spaceAfter=1.5
        ),
        "code": ParagraphStyle("code", text, fontName="sprintd-mono", fontSize=8, leading=11),
    }  # fmt: skip
