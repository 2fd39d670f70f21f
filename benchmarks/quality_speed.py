"""What the quality gate costs on the processor: python benchmarks/quality_speed.py

Reports of about 2,000 words are judged against 20,000 words of notes, all made from the sample's
own memory files. Side by side, in turns in one run: the whole gate with notes that it has never
seen, with notes that it knows from the attempt before, and without notes; its search for patterns;
a plain loop that tries every pattern at every sentence; one pass of Aho-Corasick for their
literals; and a set of RE2 where that can be imported (`pip install google-re2`). Processor
milliseconds a report: the median, the least, and the median against the plain loop. Nothing
leaves the machine.

    --reports N   how many reports (12)
    --rounds N    how often each is judged (5)
    --quick       four reports, three rounds
    --json        the figures as JSON
"""

from __future__ import annotations

import argparse
import importlib
import itertools
import json
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from daemon.quality.assessment import assess
from daemon.quality.claims import SourceNote
from daemon.quality.clauses import clause_starts, has_figure
from daemon.quality.hits import find_hits, fits_length
from daemon.quality.normalise import Reading, clean, count_words, read
from daemon.quality.patterns import load_patterns
from daemon.quality.rules import QualityRules
from daemon.quality.verdict import TaskBrief

WORDS = 2_000
NOTE_WORDS = 20_000
_LOOP = "a plain loop of the same patterns"
_RE2_BYTES = 512 << 20
_NUMBERS = itertools.count(100)
BRIEF = TaskBrief(
    "speed",
    "What do the notes say about fees, courts and firms, and who would pay for a search of rulings?",
    prompt_text="You are the researcher of a venture. Answer from the notes and name each of them. " * 8,
)  # fmt: skip


@dataclass(frozen=True)
class Row:
    """One way to look at the same reports: processor milliseconds a report, median and least; `ratio` is
    the median against the plain loop's. None where a library is missing.
    """

    name: str
    ms: float | None
    least: float | None = None
    ratio: float | None = None
    note: str = ""


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--reports", type=int, default=12)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args(arguments)
    rows = measure(4, 3) if asked.quick else measure(asked.reports, asked.rounds)
    if asked.json:
        print(json.dumps([vars(row) for row in rows], indent=2))
        return 0
    print(f"{'':<46} {'median':>7} {'least':>7}  to the loop")
    for row in rows:
        known = row.ms is not None
        figures = f"{row.ms:7.1f} {row.least:7.1f}  {row.ratio:.2f}" if known else f"{'-':>7}"
        print(f"{row.name:<46} {figures}  {row.note}")
    return 0


def measure(reports: int, rounds: int) -> list[Row]:
    """Every way in turns, so that a busy moment of the machine meets all of them."""
    texts, notes = made_texts(reports)
    ways, remarks = _ways(notes)
    spent: dict[str, list[float]] = {name: [] for name in ways}
    for way in ways.values():
        way(texts[0])  # compiles what it needs
    for _ in range(rounds):
        for text in texts:
            for name, way in ways.items():
                begun = time.process_time()
                way(text)
                spent[name].append((time.process_time() - begun) * 1000)
    loop = statistics.median(spent[_LOOP])
    rows = []
    for name, times in spent.items():
        median = statistics.median(times)
        rows.append(Row(name, median, min(times), median / loop, remarks.get(name, "")))
    return rows + [Row(one, None, note=note) for one, note in remarks.items() if one not in ways]


def made_texts(reports: int) -> tuple[list[str], list[SourceNote]]:
    """Reports out of paragraphs of the sample's notes, and notes of 20,000 words to judge them by."""
    folder = Path(__file__).parents[1] / "memory"
    files = sorted(folder.rglob("*.md"))
    paragraphs = [part for file in files for part in file.read_text("utf-8").split("\n\n") if part]
    texts = []
    for number in range(reports):
        lines: list[str] = []
        while sum(map(count_words, lines)) < WORDS:
            lines.append(paragraphs[(number * 7 + len(lines) * 11) % len(paragraphs)])
        texts.append("# What the notes say\n\n" + "\n\n".join(lines))
    notes: list[SourceNote] = []
    while sum(count_words(note.text) for note in notes) < NOTE_WORDS:
        file = files[len(notes) % len(files)]
        notes.append(SourceNote(f"note-{len(notes)}", file.read_text("utf-8"), str(file)))
    return texts, notes


def _ways(notes: Sequence[SourceNote]) -> tuple[dict[str, Callable[[str], object]], dict[str, str]]:
    rules = QualityRules()
    ways: dict[str, Callable[[str], object]] = {
        "the whole gate, notes it has never seen": lambda text: assess(
            text, BRIEF, rules=rules, sources=unseen(notes)
        ),
        "the whole gate, notes it knows": lambda text: assess(
            text, BRIEF, rules=rules, sources=notes
        ),
        "the whole gate, without notes": lambda text: assess(text, BRIEF, rules=rules),
        "its search for patterns": lambda text: find_hits(read(clean(text))),
        _LOOP: lambda text: plain_loop(read(clean(text))),
        "Aho-Corasick, the literals only": lambda text: read(clean(text)).pieces,
    }
    remarks = {
        "its search for patterns": f"{len(load_patterns().patterns)} patterns, reading included",
        "Aho-Corasick, the literals only": "reading included",
    }
    name = "RE2 set, what it can compile"
    try:
        ways[name], remarks[name] = _with_re2(importlib.import_module("re2"))
    except ImportError:
        remarks[name] = "not measured: re2 is not installed"
    return ways, remarks


def unseen(notes: Sequence[SourceNote]) -> list[SourceNote]:
    """The same notes with another last line each time, so that nothing is remembered of them."""
    number = next(_NUMBERS)
    return [replace(note, text=f"{note.text}\n\nReading {number}") for note in notes]


def plain_loop(reading: Reading) -> int:
    """Every pattern at every sentence and clause; how many places match."""
    found = 0
    views = {"raw": reading.raw, "open": reading.open, "masked": reading.masked}
    for one in load_patterns().patterns:
        if not fits_length(one, reading):
            continue
        text = views[one.mask]
        if one.where == "whole":
            found += sum(1 for _ in one.compiled.finditer(text))
            continue
        for sentence in reading.sentences:
            if one.spare_figures and has_figure(reading, sentence):
                continue
            starts = clause_starts(reading, sentence)
            for start in starts.every if one.clauses else starts.opening:
                found += one.compiled.match(text, start, sentence.end) is not None
    return found


def _with_re2(library: Any) -> tuple[Callable[[str], object], str]:
    """All patterns that it can compile, over the whole text at once: which occur, not where."""
    options = library.Options()
    options.log_errors = False
    options.max_mem = _RE2_BYTES
    usable = library.Set.SearchSet(options)
    count = 0
    for one in load_patterns().patterns:
        try:
            library.compile(one.source, options)
        except library.error:
            continue
        usable.Add(one.source)
        count += 1
    usable.Compile()
    note = f"{count} of {len(load_patterns().patterns)} patterns, reading included; not where"
    return lambda text: usable.Match(read(clean(text)).open), note


if __name__ == "__main__":
    raise SystemExit(main())
