"""Which of several notes that say the same are one source: copies of one text, of one address, of one publisher.

A copy is told by what stands *beside* the sentence that counts, for two people who follow one rule for
plain results write the same sentence without having copied it:

1. Two notes that go back to the same address are one.
2. Two addresses of one publisher with the same date and figure are one.
3. Two notes whose words beside the sentence are alike are one, whatever they are called or head
   themselves with. Alike: half of the shorter one's sequences of three words are in the other, or a
   fifth of them and four fifths of its telling words, where there are eight.
4. A note that names no source and has fewer than four telling words of its own beside the sentence (who
   asked, when, how) is a copy of any other that says the same; between two that name different
   sources, only a passage or note of twelve words or more can be one.

The longer note is the original, so that one more copy never makes fewer sources. Sources of which no text
is known are only compared by where they go back to. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import unquote

from daemon.quality.content_words import content_stems
from daemon.quality.normalise import fold

_GRAM = 3
_ALIKE = 0.5
_ALIKE_STEMS = 0.8
_ALIKE_REWORDED = 0.2  # long notes of one subject share its words; they do not share runs of words
_FEWEST_STEMS = 8
_FEWEST_OWN = 4
_FEWEST_COMMON = 12
_MOST_COMPARED = 150
_WORD = re.compile(r"[^\W\d_]+")
_UNSAID = re.compile(
    r"^[ \t>*_+•-]*+(?:\d{1,3}[.)][ \t]+)?[*_(]*+(?:sources?|fuentes?|references?|referencias?|refs?|via)[*_]*:.*$"
    r"|^[ \t]*#.*$|(?:https?://|\bwww\.)\S+",
    re.IGNORECASE | re.MULTILINE,
)
_ARCHIVE = re.compile(
    r"(?:web\.archive\.org/(?:web/[^/]*/)?|archive\.(?:ph|is|today|org)/(?:[^/]*/)?"
    r"|(?:www\.)?google\.[a-z.]+/(?:amp/s|url)/|webcache\.googleusercontent\.com/)(?:https?:/{1,2})?"
)
_FRONT = re.compile(r"(?:www\d?|m|mobile|amp|touch)\.(?=[^/]+\.[^/])")
_BACK = re.compile(r"/(?:amp|index\.(?:html?|php)|print)?$|\.amp(?:\.html)?$")
_SECOND = frozenset({"co", "com", "org", "gob", "gov", "net", "edu", "ac", "mil", "or", "fin"})


@dataclass(frozen=True)
class Telling:
    """A note that says `figure` (None: it makes a statement) in the sentence `said`.

    `origin` is what it goes back to; `named` says that this is something else than the note itself.
    `passage` and `body` are the paragraph and the whole note; empty where they are not known.
    """

    path: str
    origin: str
    figure: Decimal | None = None
    named: bool = False
    dated_on: date | None = None
    said: str = ""
    passage: str = ""
    body: str = ""


def copies(tellings: Sequence[Telling]) -> dict[int, int]:
    """Of each copy that of which it is one, both by their places; the order changes nothing else."""
    originals: list[int] = []
    found: dict[int, int] = {}
    for at in sorted(range(len(tellings)), key=lambda at: _rank(tellings[at])):
        of = next((one for one in originals if _is_copy(tellings[at], tellings[one])), None)
        if of is None:
            originals.append(at)
        else:
            found[at] = of
    return found


def canonical_address(address: str) -> str:
    """Host and path by which an address, its mobile page, its copy in an archive and its printed page
    are the same; what is no address is only put into lower case."""
    plain = re.sub(r"/{2,}", "/", unquote(address.strip().lower()))
    for sign in ("?", "#"):
        plain = plain.split(sign)[0]
    for _ in range(3):
        plain = _BACK.sub("", _FRONT.sub("", _ARCHIVE.sub("", plain, count=1)))
        plain = re.sub(r"^https?:/{1,2}", "", plain)
    return plain


def publisher_of(address: str) -> str:
    """The registered name of an address's host; empty for what is no address."""
    host = address.split("/")[0].split(":")[0]
    labels = host.split(".")
    if " " in host or len(labels) < 2 or not all(labels):
        return ""
    several = len(labels) > 2 and len(labels[-1]) == 2 and labels[-2] in _SECOND
    return ".".join(labels[-3:] if several else labels[-2:])


class _Words(NamedTuple):
    """`sample` is some of the `grams`, from the whole text, so that a long one is compared as quickly."""

    size: int
    grams: frozenset[tuple[str, ...]]
    sample: Sequence[tuple[str, ...]]
    telling: frozenset[str]


def _rank(one: Telling) -> tuple[int, str, str, str]:
    return -len(one.body), one.path, one.origin, one.said


def _is_copy(one: Telling, other: Telling) -> bool:
    if one.origin == other.origin:
        return True
    if one.figure != other.figure:
        return False
    if one.named and other.named:
        return _is_of_one_publisher(one, other) or _is_alike(one, other, _FEWEST_COMMON)
    if not one.body or not other.body or one.path == other.path:
        return False
    bare = any(
        not each.named and len(_beside(each.body, each.said).telling) < _FEWEST_OWN
        for each in (one, other)
    )
    return bare or _is_alike(one, other, 0)


def _is_of_one_publisher(one: Telling, other: Telling) -> bool:
    publisher = publisher_of(one.origin)
    same_day = one.dated_on is not None and one.dated_on == other.dated_on
    return bool(publisher) and same_day and publisher == publisher_of(other.origin)


def _is_alike(one: Telling, other: Telling, fewest: int) -> bool:
    """By the passages, or by the whole notes where they are two."""
    pairs = [(one.passage, other.passage)]
    if one.path != other.path:
        pairs.append((one.body, other.body))
    return any(
        _are_alike(_beside(mine, one.said), _beside(its, other.said), fewest) for mine, its in pairs
    )


def _are_alike(one: _Words, other: _Words, fewest: int) -> bool:
    shorter, longer = sorted((one, other), key=lambda each: each.size)
    enough = shorter.size >= max(fewest, _GRAM) and len(shorter.telling) >= _FEWEST_OWN
    return enough and _has_most(shorter, longer)


def _has_most(shorter: _Words, longer: _Words) -> bool:
    runs = sum(map(longer.grams.__contains__, shorter.sample)) / len(shorter.sample)
    if runs < _ALIKE_REWORDED or runs >= _ALIKE:
        return runs >= _ALIKE
    words = len(shorter.telling & longer.telling) / len(shorter.telling)
    return len(shorter.telling) >= _FEWEST_STEMS and words >= _ALIKE_STEMS


@lru_cache(maxsize=2_000)
def _beside(text: str, said: str) -> _Words:
    """The words of a text that are not in the sentence `said`, in a heading or a line that names a source."""
    rest = " ".join(_UNSAID.sub(" ", text).split()).replace(" ".join(said.split()), " ")
    folded = fold(rest)
    words = _WORD.findall(folded)
    grams = tuple(zip(*(words[start:] for start in range(_GRAM)), strict=False))
    sample = grams[:: 1 + len(grams) // _MOST_COMPARED]
    return _Words(len(words), frozenset(grams), sample, content_stems(folded))
