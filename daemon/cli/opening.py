"""What the commands open: the workspace's folder, its settings, its database."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from difflib import get_close_matches
from pathlib import Path
from typing import TypeVar

from daemon.bootstrap import database_of, find_secrets, open_for_looking, state_dir_of
from daemon.clock import Clock, SystemClock, day_of
from daemon.config.redaction import configure_logging, log_uncaught
from daemon.config.sections import MICROS_PER_USD, BudgetSection, Config
from daemon.config.toml_file import load_config
from daemon.errors import Fault, NotFound, SprintdError, StoreError, WorkspaceInvalid
from daemon.governance.budget import SCOPE, Budget
from daemon.governance.ledger_in_use import LedgerInUse
from daemon.governance.proven import proven_raises
from daemon.llm.prices import PriceTable, load_prices
from daemon.store.budget import list_days
from daemon.store.database import Database, open_database
from daemon.store.items import list_item_states
from daemon.store.owner_lock import OwnerLock
from daemon.workspace.board import Board, BoardEntry, read_board
from daemon.workspace.definitions import Workspace
from daemon.workspace.loader import load_workspace

_SIGNS = ("config.toml", "backlog.yaml", "knowledge.yaml", "kill_criteria.yaml", "agents")
Loaded = TypeVar("Loaded")


@dataclass(frozen=True)
class Look:
    """A workspace as a command looks at it; nothing here can change the database.

    `faults` are those of config.toml and prices.toml. Where config.toml has some, the cap is the one
    that was applied last and every other setting its default.
    """

    root: Path
    config: Config
    clock: Clock
    db: Database
    budget: Budget
    faults: tuple[Fault, ...] = ()

    def board(self) -> Board:
        """Raises WorkspaceInvalid where the files have faults."""
        return read_board(
            load_workspace(self.root), list_item_states(self.db), day_of(self.clock.now())
        )


def find_root(folder: Path) -> Path:
    """The workspace's folder, absolute. Raises SprintdError where it is none."""
    root = folder.expanduser().absolute()
    if not root.is_dir():
        raise SprintdError(f"{root} is not a folder; make a workspace with: sprintd init {folder}")
    if not any((root / sign).exists() for sign in _SIGNS) and not database_of(root).exists():
        raise SprintdError(
            f"{root} is not a workspace: it has none of {', '.join(_SIGNS)}; "
            "name one with --workspace DIR, or make one with: sprintd init DIR"
        )
    return root


@contextmanager
def look_at(folder: Path) -> Iterator[Look]:
    """Open for looking on, also while the daemon runs. Raises SprintdError."""
    with look_despite_faults(folder) as look:
        if look.faults:
            raise WorkspaceInvalid(look.faults)
        yield look


@contextmanager
def look_despite_faults(folder: Path) -> Iterator[Look]:
    """The same, also where config.toml or prices.toml have faults, for what does not rest on them: a
    daemon that runs goes on with what it read before. Raises SprintdError for all else."""
    root, clock = find_root(folder), SystemClock()
    start_logging(root, level="WARNING")
    faults: list[Fault] = []
    config = collect(faults, lambda: load_config(root))
    prices = collect(faults, lambda: load_prices(root))
    check_not_gone(root)
    with open_for_looking(root) as db:
        raised = proven_raises(db, LedgerInUse(state_dir_of(root), db, clock))
        config = config or Config(budget=_as_applied(db, raised))
        budget = Budget(db, prices or PriceTable({}), config.budget, clock, raised)
        yield Look(root, config, clock, db, budget, tuple(faults))


def collect(faults: list[Fault], load: Callable[[], Loaded]) -> Loaded | None:
    """What was loaded; None where its file has faults, which are added to the others."""
    try:
        return load()
    except WorkspaceInvalid as error:
        faults.extend(error.faults)
        return None


@contextmanager
def open_existing(folder: Path) -> Iterator[tuple[Path, Database]]:
    """Open a database that is there for a short write, also while the daemon runs."""
    root = find_root(folder)
    start_logging(root, level="WARNING")
    path = database_of(root)
    check_not_gone(root)
    if not path.exists():
        raise StoreError(f"{path}: there is no database, because nothing ran in this workspace yet")
    db = open_database(path)
    try:
        yield root, db
    finally:
        db.close()


def _as_applied(db: Database, raised: Callable[[str, date], int]) -> BudgetSection:
    """The cap of the newest day without what people added to it; the default before the first call."""
    days = list_days(db, SCOPE, date.min)
    if not days:
        return BudgetSection()
    micros = max(0, days[-1].cap_micros - raised(SCOPE, days[-1].day))
    return BudgetSection(daily_cap_usd=Decimal(micros) / MICROS_PER_USD)


def check_not_gone(root: Path) -> None:
    """Raises StoreError where a daemon runs and its database is not there: it was deleted.

    An empty one in its place would show an unspent budget.
    """
    path = database_of(root)
    if not path.exists() and OwnerLock(state_dir_of(root)).holder():
        raise StoreError(
            f"{path}: a daemon runs here, but its database was deleted; stop the daemon and put "
            "the newest backup back (docs/operations.md)"
        )


def start_logging(root: Path, *, level: str) -> None:
    """Log to standard error without any secret that is known.

    A secret that cannot be read is reported by whatever needs it, not here.
    """
    secrets: tuple[str, ...] = ()
    with suppress(SprintdError):
        secrets = find_secrets(root, os.environ)
    configure_logging(level=level, secrets=secrets, stream=sys.stderr)
    log_uncaught()


def find_entry(board: Board, item: str) -> BoardEntry:
    """The item of that id. Raises NotFound, with the one that was probably meant."""
    entries = {entry.item.id: entry for entry in board.entries}
    if item not in entries:
        raise NotFound(f"the backlog has no item {item!r}{did_you_mean(item, list(entries))}")
    return entries[item]


def check_focus(workspace: Workspace, focus: str | None) -> None:
    """Raises NotFound for a team that no file defines; None is any team."""
    names = [team.id for team in workspace.teams]
    if focus is not None and focus not in names:
        near = did_you_mean(focus, names)
        raise NotFound(f"no team is called {focus!r}{near}; the teams are: {', '.join(names)}")


def did_you_mean(word: str, known: list[str]) -> str:
    """Words to append to a message; empty where nothing known is near."""
    by_fold = {name.casefold(): name for name in known}
    near = get_close_matches(word.casefold(), by_fold, n=1)
    return f" (did you mean {by_fold[near[0]]}?)" if near else ""
