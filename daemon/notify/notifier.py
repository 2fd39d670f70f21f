"""What a way out must be able to do. Two have it: `slack` and `notion`."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Protocol


class Sender(Protocol):
    """Carries messages to one place on the far side, one request at a time, without retries."""

    def send(self, key: str, payload: Mapping[str, Any]) -> str:
        """Deliver a message that bears its key; the far side's own name for it.

        Raises SendRefused, SendLater or SendUncertain (see daemon/errors.py), nothing else on
        purpose. No text of an error holds a secret.
        """

    def find(self, key: str, payload: Mapping[str, Any], *, since: datetime) -> str | None:
        """Ask the far side for the message of a key that was first tried after `since`.

        Its name there, or None where it surely is not there. Of a message in several parts, parts
        that are missing are added first. Raises as `send` does.
        """

    def close(self) -> None:
        """Give up connections; a request under way ends by its own time-out."""
