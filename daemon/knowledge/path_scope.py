"""Which files an action may name, which it never may, and what the entries of a scope cover.

Stricter than `paths`, which says what a file of the workspace may be called by the people who own it:
here a model names the file, so every spelling that some system, library or reader takes for another
file is refused as well.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterable

from daemon.knowledge.paths import covers, is_private, path_fault

# What says what may be done. Whoever may write one of these gives himself the rest.
_GOVERNANCE = frozenset(
    {
        "knowledge.yaml",
        "config.toml",
        "backlog.yaml",
        "kill_criteria.yaml",
        "quality.toml",
        "prices.toml",  # what a call is said to cost
        "agents",
        "state",
        "daemon",
    }
)
_VERSION_CONTROL = ".git"
_PERCENT = re.compile(r"%[0-9A-Fa-f]{2}")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_PLAIN = re.compile(r"(?:[A-Za-z0-9_-]+/)*[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*", re.ASCII)
_MANY = 255


def target_fault(path: str) -> str:
    """Why an action may not name `path`, as words; empty where it may."""
    if len(path) <= _MANY and _PLAIN.fullmatch(path):
        return ""
    return path_fault(path) or _second_meaning(path)


def entry_fault(entry: str) -> str:
    """Why `entry` is no sound entry of a scope, as words; empty where it is."""
    return target_fault(entry.removesuffix("/").replace("*", "x"))


def is_governance(path: str) -> bool:
    """True for what no actor may write: the rules, the daemon's own folder, the program itself.

    Compared without regard to case, so that a case-insensitive disk gives no second way in, and as
    those read it who take compatible letters (full width, circled) or a dotless i for the plain ones.
    """
    if path.isascii():
        return _governs(path.lower())
    compatible = unicodedata.normalize("NFKC", path)
    return any(_governs(folded(form)) for form in (path, compatible, path.upper()))


def allows(entries: Iterable[str], path: str) -> bool:
    """True where an entry covers the path exactly as it is written; see `paths.covers`."""
    return not target_fault(path) and covers(entries, path)


def denies(entries: Iterable[str], path: str) -> bool:
    """True where an entry covers the path or a folder above it, in NFC and whatever the case.

    `dir/` denies the folder too. A path that cannot be compared with an entry is denied.
    """
    denied = _folded_entries(tuple(entries))
    if not denied:
        return False
    plain = folded(path)
    if path_fault(plain):
        return True
    parts = plain.split("/")
    return any(covers(denied, "/".join(parts[:length])) for length in range(len(parts), 0, -1))


def folded(text: str) -> str:
    """The form in which denials are compared: NFC, without regard to case.

    Folded decomposed, as Unicode's canonical caseless matching wants it: composed letters with a
    second mark fold differently.
    """
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", text).casefold())


@functools.lru_cache(maxsize=256)
def _folded_entries(entries: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(folded(entry.removesuffix("/")) for entry in entries)


def _governs(path: str) -> bool:
    parts = path.split("/")
    return parts[0] in _GOVERNANCE or _VERSION_CONTROL in parts or is_private(path)


def _second_meaning(path: str) -> str:
    if path.startswith("~"):
        return "starts with '~', which a shell takes for a home folder"
    if _SCHEME.match(path):
        return "starts with a scheme; write the path alone"
    if _PERCENT.search(path):
        return "is percent-encoded; write the name itself"
    if "*" in path or "?" in path:
        return "has a wildcard; name one file"
    if any(part != part.strip() or part.endswith(".") for part in path.split("/")):
        return "has a name that begins or ends with a space or ends with a dot"
    compatible = unicodedata.normalize("NFKC", path)
    if compatible != path and _is_other_path(path, compatible):
        return "has a letter that some systems take for a dot, a slash or a colon"
    return ""


def _is_other_path(path: str, compatible: str) -> bool:
    """Whether the compatible form has separators, dots or marks that the path itself has not."""
    return any(compatible.count(mark) != path.count(mark) for mark in "./\\:~%*?")
