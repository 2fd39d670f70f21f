"""Measure the quality gate on labelled texts: python benchmarks/quality.py FOLDER

FOLDER holds garbage.jsonl.gz, good.jsonl.gz and fixtures.jsonl: JSON lines with `set`, `lang`,
`label`, `text` and, in the fixtures, `layer` and `expect`. Rejections by defect are counted apart
from those by score alone. Intervals are Wilson's, 95 %.
"""

from __future__ import annotations

import gzip
import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from typing import Any

from daemon.quality.assessment import assess
from daemon.quality.normalise import count_words
from daemon.quality.rules import QualityRules
from daemon.quality.verdict import Profile, TaskBrief, Verdict

Row = dict[str, Any]
LONG_SETS = ("odr_gpt-4.1", "drb_raw", "deepscholar_human", "deepscholar_sys", "es_wiki")


@dataclass(frozen=True)
class Rate:
    """`hits` of `n`; `name` says what a hit is."""

    name: str
    hits: int
    n: int

    @property
    def share(self) -> float:
        return self.hits / self.n if self.n else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval."""
        if not self.n:
            return 0.0, 1.0
        z, p, n = 1.96, self.share, self.n
        middle = (p + z * z / (2 * n)) / (1 + z * z / n)
        half = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
        return max(0.0, middle - half), min(1.0, middle + half)

    def __str__(self) -> str:
        low, high = self.interval
        return (
            f"{self.name:<58} {self.hits:>4}/{self.n:<4} {self.share:6.1%}  [{low:.1%}, {high:.1%}]"
        )


def measure(folder: Path) -> list[Rate]:
    """Every rate that docs/quality.md reports."""
    garbage = list(_rows(folder / "garbage.jsonl.gz"))
    good = list(_rows(folder / "good.jsonl.gz"))
    fixtures = list(_rows(folder / "fixtures.jsonl"))
    return [
        *_refusals(garbage),
        *_calls(garbage),
        *_fixtures(fixtures),
        _tricky_inside(fixtures, good),
        *_good(good),
    ]


def milliseconds(folder: Path) -> float:
    """CPU milliseconds for a text of 2,000 words, over the long good texts."""
    rows = [row for row in _rows(folder / "good.jsonl.gz") if row["lang"] in ("en", "es")]
    texts = [row["text"] for row in rows if row["set"] in LONG_SETS]
    words = sum(count_words(text) for text in texts)
    start = time.process_time()
    for text in texts:
        judge({"text": text, "lang": "en"}, "report")
    return (time.process_time() - start) * 1000 * 2000 / words


def judge(row: Row, profile: Profile) -> Verdict:
    """The verdict under the package's own rules."""
    brief = TaskBrief("eval", "", profile, row["lang"])
    return assess(row["text"], brief, rules=QualityRules())


def by_defect(verdict: Verdict) -> bool:
    """Rejected by something other than the score."""
    return any(one.rejects and one.check != "score.below_threshold" for one in verdict.defects)


def _refusals(rows: list[Row]) -> Iterator[Rate]:
    """Precision over full refusals and full compliance; partial refusals are reported apart."""
    refused = _rejected(rows, "xstest", "2_full_refusal")
    complied = _rejected(rows, "xstest", "1_full_compliance")
    yield Rate("XSTest full refusal: precision", refused.hits, refused.hits + complied.hits)
    yield Rate("XSTest full refusal: recall", refused.hits, refused.n)
    partial = _rejected(rows, "xstest", "3_partial_refusal")
    yield Rate("XSTest partial refusal: rejected", partial.hits, partial.n)


def _calls(rows: list[Row]) -> Iterator[Rate]:
    for label in ("cannot_answer", "tool_call", "request_for_info", "direct"):
        rate = _rejected(rows, "when2call", label)
        yield Rate(f"When2Call {label}: rejected", rate.hits, rate.n)
    planning = _rejected(rows, "drb_chatter", "planning")
    yield Rate("planning-only openings: rejected", planning.hits, planning.n)


def _rejected(rows: list[Row], name: str, label: str) -> Rate:
    some = [row for row in rows if row["set"] == name and row["label"] == label]
    return Rate(label, sum(by_defect(judge(row, "answer")) for row in some), len(some))


def _fixtures(rows: list[Row]) -> Iterator[Rate]:
    for language in ("en", "es"):
        some = [row for row in rows if row["lang"] == language]
        kinds = [row for row in some if row["layer"] in "PS"]
        yield Rate(f"fixtures P+S as expected, {language}", _count(kinds, _as_expected), len(kinds))
        tricky = [row for row in some if row["layer"] == "N"]
        lost = _count(tricky, lambda row: by_defect(judge(row, "answer")))
        yield Rate(f"tricky texts alone: rejected, {language}", lost, len(tricky))


def _tricky_inside(fixtures: list[Row], good: list[Row]) -> Rate:
    """Tricky texts put into the middle of a long good one of their language."""
    lost = n = 0
    for language, name in (("en", "odr_gpt-4.1"), ("es", "es_wiki")):
        host = max(
            (row["text"] for row in good if row["set"] == name and row["lang"] == language), key=len
        )
        middle = (
            host.find("\n", len(host) // 2) if "\n" in host else host.find(". ", len(host) // 2) + 1
        )
        for row in fixtures:
            if row["layer"] == "N" and row["lang"] == language:
                text = f"{host[:middle]}\n\n{row['text']}\n\n{host[middle:]}"
                lost += not judge({"text": text, "lang": language}, "report").accepted
                n += 1
    return Rate("tricky texts inside a good report: rejected", lost, n)


def _as_expected(row: Row) -> bool:
    verdict = judge(row, "answer")
    if row["expect"] == "strip":
        return bool(verdict.stripped)
    return verdict.outcome == row["expect"]


def _good(rows: list[Row]) -> Iterator[Rate]:
    english = [row for row in rows if row["set"] in LONG_SETS and row["set"] != "es_wiki"]
    spanish = [row for row in rows if row["set"] == "es_wiki"]
    useful = [row for row in rows if row["label"] == "expert:Useful"]
    for name, some in (("long good reports", english), ("Spanish good documents", spanish)):
        lost = _count(some, lambda row: not judge(row, "report").accepted)
        yield Rate(f"{name}: rejected (by defect or score)", lost, len(some))
    lost = _count(useful, lambda row: by_defect(judge(row, "answer")))
    yield Rate("ExpertQA useful answers: rejected by defect", lost, len(useful))
    low = _count(useful, lambda row: not judge(row, "report").accepted)
    yield Rate("  the same under the report profile (score too)", low, len(useful))


def _count(rows: Iterable[Row], hit: Callable[[Row], bool]) -> int:
    return sum(1 for row in rows if hit(row))


def _rows(path: Path) -> Iterator[Row]:
    raw = path.read_bytes()
    text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("utf-8")
    for line in text.rstrip("\n").split("\n"):
        yield json.loads(line)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for rate in measure(Path(sys.argv[1])):
        print(rate)
    print(f"CPU for a text of 2,000 words: {milliseconds(Path(sys.argv[1])):.0f} ms")
