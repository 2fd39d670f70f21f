"""What a report is before it is posted, and which days it covers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from daemon.clock import day_of
from daemon.notify.message import Part


@dataclass(frozen=True)
class Written:
    """`body` is Markdown; `facts` are the figures it was made from, as JSON can hold them.

    `parts` say the same for channels that have lists, bars and buttons; none: `body` is shown.
    `title` is what a locked telephone shows; empty: how the body begins.
    """

    body: str
    facts: Mapping[str, Any]
    parts: tuple[Part, ...] = ()
    title: str = ""


def whole_days(slot: datetime, days: int) -> tuple[datetime, datetime]:
    """The last `days` whole UTC days before a slot: from the first (included) to the second (not).

    The day of the slot itself is not over, so it is never among them. Whether the job runs on time
    or late makes no difference.
    """
    until = datetime.combine(day_of(slot), datetime.min.time(), tzinfo=UTC)
    return until - timedelta(days=days), until
