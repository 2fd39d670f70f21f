"""Words in an order that no sentence has: little words beside each other that never stand so, or none at all.

Grammatical sentences without sense ("the contract swims in Tuesday's milk") are not seen here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from daemon.quality.anchored import Anchored
from daemon.quality.language import little_word_share
from daemon.quality.normalise import Reading, Sentence, count_words
from daemon.quality.verdict import Defect, Profile

_FEWEST_WORDS = 15
_FEWEST_CLASHES = 3
_CLASH_SHARE = 0.04
_CLASH_SHARE_OF_TWO = 0.08
_MOST_WORDS = 3_000
_HEAP_WORDS = 14
_HEAP_SHARE = 0.03
# What never stands in front of these words: an article or "of" before a verb, a joint or another article.
_CLASH = Anchored(
    r"\b(?:the|an|my|our|their|its|his|your) "
    r"(?:the|an?|of|to|on|at|by|for|from|with|and|or|but|is|are|was|were|has|have|had|would|could|which|because"
    r"|therefore"
    r"|than|if|into|toward|towards|my|our|their|your|however|sells?|within)\b(?![-'])"
    r"|\ba (?:the|an?|of|at|for|from|with|was|were|has|have|would|could|which|because|therefore|than|if"
    r"|into)\b(?![-'])"
    r"|\b(?:of of|to of|and and|is is|to to|of is|of are|of was|for of|is of and|are for of|with of|at of|by of"
    r"|into of"
    r"|and of and|which into|which a|that the that|and therefore of|of then|to is|in of|on of|is the the"
    r"|are the the)\b"
    r"|\b(?:the|an|of|and|or|my|our|their|because|which|into|than)[.!?](?=\s|$)(?!\.)"
    r"|\b(?:el|los|las|un|unos|unas) (?:el|los|las|un|una|unos|unas|es|son|fue|pero|en|con|dentro|hacia|desde|porque"
    r"|aunque|mientras|tanto|vende|luego)\b"
    r"|\b(?:el|las|un|unos|unas) (?:y|o)\b(?! (?:el|la|los|las|una?)\b)"
    r"|\b(?:la|una) (?:el|un|una|pero|con|dentro|hacia|desde|porque|aunque)\b"
    r"|\b(?:de de|que que|y y|en en|por por|con con|de es|de son|de y de|hacia un por|que hacia|en de|con de|del de y"
    r"|para que de|por de|y tanque entonces|es y|de pero|en y|con y|al el|del el|de el)\b"
    r"|\b(?:el|los|las|un|una|de|del|y|con|por|para|porque|hacia|desde)[.!?](?=\s|$)(?!\.)"
)


def word_salad(reading: Reading, profile: Profile) -> Iterable[Defect]:
    """Rejects where little words clash in one place of 25, or where most sentences are heaps of nouns."""
    if profile == "code" or not _FEWEST_WORDS <= reading.prose_words <= _MOST_WORDS:
        return
    clashes = sum(1 for _ in _CLASH.finditer(reading, reading.masked))
    least = _CLASH_SHARE if clashes >= _FEWEST_CLASHES else _CLASH_SHARE_OF_TWO
    is_mixed = clashes >= 2 and clashes >= least * reading.prose_words
    if is_mixed or _is_heaped(reading):
        message = "Its words stand in an order that no sentence has."
        yield Defect("structure.word_salad", message, rejects=True)


def _is_heaped(reading: Reading) -> bool:
    """Most words stand in long sentences that have hardly one little word of any known language."""
    heaped = sum(one.words for one in reading.sentences if _is_heap(reading, one))
    return heaped >= _FEWEST_WORDS and heaped * 2 > reading.prose_words


def _is_heap(reading: Reading, sentence: Sentence) -> bool:
    text = reading.masked[sentence.start : sentence.end]
    if sentence.words < _HEAP_WORDS or not text.isascii() or re.search(r"[,;:|/=<>{}()\d]", text):
        return False
    words = text.split()
    return count_words(text) == len(words) and little_word_share(words) <= _HEAP_SHARE
