"""The doctor's look at the ledger: whether it is whole, and the one that the database remembers."""

from __future__ import annotations

from pathlib import Path

from daemon.cli.doctor_result import Result, fault, ok, warn
from daemon.errors import LedgerError
from daemon.governance.ledger_in_use import known_end
from daemon.ledger.keys import load_signer
from daemon.ledger.verify import verify
from daemon.store.database import Database

_CURE = 'docs/ledger.md, "When something is wrong"'


def check_ledger(state_dir: Path, db: Database) -> Result:
    """Reads every entry. A fault holds all work up, as nothing is done without an entry.

    Raises StoreError where the database does not say what it remembers.
    """
    known = known_end(db)
    report = verify(state_dir / "ledger", checkpoint=known.note if known else None)
    if report.kind == "missing" and known is None:
        return ok("ledger", "nothing was decided here yet")
    place = f" (log.jsonl:{report.line})" if report.line else ""
    told = f"{report.kind}{place}: {report.message}"
    if report.kind == "torn":
        return warn("ledger", told, "nothing to do: the next entry puts it aside")
    if report.exit_code:
        return fault("ledger", f"nothing is done any more; {told}", _CURE)
    return _check_key(state_dir / "keys") or ok(
        "ledger", f"{report.entries:,} entries, as the database remembers them"
    )


def _check_key(folder: Path) -> Result | None:
    try:
        if load_signer(folder) is not None:
            return None
        message = f"{folder} has no key, so nothing is done any more"
    except LedgerError as error:
        message = f"nothing is done any more; {error}"
    return fault("ledger", message, _CURE)
