"""What a halt says to people, and the button that ends it."""

from __future__ import annotations

from daemon.config.phrases import Phrases
from daemon.notify import message
from daemon.notify.message import Part


def halt_parts(reason: str, phrases: Phrases) -> tuple[Part, ...]:
    """The message of a halt: why, what to do, and a button that resumes."""
    words = phrases.text("digest.halted", reason=reason.rstrip("."))
    return message.text(f"🛑 {words}"), message.buttons([resume_button(phrases)])


def resume_button(phrases: Phrases) -> Part:
    """Asks first: models are asked again then, for money."""
    return message.button(
        phrases.text("digest.resume"),
        "daemon.resume",
        "",
        style="primary",
        confirm=phrases.text("digest.ask_resume"),
    )
