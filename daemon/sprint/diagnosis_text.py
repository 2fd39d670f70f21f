"""A diagnosis as people read it, and as a model is asked about it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from daemon.clock import utc_text
from daemon.config.phrases import Phrases
from daemon.config.visible import visible
from daemon.governance.known_causes import explain_cause
from daemon.llm.provider import Prompt, SourceText
from daemon.sprint.framing import frame_sources

_LONGEST_MESSAGE = 400
_LONGEST_READING = 2_000
_MOST_GROUPS = 10
_READING_TOKENS = 700
_LANGUAGES = {"en": "English", "es": "Spanish"}
_MARKDOWN = re.compile(r"([\\`*_\[\]<>|#!~])")


@dataclass(frozen=True)
class Group:
    """All errors of one cause; `message` is the newest, `items` the backlog items it stopped."""

    cause: str
    count: int
    first_at: datetime
    last_at: datetime
    message: str
    items: tuple[str, ...]


@dataclass(frozen=True)
class Picture:
    """What the diagnosis of a sprint looked at; the groups with the most errors first."""

    sprint_id: int
    at: datetime
    failures: int
    groups: tuple[Group, ...]

    @property
    def likely(self) -> Group:
        """The cause that most errors have. Raises IndexError where there is none."""
        return self.groups[0]


def render_diagnosis(picture: Picture, reading: str, phrases: Phrases) -> str:
    """The whole note. `reading` is a model's word on it, or empty; it is marked as not verified."""
    say = phrases.text
    at = f"{picture.at:%Y-%m-%d %H:%M}"
    parts = [f"# {say('diagnosis.title', at=at, sprint=picture.sprint_id)}"]
    parts += _likely(picture, phrases)
    parts.append(f"## {say('diagnosis.errors_heading')}")
    errors = sum(group.count for group in picture.groups)
    parts.append(say("diagnosis.found", failures=picture.failures, errors=errors))
    parts += [_group(group, phrases) for group in picture.groups[:_MOST_GROUPS]]
    if reading.strip():
        parts += [f"## {say('diagnosis.reading_heading')}", _quoted(reading)]
    parts += [f"## {say('diagnosis.next')}", say("diagnosis.next_trial")]
    return "\n\n".join(parts) + "\n"


def reading_prompt(model: str, picture: Picture, phrases: Phrases) -> Prompt:
    """Ask for the likely cause in a few sentences. The errors are data, framed as such."""
    body = "\n".join(
        f"- {group.cause}, {group.count} times, last {utc_text(group.last_at)}: "
        f"{_one_line(group.message)}"
        for group in picture.groups[:_MOST_GROUPS]
    )
    source = SourceText("errors", "error_record", "Errors of the daemon", body, untrusted=True)
    return Prompt(
        model=model,
        system=(
            "You help the operator of sprintd, a daemon that asks a language model to work through "
            "a backlog of research tasks and judges each answer. You have no tools."
        ),
        user=(
            f"{picture.failures} sprints failed in a row. These errors are on record:\n\n"
            f"{frame_sources((source,))}\n\n"
            "Name the most likely cause in one sentence, then what to check first, second and third, "
            "one short line each. Say so where the errors do not tell. Invent nothing. Write in "
            f"{_LANGUAGES[phrases.language]}, at most 120 words."
        ),
        max_output_tokens=_READING_TOKENS,
        question="Why did the last sprints fail?",
        sources=(source,),
        effort="low",
        language=phrases.language,
    )


def _likely(picture: Picture, phrases: Phrases) -> list[str]:
    heading = f"## {phrases.text('diagnosis.cause_heading')}"
    if not picture.groups:
        return [heading, phrases.text("diagnosis.none")]
    what, cure = explain_cause(picture.likely.cause, phrases)
    message = _plain(picture.likely.message)
    return [
        heading,
        phrases.text("diagnosis.cause", cause=what, message=message),
        phrases.text("diagnosis.cure", cure=cure),
    ]


def _group(group: Group, phrases: Phrases) -> str:
    what, cure = explain_cause(group.cause, phrases)
    first, last = (f"{at:%Y-%m-%d %H:%M}" for at in (group.first_at, group.last_at))
    lines = [
        f"- {phrases.text('diagnosis.times', cause=what, count=group.count)}",
        f"  - {phrases.text('diagnosis.first_last', first=first, last=last)}"
        + (f" ({', '.join(group.items[:_MOST_GROUPS])})" if group.items else ""),
        f"  - {_plain(group.message)}",
        f"  - {phrases.text('diagnosis.cure', cure=cure)}",
    ]
    return "\n".join(lines)


def _quoted(reading: str) -> str:
    """As a quotation that nothing inside can leave."""
    lines = (visible(line).rstrip() for line in reading.strip()[:_LONGEST_READING].splitlines())
    return "\n".join(f"> {_harmless(line)}".rstrip() for line in lines)


def _plain(message: str) -> str:
    """An error's words come from outside: one line in which nothing is Markdown."""
    return _harmless(_one_line(message))


def _harmless(line: str) -> str:
    return _MARKDOWN.sub(r"\\\1", line)


def _one_line(message: str) -> str:
    line = visible(" ".join(message.split()))
    return line if len(line) <= _LONGEST_MESSAGE else line[: _LONGEST_MESSAGE - 1] + "…"
