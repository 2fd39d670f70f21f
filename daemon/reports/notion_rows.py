"""What Notion is told of a workspace: one row for each item, criterion, finding and sprint."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from daemon.clock import to_text
from daemon.config.phrases import Phrases
from daemon.memory.notes import read_note
from daemon.memory.opening import Unreadable
from daemon.notify.notion_places import Place, Value
from daemon.store import attempts, findings, sprints
from daemon.store.api_calls import cost_of_sprint, costs_by
from daemon.store.database import Database
from daemon.store.findings import FindingRow
from daemon.store.sprints import SprintRow
from daemon.workspace.board import Board, BoardEntry
from daemon.workspace.definitions import KillCriterion

MOST_SPRINTS = 200  # the newest ones


@dataclass(frozen=True)
class NotionRow:
    """One page as it should be. `file` is where its body stands, read only when it is handed over and
    never part of what counts as a change."""

    external_id: str
    place: Place
    title: str
    properties: Mapping[str, Value] = field(default_factory=dict)
    file: str = ""

    @property
    def sha256(self) -> str:
        facts = {"title": self.title, "properties": dict(self.properties)}
        text = json.dumps(facts, sort_keys=True, ensure_ascii=True)
        return hashlib.sha256(text.encode()).hexdigest()

    def payload(self, root: Path) -> dict[str, Any]:
        """As the sender takes it."""
        return {
            "place": self.place,
            "external_id": self.external_id,
            "title": self.title,
            "properties": dict(self.properties),
            "body": _body(root, self.file),
        }


@dataclass(frozen=True)
class Known:
    """What the rows are made of. `board` and `criteria` are of the workspace's last good files."""

    db: Database
    board: Board
    criteria: tuple[KillCriterion, ...]
    phrases: Phrases


def take_rows(known: Known) -> Iterator[NotionRow]:
    """Every row, in the order that a founder reads them. Raises StoreError."""
    yield from _backlog(known)
    yield from _criteria(known)
    yield from _findings(known)
    yield from _sprints(known)


def _backlog(known: Known) -> Iterator[NotionRow]:
    costs = {row.name: row.cost_micros for row in costs_by(known.db, "item", date.min) if row.name}
    tries = attempts.count_by_item(known.db)
    paths = {row.item: row.path for row in reversed(findings.list_findings(known.db))}
    for entry in known.board.entries:
        yield _item(entry, known.phrases, costs, tries, paths)


def _item(
    entry: BoardEntry,
    phrases: Phrases,
    costs: Mapping[str, int],
    tries: Mapping[str, int],
    paths: Mapping[str, str],
) -> NotionRow:
    item = entry.item
    return NotionRow(
        f"item/{item.id}",
        "backlog",
        f"{item.id} {item.title}",
        {
            "Standing": phrases.text(f"page.standing_{entry.standing}"),
            "Reason": entry.reason,
            "Priority": item.priority,
            "Criterion": item.criterion,
            "Agent": item.agent,
            "Question": item.question,
            "Attempts": tries.get(item.id, 0),
            "Rejections": entry.rejections,
            "Cost USD": _usd(costs.get(item.id, 0)),
            "Finding": paths.get(item.id, ""),
        },
    )


def _criteria(known: Known) -> Iterator[NotionRow]:
    counted = findings.count_by_criterion(known.db)
    for criterion in known.criteria:
        standing = Counter(
            entry.standing for entry in known.board.entries if entry.item.criterion == criterion.id
        )
        yield NotionRow(
            f"criterion/{criterion.id}",
            "criteria",
            f"{criterion.id} {criterion.name}",
            {
                "Question": criterion.question,
                "Threshold": criterion.threshold,
                "Deadline": criterion.deadline.isoformat(),
                "Findings": counted.get(criterion.id, 0),
                "Eligible": standing["eligible"],
                "Waiting": standing["waiting"],
                "Blocked": standing["blocked"],
                "Done": standing["done"],
            },
        )


def _findings(known: Known) -> Iterator[NotionRow]:
    for row in reversed(findings.list_findings(known.db)):
        yield finding_row(row)


def finding_row(row: FindingRow) -> NotionRow:
    """One finding; its body is the file in memory, as it is when it is handed over."""
    return NotionRow(
        f"finding/{row.attempt_id}",
        "findings",
        f"{row.item} {row.title}",
        {
            "Item": row.item,
            "Criterion": row.criterion,
            "Agent": row.agent,
            "Score": f"{row.score_hundredths / 100:.2f}",
            "Summary": row.summary,
            "File": row.path,
            "Sources": len(row.sources),
            "Written": to_text(row.created_at),
        },
        file=row.path,
    )


def _sprints(known: Known) -> Iterator[NotionRow]:
    """Those that have ended: one that runs would be written twice."""
    for row in reversed(sprints.list_sprints(known.db, MOST_SPRINTS)):
        if row.ended_at is not None:
            yield _sprint(row, known, cost_of_sprint(known.db, row.id))


def _sprint(row: SprintRow, known: Known, cost_micros: int) -> NotionRow:
    ended = attempts.count_for_sprint(known.db, row.id)
    return NotionRow(
        f"sprint/{row.id}",
        "sprints",
        known.phrases.text("notion.sprint", id=row.id),
        {
            "State": known.phrases.text(f"page.sprint_{row.state}"),
            "Kind": row.kind,
            "Focus": row.focus or str((row.plan or {}).get("focus") or ""),
            "Reason": row.reason,
            "Accepted": ended.get("accepted", 0),
            "Rejected": ended.get("rejected", 0),
            "Cost USD": _usd(cost_micros),
            "Started": to_text(row.started_at),
            "Ended": to_text(row.ended_at) if row.ended_at else None,
        },
    )


def _usd(micros: int) -> str:
    """For a column of money, as digits: what is asked of a person has a digest, and floats have none."""
    return f"{micros / 1_000_000:.4f}"


def _body(root: Path, path: str) -> str:
    """The file's text without its front matter; empty where it is gone, which the digest tells."""
    if not path:
        return ""
    try:
        return read_note(root, path).body.strip()
    except Unreadable:
        return ""
