"""quality learn: a person's complaint becomes a pattern of the workspace."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from daemon.cli.group import Command
from daemon.cli.opening import Look, find_entry, look_at
from daemon.cli.options import json_option
from daemon.cli.output import progress, say, say_json, width
from daemon.config.text_file import read_text
from daemon.errors import NotFound, SprintdError
from daemon.memory.writing import write_file
from daemon.quality.rules import parse_rules
from daemon.reports.plain_text import one_line, wrap
from daemon.sprint.learning import CannotLearn, Lesson, draft_from, newest_accepted, try_out
from daemon.sprint.reading import QUALITY_FILE
from daemon.sprint.rejudging import Rejudged
from daemon.store.attempts import AttemptRow

_LONGEST_MESSAGE = 300
_MOST_NAMED = 20
_EVERY = 100


@dataclass(frozen=True)
class Complaint:
    """What the person said."""

    message: str
    words: str
    phrase: bool


@click.command(cls=Command)
@click.argument("item")
@click.option(
    "--defect",
    required=True,
    metavar="SENTENCE",
    help="What is wrong, as a sentence: people and the next attempt read it.",
)
@click.option(
    "--text",
    "words",
    default="",
    metavar="WORDS",
    help="The faulty sentence of the output, or a part of it.  [without it: lists the sentences]",
)
@click.option(
    "--phrase", is_flag=True, help="Catch only these words, wherever they stand in a sentence."
)
@click.option("--yes", is_flag=True, help="Write it though it would reject other accepted outputs.")
@click.option(
    "--dry-run", is_flag=True, help="Show the pattern and what it would do; write nothing."
)
@json_option
@click.pass_obj
def learn(
    workspace: Path,
    item: str,
    defect: str,
    words: str,
    phrase: bool,  # noqa: FBT001
    yes: bool,  # noqa: FBT001
    dry_run: bool,  # noqa: FBT001
    as_json: bool,  # noqa: FBT001
) -> None:
    """Make a pattern of a defect that a person found in an accepted output.

    Takes the item's newest accepted output, makes a [[pattern]] of the sentence that --text names
    (its words as they are, digits for any number), gives it the nearest harmless sentence as its
    counter-example, tries it on every output that was ever accepted, and appends it to quality.toml.
    Refused where it would reject another accepted output, unless --yes. The daemon uses it from the
    next sprint on. The output itself stays accepted: put its item back with `sprintd reopen`.

    \b
    Examples:
      sprintd quality learn T07 --defect "It sells instead of answering."
      sprintd quality learn T07 --defect "It sells." --text "Act now" --dry-run
      sprintd quality learn T07 --defect "It sells." --text "game changer" --phrase
    """
    complaint = Complaint(one_line(defect, _LONGEST_MESSAGE), words, phrase)
    if not complaint.message:
        raise click.UsageError("--defect needs a sentence")
    with look_at(workspace) as look:
        before = _read_rules_file(look.root)
        row = _accepted(look, item)
        lesson = _lesson(look, row, complaint, before)
        refused = bool(lesson.would_reject) and not yes
        if not dry_run and not refused:
            _write(look.root, before, lesson.new_text)
    written = not dry_run and not refused
    if refused and not dry_run:
        raise CannotLearn(_refusal(lesson))
    if as_json:
        say_json(lesson_as_json(lesson, written=written))
    else:
        say("\n".join(render_lesson(lesson, width(), written=written)))


def lesson_as_json(lesson: Lesson, *, written: bool) -> dict[str, Any]:
    """The pattern, and which accepted outputs it would reject or mark."""
    return {
        "written": written,
        "file": QUALITY_FILE,
        "pattern": vars(lesson.draft),
        "toml": lesson.entry,
        "would_reject": [_named_as_json(one) for one in lesson.would_reject],
        "would_mark": [_named_as_json(one) for one in lesson.would_mark],
    }


def render_lesson(lesson: Lesson, columns: int, *, written: bool) -> Iterator[str]:
    """The entry, then what it does to this output and to others."""
    yield f"Appended to {QUALITY_FILE}:" if written else f"Would be appended to {QUALITY_FILE}:"
    yield from (f"    {line}" for line in lesson.entry.splitlines())
    if lesson.draft.rejects:
        yield "It rejects the output that it was learned from."
    else:
        yield from wrap(
            "It only marks: that output is long and this sentence a small part of it, so rejecting "
            "by it would throw good work away.",
            columns,
        )
    for outputs, does in ((lesson.would_reject, "rejects"), (lesson.would_mark, "marks")):
        if outputs:
            yield from wrap(f"Of the accepted outputs it also {does}: {_named(outputs)}", columns)
    if not lesson.would_reject and not lesson.would_mark:
        yield "No other accepted output is touched."


def _read_rules_file(root: Path) -> str:
    """The file's text, empty where there is none. Raises WorkspaceInvalid where it is broken."""
    path = root / QUALITY_FILE
    if path.is_symlink():
        raise CannotLearn(f"{QUALITY_FILE} is a symbolic link; put the file itself there")
    text = read_text(path, QUALITY_FILE) if path.exists() else ""
    parse_rules(text, QUALITY_FILE)
    return text


def _accepted(look: Look, item: str) -> AttemptRow:
    row = newest_accepted(look.db, item)
    if row is None:
        find_entry(look.board(), item)
        raise NotFound(f"{item} has no accepted output; see: sprintd show {item}")
    return row


def _lesson(look: Look, row: AttemptRow, said: Complaint, before: str) -> Lesson:
    draft = draft_from(
        look.db,
        row,
        parse_rules(before, QUALITY_FILE),
        message=said.message,
        words=said.words,
        phrase=said.phrase,
    )
    today = look.clock.now().date().isoformat()
    return try_out(
        look.db,
        row,
        draft,
        toml=before,
        remark=f"Learned on {today} from {row.item}, attempt {row.number}.",
        max_rejections=look.config.sprint.max_attempts,
        told=_tell,
    )


def _write(root: Path, before: str, after: str) -> None:
    """Whole or not at all; what somebody else wrote meanwhile is not lost. Keeps the file's mode."""
    path = root / QUALITY_FILE
    if _read_rules_file(root) != before:
        raise SprintdError(f"{QUALITY_FILE} was changed just now; run this again")
    mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else None
    write_file(root, QUALITY_FILE, after.encode())
    if mode is not None:
        path.chmod(mode)


def _tell(done: int, total: int) -> None:
    if done % _EVERY == 0:
        progress(f"tried on {done:,} of {total:,} outputs")


def _refusal(lesson: Lesson) -> str:
    return (
        f"not written: it would reject {len(lesson.would_reject)} accepted outputs: "
        f"{_named(lesson.would_reject)}; name a longer --text, or add --yes if they deserve it"
    )


def _named(outputs: tuple[Rejudged, ...]) -> str:
    names = [f"{one_line(one.row.item)} attempt {one.row.number}" for one in outputs[:_MOST_NAMED]]
    more = len(outputs) - len(names)
    return ", ".join([*names, *([f"and {more} more"] if more > 0 else [])])


def _named_as_json(one: Rejudged) -> dict[str, Any]:
    return {"item": one.row.item, "attempt": one.row.number, "finding": one.row.finding_path}
