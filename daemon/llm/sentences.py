"""Where one sentence ends and the next begins, in English and Spanish prose."""

from __future__ import annotations

import re

# The possessive quantifiers and the look-behind keep this linear on any run of marks.
_END = re.compile(r"""(?<![.!?…])[.!?…]++["'”’»)\]*_]*+[ ]++|[。！？]++""")
_LAST_WORD = re.compile(r"([^\s(\[\"'“«¿¡]{1,12})$")
_INITIALS = re.compile(r"(?:\w\.)*\w$")

# Words after which a full stop does not end a sentence.
_SHORT_FORMS = """
art arts dr dra dres sr sra srta sres mr mrs ms prof ing lic abg econ arq gral st sto sta fr jr
ltd ltda cía cia corp co vs cf approx aprox ca fig figs eq eqs sec secs cap caps lit num núm núms
nums nro nos pág págs pag pags vol vols ed eds op cit ej e.g i.e p.ej ee uu ff.aa usd eur ref refs
tel av avda depto dept dpto est ext jan feb mar apr jun jul aug sep sept oct nov dec ene abr ago
dic res reg ord exp u.s u.k s.a r.o d.m
"""
_ABBREVIATIONS = frozenset(_SHORT_FORMS.split())
# These end a sentence often enough; they are abbreviations only before a figure.
_BEFORE_FIGURES = frozenset(["no", "nº", "n", "p", "pp", "par", "inc"])


def split_sentences(text: str) -> list[str]:
    """The sentences of one paragraph without line breaks; together they are the whole text.

    Errs on the side of keeping together: a sentence too long is still a true quotation, one cut
    after "Art." is not.
    """
    sentences: list[str] = []
    start = 0
    for end in _END.finditer(text):
        if _ends_sentence(text, end) and not _in_brackets(text, start, end):
            sentences.append(text[start : end.end()].strip())
            start = end.end()
    if text[start:].strip():
        sentences.append(text[start:].strip())
    return sentences


def _ends_sentence(text: str, end: re.Match[str]) -> bool:
    mark = end.group()
    if mark[0] in "。！？":
        return True
    following = text[end.end() : end.end() + 1]
    if not following or following.islower() or following in ",;:)-–—/%&=<>":
        return False
    if not mark.startswith(".") or mark.startswith(".."):
        return True
    last = _LAST_WORD.search(text, max(0, end.start() - 12), end.start())
    if last is None:
        return True
    word = last.group(1).lower()
    if word in _BEFORE_FIGURES:
        return not following.isdigit()
    is_initials = len(word) > 1 or last.group(1).isupper()
    return word not in _ABBREVIATIONS and not (is_initials and bool(_INITIALS.match(word)))


def _in_brackets(text: str, start: int, end: re.Match[str]) -> bool:
    """Whether a bracket that opened shortly before is still open, as in "(Res. 28 of 2025)"."""
    near = text[max(start, end.start() - 80) : end.end()]
    return near.count("(") > near.count(")")
