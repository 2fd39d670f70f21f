"""memory status and find: what there is, how large it is, and where a text stands."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from daemon.cli.group import Command
from daemon.cli.opening import Look, find_root, look_at, start_logging
from daemon.cli.options import json_option
from daemon.cli.output import say, say_json, width
from daemon.clock import day_of, from_text, utc_text
from daemon.knowledge.archive import CONSOLIDATED
from daemon.memory.merge_terms import GivenDocument
from daemon.memory.notes import MEMORY, SkippedNote
from daemon.memory.opening import OpenRoot, Unreadable
from daemon.memory.sizes import last_sizes
from daemon.memory.snapshot import Snapshot
from daemon.reports.plain_text import counted, one_line, render_table, wrap
from daemon.sprint.consolidating import document_bytes, memory_now
from daemon.sprint.reading import load_manifest
from daemon.workspace.loader import load_workspace

_MOST_NAMED, _MOST_FOUND = 20, 200
_LARGEST = 8_388_608


@click.command(cls=Command)
@json_option
@click.pass_obj
def status(workspace: Path, as_json: bool) -> None:  # noqa: FBT001
    """Show the documents, how full they are, and which notes wait.

    \b
    Examples:
      sprintd memory status
      sprintd memory status --json | jq '.documents[] | {path, bytes}'
    """
    with look_at(workspace) as look:
        found, last = _snapshot(look), last_sizes(look.db)
        ceiling = document_bytes(look.config)
    if as_json:
        say_json(_as_json(found, ceiling, last))
    else:
        say("\n".join(_lines(found, ceiling, last)))


@click.command(cls=Command)
@click.argument("text")
@json_option
@click.pass_obj
def find(workspace: Path, text: str, as_json: bool) -> None:  # noqa: FBT001
    """Find a text in notes, documents and the archive.

    Upper and lower case are the same. Shows file and line; exits 1 where it stands nowhere.

    \b
    Examples:
      sprintd memory find "37,650"
      sprintd memory find T07-3.md --json | jq -r '.found[].path'
    """
    if not text.strip():
        raise click.BadParameter("is empty; give a word or a figure", param_hint="TEXT")
    root = find_root(workspace)
    start_logging(root, level="WARNING")
    unread: list[SkippedNote] = []
    found = list(_found(root, text.casefold(), unread))
    if as_json:
        skipped = [{"path": one.path, "reason": one.reason} for one in unread]
        say_json({"found": found[:_MOST_FOUND], "count": len(found), "skipped": skipped})
    else:
        for one in found[:_MOST_FOUND]:
            say(f"{one_line(one['path'])}:{one['line']}: {one_line(one['text'])}")
        if len(found) > _MOST_FOUND:
            say(f"... and {len(found) - _MOST_FOUND:,} more lines")
        for skipped_note in unread:
            say(f"not searched: {one_line(skipped_note.path)} {skipped_note.reason}")
        if not found:
            say("It stands nowhere in memory/.")
    click.get_current_context().exit(0 if found else 1)


def _found(root: Path, wanted: str, unread: list[SkippedNote]) -> Iterator[dict[str, Any]]:
    with OpenRoot(root) as opened:
        for path, refusal in opened.walk(MEMORY):
            if not path.endswith(".md"):
                continue
            try:
                if refusal:
                    raise Unreadable(path, refusal)
                text = opened.read(path, max_bytes=_LARGEST).decode("utf-8", "replace")
            except Unreadable as error:
                unread.append(SkippedNote(error.path, error.reason))
                continue
            for number, line in enumerate(text.split("\n"), 1):
                if wanted in line.casefold():
                    yield {"path": path, "line": number, "text": line.strip()}


def _snapshot(look: Look) -> Snapshot:
    files = load_workspace(look.root), load_manifest(look.root)
    return memory_now(look.root, look.db, look.config, files, day_of(look.clock.now()))


def _lines(found: Snapshot, ceiling: int, last: dict[str, Any] | None) -> Iterator[str]:
    if found.documents:
        rows = [_row(one, ceiling) for one in found.documents]
        titles = ["document", "bytes", "full", "statements", "title"]
        yield f"Documents in {CONSOLIDATED}:"
        yield render_table(titles, rows, width=width(), right=(1, 2, 3))
    else:
        yield "No documents yet."
    yield f"Ceiling of a document: {ceiling:,} bytes. What has no room is in memory/archive/."
    yield f"To be merged by the next run: {counted(len(found.notes), 'note')}, {found.bytes_read:,} bytes."
    yield from _named("Wait for a later run", found.waiting)
    yield from _named("Never merged as they are", (*found.skipped, *found.blocked))
    if last is not None:
        yield f"Last run: {utc_text(from_text(last['at']))}, {counted(last['merged'], 'note')} merged."


def _row(document: GivenDocument, ceiling: int) -> tuple[str, ...]:
    size, sheet = len(document.text.encode()), document.sheet
    name, share = document.path.removeprefix(CONSOLIDATED), f"{size * 100 // ceiling} %"
    return name, f"{size:,}", share, str(len(sheet.statements)), sheet.title


def _named(words: str, notes: tuple[SkippedNote, ...]) -> Iterator[str]:
    if notes:
        yield f"{words}: {len(notes)}"
    for one in notes[:_MOST_NAMED]:
        yield from wrap(f"- {one_line(one.path)}: {one_line(one.reason)}", width())
    if len(notes) > _MOST_NAMED:
        yield f"- ... and {len(notes) - _MOST_NAMED} more"


def _as_json(found: Snapshot, ceiling: int, last: dict[str, Any] | None) -> dict[str, Any]:
    return {
        "ceiling_bytes": ceiling,
        "documents": [
            {"path": one.path, "title": one.sheet.title, "bytes": len(one.text.encode()),
             "statements": len(one.sheet.statements)}
            for one in found.documents
        ],
        "to_merge": [given.note.path for given in found.notes],
        "waiting": {one.path: one.reason for one in found.waiting},
        "skipped": {one.path: one.reason for one in (*found.skipped, *found.blocked)},
        "last_run": last,
    }  # fmt: skip
