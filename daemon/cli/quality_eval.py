"""quality eval: how often the quality gate is right, on texts that somebody labelled."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, get_args

import click

from daemon.cli.group import Command
from daemon.cli.opening import find_root, start_logging
from daemon.cli.options import json_option
from daemon.cli.output import progress, say, say_json, width
from daemon.cli.quality_eval_text import render_summaries
from daemon.errors import Fault, WorkspaceInvalid
from daemon.quality.evaluation import Judged, Summary, judge_sample, profiles_of, summarise
from daemon.quality.labelled import LONGEST_LINE, Sample, read_samples
from daemon.quality.measures import Confusion, Measure
from daemon.quality.rules import QualityRules
from daemon.quality.verdict import Profile
from daemon.sprint.reading import load_quality_rules

_MOST_FAULTS_SHOWN = 20
_EVERY = 500


@dataclass
class Reading:
    """What the files gave; a broken line is a fault and the others count."""

    judged: list[Judged] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)


@click.command("eval", cls=Command)
@click.argument(
    "files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path)
)
@click.option(
    "--own-rules",
    is_flag=True,
    help="Judge by this workspace's quality.toml too, not by the package's rules alone.",
)
@click.option(
    "--profile",
    type=click.Choice(get_args(Profile)),
    help="Judge every text under it.  [default: the text's own, else answer for a set whose good "
    "texts are mostly under 300 words, else report]",
)
@click.option("--misses", is_flag=True, help="Also name every text that was not as expected.")
@json_option
@click.pass_obj
def evaluate(
    workspace: Path,
    files: tuple[Path, ...],
    own_rules: bool,  # noqa: FBT001
    profile: Profile | None,
    misses: bool,  # noqa: FBT001
    as_json: bool,  # noqa: FBT001
) -> None:
    """Measure the quality gate on labelled texts.

    FILEs are JSON lines (.jsonl or .jsonl.gz). For each set, and each language, layer and kind in
    it: precision, recall, F1 and AUROC with 95 % intervals, rejections by a defect and by the score
    apart, and beside them what length alone and saying yes to everything would reach. A broken line
    is named and the rest counts; then it exits with 1. docs/quality.md has the format.

    \b
    Examples:
      sprintd quality eval tests.jsonl
      sprintd quality eval garbage.jsonl.gz good.jsonl.gz --misses
      sprintd quality eval tests.jsonl --own-rules --json | jq '.sets[] | {name, f1}'
    """
    rules = QualityRules()
    if own_rules:
        root = find_root(workspace)
        start_logging(root, level="WARNING")
        rules = load_quality_rules(root)
    found = Reading()
    for file in files:
        _judge_file(file, rules, profile, found)
    summaries = summarise(found.judged)
    missed = [one for one in found.judged if not one.met and one.sample.expect] if misses else []
    if as_json:
        say_json(_as_json(summaries, missed, found.faults))
    else:
        say("\n".join(render_summaries(summaries, missed, width())) or "No text was measured.")
    _tell_faults(found.faults)
    click.get_current_context().exit(1 if found.faults else 0)


def _judge_file(file: Path, rules: QualityRules, profile: Profile | None, found: Reading) -> None:
    """Twice over the file, so that it need not fit into memory: lengths first, then verdicts."""
    known = profiles_of(one for one in _samples(file) if isinstance(one, Sample))
    done = 0
    for one in _samples(file):
        if isinstance(one, Fault):
            found.faults.append(one)
            continue
        chosen = profile or one.profile or known[one.set]
        found.judged.append(judge_sample(one, chosen, rules))
        done += 1
        if done % _EVERY == 0:
            progress(f"{file}: {done:,} texts judged")


def _samples(file: Path) -> Iterator[Sample | Fault]:
    opened = gzip.open if file.name.endswith(".gz") else open
    try:
        with opened(file, "rb") as stream:
            yield from read_samples(_lines(stream), str(file))
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise WorkspaceInvalid(
            [Fault(str(file), 0, "", f"is no whole gzip file: {error}", "copy it again")]
        ) from error


def _lines(stream: BinaryIO | gzip.GzipFile) -> Iterator[str]:
    """Lines of bounded length; a longer one is cut off there, and its rest is passed over."""
    while line := stream.readline(LONGEST_LINE + 2):
        yield line.decode("utf-8", "replace")
        while line and not line.endswith(b"\n"):
            line = stream.readline(LONGEST_LINE + 2)


def _tell_faults(faults: Sequence[Fault]) -> None:
    for fault in faults[:_MOST_FAULTS_SHOWN]:
        progress(str(fault))
    if len(faults) > _MOST_FAULTS_SHOWN:
        progress(f"and {len(faults) - _MOST_FAULTS_SHOWN} more broken lines")


def _as_json(
    summaries: Sequence[Summary], missed: Sequence[Judged], faults: Sequence[Fault]
) -> dict[str, Any]:
    if not summaries and faults:
        raise WorkspaceInvalid(faults)
    return {
        "sets": [_summary_as_json(one) for one in summaries],
        "misses": [
            {
                "set": one.sample.set,
                "id": one.sample.id,
                "line": one.sample.line,
                "lang": one.sample.lang,
                "kind": one.sample.kind,
                "expect": one.sample.expect,
                "outcome": one.outcome,
                "by_score": one.by_score,
                "checks": list(one.checks),
            }
            for one in missed
        ],
        "broken_lines": [vars(fault) for fault in faults],
    }


def _summary_as_json(one: Summary) -> dict[str, Any]:
    """Measures as {value, low, high, n} or null; `with_score` has those of the whole gate."""
    facts = {
        name: vars(value) if isinstance(value, Measure) else value
        for name, value in vars(one).items()
        if not isinstance(value, Confusion)
    }
    return {
        **facts,
        **_confusion_as_json(one.confusion),
        "with_score": _confusion_as_json(one.with_score),
    }


def _confusion_as_json(found: Confusion) -> dict[str, Any]:
    measures = {"precision": found.precision, "recall": found.recall, "f1": found.f1}
    return {**vars(found), **{name: one and vars(one) for name, one in measures.items()}}
