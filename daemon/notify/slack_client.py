"""The client of Slack's Web API as this house uses it: quiet, without retries of its own."""

from __future__ import annotations

import logging
import ssl
import urllib.error
import urllib.request
from typing import Any
from urllib.parse import urlsplit

from slack_sdk import WebClient

from daemon.config.addresses import is_this_machine


class QuietClient(WebClient):
    """No retries, no redirects (they would carry the token elsewhere), no proxy to loopback.

    The library has no switch for the last two: its proxy takes everything, this machine included.
    """

    def __init__(self, token: str, base_url: str, read_seconds: float) -> None:
        # Its own logger would repeat each failure and, at DEBUG, write the whole message.
        silent = logging.getLogger(f"{__name__}.sdk")
        silent.setLevel(logging.CRITICAL)
        super().__init__(
            token=token,
            base_url=base_url,
            timeout=read_seconds,  # type: ignore[arg-type]  # seconds, also parts of one
            retry_handlers=[],
            logger=silent,
        )
        direct = is_this_machine(urlsplit(base_url).hostname or "")
        self._opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({} if direct else None),
            urllib.request.HTTPSHandler(context=ssl.create_default_context()),
            _NoRedirect(),
        )

    def _perform_urllib_http_request_internal(
        self,
        url: str,  # noqa: ARG002
        req: urllib.request.Request,
    ) -> dict[str, Any]:
        with self._opener.open(req, timeout=self.timeout) as answer:
            body = answer.read().decode("utf-8", "replace")
            return {"status": answer.status, "headers": answer.headers, "body": body}

    def send_bytes(self, request: urllib.request.Request) -> None:
        """Send a request as it is, without the token. Raises OSError and HTTPException."""
        try:
            with self._opener.open(request, timeout=self.timeout) as answer:
                answer.read()
        except urllib.error.HTTPError as refusal:
            refusal.close()
            raise


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: object) -> None:
        return None
