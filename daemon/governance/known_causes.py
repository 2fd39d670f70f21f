"""The table of known causes: by what an error is recognised, and what a person can do about it.

A cause is recognised from our own errors alone: their type, the status that they carry, the setting
that they name, and the words that our own messages are made of. What it is and its cure are the
phrases `cause.<name>` and `cure.<name>`, in the workspace's language.
"""

from __future__ import annotations

import errno
import hashlib
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from daemon.config.phrases import Phrases
from daemon.config.redaction import redact
from daemon.errors import (
    LedgerError,
    NotFound,
    OutcomeUnknown,
    ProviderBusy,
    ProviderError,
    ProviderPermanent,
    StoreError,
    WorkspaceInvalid,
)
from daemon.governance.budget import Refusal
from daemon.llm.prices import UnknownPrice
from daemon.llm.service_errors import (
    BILLING_SETTING,
    CONTEXT_SETTING,
    KEY_SETTING,
)

Trouble = BaseException | Refusal
Healer = Literal["sprint", "store", "files", "memory"]
Place = Literal["sprint", "job", "outbox", "provider", "store", "workspace"]

UNKNOWN = "unknown"
_NUMBERS = re.compile(r"0x[0-9a-f]+|\d+", re.IGNORECASE)


@dataclass(frozen=True)
class Cause:
    """`counts`: a sprint that ended on it is a failed one, which the circuit breaker counts.

    `passes`: it costs nothing and goes away by itself, so it is tried again, ever more rarely.
    `healed_by` is what shows that it is over: a completed sprint, a write that went well, files
    without faults, a finding that was written. `fits` recognises it; the first line of the table
    that fits is the cause.
    """

    name: str
    fits: Callable[[Trouble], bool]
    counts: bool = True
    passes: bool = False
    healed_by: Healer = "sprint"


def _permanent(setting: str, *words: str) -> Callable[[Trouble], bool]:
    """A setting's name or its end, and one of the words if there are any."""
    return lambda e: (
        isinstance(e, ProviderPermanent)
        and e.setting.endswith(setting)
        and (not words or _says(e, words))
    )


def _busy(*statuses: int) -> Callable[[Trouble], bool]:
    return lambda e: isinstance(e, ProviderBusy) and (not statuses or e.status in statuses)


def _unknown_outcome(*words: str) -> Callable[[Trouble], bool]:
    return lambda e: isinstance(e, OutcomeUnknown) and (not words or _says(e, words))


def _store(*words: str) -> Callable[[Trouble], bool]:
    return lambda e: _is_of_store(e) and (not words or _says(e, words))


def _file(numbers: tuple[int, ...], *words: str) -> Callable[[Trouble], bool]:
    """Below the database's own errors: a system error by number, ours by its words."""
    return lambda e: (
        e.errno in numbers
        if isinstance(e, OSError)
        else isinstance(e, Exception) and _says(e, words)
    )


def _never(_error: Trouble) -> bool:
    """Known by name only: no error is raised for it."""
    return False


_NO_SPACE = (errno.ENOSPC, errno.EDQUOT)
_NO_RIGHT = (errno.EROFS, errno.EACCES, errno.EPERM)

CAUSES = (
    Cause("wrong_key", _permanent(KEY_SETTING)),
    Cause("spend_limit", _permanent(BILLING_SETTING, "spend limit", "usage limit", "spending")),
    Cause("no_credit", _permanent(BILLING_SETTING)),
    Cause("prompt_too_large", _permanent(CONTEXT_SETTING)),
    Cause("unknown_model", _permanent("_model", "does not have the model")),
    Cause("request_refused", _permanent("_model")),
    Cause("wrong_address", _permanent("")),
    # The service took none of these, so nothing was billed. 500s and time-outs may be: they count.
    Cause("rate_limited", _busy(429), counts=False, passes=True),
    Cause("overloaded", _busy(503, 529), counts=False, passes=True),
    Cause("unreachable", _busy(), counts=False, passes=True),
    Cause("timeout", _unknown_outcome("gave no reply within", "(408)", "(504)")),
    Cause("provider_failing", _unknown_outcome(" failed (")),
    Cause("reply_lost", _unknown_outcome()),
    Cause("judge_missing", lambda e: _waits_for_judge(e), counts=False),
    Cause("refused_by_content", _never),
    Cause("outputs_rejected", _never),
    Cause("price_missing", lambda e: _is_of_price(e), counts=False),
    Cause(
        "workspace_faults",
        lambda e: isinstance(e, WorkspaceInvalid | NotFound),
        counts=False,
        healed_by="files",
    ),
    Cause("policy_refused", lambda e: _is_refused_by(e, "policy"), counts=False),
    Cause("ledger_failed", lambda e: _is_of_ledger(e), counts=False),
    Cause("store_locked", _store("locked by another"), counts=False, healed_by="store"),
    Cause("store_full", _store("the disk is full"), counts=False, healed_by="store"),
    Cause(
        "store_damaged",
        _store("damaged", "not a SQLite", "Could not decode", "deleted or replaced"),
        healed_by="store",
    ),
    Cause("store_read_only", _store("read-only"), counts=False, healed_by="store"),
    Cause("disk_failing", _store("the disk failed"), healed_by="store"),
    Cause("store_failed", _store(), healed_by="store"),
    Cause(
        "disk_full",
        _file(_NO_SPACE, "the disk or the quota is full"),
        counts=False,
        healed_by="memory",
    ),
    Cause(
        "folder_read_only",
        _file(_NO_RIGHT, "the folder is read-only"),
        counts=False,
        healed_by="memory",
    ),
    Cause("notes_unreadable", _file((), "none of the notes that the map has"), counts=False),
    Cause("memory_unwritable", _file((), "cannot write memory/"), counts=False, healed_by="memory"),
    Cause(UNKNOWN, lambda _error: True),
)
_BY_NAME = {cause.name: cause for cause in CAUSES}


def classify(error: Trouble) -> Cause:
    """The first cause of the table that fits; `unknown` fits everything."""
    return next(cause for cause in CAUSES if cause.fits(error))


def cause_named(name: str) -> Cause | None:
    """By the name that an incident keeps, which of an unknown one has a digest; None: not ours."""
    return _BY_NAME.get(name.partition("/")[0])


def incident_name(error: Trouble) -> str:
    """The name under which repeats are one incident: of unknown errors, one for each kind."""
    cause = classify(error)
    if cause.name != UNKNOWN:
        return cause.name
    kind = f"{type(error).__name__}: {_NUMBERS.sub('#', message_of(error))}"
    return f"{UNKNOWN}/{hashlib.sha256(kind.encode('utf-8', 'replace')).hexdigest()[:12]}"


def message_of(error: Trouble) -> str:
    """What it says for itself, on one line and without secrets; with the type's name where it is
    not one of ours."""
    if isinstance(error, Refusal):
        return error.message
    text = redact(" ".join(str(error).split()))
    if isinstance(error, ProviderPermanent):
        return f"{text} (setting: {error.setting})"
    known = classify(error).name != UNKNOWN
    return text if text and known else f"{type(error).__name__}: {text}"


def explain_cause(name: str, phrases: Phrases) -> tuple[str, str]:
    """What it is and what to do about it, as sentences."""
    cause = cause_named(name) or _BY_NAME[UNKNOWN]
    return phrases.text(f"cause.{cause.name}"), phrases.text(f"cure.{cause.name}")


def _says(error: Trouble, words: Iterable[str]) -> bool:
    text = error.message if isinstance(error, Refusal) else str(error)
    return any(word in text for word in words)


def _is_of_store(error: Trouble) -> bool:
    if isinstance(error, Refusal):
        return error.reason == "store"
    return isinstance(error, StoreError)


def _is_refused_by(error: Trouble, reason: str) -> bool:
    return isinstance(error, Refusal) and error.reason == reason


def _is_of_ledger(error: Trouble) -> bool:
    return isinstance(error, LedgerError) or _is_refused_by(error, "ledger")


def _waits_for_judge(error: Trouble) -> bool:
    return isinstance(error, ProviderError) and _says(error, ("waits for its judge",))


def _is_of_price(error: Trouble) -> bool:
    if isinstance(error, Refusal):
        return error.reason == "no_price"
    return isinstance(error, UnknownPrice)
