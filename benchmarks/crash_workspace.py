"""The workspace of benchmarks/crash.py: the sample with a backlog that many lives cannot finish."""

from __future__ import annotations

from pathlib import Path

from daemon.store.database import open_database
from tests.standins.messages_api import MessagesApi
from tests.standins.notion_api import NotionApi
from tests.standins.slack_api import SlackApi
from tests.workspaces import copy_sample

_ITEMS = 2_000
_SUBJECTS = (
    ("market-researcher", "KC1", "market-sizing", "lawyers-and-demand.lawyer-numbers"),
    ("sales-strategist", "KC4", "sales-cycle-analysis", "sales-cycle.cycle-benchmarks"),
    ("corpus-engineer", "KC2", "corpus-feasibility-note", "law-sources.national-court"),
    ("grant-writer", "KC4", "grant-application", "funding.idb-lab"),
)


def make_workspace(root: Path, *, claude: MessagesApi, slack: SlackApi, notion: NotionApi) -> None:
    """Everything leaves to the stand-ins, and there is always something to do."""
    config = (
        f'[provider]\nkind = "claude"\nbase_url = "{claude.base_url}"\n'
        f'[slack]\nchannel = "{slack.channel}"\nbase_url = "{slack.base_url}"\n'
        f'[notion]\nfindings_data_source = "{notion.data_source}"\nbase_url = "{notion.base_url}"\n'
    )
    copy_sample(root, config)
    lines = ["items:"]
    for number in range(_ITEMS):
        agent, criterion, playbook, need = _SUBJECTS[number % len(_SUBJECTS)]
        lines.append(
            f"  - {{id: X{number:04}, title: Question {number}, agent: {agent}, "
            f"question: What follows from the notes for case {number}?, criterion: {criterion}, "
            f"playbook: {playbook}, priority: 3, added_on: 2026-11-30, needs: [{need}]}}"
        )
    (root / "backlog.yaml").write_text("\n".join(lines) + "\n")


def forget_what_was_begun(root: Path) -> None:
    """What a daemon without durable effects knows after a crash: nothing of what was under way.

    The reply that was stored is gone, and a message that was being sent counts as not sent.
    """
    db = open_database(root / "state/sprintd.db")
    try:
        with db.immediate() as tx:
            tx.execute("DELETE FROM effect")
            tx.execute("UPDATE outbox SET state = 'waiting', uncertain = 0 WHERE state = 'sending'")
            tx.execute("UPDATE outbox SET uncertain = 0")
    finally:
        db.close()
