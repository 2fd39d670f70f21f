"""Starting: find everything that is wrong, say what runs and where, then serve."""

from __future__ import annotations

import errno
import logging
import os
import socket
import struct
import sys
from collections.abc import Callable, MutableMapping
from contextlib import suppress
from pathlib import Path

from daemon import __version__
from daemon.bootstrap import Services, find_secrets, state_dir_of
from daemon.clock import SystemClock
from daemon.config.phrases import Phrases
from daemon.config.redaction import configure_logging, log_uncaught
from daemon.config.sections import Config
from daemon.config.token_file import load_or_make_token
from daemon.config.toml_file import load_config
from daemon.errors import NotFound, SprintdError, WorkspaceInvalid
from daemon.governance.budget import usd_text
from daemon.governance.trifecta import FAULT_KEY
from daemon.llm.provider import Provider
from daemon.notify.console import LogNotifier, write_line
from daemon.reports.serving import provider_line
from daemon.server.gunicorn_app import Server
from daemon.server.plan import Plan
from daemon.store.owner_lock import OwnerLock
from daemon.workspace.backlog import BACKLOG_FILE

TIMEOUT_SECONDS = 30
STALL_SECONDS = 2
_SEND_SECONDS = 10
_SAY_SECONDS = 1.0
_log = logging.getLogger(__name__)


class AddressRefused(SprintdError):
    """The page's address cannot be listened on."""

    exit_code = 2


def run_server(
    root: Path,
    *,
    environ: MutableMapping[str, str] = os.environ,
    host: str | None = None,
    port: int | None = None,
    make_provider: Callable[[], Provider] | None = None,
    timeout_seconds: int = TIMEOUT_SECONDS,
    stall_seconds: int = STALL_SECONDS,
    at: Callable[[str], None] = lambda _step: None,
) -> None:
    """Run the daemon until it is asked to stop; ends the process with SystemExit (0: in order).

    `host` and `port` replace those of config.toml. `timeout_seconds` is gunicorn's patience with a
    worker process whose web loop hangs; `stall_seconds` ours with a request that stops in its
    middle; `at` is told the name of every step that a sprint has done. Whatever can be found wrong is
    found before anything is served: raises NotFound where `root` is no workspace, WorkspaceInvalid
    for a faulty config.toml or an agent that holds all three powers, AlreadyRunning, StoreError,
    AddressRefused, and SprintdError for a provider that cannot be built.
    """
    root = root.resolve()
    if not (root / BACKLOG_FILE).exists():
        raise NotFound(f"{root} has no {BACKLOG_FILE}; make a workspace: sprintd init {root}")
    config = _with_address(load_config(root), host, port)
    token = load_or_make_token(state_dir_of(root))
    secrets = (*find_secrets(root, environ), token)
    form = config.daemon.log_format
    configure_logging(
        level=config.daemon.log_level,
        secrets=secrets,
        stream=sys.stderr,
        form=form,
        environ=environ,
    )
    log_uncaught()
    plan = Plan(root, config, environ, make_provider, timeout_seconds, at)
    provider = _check(plan)
    listener = _listen(config.web.host, config.web.port)
    _limit_stalls(listener, stall_seconds)
    address = _announce(plan, listener, provider)
    Server(plan, token, listener.detach(), lambda: _say_farewell(plan, address)).run()


def _check(plan: Plan) -> str:
    """Build and close everything once, so that faults show before a server starts.

    What the provider is, as one line.
    """
    lock = OwnerLock(plan.state_dir)
    lock.acquire(SystemClock().now())
    try:
        if lock.took_over:
            _log.warning(Phrases(plan.config.daemon.language).text("serve.took_over"))
        services = plan.build()
        try:
            _refuse_unsafe(services)
            metered = services.metered
            return provider_line(metered.provider_name, metered.describe(), services.phrases)
        finally:
            services.close()
    finally:
        lock.release()


def _refuse_unsafe(services: Services) -> None:
    """Broken files wait for their repair; a workspace in which an agent holds all three powers does
    not start at all. Raises WorkspaceInvalid with the ways that join them."""
    unsafe = [fault for fault in services.look_again() if fault.key == FAULT_KEY]
    if unsafe:
        raise WorkspaceInvalid(unsafe)


def _listen(host: str, port: int) -> socket.socket:
    """Bound here and not by gunicorn, which tries a port in use again and again."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, _kind, _protocol, _name, address = found[0]
        return socket.create_server(address[:2], family=family, backlog=128)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            problem = "is in use; stop what listens there or change web.port in config.toml"
        else:
            problem = f"cannot be listened on ({error.strerror}); change web.host or web.port"
        raise AddressRefused(f"{host}:{port} {problem}") from error


def _limit_stalls(listener: socket.socket, stall_seconds: int) -> None:
    """Accepted connections inherit the limits, so a client that stalls cannot keep a thread.

    Gunicorn waits for ever for the rest of a request, and four such clients would silence /health.
    """
    limits = {socket.SO_RCVTIMEO: stall_seconds, socket.SO_SNDTIMEO: _SEND_SECONDS}
    for option, seconds in limits.items():
        listener.setsockopt(socket.SOL_SOCKET, option, struct.pack("@ll", seconds, 0))


def _announce(plan: Plan, listener: socket.socket, provider: str) -> str:
    """Say once, before serving, what runs and where.

    The address, which a file keeps for other programs as long as the daemon runs.
    """
    host, port = listener.getsockname()[:2]
    address = f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"
    plan.address_file.write_text(address + "\n", "utf-8")
    line = Phrases(plan.config.daemon.language).text(
        "serve.listening",
        version=__version__,
        provider=provider,
        cap=usd_text(plan.config.budget.daily_cap_micros),
        address=address,
    )
    _say(plan, line)
    return address


def _say_farewell(plan: Plan, address: str) -> None:
    with suppress(OSError):  # gone; and what another daemon wrote there stays
        if plan.address_file.read_text("utf-8").strip() == address:
            plan.address_file.unlink(missing_ok=True)
    _say(plan, Phrases(plan.config.daemon.language).text("serve.stopped"))


def _say(plan: Plan, line: str) -> None:
    if plan.config.daemon.log_format == "json":
        LogNotifier().post(line)
    else:
        # Neither the start nor the end waits for somebody who does not read.
        write_line(sys.stdout, line, wait_seconds=_SAY_SECONDS)


def _with_address(config: Config, host: str | None, port: int | None) -> Config:
    wanted = {"host": host, "port": port}
    given = {name: value for name, value in wanted.items() if value is not None}
    return config.model_copy(update={"web": config.web.model_copy(update=given)})
