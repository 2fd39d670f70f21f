"""quality check: the verdict of any text, as the daemon would give it."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import click

from daemon.cli.group import Command
from daemon.cli.opening import did_you_mean, find_root, start_logging
from daemon.cli.options import json_option
from daemon.cli.output import progress, say, say_json, width
from daemon.cli.text_folder import read_texts, without_front_matter
from daemon.config.phrases import Phrases
from daemon.config.sections import Language
from daemon.config.toml_file import load_config
from daemon.errors import NotFound, SprintdError
from daemon.quality.assessment import assess
from daemon.quality.claims import SourceNote
from daemon.quality.rules import QualityRules
from daemon.quality.verdict import Profile, TaskBrief, Verdict
from daemon.quality.verdict_json import verdict_as_json
from daemon.reports.verdict_text import NoteText, render_verdict, view_verdict
from daemon.sprint.prompts import system_text, task_text
from daemon.sprint.reading import load_quality_rules
from daemon.workspace.loader import load_workspace

REJECTED = 8
"""Exit code of a text that the judge rejects; not an error."""

_MOST_BYTES = 10_000_000
_MOST_SPOILT = 0.02  # share of the characters


@dataclass(frozen=True)
class Bench:
    """What a text is judged by."""

    rules: QualityRules
    brief: TaskBrief
    language: Language


@click.command(cls=Command)
@click.argument(
    "file", metavar="FILE", type=click.Path(path_type=Path, dir_okay=False, allow_dash=True)
)
@click.option("--task", metavar="ITEM", help="Judge it as a deliverable of this backlog item.")
@click.option(
    "--context",
    "folder",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Look its figures, links and quotations up in the *.md and *.txt files of DIR.",
)
@click.option(
    "--profile",
    type=click.Choice(get_args(Profile)),
    help="What the text was asked to be.  [default: the item's playbook's, else report]",
)
@click.option(
    "--language",
    type=click.Choice(get_args(Language)),
    help="The language it must be in.  [default: the workspace's]",
)
@json_option
@click.pass_obj
def check(
    workspace: Path,
    file: Path,
    task: str | None,
    folder: Path | None,
    profile: Profile | None,
    language: Language | None,
    as_json: bool,  # noqa: FBT001
) -> None:
    """Judge any text, and say why.

    FILE may be - for standard input. Shows the outcome, the addends of the score, each defect with
    its sentence, and each figure, link and quotation with its place in the notes. Uses the
    workspace's quality.toml; outside of a workspace, the package's rules alone. Exits 0 where the
    text is accepted, 8 where it is rejected. Asks no model and writes nothing.

    \b
    Examples:
      sprintd quality check report.md
      sprintd quality check report.md --task T07 --context memory/
      pbpaste | sprintd quality check - --profile answer --json | jq .outcome
    """
    bench = _bench(workspace, task, profile, language)
    notes = read_texts(folder, progress, but=file.expanduser()) if folder else ()
    sources = tuple(SourceNote(note.id, note.text, note.path) for note in notes)
    verdict = assess(_read(file), bench.brief, rules=bench.rules, sources=sources)
    if as_json:
        say_json(_as_json(verdict, bench, str(file), notes))
    else:
        say("\n".join(render_verdict(verdict, Phrases(bench.language), width(), notes=notes)))
    click.get_current_context().exit(0 if verdict.accepted else REJECTED)


def _bench(
    workspace: Path, task: str | None, profile: Profile | None, language: Language | None
) -> Bench:
    try:
        root = find_root(workspace)
    except SprintdError:
        if task is not None:
            raise
        progress("no workspace here: judged by the package's rules alone")
        speaks: Language = language or "en"
        return Bench(QualityRules(), TaskBrief("", "", profile or "report", speaks), speaks)
    start_logging(root, level="WARNING")
    speaks = language or load_config(root).daemon.language
    rules = load_quality_rules(root)
    if task is None:
        return Bench(rules, TaskBrief("", "", profile or "report", speaks), speaks)
    return Bench(rules, _brief(root, task, profile, speaks), speaks)


def _brief(root: Path, task: str, profile: Profile | None, language: Language) -> TaskBrief:
    """As an agent would be asked now, without the reasons of an earlier rejection."""
    found = load_workspace(root)
    known = [item.id for item in found.items]
    if task not in known:
        raise NotFound(f"the backlog has no item {task!r}{did_you_mean(task, known)}")
    item = found.item(task)
    playbook = found.playbook(item.playbook)
    role = system_text(found.agent(item.agent), language, "note-id")
    return TaskBrief(
        item=item.id,
        question=item.question,
        profile=profile or playbook.profile,
        language=language,
        prompt_text=f"{role}\n{task_text(item, playbook, ())}",
    )


def _read(file: Path) -> str:
    """The text of a file or of standard input, without front matter, as it was judged when it came.

    A few bytes that are not UTF-8 become U+FFFD. Raises SprintdError where they are many: noise, or
    letters of another encoding, would be judged as if they were words.
    """
    if str(file) == "-":
        data = sys.stdin.buffer.read(_MOST_BYTES + 1)
    else:
        with file.expanduser().open("rb") as stream:
            data = stream.read(_MOST_BYTES + 1)
    if len(data) > _MOST_BYTES:
        raise SprintdError(f"{file}: is larger than {_MOST_BYTES:,} bytes; no deliverable is")
    text = data.decode("utf-8", "replace")
    spoilt = text.count("\ufffd") + text.count("\0")
    if spoilt > len(text) * _MOST_SPOILT:
        raise SprintdError(f"{file}: is not UTF-8 text; save it as plain text in UTF-8")
    return without_front_matter(data)[0]


def _as_json(
    verdict: Verdict, bench: Bench, file: str, notes: tuple[NoteText, ...]
) -> dict[str, Any]:
    """The whole verdict; each defect with its sentence, each claim with its place in words."""
    view = view_verdict(verdict, Phrases(bench.language), notes)
    return {
        "file": file,
        "item": bench.brief.item or None,
        "profile": bench.brief.profile,
        "language": bench.language,
        "accepted": verdict.accepted,
        **verdict_as_json(verdict),
        "words": {
            "headline": view.headline,
            "defects": [vars(one) for one in view.defects],
            "claims": [vars(one) for one in view.claims],
        },
        "notes": [note.path for note in notes],
    }
