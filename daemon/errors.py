"""Every error that sprintd raises on purpose.

SprintdError                      anything a person can act on; has an exit code
├── WorkspaceInvalid              one or more faults in files that people edit (carries all of them)
├── NotFound                      the named item, agent, team or sprint does not exist
├── AlreadyRunning                another process owns this workspace's state folder
├── StoreError                    the database cannot be read or written; nothing may be spent
│   ├── SchemaTooNew              the database was written by a newer sprintd
│   ├── SchemaTooOld              the database was written by an older sprintd
│   └── LedgerError               the ledger cannot be read or written; nothing may be decided
├── ProviderError                 a model call did not give a usable reply
│   ├── ProviderPermanent         will fail again until a person changes something (names the setting)
│   ├── ProviderBusy              nothing was billed; may be tried again later
│   └── OutcomeUnknown            the request may have been billed; it stays counted at its worst case
└── SendError                     a message did not leave, as far as is known
    ├── SendRefused               will fail again until a person changes something
    │   └── SendHeld              so will every other message of that channel, whatever it says
    ├── SendLater                 it surely did not arrive; may be tried again later
    └── SendUncertain             it may have arrived; the far side is asked before it is sent again

Refusals (a budget that says no, an output that is rejected) are values, never exceptions.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Fault:
    """One thing that is wrong in a file that a person edits.

    `line` counts from 1 and is 0 where the file has no such place (a missing file, a missing key at
    the top level). `cure` is what to do, as a sentence without its full stop, or empty.
    """

    file: str
    line: int
    key: str
    message: str
    cure: str = ""

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        subject = f" {self.key}:" if self.key else ""
        cure = f"; {self.cure}" if self.cure else ""
        return f"{place}:{subject} {self.message}{cure}"


class SprintdError(Exception):
    """Something went wrong that a person can act on."""

    exit_code = 1


class WorkspaceInvalid(SprintdError):
    """Files of the workspace have faults; all of them are in `faults`, in file and line order."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(sorted(set(faults)))
        super().__init__("\n".join(str(fault) for fault in self.faults))


class NotFound(SprintdError):
    """What was asked for by name does not exist."""


class AlreadyRunning(SprintdError):
    """Another process owns this workspace's state folder."""

    exit_code = 4


class StoreError(SprintdError):
    """The database cannot be read or written. No decision that needs it may be taken."""

    exit_code = 3


class SchemaTooNew(StoreError):
    """The database was written by a newer sprintd than this one."""


class SchemaTooOld(StoreError):
    """The database was written by an older sprintd, and whoever only reads may not change it."""


class LedgerError(StoreError):
    """The ledger cannot be read, written or trusted. No decision that must stand in it may be acted on."""


class ProviderError(SprintdError):
    """A model call did not give a usable reply.

    `status` is the HTTP status or None where there was none; `request_id` is the service's own name
    for the call, for its support desk.
    """

    exit_code = 5

    def __init__(
        self, message: str, *, status: int | None = None, request_id: str | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.request_id = request_id


class ProviderPermanent(ProviderError):
    """Will fail again until a person changes something; `setting` names what to change."""

    def __init__(
        self,
        message: str,
        *,
        setting: str,
        status: int | None = None,
        request_id: str | None = None,
    ) -> None:
        super().__init__(message, status=status, request_id=request_id)
        self.setting = setting


class ProviderBusy(ProviderError):
    """The service did not take the request, so nothing was billed; it may be tried again.

    `retry_after_seconds` is what the service asked for, or None where it said nothing.
    """

    def __init__(
        self,
        message: str,
        *,
        retry_after_seconds: float | None = None,
        status: int | None = None,
        request_id: str | None = None,
    ) -> None:
        super().__init__(message, status=status, request_id=request_id)
        self.retry_after_seconds = retry_after_seconds


class OutcomeUnknown(ProviderError):
    """The request may have been processed and billed; its reservation stays at the worst case."""


class SendError(SprintdError):
    """A message did not leave, as far as is known."""


class SendRefused(SendError):
    """The far side refuses the message, and will again until a person changes something."""


class SendHeld(SendRefused):
    """The far side takes nothing at all from this channel until a person changes something: the message
    is not to blame, so it waits with all the others."""


class SendLater(SendError):
    """The message surely did not arrive; it may be tried again.

    `retry_after_seconds` is what the far side asked for, or None where it said nothing.
    """

    def __init__(self, message: str, *, retry_after_seconds: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_seconds = retry_after_seconds


class SendUncertain(SendError):
    """The message may have arrived; the far side is asked before it is sent again.

    `retry_after_seconds` as in SendLater.
    """

    def __init__(self, message: str, *, retry_after_seconds: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_seconds = retry_after_seconds
