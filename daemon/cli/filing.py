"""Files of reports, as the daemon keeps them, for what a person does by hand."""

from __future__ import annotations

from daemon.bootstrap import Services
from daemon.cli.output import progress
from daemon.reports.files import ReportUnwritable, keep_files


def file_reports(services: Services) -> None:
    """Write the files that are missing in state/reports. One that cannot be written is told of; the
    report itself is kept. Raises StoreError."""
    days = services.config.reports.keep_days
    try:
        keep_files(services.db, services.state_dir, days, services.clock.now())
    except ReportUnwritable as error:
        progress(str(error))
