"""Reports on paper."""

from __future__ import annotations

import re
import zlib
from base64 import a85decode

from daemon.config.phrases import Phrases
from daemon.reports.daily import write_daily
from daemon.reports.pdf import printable_text, render_pdf
from tests.unit.reports.days import a_daily


def pages(pdf: bytes) -> int:
    return len(re.findall(rb"/Type /Page\b", pdf))


def drawn(pdf: bytes) -> bytes:
    """What the pages draw, unpacked."""
    streams = re.findall(
        rb"/Filter \[ /ASCII85Decode /FlateDecode \].*?stream\r?\n(.*?)endstream", pdf, re.S
    )
    return b"\n".join(
        zlib.decompress(a85decode(one.strip().removesuffix(b"~>"))) for one in streams
    )


def test_a_report_becomes_a_pdf_that_is_the_same_every_time() -> None:
    """No clock and no chance is in it; the fonts are inside, so that it looks alike everywhere."""
    body = write_daily(a_daily(), Phrases("es")).body
    first = render_pdf([body], "sprintd")
    assert first.startswith(b"%PDF-1.")
    assert first == render_pdf([body], "sprintd")
    assert first.count(b"/FontFile2") >= 3


def test_each_report_begins_on_its_own_page() -> None:
    """Also a short one; a long one takes as many as it needs."""
    assert pages(render_pdf(["one", "two", "three"], "sprintd")) == 3
    assert pages(render_pdf(["\n".join(f"line {n}" for n in range(300))], "sprintd")) > 3
    assert pages(render_pdf([], "sprintd")) == 1


def test_spanish_is_printed_as_it_is_written() -> None:
    """Also where the accents stand by themselves."""
    text = "¿Cuánto cuesta? Año, niño, pingüino, Ñandú: 12 € «tope» – ≥ 5 → 3"
    for font in ("sprintd", "sprintd-bold"):
        assert printable_text(text, font) == text
    assert printable_text("an\u0303o", "sprintd") == "año"


def test_what_the_fonts_lack_is_marked_and_not_lost() -> None:
    """As numbers, in one pair of brackets for each run; what nobody sees as well."""
    assert printable_text("a 中文 b", "sprintd") == "a [U+4E2D U+6587] b"
    assert printable_text("ok \U0001f600", "sprintd") == "ok [U+1F600]"
    assert printable_text("שלום", "sprintd") == "[U+05E9 U+05DC U+05D5 U+05DD]"
    assert printable_text("a\u202eb\x1b[2J\x00c", "sprintd") == ("a[U+202E]b[U+001B][2J[U+0000]c")
    assert printable_text("❤\ufe0f", "sprintd") == "[U+2764]"


def test_blanks_of_any_kind_part_what_they_part() -> None:
    """Without them 12 and 5 would be 125, which nobody said."""
    for blank in "\u00a0\u2009\u202f\u3000\t":
        assert printable_text(f"12{blank}5", "sprintd") == "12 5"


def test_a_line_without_end_is_printed_to_its_end() -> None:
    """In several paragraphs: it was cut without a word."""
    assert drawn(render_pdf(["t\n" + "word " * 4_500], "f")).count(b"word") == 4_500
    assert drawn(render_pdf(["t\n" + "x" * 20_500 + "y"], "f")).count(b"y") == 1


def test_any_text_of_a_model_is_printed_without_a_crash() -> None:
    """Every plane of Unicode, half characters, markup of the library's own, and words without end."""
    every = "".join(chr(code) for code in range(1, 0x20000, 499))
    texts = [every, "\ud800 half", "<b>bold</b> <para> &amp; <img src='file:///etc/passwd'/> <a href='x'>",
             "x" * 3_000, "<", "&", "  - <font color=red>", "```\n<i>\n", "\u0301\u0301", "-", ""]  # fmt: skip
    pdf = render_pdf(
        [f"Title {text}\n  - item {text}\n    more {text}\n{text}" for text in texts], every[:500]
    )
    assert pages(pdf) >= len(texts)


def test_markup_in_a_text_stays_text() -> None:
    """The library's own tags would load files and change colours."""
    plain = drawn(render_pdf(["t\nabc"], "f"))
    marked = drawn(render_pdf(["t\n<font color='red'>abc</font>"], "f"))
    assert b"1 0 0 rg" not in marked
    assert len(marked) > len(plain)
