"""Whatever comes in gets a verdict, in time that grows like its length."""

from __future__ import annotations

import importlib
import pkgutil
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import daemon.quality
from daemon.quality.anchored import Anchored
from daemon.quality.assessment import assess
from daemon.quality.claims import SourceNote
from daemon.quality.patterns import load_patterns
from daemon.quality.rules import QualityRules
from daemon.quality.verdict import TaskBrief, Verdict
from tests.unit.quality.judging import REPORT

ROOT = Path(__file__).parents[3]
SIZE = 100_000
ASKED = "Who pays for a search of rulings in Quito, and is it above 60% of the lawyers asked?"
ROLE = "You work for a venture. Example: 'Bufete Andino pays 40 dollars for 3 seats.' " * 20
NOTES = (
    SourceNote("fees", "The fee of a first certified copy in Quito is $35, and 21 of 24 provinces charge it. " * 60),
    SourceNote("interviews", REPORT * 3),
)  # fmt: skip
BLOCKS = {
    "quotes": "> ", "quoted lines": "> a\n", "list marks": "- \n", "marks": "- ", "one word": "a", "emoji": "😀",
    "right to left": "\u202eabc ", "joined": "👩\u200d👩", "accents": "e" + "\u0301" * 50, "one number": "1",
    "numbers": "1 ", "shares": "45% ", "thousands": "1,", "changes": "from 1 to 2 ", "wholes": "in total 45% and 100% ",
    "addresses": "http://a.b/", "brackets": "[", "braces": '{"a":', "fences": "```\n", "ticks": "`", "bars": "|",
    "rows": "| a | b |\n", "halves": "\ud800", "nothing": "\x00",
    "Arabic": "مرحبا بالعالم ", "Chinese": "市场规模很大。",
    "pointers": "same report as ", "news": "new this week we found 14 firms. ", "calls": "i called the ",
    "days": "31 may ", "claims": "all figures ", "quoted words": '"a" ', "quotation marks": '"', "apostrophes": "'",
    "thinking": "<think>",
    "thought": "</think>\n", "lines": "\n", "tabs": "\t", "stops": ". ", "dots": ".", "headings": "# a\n",
    "lists of sources": "sources\n[1] a\n", "citations": "[1] ", "money": "$1,",
    "bars met": "above 30% met the bar ",
    "sentences": "The market is growing in 3 of 9 places. ", "one sentence": "the market grows and ",
}  # fmt: skip
BRIEF = TaskBrief("T", ASKED, prompt_text=ROLE)


def verdict_of(text: str) -> Verdict:
    return assess(text, BRIEF, rules=QualityRules(), sources=NOTES, earlier=(REPORT, text[:9_000]))


@pytest.mark.parametrize("name", BLOCKS)
def test_fifty_thousand_of_the_same_get_a_verdict(name: str) -> None:
    """Sources, instructions and earlier outputs are looked into as well; nobody waits for minutes."""
    block = BLOCKS[name]
    verdict = verdict_of(block * (SIZE // 2 // len(block)))
    assert verdict.outcome in ("reject", "flag")


PIECES = st.sampled_from(
    [*BLOCKS.values(), "I can't help. ", "## Sources\n", "$35 ", "100% ", "29 of 41 ", "\n\n"]
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(PIECES | st.text(max_size=9), max_size=60).map("".join), st.text(max_size=200))
def test_any_text_gets_a_verdict_whatever_it_is_held_against(text: str, other: str) -> None:
    """The question, the instructions, the notes and the earlier outputs may be anything too."""
    brief = TaskBrief("T", other, prompt_text=other * 3)
    notes = (SourceNote("n", other), SourceNote("m", text))
    first = assess(text, brief, rules=QualityRules(), sources=notes, earlier=(other, text))
    assert first == assess(text, brief, rules=QualityRules(), sources=notes, earlier=(other, text))
    for defect in first.defects:
        start, end = defect.span or (0, 0)
        assert 0 <= start <= end <= len(first.cleaned_text)


def regexes() -> Iterator[re.Pattern[str]]:
    """Every compiled regex that stands in a module of the room, alone or in a table."""
    seen: set[str] = set()
    for module in pkgutil.iter_modules(daemon.quality.__path__, "daemon.quality."):
        for value in vars(importlib.import_module(module.name)).values():
            for regex in _inside(value, 3):
                if regex.pattern not in seen:
                    seen.add(regex.pattern)
                    yield regex


def _inside(value: Any, deep: int) -> Iterator[re.Pattern[str]]:
    if isinstance(value, Anchored):
        yield value.regex
    elif isinstance(value, re.Pattern) and isinstance(value.pattern, str):
        yield value
    elif deep and isinstance(value, tuple | list):
        for one in value:
            yield from _inside(one, deep - 1)
    elif deep and isinstance(value, dict):
        yield from _inside(list(value.values()), deep - 1)


def alphabet(regex: re.Pattern[str]) -> list[str]:
    """Texts out of what the regex itself is written with, which are what makes it go back and forth."""
    words = [word + " " for word in re.findall(r"[a-z]{2,}(?: [a-z]+)*", regex.pattern)]
    signs = [sign for sign in dict.fromkeys(re.findall(r"[^\w\s]", regex.pattern)) if sign != "\\"]
    some = [
        *words[:: max(1, len(words) // 4)][:4],
        *signs[:8],
        "1",
        "1 ",
        " ",
        "\n",
        "a ",
        "a, ",
        "A b ",
    ]
    return [*some, "".join(some[:3])]


def read_all(size: int) -> int:
    """How many regexes were tried on long texts of their own alphabets, where they are and anywhere.

    They are looked for anywhere in short texts only: many are tried just where a line begins.
    """
    tried = 0
    for regex in (*regexes(), *(one.compiled for one in load_patterns().patterns)):
        for bit in alphabet(regex):
            text = bit * (size // len(bit))
            regex.match(text)
            regex.fullmatch(text)
            regex.search(text[: size // 50])
        tried += 1
    return tried


def test_no_regex_of_the_room_is_slow_on_its_own_alphabet() -> None:
    """The limit is a safety net, not a measurement: a regex that goes back and forth would take hours."""
    command = "from tests.unit.quality.test_hostile_texts import *; print(read_all(SIZE // 2) > 80)"
    ended = subprocess.run(
        [sys.executable, "-c", command], capture_output=True, text=True, timeout=240, cwd=ROOT
    )
    assert ended.stdout.strip() == "True", ended.stderr


def test_the_regexes_of_the_room_are_found() -> None:
    """Those in tables too."""
    assert len(list(regexes())) > 80
