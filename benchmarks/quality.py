"""Measure the quality gate on the public labelled texts: python benchmarks/quality.py FOLDER

FOLDER holds garbage.jsonl.gz, good.jsonl.gz and fixtures.jsonl. The lines of the table in
docs/quality.md, under the profile that fits each set; `sprintd quality eval` measures any file.
Intervals are Wilson's, 95 %.
"""

from __future__ import annotations

import gzip
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from daemon.quality.evaluation import Judged, judge_sample
from daemon.quality.labelled import Sample, read_samples
from daemon.quality.measures import wilson
from daemon.quality.normalise import count_words
from daemon.quality.rules import QualityRules
from daemon.quality.verdict import Profile

LONG_SETS = ("odr_gpt-4.1", "drb_raw", "deepscholar_human", "deepscholar_sys", "es_wiki")
RULES = QualityRules()


@dataclass(frozen=True)
class Rate:
    """`hits` of `n`; `name` says what a hit is."""

    name: str
    hits: int
    n: int

    @property
    def share(self) -> float:
        return self.hits / self.n if self.n else 0.0

    def __str__(self) -> str:
        low, high = wilson(self.hits, self.n)
        return (
            f"{self.name:<58} {self.hits:>4}/{self.n:<4} {self.share:6.1%}  [{low:.1%}, {high:.1%}]"
        )


def measure(folder: Path) -> list[Rate]:
    """Every rate that docs/quality.md reports."""
    garbage = list(_samples(folder / "garbage.jsonl.gz"))
    good = list(_samples(folder / "good.jsonl.gz"))
    fixtures = list(_samples(folder / "fixtures.jsonl"))
    return [
        *_refusals(garbage),
        *_calls(garbage),
        *_fixtures(fixtures),
        _tricky_inside(fixtures, good),
        *_good(good),
    ]


def milliseconds(folder: Path) -> float:
    """CPU milliseconds for a text of 2,000 words, over the long good texts."""
    long = [one for one in _samples(folder / "good.jsonl.gz") if one.set in LONG_SETS]
    some = [one for one in long if one.lang in ("en", "es")]
    words = sum(count_words(one.text) for one in some)
    start = time.process_time()
    for one in some:
        judge_sample(one, "report", RULES)
    return (time.process_time() - start) * 1000 * 2000 / words


def _refusals(samples: list[Sample]) -> Iterator[Rate]:
    """Precision over full refusals and full compliance; partial refusals are reported apart."""
    refused = _rejected(samples, "xstest", "2_full_refusal")
    complied = _rejected(samples, "xstest", "1_full_compliance")
    yield Rate("XSTest full refusal: precision", refused.hits, refused.hits + complied.hits)
    yield Rate("XSTest full refusal: recall", refused.hits, refused.n)
    partial = _rejected(samples, "xstest", "3_partial_refusal")
    yield Rate("XSTest partial refusal: rejected", partial.hits, partial.n)


def _calls(samples: list[Sample]) -> Iterator[Rate]:
    for kind in ("cannot_answer", "tool_call", "request_for_info", "direct"):
        rate = _rejected(samples, "when2call", kind)
        yield Rate(f"When2Call {kind}: rejected", rate.hits, rate.n)
    planning = _rejected(samples, "drb_chatter", "planning")
    yield Rate("planning-only openings: rejected", planning.hits, planning.n)


def _rejected(samples: list[Sample], name: str, kind: str) -> Rate:
    some = [one for one in samples if one.set == name and one.kind == kind]
    return _rate(kind, some, "answer", _by_defect)


def _fixtures(samples: list[Sample]) -> Iterator[Rate]:
    for language in ("en", "es"):
        some = [one for one in samples if one.lang == language]
        kinds = [one for one in some if one.layer in ("P", "S")]
        yield _rate(f"fixtures P+S as expected, {language}", kinds, "answer", lambda one: one.met)
        tricky = [one for one in some if one.layer == "N"]
        yield _rate(f"tricky texts alone: rejected, {language}", tricky, "answer", _by_defect)


def _tricky_inside(fixtures: list[Sample], good: list[Sample]) -> Rate:
    """Tricky texts put into the middle of a long good one of their language."""
    mixed: list[Sample] = []
    for language, name in (("en", "odr_gpt-4.1"), ("es", "es_wiki")):
        hosts = [one.text for one in good if one.set == name and one.lang == language]
        host = max(hosts, key=len)
        half = len(host) // 2
        middle = host.find("\n", half) if "\n" in host else host.find(". ", half) + 1
        mixed += [
            replace(one, text=f"{host[:middle]}\n\n{one.text}\n\n{host[middle:]}")
            for one in fixtures
            if one.layer == "N" and one.lang == language
        ]
    return _rate("tricky texts inside a good report: rejected", mixed, "report", _at_all)


def _good(samples: list[Sample]) -> Iterator[Rate]:
    long = [one for one in samples if one.set in LONG_SETS]
    english = [one for one in long if one.set != "es_wiki"]
    spanish = [one for one in long if one.set == "es_wiki"]
    useful = [one for one in samples if one.kind == "expert:Useful"]
    for name, some in (("long good reports", english), ("Spanish good documents", spanish)):
        yield _rate(f"{name}: rejected (by defect or score)", some, "report", _at_all)
    yield _rate("ExpertQA useful answers: rejected by defect", useful, "answer", _by_defect)
    yield _rate("  the same under the report profile (score too)", useful, "report", _at_all)


def _rate(
    name: str, samples: Iterable[Sample], profile: Profile, hit: Callable[[Judged], bool]
) -> Rate:
    found = [hit(judge_sample(one, profile, RULES)) for one in samples]
    return Rate(name, sum(found), len(found))


def _by_defect(one: Judged) -> bool:
    return one.outcome == "reject"


def _at_all(one: Judged) -> bool:
    return one.outcome == "reject" or one.by_score


def _samples(path: Path) -> Iterator[Sample]:
    raw = path.read_bytes()
    text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("utf-8")
    for one in read_samples(text.split("\n"), path.name):
        if not isinstance(one, Sample):
            sys.exit(str(one))
        yield one


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for rate in measure(Path(sys.argv[1])):
        print(rate)
    print(f"CPU for a text of 2,000 words: {milliseconds(Path(sys.argv[1])):.0f} ms")
