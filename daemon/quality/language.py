"""Which language a text is in: by its script, else by its little words. No model, no tables of letters."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from daemon.quality.normalise import Reading
from daemon.quality.verdict import Defect

# Words that are frequent in one of these languages; a word of several counts for each of them.
_LITTLE_WORDS = {
    "en": "the of and to in is that for are was with as by on which from this be at it or an not have has their were",
    "es": "el la los las de que y en es por con para una un del se no su como al lo mas pero sus son fue esta entre",
    "pt": "o a os as de que e em do da dos das no na nos nas um uma por com para ao nao se mais foi sao pela pelo ou",
    "fr": "le la les de des du et en un une est que qui dans pour par sur au aux ne pas ce cette sont avec il elle ou",
    "de": "der die das und in den von zu mit ist des dem ein eine nicht im auf sich fur als auch an werden aus wird",
    "it": "il lo la gli le di che e un una in del della dei delle per con non si da al alla sono nel nella piu come",
}
_SCRIPTS = (
    ("ja", r"\u3040-\u30ff"),
    ("ko", r"\uac00-\ud7af"),
    ("zh", r"\u3400-\u9fff"),
    ("ru", r"\u0400-\u04ff"),
    ("ar", r"\u0600-\u06ff"),
    ("he", r"\u0590-\u05ff"),
    ("el", r"\u0370-\u03ff"),
    ("hi", r"\u0900-\u097f"),
    ("th", r"\u0e00-\u0e7f"),
)
_NAMES = {
    "en": "English", "es": "Spanish", "pt": "Portuguese", "fr": "French", "de": "German",
    "it": "Italian", "ja": "Japanese", "ko": "Korean", "zh": "Chinese", "ru": "Russian",
    "ar": "Arabic", "he": "Hebrew", "el": "Greek", "hi": "Hindi", "th": "Thai",
}  # fmt: skip
_WORDS = {name: frozenset(words.split()) for name, words in _LITTLE_WORDS.items()}
_LITTLE = frozenset().union(*_WORDS.values())
_IN_SCRIPT = {name: re.compile(f"[{letters}]") for name, letters in _SCRIPTS}
_OTHER_SCRIPT = re.compile(f"[{''.join(letters for _, letters in _SCRIPTS)}]")
_LETTER = re.compile(r"[^\W\d_]")
_SAMPLE_CHARACTERS = 20_000
_SAMPLE_WORDS = 3_000
_SCRIPT_SHARE = 0.5
_JAPANESE_SHARE = 0.1
_FEWEST_WORDS = 3
_SHORT_WORDS = 12
_CLEAR_LEAD = 3
_FEWEST_SHARE = 0.12
_FEW_FOR_ALL = 200
_SOME_SHARE = 0.02


def detect_language(text: str, words: Sequence[str]) -> str | None:
    """The language of most of a text, as a two-letter code; None where it cannot be told.

    `text` is folded, `words` are its words. A language is told by the little words that the other
    one has not, with a clear lead over each; texts that mix two languages have none.
    """
    script = _script_of(text[:_SAMPLE_CHARACTERS])
    if script:
        return script
    sample = words[:_SAMPLE_WORDS]
    some, size = _little_words(sample), len(sample)
    counts = {name: _count(some, known) for name, known in _WORDS.items()}
    best = max(counts, key=lambda name: counts[name])
    least = 2 if size <= _SHORT_WORDS else max(_FEWEST_WORDS, int(_FEWEST_SHARE * size))
    others = (name for name in _WORDS if name != best)
    if counts[best] >= least and all(_leads(some, best, other) for other in others):
        return best
    return None


def languages_within(words: Sequence[str]) -> frozenset[str]:
    """The languages that some of these words may be in; all of them where there are few words."""
    sample = words[:_SAMPLE_WORDS]
    some, size = _little_words(sample), len(sample)
    if size < _FEW_FOR_ALL:
        return frozenset(_WORDS)
    main = max(_WORDS, key=lambda name: _count(some, _WORDS[name]))
    least = _SOME_SHARE * size
    spoken = {name for name in _WORDS if _count(some, _WORDS[name] - _WORDS[main]) >= least}
    return frozenset(spoken | {main})


def other_language(reading: Reading, language: str) -> Iterable[Defect]:
    """A mark where the author's own prose is not in the workspace's language."""
    found = detect_language(reading.masked, reading.prose_tokens)
    if found and found != language and language in _WORDS:
        message = (
            f"It is written in {_NAMES[found]}; the workspace's language is {_NAMES[language]}."
        )
        yield Defect("plausibility.language", message, rejects=False)


def little_word_share(words: Sequence[str]) -> float:
    """The share of these words that are little words of the known language that has most, 0..1."""
    some = Counter(words)
    best = max(_count(some, known) for known in _WORDS.values())
    return best / max(1, len(words))


def _little_words(words: Iterable[str]) -> Counter[str]:
    return Counter(filter(_LITTLE.__contains__, words))


def _count(words: Counter[str], known: frozenset[str]) -> int:
    return sum(words[word] for word in known.intersection(words))


def _leads(words: Counter[str], language: str, other: str) -> bool:
    own, others = _WORDS[language], _WORDS[other]
    return _count(words, own - others) >= _CLEAR_LEAD * max(1, _count(words, others - own)) or (
        _count(words, others - own) == 0 and _count(words, own - others) > 0
    )


def _script_of(sample: str) -> str | None:
    if sample.isascii() or not _OTHER_SCRIPT.search(sample):
        return None
    letters = len(_LETTER.findall(sample))
    counts = {name: len(script.findall(sample)) for name, script in _IN_SCRIPT.items()}
    if counts["ja"] and counts["ja"] + counts["zh"] >= _SCRIPT_SHARE * letters:
        return "ja" if counts["ja"] >= _JAPANESE_SHARE * letters else "zh"
    best = max(counts, key=lambda name: counts[name])
    return best if counts[best] >= _SCRIPT_SHARE * letters else None
