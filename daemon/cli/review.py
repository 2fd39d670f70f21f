"""review: GO, NO-GO or NOT YET KNOWN for each kill criterion, now."""

from __future__ import annotations

from pathlib import Path

import click

from daemon.cli.filing import file_reports
from daemon.cli.group import Command
from daemon.cli.opening import look_at
from daemon.cli.options import json_option
from daemon.cli.output import say, say_json, width
from daemon.cli.running import at_work, finish_what_was_open
from daemon.config.phrases import Phrases
from daemon.reports.plain_text import hang
from daemon.reports.post import post_report
from daemon.reports.review import Narration, Review, keep_review, review_as_json, take_review
from daemon.reports.review_text import write_review
from daemon.scheduling.report_jobs import review_criteria
from daemon.workspace.loader import load_workspace


@click.command(cls=Command)
@click.option("--dry-run", is_flag=True, help="Only show it; keeps, sends and asks nothing.")
@json_option
@click.pass_obj
def review(workspace: Path, dry_run: bool, as_json: bool) -> None:  # noqa: FBT001
    """Judge the kill criteria now: GO, NO-GO or NOT YET KNOWN, and why.

    The daemon does this by itself on Mondays. Verdicts are worked out by rule from accepted findings
    (docs/reviews.md); a model may only put them in words. The review goes into the history and to the
    channels. Refuses where a daemon runs on this workspace (exit 4); --dry-run does not.

    \b
    Examples:
      sprintd review --dry-run
      sprintd review --json | jq '.criteria[] | {criterion, verdict}'
    """
    if dry_run:
        with look_at(workspace) as look:
            criteria = load_workspace(look.root).criteria
            now = look.clock.now()
            found, told = take_review(look.root, look.db, criteria, look.board(), now), Narration()
    else:
        found, told = _review_now(workspace)
    if as_json:
        say_json({"dry_run": dry_run, **review_as_json(found, told)})
        return
    text = write_review(found, Phrases("en"), told).body
    lines = [part for line in text.splitlines() for part in hang(line, width())]
    say("\n".join([*(["Nothing was kept or sent."] if dry_run else []), *lines]))


def _review_now(workspace: Path) -> tuple[Review, Narration]:
    with at_work(workspace, cure="see it with --dry-run, or stop it first") as services:
        finish_what_was_open(services)
        now = services.clock.now()
        found, told = review_criteria(services, services.source.load(), now)
        with services.db.immediate():
            keep_review(services.db, found, told, services.clock.now())
            post_report(
                services.db,
                kind="review",
                slot=now,
                written=write_review(found, services.phrases, told),
                now=services.clock.now(),
                channels=services.channels,
            )
        file_reports(services)
    return found, told
