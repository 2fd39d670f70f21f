"""memory consolidate: what the daemon does on Sundays, now."""

from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path

import click

from daemon.bootstrap import Services, build_services
from daemon.cli.filing import file_reports
from daemon.cli.group import Command
from daemon.cli.opening import Look, find_root, look_at, start_logging
from daemon.cli.options import json_option
from daemon.cli.output import progress, say, say_json
from daemon.cli.running import owned
from daemon.clock import day_of
from daemon.config.phrases import Phrases
from daemon.config.toml_file import load_config
from daemon.memory.consolidation import Merged
from daemon.reports.consolidation import consolidation_as_json, write_consolidation
from daemon.reports.post import post_report
from daemon.sprint.consolidating import (
    BYTES_A_TOKEN,
    Consolidated,
    consolidate_memory,
    look_at_memory,
)
from daemon.sprint.reading import load_manifest
from daemon.sprint.runner import recover
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
        root = find_root(workspace)
        config = load_config(root)
        start_logging(root, level=config.daemon.log_level)
        with owned(root, cure="see what it would do with --dry-run, or stop it first") as lock:
            services = build_services(root, environ=os.environ, say=progress, config=config)
            services.db.let_only(lock.check)
            today = services.clock.now()
            try:
                for line in recover(services.sprint_parts):
                    progress(f"recovered: {line}")
                done = consolidate_memory(services.sprint_parts, keep_days=keep_days)
                _tell(services, done, today)
                file_reports(services)
            finally:
                services.close()
    if as_json:
        facts = consolidation_as_json(done.merged, done.remarks)
        say_json({"dry_run": dry_run, **facts})
        return
    ceiling = config.memory.document_tokens * BYTES_A_TOKEN
    written = write_consolidation(today, done.merged, ceiling, done.remarks, Phrases("en"))
    say("\n".join([*(["Nothing was written. It would be:"] if dry_run else []), written.body]))


def _tell(services: Services, done: Consolidated, slot: datetime) -> None:
    """As after the daemon's own run: a report among the others, unless nothing was merged."""
    if done.merged.plan.is_empty:
        return
    ceiling = services.config.memory.document_tokens * BYTES_A_TOKEN
    written = write_consolidation(slot, done.merged, ceiling, done.remarks, services.phrases)
    post_report(
        services.db, kind="consolidation", slot=slot, body=written.body, facts=written.facts,
        now=services.clock.now(), channels=services.channels, parts=written.parts,
    )  # fmt: skip


def _ahead(look: Look, keep_days: int | None) -> Merged:
    files = load_workspace(look.root), load_manifest(look.root)
    today = day_of(look.clock.now())
    return look_at_memory(look.root, look.db, look.config, files, today, keep_days=keep_days)
