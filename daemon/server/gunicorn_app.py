"""The only user of gunicorn: what it is told, and what it calls."""

from __future__ import annotations

import gc
import logging
import os
import signal
import sys
from collections.abc import Callable
from math import ceil
from pathlib import Path
from types import FrameType
from typing import Any

from gunicorn.app.base import BaseApplication
from gunicorn.arbiter import Arbiter
from gunicorn.glogging import Logger
from gunicorn.workers.gthread import ThreadWorker

from daemon.errors import AlreadyRunning, SprintdError
from daemon.notify.systemd import Systemd
from daemon.server.plan import Plan
from daemon.server.supervisor import StopRequest, longest_stop_seconds

_STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT)
_FAST_TMP = Path("/dev/shm")  # noqa: S108  gunicorn's heartbeat must not wait for a disk
# A thread that computes gives way this soon: /health takes the interpreter back some dozen times,
# and with Python's own 5 ms each time it would wait for a sprint and a page that are computed.
_TURN_SECONDS = 0.0005
# How rarely all objects are looked through for cycles, which stops every thread: with Python's own
# figures it happens at each load of a large map. Young objects are still looked through often.
_COLLECTOR = (50_000, 10, 10)
# What gunicorn itself answers to what is no request; it repeats the sender's words there.
_CLOSED = b"".join(
    (
        b"\r\nCache-Control: no-store",
        b"\r\nContent-Security-Policy: default-src 'none'; frame-ancestors 'none'",
        b"\r\nX-Content-Type-Options: nosniff",
        b"\r\nX-Frame-Options: DENY\r\n",
    )
)
_log = logging.getLogger(__name__)


class _Log(Logger):  # type: ignore[misc]  # gunicorn has no type information
    """Gunicorn's messages go where ours go, without secrets and in the same form."""

    def setup(self, cfg: Any) -> None:
        super().setup(cfg)
        self.error_log.handlers.clear()
        self.error_log.propagate = True

    def exception(self, msg: str, *args: Any, **kwargs: Any) -> None:
        if isinstance(sys.exc_info()[1], BlockingIOError):
            self.warning("a client was given up, for it stopped in the middle of its request")
        else:
            super().exception(msg, *args, **kwargs)


class _Worker(ThreadWorker):  # type: ignore[misc]
    """Gunicorn's own refusals are closed off as our pages are."""

    def handle_error(self, req: Any, client: Any, addr: Any, exc: BaseException) -> None:
        super().handle_error(req, _ClosedOff(client), addr, exc)


class _ClosedOff:
    """A connection on which one whole refusal is sent; our headers go behind its first line."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def sendall(self, answer: bytes) -> None:
        self._client.sendall(answer.replace(b"\r\n", _CLOSED, 1))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)


class _Arbiter(Arbiter):  # type: ignore[misc]
    """One worker, never two: signals that would start another one are not for us."""

    def init_signals(self) -> None:
        """A closed terminal ends the daemon in order, unless it was started with nohup."""
        kept = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
        super().init_signals()
        if kept:
            signal.signal(signal.SIGHUP, signal.SIG_IGN)

    def handle_hup(self) -> None:
        self.handle_term()

    def handle_ttin(self) -> None:
        _log.warning("there is always exactly one worker")

    handle_ttou = handle_usr2 = handle_winch = handle_ttin


class Server(BaseApplication):  # type: ignore[misc]
    """What gunicorn is told, and what it calls."""

    def __init__(
        self, plan: Plan, token: str, descriptor: int, on_exit: Callable[[], None]
    ) -> None:
        self._plan = plan
        self._token = token
        self._descriptor = descriptor
        self._after = on_exit
        self._life: Any = None  # a Life, in the worker process only
        self._systemd = Systemd()
        super().__init__()

    def load_config(self) -> None:
        settings: dict[str, Any] = {
            "bind": f"fd://{self._descriptor}",
            "workers": 1,
            "worker_class": _Worker,
            "threads": 16,  # a slow client holds one for as long as it may stall
            "timeout": self._plan.timeout_seconds,
            "graceful_timeout": self._graceful_seconds(),
            "max_requests": 0,
            "preload_app": False,
            "control_socket_disable": True,
            "forwarder_headers": "",  # nobody who asks may say under which path we are
            "worker_tmp_dir": str(_FAST_TMP) if os.access(_FAST_TMP, os.W_OK) else None,
            "loglevel": "warning",
            "logger_class": _Log,
            "on_starting": self._on_starting,
            "post_worker_init": self._post_worker_init,
            "worker_exit": self._worker_exit,
            "on_exit": self._on_exit,
        }
        for name, value in settings.items():
            self.cfg.set(name, value)

    def run(self) -> None:
        _Arbiter(self).run()

    def load(self) -> Any:
        """In the worker process. An error ends the arbiter too: 3 and 4 are its words for that."""
        # Imported here so that the arbiter never holds what only the worker needs (8 MB).
        from daemon.server.life import Life

        try:
            self._life = Life.prepare(self._plan, self._token, self._systemd)
        except SprintdError as error:
            _log.critical("%s", error)
            sys.exit(4 if isinstance(error, AlreadyRunning) else 3)
        return self._life.app

    def _on_starting(self, _arbiter: Any) -> None:
        # Gunicorn would say READY before the worker has started, and never WATCHDOG.
        self._systemd = Systemd.take_from(self._plan.environ, os.getpid())

    def _post_worker_init(self, gunicorn_worker: Any) -> None:
        life = self._life
        if life is None:
            return

        _share_the_interpreter()
        request = StopRequest(life.services.stop)

        def ask_to_stop(number: int, frame: FrameType | None) -> None:
            # Only flags: whatever else a handler does may meet itself half done.
            request.ask()
            gunicorn_worker.handle_exit(number, frame)

        for number in _STOP_SIGNALS:
            signal.signal(number, ask_to_stop)
            signal.siginterrupt(number, False)  # noqa: FBT003
        signal.signal(signal.SIGHUP, signal.SIG_IGN)  # the arbiter decides
        life.start()

    def _worker_exit(self, _arbiter: Any, _gunicorn_worker: Any) -> None:
        """Also called in the arbiter, for a worker that vanished; that one started nothing."""
        life = self._life
        if life is None or life.pid != os.getpid():
            return
        for number in _STOP_SIGNALS:  # a second one must not cut the stopping short
            signal.signal(number, signal.SIG_IGN)
        life.stop()

    def _on_exit(self, _arbiter: Any) -> None:
        self._after()

    def _graceful_seconds(self) -> int:
        """Gunicorn's patience with a worker that ends: a little more than the end may take."""
        return ceil(longest_stop_seconds(self._plan.config.daemon.stop_grace_seconds)) + 1


def _share_the_interpreter() -> None:
    """In the worker process: let short requests be short beside long work (benchmarks/health.py)."""
    sys.setswitchinterval(_TURN_SECONDS)
    gc.set_threshold(*_COLLECTOR)
