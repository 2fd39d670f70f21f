"""From a Markdown note to the passages that can be quoted from it, word for word.

Nothing here raises and nothing takes more than linear time, whatever the text is.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field

from daemon.llm.sentence_kinds import points_back
from daemon.llm.sentences import split_sentences

MIN_WORDS, MAX_WORDS = 4, 70
MIN_CHARACTERS, MAX_CHARACTERS = 20, 500

_FENCE = re.compile(r"\s{0,3}(```|~~~)")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s+")
_UNDERLINE = re.compile(r"\s{0,3}(=+|-+)\s*$")
_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,3}[.)])\s+(?=\S)")
_TO_DO = re.compile(r"\s*(?:[-*+]|\d{1,3}[.)])\s+\[[ xX]\]")
_RULE = re.compile(r"\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$")
_REFERENCE = re.compile(
    r"\s*(?:[*_]{1,2})?(?:sources?|also|see|fuentes?|también|tambien|véase|url|link|enlace)"
    r"(?:[*_]{1,2})?\s*:",
    re.IGNORECASE,
)
_BARE_LINK = re.compile(r"\s*(?:[-*+]\s+)?(?:<?https?://\S++|\[[^\]]*+\]\([^)]*+\))[\s.]*+$")
_SKIPPED = (_REFERENCE, _BARE_LINK, _TO_DO)
_MARK = r"\[[^\[\]()]{1,120}\]"
_MARKS_ALONE = re.compile(rf"({_MARK})[.\s]*(?:{_MARK}[.\s]*)*$")
_MARK_AT_END = re.compile(r"\[([^\[\]()]{1,120})\][.!?]?$")


@dataclass(frozen=True)
class Passage:
    """A sentence, or a row of a table with the lines above the rows as `header`.

    `text` is verbatim but for white space, which is one blank each. `before` is the sentence before
    it in its paragraph, where this one points back to it. `points_back` without `before`: what is
    meant cannot be quoted. `origin` is the id of the source that a finding's sentence names at its end.
    """

    text: str
    header: tuple[str, str] | None = None
    before: Passage | None = field(default=None, compare=False, repr=False)
    points_back: bool = False
    origin: str = ""

    @property
    def words(self) -> int:
        return len(self.text.split())


@dataclass(frozen=True)
class Paragraph:
    """Passages that stand together; `around` is the heading and lead-in that explain them."""

    around: str
    passages: tuple[Passage, ...]

    @property
    def text(self) -> str:
        return " ".join((self.around, *(passage.text for passage in self.passages)))


def read_paragraphs(note: str, *, with_marks: bool = False) -> list[Paragraph]:
    """The paragraphs of a note that hold at least one quotable passage, in order.

    `with_marks` is for findings: a sentence keeps the first of the [ids] that follow it.

    Front matter, headings, code, comments, bare links, "Source:" lines and to-do boxes are left
    out, and so is what is too short or too long to be read as one sentence.
    """
    reader = _Reader(with_marks=with_marks)
    for line in _content_lines(note):
        reader.take(line)
    reader.end_block()
    return reader.paragraphs


class _Reader:
    """Collects lines into paragraphs; a table, a list item or a blank line ends one."""

    def __init__(self, *, with_marks: bool) -> None:
        self._with_marks = with_marks
        self.paragraphs: list[Paragraph] = []
        self._heading = ""
        self._lead_in = ""
        self._lines: list[str] = []
        self._in_item = False
        self._table: list[str] = []

    def take(self, line: str) -> None:
        line = re.sub(r"^\s{0,3}>\s?", "", line)
        if line.lstrip().startswith("|"):
            self._end_prose()
            self._table.append(" ".join(line.split()))
            return
        self._end_table()
        heading = _HEADING.match(line)
        if heading:
            self._end_prose()
            self._begin_section(line[heading.end() :].strip(" #"))
        elif len(self._lines) == 1 and _UNDERLINE.match(line):
            self._begin_section(self._lines.pop())
        elif not line.strip() or any(skipped.match(line) for skipped in _SKIPPED):
            self._end_prose()
        else:
            self._take_prose(line)

    def end_block(self) -> None:
        self._end_prose()
        self._end_table()

    def _take_prose(self, line: str) -> None:
        item = _ITEM.match(line)
        if item:
            self._end_prose()
            self._in_item = True
        self._lines.append(line[item.end() :] if item else line)

    def _begin_section(self, heading: str) -> None:
        self._heading = heading
        self._lead_in = ""

    def _end_prose(self) -> None:
        if not self._lines:
            return
        text = " ".join(" ".join(self._lines).split())
        in_item, self._in_item, self._lines = self._in_item, False, []
        sentences = split_sentences(text)
        self._add(tuple(_passages(_marked(sentences) if self._with_marks else sentences)))
        if not in_item:  # what ends in a colon leads in the items that follow
            self._lead_in = sentences[-1][:MAX_CHARACTERS] if text.endswith(":") else ""

    def _end_table(self) -> None:
        lines, self._table = self._table, []
        if len(lines) < 3 or not _RULE.match(lines[1]):
            return
        header = (lines[0], lines[1])
        rows = (row for row in lines[2:] if _is_clean(row) and len(row) <= MAX_CHARACTERS)
        if _is_clean(lines[0]) and len(lines[0]) <= MAX_CHARACTERS:
            self._add(tuple(Passage(row, header) for row in rows))

    def _add(self, passages: tuple[Passage, ...]) -> None:
        if passages:
            around = f"{self._heading} {self._lead_in}".strip()[: 2 * MAX_CHARACTERS]
            self.paragraphs.append(Paragraph(around, passages))


def _content_lines(note: str) -> Iterator[str]:
    """The lines without front matter, fenced code and comments."""
    lines = note.replace("\r\n", "\n").replace("\r", "\n").lstrip("\ufeff").split("\n")
    fence = ""
    in_comment = False
    for line in lines[_front_matter_lines(lines) :]:
        mark = _FENCE.match(line)
        if mark and (not fence or fence == mark.group(1)):
            fence = "" if fence else mark.group(1)
            yield ""
        elif fence:
            continue
        elif in_comment or line.lstrip().startswith("<!--"):
            in_comment = "-->" not in line
            yield ""
        else:
            yield line


def _front_matter_lines(lines: list[str]) -> int:
    """How many lines the front matter takes with both of its marks; 0 where there is none."""
    if lines[0].strip() != "---":
        return 0
    ends = (number for number, line in enumerate(lines[1:], 2) if line.strip() in ("---", "..."))
    return next(ends, 0)


def _marked(sentences: list[str]) -> list[str]:
    """Sentences with the first mark behind each, as in: They closed. [a.b] [c]"""
    joined: list[str] = []
    for sentence in sentences:
        marks = _MARKS_ALONE.match(sentence)
        if marks and joined and not _MARK_AT_END.search(joined[-1]):
            joined[-1] = f"{joined[-1]} {marks.group(1)}"
        elif not marks:
            joined.append(sentence)
    return joined


def _passages(sentences: list[str]) -> Iterator[Passage]:
    """The quotable ones; one that points back carries the one before, where that is quotable too."""
    last: Passage | None = None
    for sentence in sentences:
        if not _is_quotable(sentence):
            last = None
            continue
        mark = _MARK_AT_END.search(sentence)
        back = points_back(sentence)
        last = Passage(
            sentence,
            before=last if back else None,
            points_back=back,
            origin=mark.group(1) if mark else "",
        )
        yield last


def _is_quotable(sentence: str) -> bool:
    words = len(sentence.split())
    return (
        MIN_WORDS <= words <= MAX_WORDS
        and MIN_CHARACTERS <= len(sentence) <= MAX_CHARACTERS
        and not sentence.endswith((":", "?"))
        and _is_clean(sentence)
        and sum(letter.isalpha() for letter in sentence) >= len(sentence) // 3
    )


def _is_clean(text: str) -> bool:
    """No control characters, no marks that turn the direction of the text, no half characters."""
    return not any(
        unicodedata.category(letter) in ("Cc", "Cs", "Co", "Cn")
        or letter in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
        for letter in text
    )
