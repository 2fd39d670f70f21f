"""A new workspace from the sample that ships with sprintd."""

from __future__ import annotations

import shutil
from pathlib import Path

import daemon
from daemon.errors import SprintdError

_PARTS = (
    "agents",
    "memory",
    "backlog.yaml",
    "kill_criteria.yaml",
    "knowledge.yaml",
    "quality.toml",
    "config.example.toml",
)
# What a daemon wrote into its memory is the story of one workspace, and no part of a sample.
_GROWN = ("memory/findings/", "memory/diagnoses/", "memory/consolidated/", "memory/archive/")
_EXAMPLE = "config.example.toml"
_CONFIG = "config.toml"


def write_sample(target: Path, source: Path | None = None) -> list[Path]:
    """Copy the sample into `target`, which is made where it is missing; returns the files written.

    `source` is the folder of the sample; None takes the one that ships with sprintd. Findings and
    diagnoses of a daemon that ran in it are left out. Nothing is overwritten: raises SprintdError,
    before anything is written, where one of the files is there already, and where the folder cannot
    be written.
    """
    wanted = _plan(sample_folder() if source is None else source)
    taken = [name for name in wanted if (target / name).exists() or (target / name).is_symlink()]
    if taken:
        shown = ", ".join(taken[:10]) + (f" and {len(taken) - 10} more" if len(taken) > 10 else "")
        raise SprintdError(f"{target} already has {shown}; name an empty folder")
    try:
        return [_copy(origin, target / name) for name, origin in wanted.items()]
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise SprintdError(f"{error.filename or target} cannot be written: {reason}") from error


def sample_folder() -> Path:
    """Where the sample stands: inside the installed package, or at the root of a checkout."""
    package = Path(daemon.__file__).resolve().parent
    for folder in (package / "sample", package.parent):
        if all((folder / part).exists() for part in _PARTS):
            return folder
    raise SprintdError("this installation has no sample workspace; install sprintd again")


def _plan(source: Path) -> dict[str, Path]:
    """Each file to write, by its name in the new workspace."""
    found: dict[str, Path] = {}
    for part in _PARTS:
        origin = source / part
        for path in sorted(origin.rglob("*")) if origin.is_dir() else [origin]:
            name = path.relative_to(source).as_posix()
            hidden = path.name.startswith(".") or name.startswith(_GROWN)
            if path.is_file() and not hidden:
                found[name] = path
    found[_CONFIG] = source / _EXAMPLE
    return found


def _copy(origin: Path, target: Path) -> Path:
    target.parent.mkdir(parents=True, exist_ok=True)
    with origin.open("rb") as source, target.open("xb") as copy:
        shutil.copyfileobj(source, copy)
    return target
