"""The digest as a message with links and buttons: read on a telephone in ten seconds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set

from daemon.config.phrases import Phrases
from daemon.governance import halt_words
from daemon.governance.budget import BudgetDay
from daemon.notify import message
from daemon.notify.message import Part
from daemon.reports.digest_words import (
    LONGEST_SUMMARY,
    changed_of,
    finding_values,
    human_of,
    money_line,
    newest_of,
    sentence_of,
    sprints_line,
    values_of,
)
from daemon.reports.pages import item_page
from daemon.reports.plain_text import one_line
from daemon.store.events import EventRow

_MOST_ENTRIES = 10
_MOST_UNBLOCKS = 3
_SHORT = {"halted": "short_halted", "blocked": "short_blocked", "rejected": "short_rejection"}

Tell = Callable[[EventRow], Part]


def digest_parts(
    news: Sequence[EventRow],
    day: BudgetDay,
    phrases: Phrases,
    mended: Set[int] = frozenset(),
    address: str = "",
) -> tuple[Part, ...]:
    """What was learned, what was rejected and why, the money, and what needs a human with buttons.

    `mended` are the ids of events that need nobody any more; `address` is where links to the page
    lead, empty where there are none.
    """
    say, told = phrases.text, _Told(phrases, address)
    standing, over = human_of(news, mended)
    return (
        message.heading(say("digest.title", at=f"{news[-1].at:%Y-%m-%d %H:%M}")),
        *told.section("learned", newest_of(news, "accepted"), told.finding),
        *told.section("rejected", newest_of(news, "rejected"), told.short),
        *told.section("mended", over, told.was),
        *_also(news, phrases),
        message.bar(money_line(day, phrases), day.spent_micros, day.cap_micros),
        *told.section("needs_you", standing, told.short),
        *_buttons(standing[:_MOST_ENTRIES], phrases),
    )


def digest_brief(news: Sequence[EventRow], phrases: Phrases, mended: Set[int] = frozenset()) -> str:
    """What a locked telephone shows: how much there is of what."""
    return phrases.text(
        "digest.brief",
        learned=len(newest_of(news, "accepted")),
        rejected=len(newest_of(news, "rejected")),
        human=len(human_of(news, mended)[0]),
    )


class _Told:
    """Events as entries of a list."""

    def __init__(self, phrases: Phrases, address: str) -> None:
        self._phrases = phrases
        self._address = address

    def section(self, title: str, found: Sequence[EventRow], tell: Tell) -> list[Part]:
        if not found:
            return []
        entries = [tell(event) for event in found[:_MOST_ENTRIES]]
        more = len(found) - len(entries)
        if more:
            words = self._phrases.text("digest.more", count=more)
            link = f"{self._address}/" if self._address else ""
            entries.append(message.line("", mark=words, link=link, stands_for=more))
        heading = f"{self._phrases.text(f'digest.{title}')} ({len(found)})"
        return [message.lines(entries, title=heading)]

    def finding(self, event: EventRow) -> Part:
        values = finding_values(event, self._phrases)
        facts = self._phrases.text("digest.short_finding", **_without(values, "item", "title"))
        summary = one_line(str(event.facts.get("summary", "")), LONGEST_SUMMARY)
        return self._line(event, str(values["title"]), f"{facts}. {summary}" if summary else facts)

    def short(self, event: EventRow) -> Part:
        """Without the command that cures it where a button does."""
        short = _SHORT.get(event.kind)
        if short is None:
            return message.line(sentence_of(event, self._phrases))
        values = values_of(event)
        words = self._phrases.text(f"digest.{short}", **_without(values, "item", "title"))
        if event.kind == "halted":
            return message.line(words)
        return self._line(event, str(values["title"]), words)

    def was(self, event: EventRow) -> Part:
        return message.line(sentence_of(event, self._phrases, was="was_"))

    def _line(self, event: EventRow, words: str, detail: str) -> Part:
        item = event.item or ""
        link = item_page(self._address, item) if item else ""
        return message.line(words, mark=item, detail=detail, link=link)


def _without(values: Mapping[str, object], *names: str) -> dict[str, object]:
    return {name: value for name, value in values.items() if name not in names}


def _also(news: Sequence[EventRow], phrases: Phrases) -> Iterator[Part]:
    """What works again, what a person changed, and how the sprints ended: in small print."""
    for event in changed_of(news, _MOST_ENTRIES):
        yield message.small(sentence_of(event, phrases))
    if sprints := sprints_line(news, phrases):
        yield message.small(sprints)


def _buttons(standing: Sequence[EventRow], phrases: Phrases) -> list[Part]:
    """At most a handful, for what is shown: resume where it is halted, and unblock the newest items."""
    found = [halt_words.resume_button(phrases)] if any(e.kind == "halted" for e in standing) else []
    items = dict.fromkeys(e.item for e in reversed(standing) if e.kind == "blocked" and e.item)
    found += [
        message.button(
            phrases.text("digest.unblock", item=item),
            "item.unblock",
            item,
            confirm=phrases.text("digest.ask_unblock", item=item),
        )
        for item in list(items)[:_MOST_UNBLOCKS]
    ]
    return [message.buttons(found)] if found else []
