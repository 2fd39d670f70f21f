"""notify test: one message of each kind, so that it is seen once what will arrive at night."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from daemon.bootstrap import database_of
from daemon.cli.approvals_desk import Desk, open_desk
from daemon.cli.group import Command, CommandTable
from daemon.cli.notify_samples import Facts, Sample, build_samples
from daemon.cli.notify_trying import PREFIX, Arrival, daemon_runs, let_leave
from daemon.cli.opening import find_root
from daemon.cli.options import json_option
from daemon.cli.output import say, say_json, width
from daemon.clock import day_of
from daemon.errors import SprintdError, WorkspaceInvalid
from daemon.governance.budget import Budget
from daemon.governance.proven import proven_raises
from daemon.llm.prices import load_prices
from daemon.notify.console import notifier_for
from daemon.notify.notion_places import TITLES
from daemon.reports.plain_text import one_line, wrap
from daemon.store.database import open_database
from daemon.store.items import list_item_states
from daemon.store.notion import list_places
from daemon.workspace.board import Board, read_board
from daemon.workspace.definitions import KillCriterion
from daemon.workspace.loader import load_workspace

_COMMANDS = {
    "test": ("daemon.cli.notifying:test", "Post one message of each kind, marked as a test.")
}
_DRAIN_SECONDS = 5.0
_NO_PLACE = "Notion has no database of this workspace yet: sprintd notion setup PAGE"
_PUBLIC = (
    "people outside can read the pages in Notion (notion.public), so no test page is written; "
    "sprintd doctor looks at Notion without writing"
)


@click.group(cls=CommandTable, commands_by_name=_COMMANDS)
def notify() -> None:
    """Try how messages reach people.

    \b
    Examples:
      sprintd notify test
      sprintd notify test --channel notion
    """


@click.command(cls=Command)
@click.option(
    "--channel",
    type=click.Choice(["slack", "notion", "console"]),
    help="Where to.  [default: slack where it is configured, else console]",
)
@click.option(
    "--timeout", type=click.IntRange(1, 3_600), default=120, show_default=True,
    metavar="SECONDS", help="How long to wait until all arrived.",
)  # fmt: skip
@json_option
@click.pass_obj
def test(workspace: Path, channel: str | None, timeout: int, as_json: bool) -> None:  # noqa: FBT001
    """Post one message of each kind, marked as a test.

    Digest, daily report, review, alert, diagnosis, a question with buttons, a file, an answer in a
    thread, an edit: through the outbox and the action gate, as at night. The daemon delivers
    them where it runs; else this does. In Notion one page in each database, which goes into
    the trash again. Exits 1 where something did not arrive, and says why.

    \b
    Examples:
      sprintd notify test
      sprintd notify test --channel notion --json
    """
    root = find_root(workspace)
    if not database_of(root).exists():
        open_database(database_of(root)).close()  # before the first run
    with open_desk(workspace) as desk:
        where = channel or ("slack" if desk.config.slack.channel else "console")
        runs = daemon_runs(desk)
        found = _try(desk, where, float(timeout), as_json=as_json)
    if as_json:
        say_json({
            "ok": all(one.arrived for one in found), "channel": where, "daemon_runs": runs,
            "messages": [{**vars(one), "arrived": one.arrived} for one in found],
        })  # fmt: skip
    else:
        say("\n".join(part for line in _lines(found, where) for part in wrap(line, width())))
    click.get_current_context().exit(0 if all(one.arrived for one in found) else 1)


def _try(desk: Desk, where: str, seconds: float, *, as_json: bool) -> list[Arrival]:
    prefix = f"{PREFIX}{desk.clock.now():%Y%m%dT%H%M%S%f}/{where}"
    if where == "notion":
        return let_leave(desk, where, _pages(desk, prefix), prefix, seconds=seconds)
    samples = build_samples(_facts(desk), prefix)
    if where == "slack":
        return let_leave(desk, where, samples, prefix, seconds=seconds)
    console = notifier_for("text", sys.stderr if as_json else sys.stdout, desk.phrases)
    for one in samples:
        console.post(str(one.payload["text"]))
    console.close(_DRAIN_SECONDS)
    return [Arrival(where, one.name, "sent", "") for one in samples]


def _facts(desk: Desk) -> Facts:
    board, criteria = _board(desk)
    raised = proven_raises(desk.db, desk.gate.books)
    budget = Budget(desk.db, load_prices(desk.root), desk.config.budget, desk.clock, raised)
    return Facts(
        root=desk.root,
        db=desk.db,
        now=desk.clock.now(),
        day=budget.today(),
        board=board,
        criteria=criteria,
        phrases=desk.phrases,
        address=desk.config.web.page_address,
    )


def _board(desk: Desk) -> tuple[Board | None, tuple[KillCriterion, ...]]:
    try:
        workspace = load_workspace(desk.root)
    except WorkspaceInvalid:
        return None, ()
    today = day_of(desk.clock.now())
    return read_board(workspace, list_item_states(desk.db), today), workspace.criteria


def _pages(desk: Desk, prefix: str) -> list[Sample]:
    """A page in each database, and then its way into the trash. Raises SprintdError."""
    if desk.config.notion.public:
        raise SprintdError(_PUBLIC)
    places = [name for name in TITLES if name in list_places(desk.db)]
    if not places:
        raise SprintdError(_NO_PLACE)
    title, body = (desk.phrases.text(f"test.notion_{name}") for name in ("title", "body"))
    found = []
    for name in places:
        page = {"place": name, "external_id": f"test/{prefix.split('/')[1]}/{name}", "title": title}
        found.append(Sample(name, {**page, "properties": {}, "body": body}))
        found.append(Sample(f"{name}-trash", {**page, "trash": True}))
    return found


def _lines(found: Sequence[Arrival], where: str) -> Iterator[str]:
    if where == "console":
        yield "No channel was tried but this one: set up Slack with docs/slack.md."
    for one in found:
        if not one.arrived:
            state = one.state.replace("_", " ")
            yield f"{one.name} did not arrive ({state}): {one_line(one.error, 1_000)}"
    arrived = [one.name for one in found if one.arrived]
    yield f"{len(arrived)} of {len(found)} arrived in {where}: {', '.join(arrived) or 'none'}."
    if where == "slack" and len(arrived) == len(found):
        yield (
            "Now press a button of the question: its answer comes into the thread while the daemon "
            "runs. Nothing comes where your id is not in slack.deciders."
        )
