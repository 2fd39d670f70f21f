"""All pages for people. A page is one file with `register(app, watch)`; this is their list."""

from __future__ import annotations

from flask import Flask

from daemon.web import approvals, backlog, item, now
from daemon.web.watch import Watch

_REGISTER = (now.register, backlog.register, item.register, approvals.register)


def add_pages(app: Flask, watch: Watch) -> None:
    """The routes of all pages."""
    for register in _REGISTER:
        register(app, watch)
