"""The doctor's look outside: whether what the daemon talks to can be reached, and the daemon itself.

A connection is opened and closed again: no request to a model, no message, no cost.
"""

from __future__ import annotations

import http.client
import json
import socket
import ssl
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies_environment, proxy_bypass

from daemon.cli.doctor_result import Result, fault, ok, warn
from daemon.config.sections import Config

# As the doors to the services have them, which take too long to load for one look; a test holds both equal.
SERVICES = {
    "provider": "https://api.anthropic.com",
    "slack": "https://slack.com/api/",
    "notion": "https://api.notion.com",
}
_PORTS = {"http": 80, "https": 443}
_PATIENCE_SECONDS = 5.0
_ANY_ADDRESS = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - looked at, not listened on


@dataclass(frozen=True)
class Endpoint:
    """`setting` is where its address stands in config.toml."""

    name: str
    url: str
    setting: str


def list_endpoints(config: Config, provider: str) -> list[Endpoint]:
    """What the daemon connects to under these settings; `provider` is the kind in use."""
    found = []
    if provider == "claude":
        url = config.provider.base_url or SERVICES["provider"]
        found.append(Endpoint("provider", url, "provider.base_url"))
    if config.slack.channel:
        url = config.slack.base_url or SERVICES["slack"]
        found.append(Endpoint("slack", url, "slack.base_url"))
    if config.notion.findings_data_source:
        url = config.notion.base_url or SERVICES["notion"]
        found.append(Endpoint("notion", url, "notion.base_url"))
    return found


def check_endpoint(endpoint: Endpoint) -> Result:
    """One connection, with TLS where the address has it, through the proxy that the machine names."""
    url = urlsplit(endpoint.url)
    host, port = url.hostname or "", url.port or _PORTS[url.scheme]
    check = f"endpoint {endpoint.name}"
    proxy = getproxies_environment().get(url.scheme, "")
    try:
        if proxy and not proxy_bypass(host):
            via = urlsplit(proxy)
            _connect(via.hostname or "", via.port or _PORTS["http"], with_tls=False)
            return ok(
                check, f"the proxy to {host}:{port} can be reached; what is behind it was not tried"
            )
        _connect(host, port, with_tls=url.scheme == "https")
    except ssl.SSLCertVerificationError as error:
        cure = "look at the machine's clock and at its package ca-certificates"
        return fault(check, f"{host}:{port} has no valid certificate: {error.verify_message}", cure)
    except OSError as error:
        reason = error.strerror or str(error) or type(error).__name__
        cure = f"look at the network, its firewall and name service, and at {endpoint.setting}"
        return fault(check, f"{host}:{port} cannot be reached: {reason}", cure)
    return ok(check, f"{host}:{port} can be reached")


def ask_health(state_dir: Path) -> Mapping[str, Any] | str:
    """What the daemon that runs here answers, or why it does not."""
    try:
        url = urlsplit((state_dir / "address").read_text("utf-8").strip())
        host = _ANY_ADDRESS.get(url.hostname or "", url.hostname or "")
        connection = http.client.HTTPConnection(host, url.port, timeout=_PATIENCE_SECONDS)
        try:
            connection.request("GET", "/health", headers={"Host": "localhost"})
            found = json.loads(connection.getresponse().read())
        finally:
            connection.close()
    except (OSError, ValueError, http.client.HTTPException) as error:
        return str(error) or type(error).__name__
    return found if isinstance(found, dict) else "the answer is no object"


def check_health(health: Mapping[str, Any] | str) -> Iterator[Result]:
    """The daemon's own word about itself."""
    if isinstance(health, str):
        cure = "give a start half a minute, else restart it: systemctl restart sprintd"
        yield fault("health", f"the daemon that runs here does not answer: {health}", cure)
        return
    problems = health.get("problems", ())
    for problem in problems:
        yield fault("health", str(problem), "docs/operations.md says what to do")
    for job in health.get("jobs", ()):
        skips = job.get("skips_in_a_row", 0)
        if skips > 1:
            message = f"the job {job.get('name')} was skipped {skips} times in a row"
            yield warn("health", message, "the log says which run hangs; restart the daemon")
    if not problems:
        yield ok("health", f"the daemon answers and is well; it uses {health.get('provider')}")


def _connect(host: str, port: int, *, with_tls: bool) -> None:
    with socket.create_connection((host, port), timeout=_PATIENCE_SECONDS) as connection:
        if with_tls:
            context = ssl.create_default_context()
            with context.wrap_socket(connection, server_hostname=host):
                pass
