"""The door for what people press and type: keeps it, and knows how the way in is doing."""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
import threading
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

from daemon.clock import Clock
from daemon.config.phrases import Phrases
from daemon.config.secrets import find_secret
from daemon.config.sections import Config
from daemon.notify.senders import SLACK_APP_TOKEN, SLACK_SIGNING_SECRET
from daemon.notify.slack_events import SEAL, Sent
from daemon.store import inbox
from daemon.store.database import Database
from daemon.store.inbox import InboxRow
from daemon.store.stored_text import repair_text

Way = Literal["socket", "http", ""]
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class WayState:
    """How the way in is doing. `since` is None before anything was tried; `problem` says why nothing
    comes in, empty where all is well."""

    connected: bool
    since: datetime | None
    problem: str


@dataclass(frozen=True)
class Strangers:
    """Requests that no secret of ours had signed, since somebody last asked: how many, and why the
    newest was refused."""

    count: int
    why: str


class Inbound:
    """One for the whole process; every thread may use it. `way` is empty where nobody can press.

    `deciders` gives the ids of those who may, as they are now. `app_token` and `signing_secret` are
    secrets, None where there is none.
    """

    def __init__(
        self,
        db: Database,
        clock: Clock,
        phrases: Phrases,
        *,
        way: Way,
        deciders: Callable[[], Collection[str]],
        app_token: str | None = None,
        signing_secret: str | None = None,
    ) -> None:
        self.way = way
        self.app_token = app_token
        self.signing_secret = signing_secret
        self.arrived = threading.Event()
        self.refused = 0
        self._db = db
        self._clock = clock
        self._phrases = phrases
        self._deciders = deciders
        self._lock = threading.Lock()
        self._state = WayState(way == "http", None, "")
        self._strangers = Strangers(0, "")

    @property
    def state(self) -> WayState:
        return self._state

    def receive(self, source: str, found: Iterable[Sent]) -> int:
        """Keep what arrived; how much of it is new. Afterwards it may be acknowledged.

        Raises StoreError where it could not be kept: then it must not be.
        """
        now, secret = self._clock.now(), self._secret
        with self._db.immediate():
            new = sum(
                inbox.receive(self._db, one.key, source, sealed(one, secret), now) for one in found
            )
        self.arrived.set()
        return new

    def is_genuine(self, row: InboxRow) -> bool:
        """Whether this program kept it under the secret in force. One that somebody wrote or changed
        in the database is not, and neither is one that was kept before the secret was exchanged."""
        given = row.payload.get(SEAL)
        if not self._secret or not isinstance(given, str):
            return False
        kept = {name: value for name, value in row.payload.items() if name != SEAL}
        is_own = kept.get("key") == row.key
        return is_own and hmac.compare_digest(given.encode(), _seal(kept, self._secret).encode())

    @property
    def _secret(self) -> str:
        return self.app_token or self.signing_secret or ""

    def may_decide(self, user: str) -> bool:
        """Whether a person's id is in the list; an empty list holds nobody."""
        return user in self._deciders()

    def answer_at_once(self, found: Iterable[Sent]) -> str:
        """What whoever typed a command reads while it is worked on; empty for everything else."""
        typed = next((one for one in found if one.kind == "command" and not one.stamp), None)
        if typed is None:
            return ""
        known = self.may_decide(typed.user)
        return self._phrases.text("inbox.at_once" if known else "inbox.not_listed")

    def is_up(self) -> None:
        """The far side greeted us."""
        with self._lock:
            if not self._state.connected:
                self._state = WayState(connected=True, since=self._clock.now(), problem="")

    def is_down(self, problem: str) -> bool:
        """Nothing comes in; whether that is news."""
        with self._lock:
            before = self._state
            since = before.since if before.problem else self._clock.now()
            self._state = WayState(connected=False, since=since, problem=problem)
            return before.problem != problem

    def turn_away(self, why: str) -> None:
        """Count a request that nobody we know has signed; a ledger entry tells of it later."""
        with self._lock:
            self.refused += 1
            self._strangers = Strangers(self._strangers.count + 1, why)
        self.arrived.set()

    def take_strangers(self) -> Strangers:
        """What `turn_away` counted since the last call."""
        with self._lock:
            found, self._strangers = self._strangers, Strangers(0, "")
            return found


def sealed(sent: Sent, secret: str) -> dict[str, str]:
    """What is kept of it, with a seal that only who has the secret can make."""
    payload = {name: repair_text(value) for name, value in sent.as_payload().items()}
    return {**payload, SEAL: _seal(payload, secret)}


def _seal(payload: Mapping[str, object], secret: str) -> str:
    text = json.dumps(payload, sort_keys=True, default=str)
    return hmac.new(f"inbox:{secret}".encode(), text.encode(), hashlib.sha256).hexdigest()


def build_inbound(
    config: Config,
    environ: Mapping[str, str],
    state_dir: Path,
    db: Database,
    clock: Clock,
    *,
    posts: bool,
    deciders: Callable[[], Collection[str]],
) -> Inbound:
    """The way in that is configured, if messages go out (`posts`) and its secret is there.

    Where people are named who may decide, but nothing can come in from them, that is logged. Raises
    SprintdError for a secret that cannot be used.
    """
    mode = config.slack.mode
    name = SLACK_APP_TOKEN if mode == "socket" else SLACK_SIGNING_SECRET
    secret = find_secret(name, environ=environ, state_dir=state_dir) if posts else None
    if config.slack.deciders and not secret:
        _log.warning(
            "slack.deciders is set but nothing comes in: it needs slack.channel, the secret "
            "slack_bot_token and the secret %s", name,
        )  # fmt: skip
    return Inbound(
        db,
        clock,
        Phrases(config.daemon.language),
        way=mode if secret else "",
        deciders=deciders,
        app_token=secret if mode == "socket" else None,
        signing_secret=secret if mode == "http" else None,
    )
