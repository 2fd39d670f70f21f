"""Brings Notion up to date after a sprint; whatever goes wrong there, the sprint stands."""

from __future__ import annotations

import logging

from daemon.bootstrap import Services
from daemon.clock import day_of
from daemon.errors import LedgerError, SprintdError, StoreError
from daemon.governance import incidents
from daemon.governance.known_causes import message_of
from daemon.reports.notion_rows import Known
from daemon.reports.notion_sync import SyncEnd, carry_out, places_of, plan_sync
from daemon.store.items import list_item_states
from daemon.workspace.board import read_board

_CAUSE = "notion_sync"
_log = logging.getLogger(__name__)


def sync_notion(services: Services) -> SyncEnd | None:
    """Hand over what changed, in the thread of the worker; the delivery sends it. None where Notion is
    not set up, and where it failed: that is an incident until it goes well again. Raises StoreError."""
    try:
        end = _sync(services)
    except LedgerError as error:
        # A question could not be written down; what needs none is not held up.
        _note(services, error)
        return None
    except StoreError:
        raise
    except (SprintdError, OSError) as error:
        _note(services, error)
        return None
    if end is not None:
        now = services.clock.now()
        incidents.recovered(services.db, _CAUSE, now, voice=services.sprint_parts.voice)
    return end


def _sync(services: Services) -> SyncEnd | None:
    db, parts = services.db, services.sprint_parts
    places = places_of(db, services.config.notion.findings_data_source)
    workspace = parts.source.latest
    if "notion" not in services.outbox.channels or not places or workspace is None:
        return None
    now = services.clock.now()
    board = read_board(workspace, list_item_states(db), day_of(now))
    known = Known(db, board, workspace.criteria, parts.phrases)
    # What was said at the start counts: the sender goes by that too.
    ask = services.approvals.ask if services.config.notion.public else None
    plan = plan_sync(known, places)
    return carry_out(db, services.root, plan, now, ask=ask, phrases=parts.phrases)


def _note(services: Services, error: SprintdError | OSError) -> None:
    say, voice = services.phrases.text, services.sprint_parts.voice
    _log.error("Notion was not brought up to date: %s", error)
    incidents.note(
        services.db,
        cause=_CAUSE,
        detail=say("notion.sync_failed", error=message_of(error)),
        cure=say("notion.sync_cure"),
        place="outbox",
        now=services.clock.now(),
        channels=voice.channels,
    )
