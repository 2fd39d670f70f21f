"""A list of sources that a writer put at the end of its text: code writes that list, never a model."""

from __future__ import annotations

import re
from dataclasses import replace

from daemon.quality.verdict import Defect, Verdict

_ENGLISH = (
    r"(?:list of )?(?:sources?|references?|bibliography|works cited|citations?)"
    r"(?: (?:used|cited|consulted|and references|given to the agent))?"
)
_SPANISH = (
    r"(?:lista de )?(?:fuentes?|referencias?(?: bibliogr[aá]ficas)?|bibliograf[ií]a)"
    r"(?: (?:consultadas|citadas|usadas|utilizadas|que recibi[oó] el agente))?"
)
_NAME = rf"(?:{_ENGLISH}|{_SPANISH})(?: \([^()\n]{{1,60}}\))?"
_HEADING = re.compile(
    rf"[ \t]{{0,3}}(?:#{{1,6}}[ \t]+)?[*_]{{0,3}}(?:\d{{1,2}}[.)][ \t]+)?{_NAME}[*_]{{0,3}}:?[*_]{{0,3}}"
    r"[ \t#]*$",
    re.IGNORECASE,
)
_ONE_LINE = re.compile(rf"[ \t*_]{{0,8}}{_NAME}[*_]{{0,3}}:[*_]{{0,3}}[ \t]+\S", re.IGNORECASE)
_ENTRY = re.compile(
    r"[ \t]*(?:[-*+•][ \t]+|\d{1,3}[.)][ \t]+|\[[^\]\n]{1,160}\]|<?https?://|\||`)|[ \t]{2,}\S"
)


def without_source_list(verdict: Verdict) -> Verdict:
    """The verdict of the text without the list of sources at its end, which goes to `stripped`.

    What was looked up in the list goes with it; a defect found there stays and has no place any more.
    """
    text = verdict.cleaned_text
    start = source_list_start(text)
    if start is None:
        return verdict
    kept = text[:start].rstrip()
    return replace(
        verdict,
        cleaned_text=kept,
        stripped=(*verdict.stripped, text[start:].strip()),
        claims=tuple(claim for claim in verdict.claims if claim.span[1] <= len(kept)),
        defects=tuple(_placed(defect, len(kept)) for defect in verdict.defects),
    )


def source_list_start(text: str) -> int | None:
    """Where the list begins, with its heading; None where the text does not end with one.

    A section is such a list where its heading says so and every line of it is an entry: an item, a
    mark, an address, a row. A text that is nothing else has no such list.
    """
    lines = text.splitlines(keepends=True)
    at, entries = len(text), 0
    for line in reversed(lines):
        at -= len(line)
        bare = line.rstrip("\n")
        if not bare.strip():
            continue
        if entries and _HEADING.match(bare):
            return at if text[:at].strip() else None
        if not entries and _ONE_LINE.match(bare):
            return at if text[:at].strip() else None
        if not _ENTRY.match(bare):
            return None
        entries += 1
    return None


def _placed(defect: Defect, length: int) -> Defect:
    beyond = defect.span is not None and defect.span[1] > length
    return replace(defect, span=None) if beyond else defect
