"""What the author reports that others said, where no quotation mark says so, and what it plans afterwards.

Each form is told by its frame, never by what is said in it: a third-person subject with a verb of
saying, a count behind each phrase, two speakers in turn, a sentence that speaks back of "these words".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from daemon.quality.lines import first_at_line

Span = tuple[int, int]

_FEWEST_OUTSIDE = 8
_FEWEST_BEFORE = 10
_LONGEST_SPEECH = 400
_LONGEST_PART = 260
_MOST_LINES = 2_000

_SELF = r"(?:i|i'm|i've|my|me|we|our|us|you|your|yo|mi|mis|nos|nuestr[oa]s?|usted|ustedes|te|tu)"
_SAID_OF = (
    r"repl(?:y|ies)|answers?|responses?|wording|phrases?|sentences?|formulas?|words|messages?|lines?|refusals?"
    r"|refrains?|quotes?|excuses?|rejections?|respuestas?|frases?|f[oó]rmulas?|palabras|mensajes?|negativas?"
    r"|rechazos?"
    r"|excusas?|evasivas?|contestaci[oó]n(?:es)?"
)
_SAYS = (
    r"says?|said|answers|answered|repl(?:y|ies|ied)|respond(?:s|ed)|explain(?:s|ed)?|writes?|wrote|told \w+"
    r"|add(?:s|ed)"
    r"|insist(?:s|ed)|complain(?:s|ed)?|dicen?|dij(?:o|eron)|contest(?:a|an|[oó]|aron)|respond(?:e|en|i[oó]|ieron)"
    r"|explic(?:a|an|[oó]|aron)|escrib(?:e|en|i[oó]|ieron)|se quej(?:a|an|[oó]|aron)|insist(?:e|en|i[oó]|ieron)"
    r"|repit(?:e|en|i[oó]|ieron)|asegur(?:a|an|[oó]|aron)"
)
# "Its favourite wording was: ...", "The bot answered: ..." up to the end of that sentence.
_BEHIND_COLON = re.compile(
    rf"(?im)(?:^|(?<=[.!?;] ))(?!(?:[^.:!?\n]{{0,120}} )?{_SELF}\b)(?:[^\s.:!?]{{1,30}} ){{1,14}}?"
    rf"(?:(?:{_SAID_OF})(?: (?!es\b|is\b)[^\s.:!?]{{1,30}}){{0,6}} (?:was|were|is|are|reads?|fue|fueron|era|es"
    rf"|son|reza)"
    rf"|(?:{_SAYS})(?: [^\s.:!?]{{1,30}}){{0,8}}):(?! ?\d) ?(?P<said>[^\n]{{0,300}}?[.!?])(?=\s|$)"
)
# "The most common refusal was I'm sorry, I cannot do that; it came up ..."
_UNMARKED = re.compile(
    rf"(?i)\b(?:{_SAID_OF})(?: [^\s.:!?]{{1,30}}){{0,5}} (?:was|were|is|are|fue|fueron|era|eran|es|son) "
    r"(?P<said>(?:i'm|i am|sorry|i can|i do|as an|lo siento|no puedo|no me|como (?:ia|modelo)"
    r"|lamento)\b[^.;!?\n]{3,200})"
)
_UNMARKED_OPENINGS = (" i'm", " i am", " sorry", " i can", " i do", " as an", " lo siento", " no puedo", " no me",
                      " como ia", " como modelo", " lamento")  # fmt: skip
_UNMARKED_VERBS = (
    " was",
    " were",
    " is",
    " are",
    " fue",
    " fueron",
    " era",
    " eran",
    " es",
    " son",
)
_LONGEST_VERB = 8
# Letters that a regex takes for an i or an s, and lower() does not.
_OTHER_CASES = "\u0130\u0131\u017f"
_SAYS_WHO = (
    rf"(?:(?:the|el|la|los|las|their|its|one|nearly|most|casi|[0-9]+)(?: [^\s.,:!?]{{1,30}}){{1,4}} (?:{_SAYS})"
    rf"|(?:{_SAYS}) (?!{_SELF}\b)[^\s.,:!?]{{2,}})(?![^\s.,:;!?])"
)
# "We cannot borrow, say nearly all owners: ..."
_BEFORE_VERB = re.compile(
    rf"(?im)(?:^|(?<=[.!?;] ))(?P<said>[^.!?\n;]{{3,200}}?)(?:,| [-—]) ?{_SAYS_WHO}"
)
# Its second half, told by its first sign: where there is none, the first need not be looked for.
_SAID_BEHIND = re.compile(rf"(?i)[,—-](?:(?<=,)|(?<= [-—]))(?= ?{_SAYS_WHO})")
_STRETCH = re.compile(r"[^.:!?\n]*+[.:!?\n]")
# "A. B. C. These three sentences make up 61 % ..."
_SPEAKS_BACK = re.compile(
    rf"(?i)(?:^|(?<=[.!?] ))(?:these|those|est[ao]s|es[ao]s|con (?:est"
    rf"|es)[ao]s)(?: \w+){{0,2}} (?:{_SAID_OF})\b[^.!?\n]{{0,160}}?\d"
)
_COUNTED = re.compile(r"(?:[:;,(—–-] ?|\b)(?:\d[\d.,]*)(?: ?%| [^\s.!?]{2,20}){0,3}\)?[.;]?[ \t]*$")
_ITEM = re.compile(r"[ \t]{0,20}(?:[-*+•–]|\d{1,2}[.)])[ \t]+\S")
_OF_SPEECH = re.compile(rf"(?i)\b(?:{_SAID_OF}|refus\w+|complaints?|quejas?)\b")
_SPEAKER = re.compile(r"[ \t*_]{0,6}([^\W\d_][\w .'-]{0,24}?)[ \t]*(?:\*\*)?:(?:\*\*)?[ \t]+\S")
_DASHED = re.compile(r"[ \t]*[—–][ \t]?(?=\S)")
_NORM = re.compile(
    r"(?im)(?:^|(?<=[.!?;] ))(?:seg[uú]n|conforme a|de acuerdo con|de conformidad con|por disposici[oó]n de"
    r"|under|according to"
    r"|pursuant to|in terms of) (?:el |la |los |las |lo que \w+ el |the )?(?:art[ií]culos?|arts?\.|ordenanza"
    r"|ley|decreto"
    rf"|reglamento|c[oó]digo|constituci[oó]n|sections?|articles?|act|code|regulation|statute|ordinance|decree|law)\b"
    rf"(?![^.!?\n]{{0,200}}\b(?:{_SELF}|puedo|podemos|voy)\b)[^!?\n]{{0,300}}?(?:[.!?](?=\s|$)|$)"
)
# Where _SPEAKS_BACK and _NORM may begin.
_OPENS = re.compile(
    r"(?i)[\n.!?;](?:(?<=\n)|(?<=.) )(?=these|those|est[ao]s|es[ao]s|con es|seg[uú]n|conforme|de acuerdo"
    r"|de conformidad|por disposici|under|according to|pursuant to|in terms of)"
)
_AFTERWARDS = re.compile(
    r"(?im)(?:^#{0,6}[ \t*_]{0,5}(?:\d[.)] )?(?:next steps?|steps? ahead|further work|future work|follow-?up"
    r"|still to do|pending"
    r"|outlook|pr[oó]ximos pasos|siguientes pasos|pasos siguientes|pendientes?|trabajo futuro|por hacer"
    r"|qu[eé] sigue|qu[eé] viene(?: ahora| despu[eé]s)?|lo que sigue|what (?:happens|comes) next)[ \t*_]{0,4}"
    r"(?:[:.]|$)|^next,|^(?:in|over|during) the (?:coming|next|following) (?:\w+ )?(?:days|weeks|months|quarter)\b"
    r"|^(?:en|durante) l[oa]s (?:pr[oó]xim[oa]s|siguientes) (?:\w+ )?(?:d[ií]as|semanas|meses)\b)"
)
_ANNOUNCES = re.compile(
    r"(?i)\b(?:i will|i'll|we will|we'll|let me(?! know)|i am going|we are going|i plan|we plan|voy a|vamos a"
    r"|d[eé]j[ae]me"
    r"|perm[ií]t[ae]me|\w{2,}(?:ré|remos)|will be (?:analy|review|search)\w*)\b"
)
_WORD = re.compile(r"[^\W_]+")
# A figure, a name inside a sentence, or a plain yes or no: something was found.
_SPECIFIC = re.compile(
    r"\d|(?<=[a-zà-ÿ,;] )[A-ZÁÉÍÓÚÑ][\wà-ÿ]+|\A\W{0,6}(?:[Yy]es|[Nn]o|[Ss][ií])\b[,.;:]"
)


def reported_speech(text: str) -> list[Span]:
    """Places where somebody else speaks without quotation marks; none where hardly anything else is said."""
    opens = [0, *(found.end() for found in _OPENS.finditer(text))]
    spans = [
        *_dialogue(text),
        *_counted_phrases(text),
        *_spoken_back(text, opens),
        *(found.span() for found in _matches(_NORM, text, opens)),
        *(found.span("said") for found in _matches(_BEHIND_COLON, text, _before_colons(text))),
        *_before_verbs(text),
        *(found.span("said") for found in _unmarked(text)),
    ]
    spans = sorted(span for span in spans if span[0] < span[1])
    return spans if spans and _has_words_outside(text, spans) else []


def afterwards(text: str) -> list[Span]:
    """The part on next steps, where figures and no announcements stand in front of it."""
    found = first_at_line(_AFTERWARDS, text)
    if not found:
        return []
    before = text[: found.start()]
    if len(_WORD.findall(before)) < _FEWEST_BEFORE or not _SPECIFIC.search(before):
        return []
    if _ANNOUNCES.search(before):
        return []
    end = _section_end(text, found)
    lines = ((start, start + len(line)) for start, line in _lines(text) if line.strip())
    return [one for one in lines if found.start() <= one[0] < end and _ANNOUNCES.search(text, *one)]


def _unmarked(text: str) -> Iterable[re.Match[str]]:
    """What `_UNMARKED` finds; looked for only where a verb stands right before such a beginning."""
    lower = text.lower()
    odd = len(lower) != len(text) or any(letter in lower for letter in _OTHER_CASES)
    return _UNMARKED.finditer(text) if odd or _may_be_unmarked(lower) else ()


def _may_be_unmarked(lower: str) -> bool:
    for opening in _UNMARKED_OPENINGS:
        at = lower.find(opening)
        while at >= 0:
            if lower.endswith(_UNMARKED_VERBS, max(0, at - _LONGEST_VERB), at):
                return True
            at = lower.find(opening, at + 1)
    return False


def _speech_end(found: re.Match[str]) -> int:
    return len(found["said"].rstrip(" ,-—"))


def _section_end(text: str, found: re.Match[str]) -> int:
    """Up to the next heading; of a paragraph that begins so, its own end."""
    behind = text.find("\n#", found.end())
    return behind if behind >= 0 else len(text)


def _matches(pattern: re.Pattern[str], text: str, starts: Iterable[int]) -> Iterator[re.Match[str]]:
    """What `finditer` finds, for a pattern that can begin nowhere else; `starts` are in order."""
    end = 0
    for start in starts:
        found = pattern.match(text, start) if start >= end else None
        if found:
            end = found.end()
            yield found


def _before_colons(text: str) -> Iterable[int]:
    """Where the sentences, and their parts behind a semicolon, begin that come to a colon first."""
    if ":" not in text:
        return
    for found in _STRETCH.finditer(text):
        start, colon = found.start(), found.end() - 1
        if text[colon] != ":":
            continue
        if start == 0 or text[start - 1] == "\n":
            yield start
        elif text[start] == " " and text[start - 1] in ".!?":
            yield start + 1
        at = text.find("; ", start, colon)
        while at >= 0:
            yield at + 2
            at = text.find("; ", at + 1, colon)


def _before_verbs(text: str) -> Iterable[Span]:
    starts = (_part_start(text, found.start()) for found in _SAID_BEHIND.finditer(text))
    for found in _matches(_BEFORE_VERB, text, starts):
        yield found.start("said"), found.start("said") + _speech_end(found)


def _part_start(text: str, at: int) -> int:
    """Where the sentence, or its part behind a semicolon, begins that `at` is in."""
    low = max(0, at - _LONGEST_PART)
    start = 1 + max(text.rfind(mark, low, at) for mark in ".!?;\n")
    if start == 0 and low:
        return at
    return start if start == 0 or text[start - 1] == "\n" else start + 1


def _spoken_back(text: str, opens: Iterable[int]) -> Iterable[Span]:
    """The sentences of the same paragraph in front of one that counts "these words"."""
    for found in _matches(_SPEAKS_BACK, text, opens):
        start = text.rfind("\n", 0, found.start()) + 1
        if 0 < found.start() - start <= _LONGEST_SPEECH:
            yield start, found.start()


def _counted_phrases(text: str) -> Iterable[Span]:
    """Items of a list of phrases, each with how often it came: "- I cannot help: 44"."""
    leads = False
    for start, line in _lines(text):
        if _ITEM.match(line):
            if leads and _COUNTED.search(line):
                yield start, start + len(line)
        elif line.strip():
            leads = line.rstrip(" \t*_").endswith(":") and _OF_SPEECH.search(line) is not None


def _dialogue(text: str) -> Iterable[Span]:
    """Lines of two speakers in turn, or with a dash of speech where one of them asks."""
    named = [
        (start, start + len(line), found[1].casefold())
        for start, line in _lines(text)
        if ":" in line and (found := _SPEAKER.match(line))
    ]
    speakers = [name for _, _, name in named]
    if len(named) >= 3 and 2 <= len(set(speakers)) <= len(named) // 2 + 1:
        again = {name for name in speakers if speakers.count(name) > 1}
        yield from ((start, end) for start, end, name in named if again)
    dashed = [(start, start + len(line)) for start, line in _lines(text) if _DASHED.match(line)]
    if len(dashed) >= 2 and any("?" in text[start:end] for start, end in dashed):
        yield from dashed


def _lines(text: str) -> list[tuple[int, str]]:
    found: list[tuple[int, str]] = []
    at = 0
    for line in text.split("\n")[:_MOST_LINES]:
        found.append((at, line))
        at += len(line) + 1
    return found


def _has_words_outside(text: str, spans: Iterable[Span]) -> bool:
    """Whether enough words are in none of the places."""
    at = words = 0
    for start, end in (*spans, (len(text), len(text))):
        outside = _WORD.finditer(text, at, max(start, at))
        words += sum(1 for _ in islice(outside, _FEWEST_OUTSIDE - words))
        if words >= _FEWEST_OUTSIDE:
            return True
        at = max(at, end)
    return False
