"""Reports with notes that make them true: their own sentences, and many words of other reports."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.mutations import pieces
from daemon.quality.claims import SourceNote
from daemon.quality.normalise import clean

SETS = ("odr_gpt-4.1", "drb_raw", "deepscholar_human", "deepscholar_sys", "es_wiki")
DISTRACTOR_WORDS = 20_000
OWN_NOTES = 4


@dataclass(frozen=True)
class Report:
    """A report and the notes that make it true."""

    text: str
    language: str
    notes: tuple[SourceNote, ...]


def reports_of(folder: Path, seed: int, every: int) -> Iterator[Report]:
    """Every n-th English or Spanish report of good.jsonl.gz, with its notes."""
    lines = gzip.decompress((folder / "good.jsonl.gz").read_bytes()).decode("utf-8").splitlines()
    rows = [row for row in map(json.loads, filter(None, lines)) if row["set"] in SETS]
    rows = [row for row in rows if row["lang"] in ("en", "es")]
    for at, row in enumerate(rows):
        if at % every == 0:
            rng = Random(f"{seed}-{row['id']}")
            others = [one for one in rows if one["lang"] == row["lang"] and one is not row]
            text = clean(row["text"])
            yield Report(text, row["lang"], (*_own(text, rng), *_distractors(others, rng)))


def _own(text: str, rng: Random) -> Iterator[SourceNote]:
    sentences = pieces(text)
    rng.shuffle(sentences)
    for number in range(OWN_NOTES):
        yield SourceNote(f"own.note-{number}", "\n\n".join(sentences[number::OWN_NOTES]))


def _distractors(rows: list[dict[str, Any]], rng: Random) -> Iterator[SourceNote]:
    rng.shuffle(rows)
    words = 0
    for number, row in enumerate(rows):
        if words >= DISTRACTOR_WORDS:
            return
        some = row["text"].split(" ")[: DISTRACTOR_WORDS - words]
        words += len(" ".join(some).split())
        yield SourceNote(f"other.note-{number}", " ".join(some))
