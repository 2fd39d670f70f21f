"""What comes of a press or a typed word: who may, what it asks for, and what is answered.

The row was acknowledged long before. Each is worked off once; where a crash came between its effect and
the note of it, the second time finds the answer given and says nothing again.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any, Final

from daemon.clock import Clock
from daemon.config.phrases import Phrases
from daemon.errors import SprintdError, StoreError
from daemon.governance.approval_words import message_key, payload_lines
from daemon.governance.approvals import Approvals, Decision, Question
from daemon.governance.refusal_limit import RefusalLimit
from daemon.notify import message
from daemon.notify.slack_events import Sent, Unreadable, from_payload
from daemon.store import approvals as approval_rows
from daemon.store import inbox, outbox
from daemon.store.approvals import ApprovalRow, Kind, UnreadableRow
from daemon.store.database import Database
from daemon.store.inbox import InboxRow

CHANNEL: Final = "slack"
LONGEST_DETAILS = 2_800
_STATUS_WORDS = ("status", "estado")
_AT_ONCE: Mapping[str, Kind] = {"item.unblock": "unblock", "daemon.resume": "resume"}
_DECISIONS = {"approval.approve": True, "approval.reject": False}
_DETAILS = "approval.details"
_TEST = "test.press"  # its value: the outbox key of the test message that it stands in
_BEGUN = "begun"
_LONGEST_TOLD = 100
_log = logging.getLogger(__name__)


class Interactions:
    """`may_decide` says whether a person is in the list; `status` gives the daemon's state as lines;
    `resumed` is called after something may go on again. `home` is the channel of the founders:
    an id of a person means somebody else in another workspace that has the app, one of a channel
    is not there at all. `is_genuine` says whether a row is as it was kept when it arrived."""

    def __init__(
        self,
        db: Database,
        clock: Clock,
        approvals: Approvals,
        phrases: Phrases,
        *,
        home: str,
        may_decide: Callable[[str], bool],
        status: Callable[[], str],
        resumed: Callable[[], object],
        is_genuine: Callable[[InboxRow], bool] = lambda _row: True,
    ) -> None:
        self._db, self._clock, self._approvals, self._phrases = db, clock, approvals, phrases
        self._home = home
        self._may_decide = may_decide
        self._status = status
        self._resumed = resumed
        self._is_genuine = is_genuine
        self._limit = RefusalLimit()

    def work_off(self, row: InboxRow) -> str:
        """Let a row have its effect and note what came of it, in one line.

        Raises StoreError where that cannot be: the row stays, to be worked off later.
        """
        again = row.outcome == _BEGUN
        inbox.note_begun(self._db, row.key, _BEGUN)
        try:
            if not self._is_genuine(row):
                self._ask_again(row)
                raise Unreadable("it is not as it was kept, or its secret was exchanged since")
            outcome = self._effect_of(from_payload(row.payload), row, again=again)
        except (Unreadable, UnreadableRow) as error:  # it would stay so, and hold up all the others
            self._enter("-", "", f"a press had no effect: {error}")
            outcome = f"refused: {error}"
        inbox.mark_handled(self._db, row.key, outcome, self._clock.now())
        return outcome

    def turn_away(self, count: int, why: str) -> None:
        """Keep in the ledger that nobody known asked, so often since the last time it was kept."""
        told = f"{why} ({count} requests)" if count > 1 else why
        self._approvals.refuse("-", by="nobody known", through=CHANNEL, why=told)

    def tell_held_back(self, *, at_end: bool = False) -> int:
        """Keep in the ledger how many refusals of the past hour have no entry of their own, and whose;
        how many entries that took. `at_end`: also those of an hour that is not over."""
        due = self._limit.due(self._clock.monotonic(), at_end=at_end)
        for one in due:
            why = f"{one.count} more of the past hour were refused, and are no entries of their own"
            self._approvals.refuse("-", by=one.who, through=CHANNEL, why=why)
        if due:
            self._limit.told()
        return len(due)

    def _effect_of(self, sent: Sent, row: InboxRow, *, again: bool) -> str:
        if not self._may_decide(sent.user):
            return self._refused(sent, "is not in slack.deciders")
        if sent.kind == "press" and sent.channel not in ("", self._home):
            return self._refused(sent, "pressed in another channel than slack.channel")
        if sent.kind == "command":
            return self._answer(sent, row.key)
        if sent.action in _DECISIONS:
            return self._decide(sent, row, again=again)
        if sent.action == _DETAILS:
            return self._show(sent)
        if sent.action == _TEST:
            words = self._phrases.text("test.pressed", user=sent.user)
            self._say(f"reply/{row.key}", {"text": words, "thread": sent.value})
            return "answered a test"
        if sent.action in _AT_ONCE:
            return self._at_once(sent, row, again=again)
        return self._refused(sent, "pressed a button that this program does not have")

    def _ask_again(self, row: InboxRow) -> None:
        """Say below the question, once for each, that a press on it came to nothing: else whoever pressed
        before the secret was exchanged believes that it is decided. Nothing in the row is believed."""
        try:
            found = self._approvals.find(from_payload(row.payload).value.partition(":")[0])
        except (Unreadable, UnreadableRow):
            return
        if found is not None and found.state == "pending":
            asked = message_key(found.id, CHANNEL)
            words = self._phrases.text("inbox.press_again", id=found.id)
            self._say(f"{asked}/press_again", {"text": words, "thread": asked})

    def _refused(self, sent: Sent, why: str) -> str:
        about = sent.value.partition(":")[0] or sent.action or "status"
        about = about[:_LONGEST_TOLD]
        if self._enter(about, sent.user, f"{sent.user} {why}"):
            _log.warning("refused in Slack: %s %s (%s)", sent.user, why, about)
        return f"refused: {why}"

    def _enter(self, about: str, by: str, why: str) -> bool:
        """Into the ledger, unless there is enough of it; whether it was."""
        admitted = self._limit.admits(by, self._clock.monotonic())
        if admitted:
            self._approvals.refuse(about, by=by, through=CHANNEL, why=why)
        return admitted

    def _decide(self, sent: Sent, row: InboxRow, *, again: bool) -> str:
        name, _, digest = sent.value.partition(":")
        if again and self._is_decided_by(name, sent.user, row):
            return "decided, before a crash"
        decision = self._approvals.decide(
            name, approve=_DECISIONS[sent.action], by=sent.user, through=CHANNEL, digest=digest
        )
        self._tell(decision)
        self._resumed()
        return _outcome(decision)

    def _is_decided_by(self, name: str, user: str, row: InboxRow) -> bool:
        """Whether this very press decided, as far as anybody can tell after a crash."""
        found = self._approvals.find(name)
        return (
            found is not None
            and (found.decided_by, found.decided_through) == (user, CHANNEL)
            and found.decided_at is not None
            and found.decided_at >= row.received_at
        )

    def _tell(self, decision: Decision) -> None:
        """A decision shows in its message, which is edited; all else is said once in the thread."""
        found = decision.row
        settled = decision.outcome in ("approved", "rejected")
        if found is None or (settled and found.state != "approved"):
            return
        asked = message_key(found.id, CHANNEL)
        name = "held" if settled else decision.outcome
        self._say(f"{asked}/{name}", {"text": decision.words, "thread": asked})

    def _show(self, sent: Sent) -> str:
        found = self._approvals.find(sent.value.partition(":")[0])
        if found is None:
            return self._refused(sent, "asks for details of what is not there")
        asked = message_key(found.id, CHANNEL)
        new = self._say(f"{asked}/details", {**self._details_of(found), "thread": asked})
        return "details are shown" if new else "details were shown before"

    def _details_of(self, row: ApprovalRow) -> dict[str, Any]:
        title = self._phrases.text("inbox.details", id=row.id)
        body = "\n".join(payload_lines(row))
        left = len(body) - LONGEST_DETAILS
        note = ""
        if left > 0:
            note = self._phrases.text("inbox.details_cut", count=f"{left:,}", id=row.id)
        shown = body[:LONGEST_DETAILS]
        return {
            "title": title,
            "text": "\n".join(filter(None, (title, shown, note))),
            "parts": [message.heading(title), message.text(shown), message.small(note or row.id)],
        }

    def _at_once(self, sent: Sent, row: InboxRow, *, again: bool) -> str:
        dedupe = f"{sent.action}/{row.key}"
        done = approval_rows.find_latest(self._db, dedupe) if again else None
        if done is not None and done.state != "approved":
            return "done, before a crash"
        question = self._question_of(sent, dedupe)
        try:
            decision = self._approvals.act_at_once(question, by=sent.user, through=CHANNEL)
        except StoreError:
            raise
        except SprintdError as error:
            return self._refused(sent, f"pressed a button that cannot be: {error}")
        self._say(f"reply/{row.key}", {"text": decision.words})
        self._resumed()
        return _outcome(decision)

    def _question_of(self, sent: Sent, dedupe: str) -> Question:
        say = self._phrases.text
        unblocks = sent.action == "item.unblock"
        item = sent.value[:_LONGEST_TOLD]
        return Question(
            kind=_AT_ONCE[sent.action],
            title=say("inbox.unblock_title", item=item) if unblocks else say("inbox.resume_title"),
            why=say("inbox.pressed", user=sent.user),
            asked_by=f"{CHANNEL}:{sent.user}",
            payload={"item": sent.value} if unblocks else {},
            dedupe=dedupe,
        )

    def _answer(self, sent: Sent, key: str) -> str:
        word = sent.words.partition(" ")[0]
        if word not in _STATUS_WORDS:
            return self._reply(sent, key, self._phrases.text("inbox.help"))
        return self._reply(sent, key, self._status(), title=self._phrases.text("inbox.status"))

    def _reply(self, sent: Sent, key: str, text: str, *, title: str = "") -> str:
        payload: dict[str, Any] = {"text": text}
        if title:
            shown = [message.line(line) for line in text.splitlines() if line.strip()]
            payload |= {"title": title, "parts": [message.heading(title), message.lines(shown)]}
        if sent.stamp and sent.channel == self._home:
            payload["_thread_ts"] = sent.stamp
        self._say(f"reply/{key}", payload)
        return "answered"

    def _say(self, key: str, payload: Mapping[str, Any]) -> bool:
        return outbox.enqueue(
            self._db, key=key, channel=CHANNEL, payload=payload, now=self._clock.now()
        )


def _outcome(decision: Decision) -> str:
    return f"{decision.outcome}: {decision.words}"
