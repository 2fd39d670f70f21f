"""memory consolidate: what the daemon does on Sundays, now."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import click

from daemon.bootstrap import Services
from daemon.cli.filing import file_reports
from daemon.cli.group import Command
from daemon.cli.opening import Look, look_at
from daemon.cli.options import json_option
from daemon.cli.output import say, say_json
from daemon.cli.running import at_work, finish_what_was_open
from daemon.clock import day_of
from daemon.config.phrases import Phrases
from daemon.config.sections import Config
from daemon.memory.consolidation import Merged
from daemon.reports.consolidation import consolidation_as_json, write_consolidation
from daemon.reports.post import post_report
from daemon.reports.written import Written
from daemon.sprint.consolidating import (
    Consolidated,
    consolidate_memory,
    document_bytes,
    look_at_memory,
)
from daemon.sprint.reading import load_manifest
from daemon.workspace.loader import load_workspace


@click.command(cls=Command)
@click.option("--dry-run", is_flag=True, help="Only show what would be merged; writes nothing.")
@click.option(
    "--keep-days",
    type=click.IntRange(0, 3650),
    help="Days that a note stays as it is, in place of memory.keep_days; 0: merge all.",
)
@json_option
@click.pass_obj
def consolidate(workspace: Path, dry_run: bool, keep_days: int | None, as_json: bool) -> None:  # noqa: FBT001
    """Merge notes into documents, or show what would be merged.

    The daemon does this by itself every week; the report of either is kept among the others.
    Nothing is lost: every statement is in a document or in memory/archive/, and so are the notes
    themselves. Refuses where a daemon runs on this workspace (exit 4); --dry-run does not.

    \b
    Examples:
      sprintd memory consolidate --dry-run
      sprintd memory consolidate --keep-days 0
    """
    if dry_run:
        with look_at(workspace) as look:
            done, config = Consolidated(_ahead(look, keep_days)), look.config
            today = look.clock.now()
    else:
        cure = "see what it would do with --dry-run, or stop it first"
        with at_work(workspace, cure=cure) as services:
            config, today = services.config, services.clock.now()
            finish_what_was_open(services)
            done = consolidate_memory(services.sprint_parts, keep_days=keep_days)
            _tell(services, done, today)
            file_reports(services)
    if as_json:
        facts = consolidation_as_json(done.merged, done.remarks)
        say_json({"dry_run": dry_run, **facts})
        return
    written = _written(today, done, config, Phrases("en"))
    say("\n".join([*(["Nothing was written. It would be:"] if dry_run else []), written.body]))


def _tell(services: Services, done: Consolidated, slot: datetime) -> None:
    """As after the daemon's own run: a report among the others, unless nothing was merged."""
    if done.merged.plan.is_empty:
        return
    post_report(
        services.db,
        kind="consolidation",
        slot=slot,
        written=_written(slot, done, services.config, services.phrases),
        now=services.clock.now(),
        channels=services.channels,
    )


def _written(slot: datetime, done: Consolidated, config: Config, phrases: Phrases) -> Written:
    ceiling = document_bytes(config)
    return write_consolidation(slot, done.merged, ceiling, done.remarks, phrases)


def _ahead(look: Look, keep_days: int | None) -> Merged:
    files = load_workspace(look.root), load_manifest(look.root)
    today = day_of(look.clock.now())
    return look_at_memory(look.root, look.db, look.config, files, today, keep_days=keep_days)
