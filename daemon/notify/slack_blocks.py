"""A message as blocks that Slack takes: within every limit, the buttons always, nothing lost unsaid.

Limits: 50 blocks, 3,000 characters a section, 150 a header, 75 a button; and all blocks together about
13,200, which no document says. What does not fit is shortened where it is longest, with a note.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from daemon.notify import message
from daemon.notify.slack_buttons import Look, draw_button, name_apart
from daemon.notify.slack_text import (
    as_mrkdwn,
    escape,
    literal,
    mrkdwn,
    one_line,
    plain_text,
    size,
    size_of,
    whole_text,
)
from daemon.notify.text_parts import cut_text, split_text, utf16_units

MOST_BLOCKS = 50
SECTION_LIMIT = 3_000
HEADER_LIMIT = 150
# The rest of 13,200 is for what is around the texts, and for the note.
TEXT_LIMIT = 12_000
WEIGHT_LIMIT = 12_950  # of blocks as JSON; a note on where all of it stands may follow
BRIEF_LIMIT = 300
LEAST = 200  # of a part that is shortened
_AROUND_A_BLOCK = 80
_WORDS_LIMIT, _DETAIL_LIMIT, _MARK_LIMIT, _SMALL_LIMIT = 1_000, 1_500, 80, 2_000
_LINK_LIMIT = 300  # so that an entry with all of these fits into one section
_CELLS = 10
_SAFE_LINK = re.compile(r"https?://[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=%]+")

Block = dict[str, Any]
Part = Mapping[str, Any]


@dataclass(frozen=True)
class Drawn:
    """`left_out` is how many characters or entries the blocks do not show; 0: they show all."""

    blocks: list[Block]
    left_out: int


def draw(payload: Mapping[str, Any], look: Look) -> Drawn:
    """The blocks of a message: of its parts, or else of its title and its text."""
    parts = _parts(payload)
    drawn = [
        _draw(part, limit, look) for part, limit in zip(parts, _limits(parts, look), strict=True)
    ]
    blocks, dropped = _at_most([block for one in drawn for block in one.blocks], look)
    name_apart(blocks)
    return Drawn(blocks, sum(one.left_out for one in drawn) + dropped)


def where_it_stands(look: Look, *, file: bool) -> Block:
    """The note below a message that does not show all: where the whole of it is."""
    say = look.phrases.text
    if file:
        return _context(escape(say("slack.in_file")))
    if look.address:
        page = _link(look.address + "/", say("slack.page"), look)
        return _context(f"{escape(say('slack.no_file'))} {page}")
    return _context(escape(say("slack.no_file")))


def plain_of(payload: Mapping[str, Any], look: Look) -> str:
    """The whole message as text without formatting, for where blocks are refused."""
    title, text = _title(payload), whole_text(payload.get("text"))
    whole = f"{title}\n{text}" if title else text
    kept = cut_text(whole, TEXT_LIMIT, size)
    note = _left_out(len(whole) - len(kept), look)
    return escape(kept) + (f"\n{note}" if note else "")


def brief_of(payload: Mapping[str, Any]) -> str:
    """The beginning on one line, for notifications."""
    text = one_line(payload.get("title")) or one_line(whole_text(payload.get("text")))
    return escape(cut_text(text, BRIEF_LIMIT, size))


def _parts(payload: Mapping[str, Any]) -> Sequence[Part]:
    if payload.get("parts"):
        return list(payload["parts"])
    title, text = _title(payload), message.text(str(payload.get("text") or ""))
    return [message.heading(title), text] if title else [text]


def _title(payload: Mapping[str, Any]) -> str:
    """Empty where the text begins with it, as short alerts do."""
    title = one_line(payload.get("title"))
    text = one_line(whole_text(payload.get("text")))
    return "" if text.startswith(title.removesuffix("…")) else title


def _limits(parts: Sequence[Part], look: Look) -> list[int]:
    """What each part may take; where they are too long together, the longest ones get less."""
    fixed = {at: _weight(_draw(part, 0, look).blocks) for at, part in enumerate(parts)
             if part["type"] not in _SHORTENED}  # fmt: skip
    wishes = {at: _wish(part, look) for at, part in enumerate(parts) if at not in fixed}
    left = TEXT_LIMIT - sum(fixed.values()) - _AROUND_A_BLOCK * max(0, len(wishes) - 5)
    found = dict(fixed)
    for number, at in enumerate(sorted(wishes, key=lambda at: wishes[at])):
        found[at] = min(wishes[at], max(LEAST, left // (len(wishes) - number)))
        left -= found[at]
    return [found[at] for at in range(len(parts))]


def _wish(part: Part, look: Look) -> int:
    """How much a part would take; of a long list no more than is enough to know it is too long."""
    if part["type"] != "lines":
        return size_of(as_mrkdwn(whole_text(part.get("text"))))
    wish = size_of(str(part.get("title"))) + 20
    for entry in part["entries"]:
        if wish > TEXT_LIMIT:
            break
        wish += size_of(_entry(entry, look)[0]) + 2
    return wish


def _weight(blocks: Sequence[Block]) -> int:
    return sum(utf16_units(c) for c in json.dumps(blocks, ensure_ascii=False))


def _draw(part: Part, limit: int, look: Look) -> Drawn:
    return _DRAWN_BY.get(part["type"], _draw_text)(part, limit, look)


def _draw_heading(part: Part, _limit: int, _look: Look) -> Drawn:
    title = one_line(part["text"])
    header = {"type": "header", "text": plain_text(title, HEADER_LIMIT)}
    if sum(map(utf16_units, title)) <= HEADER_LIMIT:
        return Drawn([header], 0)
    rest, lost = literal(title, SECTION_LIMIT)
    return Drawn([header, _section(rest)], lost)


def _draw_text(part: Part, limit: int, look: Look) -> Drawn:
    """Split before escaping, so that no `&lt;` is cut."""
    text = as_mrkdwn(whole_text(part.get("text")))
    kept = cut_text(text, limit, size)
    left_out = len(text) - len(kept)
    blocks = [_section(escape(piece)) for piece in split_text(kept, SECTION_LIMIT, size)]
    return Drawn(blocks + ([_context(_left_out(left_out, look))] if left_out else []), left_out)


def _draw_lines(part: Part, limit: int, look: Look) -> Drawn:
    """Whole entries in as many sections as they need; how many are left out stands below them."""
    title, lost = literal(part.get("title"), _WORDS_LIMIT)
    texts, used, kept = [f"*{title}*"] if title else [], size_of(title), 0
    for entry, cut in (_entry(one, look) for one in part["entries"]):
        used += size_of(entry) + 2
        if used > limit and kept:
            break
        kept, lost = kept + 1, lost + cut
        if texts and size_of(f"{texts[-1]}\n{entry}") <= SECTION_LIMIT:
            texts[-1] += f"\n{entry}"
        else:
            texts.append(entry)
    more = sum(one.get("stands_for", 1) for one in part["entries"][kept:])
    note = [_context(escape(look.phrases.text("slack.more", count=f"{more:,}")))] if more else []
    return Drawn([*map(_section, texts), *note], lost + more)


def _entry(entry: Part, look: Look) -> tuple[str, int]:
    """One entry, escaped, and how many characters of it were cut."""
    words, lost = literal(entry.get("words"), _WORDS_LIMIT)
    detail, more = literal(entry.get("detail"), _DETAIL_LIMIT)
    mark, most = literal(entry.get("mark"), _MARK_LIMIT)
    if mark:
        words = f"*{_link(str(entry.get('link') or ''), mark, look)}* {words}"
    return f"• {words}" + (f"\n\u2003{detail}" if detail else ""), lost + more + most


def _draw_bar(part: Part, _limit: int, _look: Look) -> Drawn:
    share = part["part"] / part["whole"] if part["whole"] > 0 else 1.0
    full = min(_CELLS, math.ceil(max(0.0, share) * _CELLS))
    label, lost = literal(part["label"], _WORDS_LIMIT)
    cells = "█" * full + "░" * (_CELLS - full)
    return Drawn([_section(f"{cells} {math.floor(share * 100)} %\n{label}")], lost)


def _draw_small(part: Part, _limit: int, _look: Look) -> Drawn:
    text, lost = literal(part["text"], _SMALL_LIMIT)
    return Drawn([_context(text)], lost)


def _draw_buttons(part: Part, _limit: int, look: Look) -> Drawn:
    found = [draw_button(button, look) for button in part["entries"]]
    return Drawn([{"type": "actions", "elements": found}] if found else [], 0)


def _at_most(blocks: list[Block], look: Look) -> tuple[list[Block], int]:
    """The first blocks and every row of buttons; how many others do not fit, which is told."""
    spare = [at for at, block in enumerate(blocks) if block["type"] != "actions"]
    weights = [_weight([block]) for block in blocks]
    too_many, too_much = len(blocks) - MOST_BLOCKS + 1, sum(weights) - WEIGHT_LIMIT
    gone: list[int] = []
    while spare and (too_many > len(gone) or too_much > sum(weights[at] for at in gone)):
        if not gone:  # the note has its place too
            too_many, too_much = too_many + 1, too_much + _AROUND_A_BLOCK + 40
        gone.append(spare.pop())
    kept = [block for at, block in enumerate(blocks) if at not in gone]
    if gone:
        words = look.phrases.text("slack.more_sections", count=len(gone))
        kept.insert(min(gone), _context(escape(words)))
    return kept, len(gone)


def _left_out(count: int, look: Look) -> str:
    return escape(look.phrases.text("slack.left_out", count=f"{count:,}")) if count else ""


def _link(url: str, label: str, look: Look) -> str:
    """The label, escaped before, as a link where the address is one of ours."""
    ours = bool(look.address) and url.startswith(look.address.rstrip("/") + "/")
    if not ours or not _SAFE_LINK.fullmatch(url) or len(escape(url)) > _LINK_LIMIT:
        return label
    return f"<{escape(url)}|{label}>"


def _section(text: str) -> Block:
    return {"type": "section", "text": mrkdwn(text)}


def _context(text: str) -> Block:
    return {"type": "context", "elements": [mrkdwn(text)]}


_SHORTENED = ("text", "lines")
_DRAWN_BY: dict[str, Callable[[Part, int, Look], Drawn]] = {
    "heading": _draw_heading,
    "text": _draw_text,
    "lines": _draw_lines,
    "bar": _draw_bar,
    "small": _draw_small,
    "buttons": _draw_buttons,
}
