"""server: gunicorn in this process, and the hooks that start and stop the work."""

from daemon.server.start import TIMEOUT_SECONDS, AddressRefused, run_server

__all__ = ["TIMEOUT_SECONDS", "AddressRefused", "run_server"]
