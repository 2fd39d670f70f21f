"""What became of the files that people edit: faults are told once, and once more when mended."""

from __future__ import annotations

import logging

from daemon.bootstrap import Services
from daemon.errors import Fault
from daemon.governance import incidents
from daemon.governance.known_causes import explain_cause
from daemon.store import events
from daemon.store.incidents import find_open
from daemon.workspace.definitions import Workspace

_CAUSE = "workspace_faults"
_LOOK_SECONDS = 10.0
_MOST_FAULTS = 20
_log = logging.getLogger(__name__)


class FileWatch:
    """Used by the worker's thread; any thread may read `faults`."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._faults: tuple[Fault, ...] = ()
        self._told: tuple[Fault, ...] | None = None
        self._looked: float | None = None

    @property
    def faults(self) -> tuple[Fault, ...]:
        """What is wrong with the files, as last looked at; reads nothing."""
        return self._faults

    def look_now_and_then(self) -> None:
        """Look again, at most every ten seconds. Raises StoreError."""
        moment = self._services.clock.monotonic()
        if self._looked is None or moment - self._looked >= _LOOK_SECONDS:
            self.look()

    def look(self) -> Workspace | None:
        """The workspace to go on with (the last good one), or None where something was never good.

        Raises StoreError where a change could not be told; it is told with the next look.
        """
        services, parts = self._services, self._services.sprint_parts
        self._looked = services.clock.monotonic()
        self._faults = services.look_again()
        if self._faults != self._told:
            self._tell()
            self._told = self._faults
        whole = parts.map.latest is not None and parts.rules.latest is not None
        return services.source.latest if whole else None

    def _tell(self) -> None:
        """One event for each new set of faults, also over restarts; one incident for all of them."""
        services, now, found = self._services, self._services.clock.now(), self._faults
        if not found:
            incidents.heal(services.db, "files", now, voice=services.sprint_parts.voice)
            return
        reason = f"{len(found)}: {found[0]}"
        _log.error("the workspace has faults, %s", reason)
        with services.db.immediate():
            before = find_open(services.db, _CAUSE)
            incident = incidents.note(
                services.db,
                cause=_CAUSE,
                detail=reason,
                cure=explain_cause(_CAUSE, services.phrases)[1],
                place="workspace",
                now=now,
                told_by=_CAUSE,
            )
            if before is None or before.detail != reason:
                facts = {"reason": reason, "faults": [str(fault) for fault in found[:_MOST_FAULTS]]}
                events.record(services.db, _CAUSE, now, facts=facts)
                text = services.phrases.text("digest.workspace_faults", reason=reason.rstrip("."))
                first = incidents.opened_key(incident.row.id)
                key = f"{_CAUSE}/{events.last_id(services.db)}" if before else first
                channels = services.sprint_parts.voice.channels
                incidents.send(services.db, key, "alert", text, facts, now, channels=channels,
                               thread=first if before else "")  # fmt: skip
