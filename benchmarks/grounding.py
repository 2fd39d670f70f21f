"""How many false places the gate finds in true reports: python benchmarks/grounding.py FOLDER

FOLDER holds good.jsonl.gz: JSON lines with `set`, `id`, `lang`, `text`. Every English and Spanish report
gets notes that make it true, its own sentences shuffled into four notes, and 20,000 words of other
reports as distractors. Then one place at a time is made false, and the gate is asked again.

    found     a claim at that place is absent or weak; the share of absent ones stands beside it
    doubted   the same for the claims of the untouched report, which are all true

    python benchmarks/grounding.py FOLDER --quick          every tenth report, a minute
    python benchmarks/grounding.py FOLDER --json --seed 7

Intervals are Wilson's, 95 %. Reports of one text are not independent of each other, so they are somewhat
too narrow. The notes are the report's own sentences, so a true claim is easier to find than in a real
note; what is found of the false ones does not gain from that.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks import mutations
from benchmarks.grounded_reports import Report, reports_of
from benchmarks.mutations import Change, Spot
from daemon.quality.claims import Claim, SourceNote
from daemon.quality.grounding import ground
from daemon.quality.measures import share
from daemon.quality.normalise import read
from daemon.quality.verdict import TaskBrief

_NORMS = {
    "en": (
        "Article {} of the Organic Law on Water Use sets the fee.",
        "The duty to notify stands in Article {} LOPDP.",
        "Directive (EU) 2019/{} covers such uses.",
        "The court said so in ruling {}-19-EP/21.",
    ),
    "es": (
        "El artículo {} de la Ley Orgánica de Recursos Hídricos fija la tarifa.",
        "El deber de notificar consta en el art. {} de la LOPDP.",
        "La Ley {} de 2012 regula estos usos.",
        "Así lo dijo la Corte en la sentencia {}-19-EP/21.",
    ),
}
_BADNESS = ("absent", "weak", "derived", "supported", "")
_ONE_AT_A_TIME = {
    "figure replaced": (mutations.figures, mutations.replaced),
    "magnitude shifted": (mutations.figures, mutations.shifted),
    "year changed": (mutations.years, mutations.other_year),
    "path of an address changed": (mutations.addresses, mutations.other_path),
    "one word of a quotation changed": (mutations.quotations, mutations.one_word_changed),
    "half of a quotation invented": (mutations.quotations, mutations.half_invented),
}


@dataclass
class Tally:
    """How many places, and how many of them were absent, weak, or no claim at all."""

    n: int = 0
    absent: int = 0
    weak: int = 0
    unseen: int = 0

    def add(self, status: str) -> None:
        self.n += 1
        self.absent += status == "absent"
        self.weak += status == "weak"
        self.unseen += status == ""

    @property
    def seen(self) -> int:
        """How many had a claim at all."""
        return self.n - self.unseen

    @property
    def passed(self) -> int:
        """How many were supported or derived."""
        return self.seen - self.absent - self.weak

    def row(self) -> dict[str, Any]:
        doubted, absent = share(self.absent + self.weak, self.n), share(self.absent, self.n)
        return {
            "n": self.n,
            "absent_or_weak": _triple(doubted),
            "absent": _triple(absent),
            "no_claim": self.unseen,
        }


@dataclass
class Result:
    """All counts of a run, by kind of change, by kind of claim, and of whole sets of figures."""

    found: dict[str, Tally] = field(default_factory=dict)
    untouched: dict[str, Tally] = field(default_factory=dict)
    accepted: dict[str, Tally] = field(default_factory=dict)
    missed: Counter[tuple[str, str]] = field(default_factory=Counter)
    examples: list[str] = field(default_factory=list)

    def note(self, kind: str, status: str, where: str) -> None:
        self.found.setdefault(kind, Tally()).add(status)
        if status not in ("absent", "weak"):
            self.missed[kind, status or "no claim"] += 1
            self.examples.append(f"{kind}\t{status or 'no claim'}\t{where}")


def main() -> None:
    """Read the arguments, run, print."""
    asked = _arguments()
    result = measure(
        list(reports_of(asked.folder, asked.seed, asked.every)), asked.seed, asked.each
    )
    if asked.examples:
        asked.examples.write_text("\n".join(result.examples) + "\n", "utf-8")
    rows = {
        "found": {kind: tally.row() for kind, tally in result.found.items()},
        "untouched": {kind: tally.row() for kind, tally in result.untouched.items()},
        "figures": {
            kind: tally.row() | {"accepted": _triple(share(tally.passed, tally.seen))}
            for kind, tally in result.accepted.items()
        },
    }
    print(json.dumps(rows, indent=1) if asked.json else _tables(result))


def measure(reports: Sequence[Report], seed: int, each: int) -> Result:
    """Every kind of change on every report, at most `each` places of a kind in a report."""
    result = Result()
    begun = time.monotonic()
    for at, report in enumerate(reports, start=1):
        rng = Random(f"{seed}-{at}")
        _untouched(report, result)
        _one_at_a_time(report, result, rng, each)
        _swaps(report, result, rng, each)
        _norms(report, result, rng)
        _all_figures(report, result, rng)
        if at % 10 == 0 or at == len(reports):
            seconds = time.monotonic() - begun
            print(f"{at} of {len(reports)} reports, {seconds:.0f} s", file=sys.stderr)
    return result


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="where good.jsonl.gz is")
    parser.add_argument("--seed", type=int, default=1, help="of all choices (default 1)")
    parser.add_argument("--each", type=int, default=3, help="places of a kind in a report (3)")
    parser.add_argument("--quick", action="store_true", help="every tenth report only")
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    parser.add_argument("--examples", type=Path, help="write what was missed to this file")
    asked = parser.parse_args()
    asked.every = 10 if asked.quick else 1
    return asked


def _ground(report: Report, text: str, extra: Sequence[SourceNote] = ()) -> tuple[Claim, ...]:
    brief = TaskBrief("bench", "", "report", report.language)
    return ground(read(text), brief, (*report.notes, *extra))


def _untouched(report: Report, result: Result) -> None:
    for claim in _ground(report, report.text):
        result.untouched.setdefault(claim.kind, Tally()).add(claim.status)


def _one_at_a_time(report: Report, result: Result, rng: Random, each: int) -> None:
    for kind, (spots_of, change) in _ONE_AT_A_TIME.items():
        for spot in mutations.pick(spots_of(report.text), each, rng):
            changed = change(report.text, spot, rng)
            if changed is not None and changed.text != report.text:
                result.note(kind, _status(report, changed), _shown(changed, spot))


def _swaps(report: Report, result: Result, rng: Random, each: int) -> None:
    spots = mutations.figures(report.text)
    rng.shuffle(spots)
    pairs = (
        (one, other)
        for one, other in zip(spots[::2], spots[1::2], strict=False)
        if one.kind == other.kind and one.text != other.text
    )
    for _, (one, other) in zip(range(each), pairs, strict=False):
        changed = mutations.swapped(report.text, one, other)
        result.note("two figures swapped", _status(report, changed), _shown(changed, one))


def _norms(report: Report, result: Result, rng: Random) -> None:
    """A norm that a note has, and the same with another number, at the end of the report."""
    sentence = rng.choice(_NORMS[report.language])
    true, false = rng.sample(range(21, 999), 2)
    note = SourceNote("own.norms", sentence.format(true))
    begin = len(report.text) + 2
    for number, name in ((true, ""), (false, "number of a norm changed")):
        text = f"{report.text}\n\n{sentence.format(number)}"
        claims = [claim for claim in _ground(report, text, [note]) if claim.kind == "norm"]
        status = _worst(claim for claim in claims if claim.span[0] >= begin)
        if name:
            result.note(name, status, sentence.format(f"{true}->{number}"))
        else:
            result.untouched.setdefault("norm (planted)", Tally()).add(status)


def _all_figures(report: Report, result: Result, rng: Random) -> None:
    """Every figure of a report drawn anew at once, and which of the true and the drawn pass."""
    spots = mutations.figures(report.text)
    pieces, places, at, length = [], [], 0, 0
    for spot in spots:
        before, new = report.text[at : spot.start], mutations.other_digits(spot.text, rng)
        pieces += [before, new]
        places.append((length + len(before), length + len(before) + len(new)))
        length += len(before) + len(new)
        at = spot.end
    text = "".join([*pieces, report.text[at:]])
    true = [(spot.start, spot.end) for spot in spots]
    for name, told, where in (("invented", text, places), ("true", report.text, true)):
        claims = _ground(report, told)
        tally = result.accepted.setdefault(name, Tally())
        for place in where:
            status = _at(claims, place)
            tally.add(status)
            if (status in ("absent", "weak")) == (name == "true"):
                around = told[max(0, place[0] - 60) : place[1] + 60]
                shown = f"{told[slice(*place)]!r} in {' '.join(around.split())}"
                result.examples.append(f"all figures, {name}\t{status or 'no claim'}\t{shown}")


def _status(report: Report, changed: Change) -> str:
    """The worst status at the changed places; empty where no claim is there."""
    claims = _ground(report, changed.text)
    statuses = [_at(claims, place) for place in changed.spots]
    return min(statuses, key=_BADNESS.index)


def _at(claims: Sequence[Claim], place: tuple[int, int]) -> str:
    return _worst(
        claim for claim in claims if claim.span[0] < place[1] and place[0] < claim.span[1]
    )


def _worst(claims: Iterable[Claim]) -> str:
    return min((claim.status for claim in claims), key=_BADNESS.index, default="")


def _shown(changed: Change, spot: Spot) -> str:
    start, end = changed.spots[0]
    around = changed.text[max(0, start - 60) : end + 60]
    return f"{spot.text!r} -> {changed.text[start:end]!r} in {' '.join(around.split())}"


def _triple(one: Any) -> list[float] | None:
    return [round(one.value, 4), round(one.low, 4), round(one.high, 4)] if one else None


def _tables(result: Result) -> str:
    lines = [
        "changed, one place at a time              n   found (absent or weak)   absent alone   no claim"
    ]
    lines += [_line(kind, tally) for kind, tally in result.found.items()]
    lines += [
        "",
        "untouched claims                          n   doubted (absent or weak)   absent   no claim",
    ]
    lines += [_line(kind, tally) for kind, tally in result.untouched.items()]
    lines += [
        "",
        "all figures at once                       n   accepted: supported or derived   no claim",
    ]
    for name, tally in result.accepted.items():
        passed = _percent(tally.passed, tally.seen)
        lines.append(f"{name:<36} {tally.seen:>6}   {passed}   {tally.unseen}")
    return "\n".join(lines)


def _line(name: str, tally: Tally) -> str:
    both, absent = _percent(tally.absent + tally.weak, tally.n), _percent(tally.absent, tally.n)
    return f"{name:<36} {tally.n:>6}   {both}   {absent}   {tally.unseen}"


def _percent(hits: int, n: int) -> str:
    one = share(hits, n)
    return f"{one.value:6.1%} [{one.low:.1%}, {one.high:.1%}]" if one else "     -"


if __name__ == "__main__":
    main()
