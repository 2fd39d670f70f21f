"""quality replay: what other settings would have done to the outputs that are stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

import click

from daemon.cli.group import Command
from daemon.cli.opening import look_at
from daemon.cli.options import json_option, utc_day
from daemon.cli.output import progress, say, say_json, width
from daemon.clock import to_text
from daemon.config.text_file import read_text
from daemon.quality.rules import QualityRules, parse_rules
from daemon.reports.plain_text import one_line, wrap
from daemon.reports.verdict_text import LONGEST_QUOTE, sentence_at
from daemon.sprint.reading import load_quality_rules
from daemon.sprint.rejudging import Rejudged, rejudge

_EVERY = 100
_MOST_SHOWN = 50  # of each direction
_SETTINGS = ("threshold",)


@dataclass
class Tally:
    """What a replay found; of each flip only what is shown, so that memory stays small."""

    accepted: int = 0
    rejected: int = 0
    marks_change: int = 0
    flips: list[dict[str, Any]] = field(default_factory=list)

    def add(self, one: Rejudged) -> None:
        if one.row.state == "accepted":
            self.accepted += 1
        else:
            self.rejected += 1
        self.marks_change += one.marks_change
        if one.flip:
            self.flips.append(_flip_as_json(one))

    def flipped(self, way: str) -> list[dict[str, Any]]:
        return [one for one in self.flips if one["flip"] == way]


@click.command(cls=Command)
@click.option(
    "--since",
    metavar="DATE",
    type=utc_day,
    help="Only attempts begun on that UTC day or later.",
)
@click.option(
    "--set",
    "settings",
    metavar="NAME=VALUE",
    multiple=True,
    help="Another setting, for this once: threshold=0.5 (0 to 1).",
)
@click.option(
    "--patterns",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Patterns and bonuses of this file too, written as in quality.toml.",
)
@click.option("--limit", type=click.IntRange(1), help="Only the newest so many outputs.")
@json_option
@click.pass_obj
def replay(
    workspace: Path,
    since: datetime | None,
    settings: tuple[str, ...],
    patterns: Path | None,
    limit: int | None,
    as_json: bool,  # noqa: FBT001
) -> None:
    """Judge all stored outputs again under other settings; changes nothing.

    Each output meets the task, the notes and the earlier outputs that it met then. Shows how many
    would be rejected or accepted now that were not, with text and reasons. Without options it shows
    what this version of sprintd and today's quality.toml would decide otherwise: look at that first,
    so that you know what a setting adds. Works while the daemon runs, and asks no model.

    \b
    Examples:
      sprintd quality replay
      sprintd quality replay --set threshold=0.5 --since 2026-11-01
      sprintd quality replay --patterns draft.toml --json | jq '.flips[].item'
    """
    with look_at(workspace) as look:
        rules = _rules(load_quality_rules(look.root), settings, patterns)
        tally = Tally()
        for one in rejudge(
            look.db,
            rules,
            max_rejections=look.config.sprint.max_attempts,
            since=since,
            limit=limit,
            told=_tell,
        ):
            tally.add(one)
    if as_json:
        say_json(tally_as_json(tally, rules))
    else:
        say("\n".join(render_tally(tally, rules, width())))


def tally_as_json(tally: Tally, rules: QualityRules) -> dict[str, Any]:
    """Counts by direction, and every flip."""
    return {
        "judged": tally.accepted + tally.rejected,
        "accepted_then": tally.accepted,
        "rejected_then": tally.rejected,
        "would_be_rejected": len(tally.flipped("rejects")),
        "would_be_accepted": len(tally.flipped("accepts")),
        "only_marks_change": tally.marks_change,
        "threshold_hundredths": rules.threshold_hundredths,
        "flips": tally.flips,
    }


def render_tally(tally: Tally, rules: QualityRules, columns: int) -> Iterator[str]:
    """The counts, the checks that decide, then each text that would flip."""
    total = tally.accepted + tally.rejected
    if not total:
        yield "No stored output was judged in that time."
        return
    now, then = tally.flipped("rejects"), tally.flipped("accepts")
    yield f"Judged again: {total:,} outputs, threshold {rules.threshold_hundredths / 100:.2f}"
    yield f"  accepted then, would be rejected now: {len(now):,} of {tally.accepted:,}"
    yield f"  rejected then, would be accepted now: {len(then):,} of {tally.rejected:,}"
    yield f"  accepted either way, with other marks: {tally.marks_change:,}"
    checks = Counter(reason["check"] for one in now for reason in one["reasons_now"])
    if checks:
        counts = ", ".join(f"{name} {n}" for name, n in checks.most_common(20))
        yield from wrap(f"Rejected now by: {counts}", columns)
    shown = [*now[:_MOST_SHOWN], *then[:_MOST_SHOWN]]
    for one in shown:
        yield ""
        yield from _flip_lines(one, columns)
    if len(shown) < len(tally.flips):
        yield ""
        yield f"… and {len(tally.flips) - len(shown):,} more; --json has all of them"


def _rules(own: QualityRules, settings: Sequence[str], patterns: Path | None) -> QualityRules:
    """The workspace's rules with what was asked for; a pattern of the same id takes the place of
    the workspace's. Raises WorkspaceInvalid for a broken file of patterns."""
    for setting in settings:
        own = replace(own, threshold_hundredths=_threshold(setting))
    if patterns is None:
        return own
    more = parse_rules(read_text(patterns.expanduser(), str(patterns)), str(patterns))
    names = {one.id for one in more.patterns}
    kept = tuple(one for one in own.patterns if one.id not in names)
    return replace(own, patterns=(*kept, *more.patterns), bonuses=(*own.bonuses, *more.bonuses))


def _threshold(setting: str) -> int:
    name, _, value = setting.partition("=")
    if name.strip() not in _SETTINGS:
        raise click.UsageError(f"--set knows {', '.join(_SETTINGS)}; {name!r} is none of them")
    try:
        hundredths = Decimal(value.strip()) * 100
    except InvalidOperation:
        hundredths = Decimal(-1)
    if not 0 <= hundredths <= 100 or hundredths != int(hundredths):
        raise click.UsageError("--set threshold=VALUE takes 0 to 1 with two decimals, as 0.45")
    return int(hundredths)


def _tell(done: int, total: int) -> None:
    if done % _EVERY == 0:
        progress(f"{done:,} of {total:,} outputs judged")


def _flip_as_json(one: Rejudged) -> dict[str, Any]:
    row, verdict = one.row, one.verdict
    return {
        "item": row.item,
        "attempt": row.number,
        "sprint": row.sprint_id,
        "asked_at": to_text(row.created_at),
        "flip": one.flip,
        "finding": row.finding_path,
        "score_then": row.score_hundredths,
        "score_now": verdict.score_hundredths,
        "reasons_then": list(one.reasons_then),
        "reasons_now": [
            {
                "check": defect.check,
                "message": defect.message,
                "quote": sentence_at(verdict.cleaned_text, defect.span) if defect.span else "",
            }
            for defect in one.reasons_now
        ],
        "text": one_line(verdict.cleaned_text or row.output or "", LONGEST_QUOTE),
    }


def _flip_lines(one: dict[str, Any], columns: int) -> Iterator[str]:
    rejects = one["flip"] == "rejects"
    way = "accepted, would be rejected" if rejects else "rejected, would be accepted"
    head = f"{one_line(one['item'])} attempt {one['attempt']} (sprint {one['sprint']})"
    scores = f"score {_score(one['score_then'])}, now {_score(one['score_now'])}"
    yield from wrap(f"{head}: {way}; {scores}", columns)
    yield from wrap(f"“{one['text']}”", columns, indent="    ")
    for reason in one["reasons_now"]:
        said = one_line(reason["message"], 1_000)
        yield from wrap(f"- {said} [{one_line(reason['check'])}]", columns, indent="  ")
        if reason["quote"]:
            yield from wrap(f"“{reason['quote']}”", columns, indent="      ")
    for message in one["reasons_then"]:
        yield from wrap(f"- then: {one_line(message, 1_000)}", columns, indent="  ")


def _score(hundredths: int | None) -> str:
    return "unknown" if hundredths is None else f"{hundredths / 100:.2f}"
