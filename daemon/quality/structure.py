"""Checks on the shape of a text: outlines without content, lists without analysis, loops, cut ends."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable

from daemon.quality.citation_numbers import citations
from daemon.quality.machine_output import machine_output
from daemon.quality.masks import is_heading
from daemon.quality.normalise import Reading, count_words
from daemon.quality.plans import LIST_ITEM, only_steps
from daemon.quality.procedure import only_method
from daemon.quality.schema_echo import schema_echo
from daemon.quality.tables import na_table, total_row
from daemon.quality.verdict import Defect, Profile
from daemon.quality.web_pages import web_page
from daemon.quality.word_salad import word_salad

Check = Callable[[Reading, Profile], Iterable[Defect]]

_DIGIT = re.compile(r"\d")
_BOX = re.compile(r"[ \t]{0,60}(?:[-*+][ \t]+)?(?:\[ ?\]|☐|□)[ \t]*\S")
_URL = re.compile(r"<?https?://\S+|\bwww\.\S+")
_MARKDOWN_LINK = re.compile(r"\[[^\]\n]{0,300}\]\([^)\s]{0,500}[^)\n]{0,200}\)")
_FILLER = re.compile(
    r"(?:(?:sure|certainly|absolutely|of course|claro|por supuesto|great|okay)[,.!]? ?(?=i can|i'd|i would"
    r"|to |just|let|con|para|puedo|before|$))?(?:to |for |in order to |so that|i can |i'd |i would |i'll need"
    r"|i need|i want to|just to|please|thank|before|once|it would help|para |necesito|quisiera|puedo |antes"
    r"|con gusto|gracias|solo para|asi |there (?:are|is) (?:several|many|multiple|different)|hay vari|apolog"
    r"|sorry|i'm sorry|lo siento|disculp|en cuanto |una vez |cuando |con es[oa]s? |espero |quedo |indiqu|diga"
    r"|as soon as |when "
    r"|with (?:this|that|these|it) |i await|i'll wait|let me know|then |$)"
)
_ENDS_WELL = tuple(".!?…。！？:;)]}\"'»”*_`|>%")
_POINTER = re.compile(
    r"\W{0,9}(?:(?:please )?(?:see|same|the same|identical|unchanged|no changes?|as in|refer to|repeat of)"
    r"|ver|vease|igual|identico|sin cambios|el mismo|lo mismo|los mismos|mismos?|repetido)\b[^.!?\n]{0,50}"
    r"\b(?:sprint|report|output|run|cycle|version|answer|informe|entrega|reporte|ciclo|respuesta|salida)\b"
    r"[^\n]{0,30}"
)
_POINTER_WORDS = 12
_NOISE = frozenset(("Co", "Cn", "Cs"))  # private, unassigned, half of a sign
_REPLACED = "\ufffd"
_FEWEST_SIGNS = 3
_SHORT_WORDS = 300
_FEWEST_WORDS = 8


def structure_defects(reading: Reading, profile: Profile) -> list[Defect]:
    """Every defect of shape, in the order of `_CHECKS`."""
    defects: list[Defect] = []
    for check in _CHECKS:
        defects.extend(check(reading, profile))
    return defects


def _near_empty(reading: Reading, profile: Profile) -> Iterable[Defect]:
    if reading.words == 0:
        yield Defect("structure.empty", "There is no content.", rejects=True)
    elif (
        profile == "report"
        and _own_words(reading) < _FEWEST_WORDS
        and not _DIGIT.search(reading.raw)
    ):
        message = f"It has only {reading.words} words and no figure."
        yield Defect("structure.near_empty", message, rejects=True)


def _noise(reading: Reading, profile: Profile) -> Iterable[Defect]:
    """More than one sign in fifty that stands for nothing: a broken encoding, or a broken model."""
    del profile
    text = reading.text
    if text.isascii():
        return
    signs = sum(text.count(one) for one in set(text) if _is_noise(one))
    if signs >= _FEWEST_SIGNS and signs * 50 > len(text):
        message = (
            f"{signs} of its {len(text)} characters stand for nothing: its encoding is broken."
        )
        yield Defect("structure.noise", message, rejects=True)


def _is_noise(sign: str) -> bool:
    return sign == _REPLACED or unicodedata.category(sign) in _NOISE


def _own_words(reading: Reading) -> int:
    """All words but those of headings, where there is anything beside headings."""
    headings = [one for one in reading.masks if one.kind == "heading"]
    if not headings or not reading.prose_words:
        return reading.words
    return reading.words - sum(count_words(reading.raw[one.start : one.end]) for one in headings)


def _empty_outline(reading: Reading, profile: Profile) -> Iterable[Defect]:
    if profile in ("template", "plan"):
        return
    headings, bodies = _sections(reading.raw)
    if headings >= 3 and bodies * 10 <= headings * 3:
        message = f"{headings - bodies} of {headings} headings have nothing under them."
        yield Defect("structure.empty_outline", message, rejects=True)
    elif profile == "report" and not headings and _is_bare_outline(reading):
        yield Defect(
            "structure.bare_outline", "It is a list of titles without content.", rejects=True
        )


def _sections(text: str) -> tuple[int, int]:
    """How many headings could hold a text of their own, and how many do."""
    leaves = bodies = 0
    level = 0
    filled = True
    for line in text.split("\n"):
        if not line.strip():
            continue
        if is_heading(line):
            now = len(line.strip()) - len(line.strip().lstrip("#"))
            deeper = bool(level) and now > level and not filled
            leaves += 0 if deeper else 1
            level, filled = now, False
        elif level or leaves:
            bodies += 0 if filled else 1
            filled = True
    return leaves, min(bodies, leaves)


def _is_bare_outline(reading: Reading) -> bool:
    lines = [line for line in reading.open.split("\n") if line.strip()]
    if len(lines) < 3:
        return False
    titles = [LIST_ITEM.sub("", line, count=1).strip() for line in lines]
    return all(
        1 <= count_words(title) <= 4 and not _DIGIT.search(title) and title[-1:] not in ".!?"
        for title in titles
    )


def _unchecked_boxes(reading: Reading, profile: Profile) -> Iterable[Defect]:
    if profile in ("plan", "template"):
        return
    lines = [line for line in reading.raw.split("\n") if line.strip()]
    boxes = sum(1 for line in lines if _BOX.match(line))
    if boxes >= 2 and boxes * 2 >= len(lines):
        message = f"It is a list of {boxes} unchecked boxes, not of results."
        yield Defect("structure.unchecked_boxes", message, rejects=True)


def _only_links(reading: Reading, profile: Profile) -> Iterable[Defect]:
    del profile
    if "http" not in reading.open and "www." not in reading.open:
        return
    lines = [line for line in reading.raw.split("\n") if line.strip()]
    links = [line for line in lines if ("://" in line or "www." in line) and _URL.search(line)]
    if not links or len(links) * 10 < len(lines) * 6:
        return
    rest = count_words(_URL.sub(" ", _MARKDOWN_LINK.sub(" ", reading.raw)))
    if rest <= 8 * len(lines) and rest <= 120 and not _says_something(links):
        yield Defect(
            "structure.only_links", "It is a list of links without analysis.", rejects=True
        )


def _says_something(lines: list[str]) -> bool:
    """Whether most lines hold a whole sentence or a figure beside their link."""
    bare = [_URL.sub(" ", _MARKDOWN_LINK.sub(" ", line)) for line in lines]
    telling = [
        line
        for line in bare
        if count_words(line) >= 9
        or (_DIGIT.search(LIST_ITEM.sub("", line, count=1)) and count_words(line) >= 5)
    ]
    return len(telling) * 2 >= len(lines)


def _only_questions(reading: Reading, profile: Profile) -> Iterable[Defect]:
    """Nothing but questions to the reader and the politeness around them."""
    del profile
    sentences = reading.sentences
    if not sentences or reading.words > 120 or reading.prose_words * 10 < reading.words * 6:
        return
    texts = [reading.masked[one.start : one.end].strip() for one in sentences]
    others = [text for text in texts if "?" not in text[-4:]]
    if len(others) == len(texts):
        return
    if all(_FILLER.match(text) and count_words(text) <= 40 for text in others):
        message = "It asks the reader a question instead of answering."
        yield Defect("structure.only_questions", message, rejects=True)


def _cut_end(reading: Reading, profile: Profile) -> Iterable[Defect]:
    if profile == "code" or reading.words < 5:
        return
    text = reading.raw.rstrip()
    last = text[text.rfind("\n") + 1 :]
    start = len(text) - len(last)
    if text.count("```") % 2:
        message = "A code block is opened and never closed."
        yield Defect("structure.cut_end", message, rejects=False)
    elif (reading.masked[start:].strip() and _stops_short(last)) or _stops_in_row(text, last):
        message = "It stops in the middle of a sentence."
        span = reading.span(start, len(text))
        yield Defect("structure.cut_end", message, rejects=False, span=span)


def _stops_in_row(text: str, last: str) -> bool:
    """A last row without its closing bar, or a last item without the full stop that all others have."""
    others = text[: len(text) - len(last)].rstrip("\n").split("\n")
    if last.lstrip().startswith("|"):
        rows = [line for line in others if line.lstrip().startswith("|")]
        return (
            len(rows) >= 2
            and not last.endswith("|")
            and all(row.rstrip().endswith("|") for row in rows)
        )
    items = [line.rstrip() for line in others if LIST_ITEM.match(line)]
    whole = len(items) >= 2 and all(item.endswith((".", "!", "?")) for item in items)
    is_item = LIST_ITEM.match(last) is not None and not last.endswith(_ENDS_WELL)
    return whole and is_item and count_words(last) >= _FEWEST_WORDS


def _stops_short(line: str) -> bool:
    """A last line of prose without an end; list items, headings and links need none."""
    if LIST_ITEM.match(line) or is_heading(line) or line.endswith(_ENDS_WELL):
        return False
    return count_words(line) >= 5 and not _URL.search(line.split()[-1]) and not _is_dense(line)


def _is_dense(line: str) -> bool:
    """A script without spaces, where an end without a full stop says nothing."""
    return ord(line[-1]) >= 0x0E00


def _only_points_back(reading: Reading, profile: Profile) -> Iterable[Defect]:
    """Nothing but a pointer to what was delivered before."""
    del profile
    if reading.words <= _POINTER_WORDS and _POINTER.fullmatch(reading.open.strip()):
        message = "It points to an earlier output and says nothing itself."
        yield Defect("structure.points_back", message, rejects=True)


_CHECKS: tuple[Check, ...] = (
    _near_empty,
    _noise,
    _only_points_back,
    _empty_outline,
    _unchecked_boxes,
    na_table,
    _only_links,
    only_steps,
    only_method,
    schema_echo,
    word_salad,
    machine_output,
    web_page,
    total_row,
    _only_questions,
    citations,
    _cut_end,
)
