from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from daemon.quality.hits import find_hits
from daemon.quality.normalise import clean, read
from daemon.quality.patterns import ACTIONS, VIEWS, WHERE, Pattern, load_patterns
from tests.unit.quality.judging import REPORT, judge, rejecting

ROOT = Path(__file__).parents[3]
PATTERNS = load_patterns().patterns

BITS = (
    'i am sorry, but ', 'a', '(', '[', '<', '{{', 'let me ', 'no puedo ',
    'i understand i understand ', 'to help i need ', 'as an ai i ', '"', '`', '| ', '- [ ] ',
    '#', '\n', 'search ', '1. ', 'x% ', '. ', 'it is important to ', 'para ayudar ', 'insert ',
    'the report ', '\u200b\u0301e', '<think>', '=', '31 ', 'action:\n', ' ', '\t', '```\n', '> ',
    '* ', '**a', '_', '\n \n', ' a', '.\n', '"a', 'x', '${a', '1,', '<a ', '$1,', 'from 1 to 2 ',
    '1+', 'ser\xe1 ', 'no se encontraron ', '[a](', 'http://a', '|---', '1\n', '\xbf', '{"a":',
    '{"name":', 'action: a\n', '- a\n', '\xaba', '(rest ', 'this report will ', 'company x ',
    ' 1 may',
)  # fmt: skip
HOSTILE = """
import sys
from daemon.quality.hits import find_hits
from daemon.quality.normalise import clean, read
from daemon.quality.strip import strip_chatter
from tests.unit.quality.test_patterns import BITS
size = int(sys.argv[1])
for bit in BITS:
    for text in (bit * (size // len(bit)), (bit * 40 + "\\n") * (size // (40 * len(bit)))):
        find_hits(read(strip_chatter(clean(text), "report").text))
print("read")
"""


def found(pattern: Pattern, text: str) -> bool:
    return any(hit.pattern.id == pattern.id for hit in find_hits(read(clean(text))))


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda one: one.id)
def test_a_pattern_catches_its_example(pattern: Pattern) -> None:
    """The example in the table is the pattern's first test."""
    assert found(pattern, pattern.catches)


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda one: one.id)
def test_the_example_leads_to_what_the_pattern_is_for(pattern: Pattern) -> None:
    """A rejecting pattern rejects its example, a marking one marks it, a stripping one cuts it."""
    profile = "report" if "answer" in pattern.family.profiles_without else "answer"
    verdict = judge(pattern.catches, profile)
    if profile == "report":
        assert pattern.id in rejecting(verdict)
    if pattern.action == "rejects":
        assert verdict.outcome == "reject"
    elif pattern.action == "flags":
        assert pattern.id in [defect.check for defect in verdict.defects]
    else:
        assert verdict.stripped


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda one: one.id)
def test_a_pattern_leaves_its_counter_example_alone(pattern: Pattern) -> None:
    """Neither this pattern nor any other check rejects a genuine text that looks alike."""
    assert rejecting(judge(pattern.leaves)) == []
    assert judge(pattern.leaves).stripped == ()


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda one: one.id)
def test_the_counter_example_is_near_and_its_fields_are_known(pattern: Pattern) -> None:
    """A pattern is a sentence for people, a place, a view and an action."""
    assert pattern.where in WHERE
    assert pattern.mask in VIEWS
    assert pattern.action in ACTIONS
    assert re.fullmatch(r"[a-z_]+\.([a-z]{2}|any)\.[a-z_]+", pattern.id)
    assert pattern.id.split(".")[:2] == [pattern.family.name, pattern.language]
    assert pattern.message.endswith(".")
    assert pattern.answers
    assert pattern.catches != pattern.leaves


def test_there_are_at_least_60_english_and_40_spanish_patterns() -> None:
    """Patterns for any language are not counted."""
    counts = Counter(pattern.language for pattern in PATTERNS)
    assert counts["en"] >= 60
    assert counts["es"] >= 40


def test_the_families_that_the_user_named_are_there_in_both_languages() -> None:
    """Refusal, capability complaint, planning, empty search results, tool confusion."""
    named = {"refusal", "capability", "planning", "empty_results", "tool_confusion"}
    for language in ("en", "es"):
        assert named <= {one.family.name for one in PATTERNS if one.language == language}


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda one: one.id)
def test_one_example_quoted_in_a_good_report_does_not_reject_it(pattern: Pattern) -> None:
    """A report may quote what a vendor's chatbot said."""
    quoted = pattern.catches.replace('"', "'").replace("\n", " ")
    assert (
        rejecting(judge(f'{REPORT}\nOne vendor answered "{quoted}" to the question.\n', "report"))
        == []
    )


@pytest.mark.parametrize("size", [100_000])
def test_no_pattern_is_slow_on_hostile_text(size: int) -> None:
    """Repetition made to make regexes backtrack; the limit is a safety net, not a measurement."""
    ended = subprocess.run(
        [sys.executable, "-c", HOSTILE, str(size)],
        capture_output=True,
        text=True,
        timeout=180,
        cwd=ROOT,
    )
    assert ended.stdout.strip() == "read", ended.stderr


def test_the_table_of_families_in_the_documentation_is_true() -> None:
    """docs/quality.md counts the patterns of each family and language."""
    page = (ROOT / "docs" / "quality.md").read_text("utf-8")
    header = re.search(r"(?m)^\| family \|(.*?)\| share", page)
    assert header
    languages = [cell.strip() for cell in header.group(1).split("|") if cell.strip()]
    assert set(languages) == set(load_patterns().languages)
    cells = r" (\d+) \|" * len(languages)
    rows = re.findall(rf"(?m)^\| ([a-z_]+) \|{cells}", page)
    documented = {name: tuple(map(int, counts)) for name, *counts in rows}
    families = {pattern.family.name for pattern in PATTERNS}
    counts = Counter((pattern.family.name, pattern.language) for pattern in PATTERNS)
    assert documented == {
        name: tuple(counts[name, language] for language in languages) for name in families
    }
