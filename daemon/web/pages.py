"""All pages for people. A page is one file with `register(app, watch)`; this is their list."""

from __future__ import annotations

from flask import Flask

from daemon.web import (
    alerts,
    approvals,
    backlog,
    configuration,
    criteria,
    findings,
    item,
    ledger,
    money,
    now,
    reports,
    sprint,
    sprints,
)
from daemon.web.watch import Watch

_PAGES = (
    *(now, backlog, item, approvals, money, sprints, sprint, findings),
    *(criteria, ledger, reports, alerts, configuration),
)


def add_pages(app: Flask, watch: Watch) -> None:
    """The routes of all pages."""
    for page in _PAGES:
        page.register(app, watch)
