"""Which paths may be named at all, and which of them a reading scope covers. Touches no file.

A path is workspace-relative text with forward slashes. Nothing is repaired: what is not canonical
is refused, because two spellings of one file are how a rule is walked around.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterable

MAX_PATH_BYTES = 1024
MAX_COMPONENT_BYTES = 255

# The daemon's own folder (database, secrets), version control, and files that hold keys by custom.
_PRIVATE_FIRST = frozenset({"state", ".git"})
_PRIVATE_NAMES = frozenset({".env", ".netrc"})
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_ENCODED = re.compile(r"%(2e|2f|5c|00)", re.IGNORECASE)
_DRIVE = re.compile(r"[A-Za-z]:")
# Nearly every path of a map. Whatever this matches has no fault; anything else is looked at closely.
_ORDINARY = re.compile(r"(?:[A-Za-z0-9_][A-Za-z0-9_.-]*/)*[A-Za-z0-9_][A-Za-z0-9_.-]*")


def path_fault(path: str) -> str:
    """Why `path` may not name a file of the workspace, as words; empty where it may."""
    if len(path) <= MAX_COMPONENT_BYTES and _ORDINARY.fullmatch(path):
        return ""
    if not path or not path.strip():
        return "is empty"
    if path.isascii() and path.isprintable():
        return _shape_fault(path)
    if any(unicodedata.category(char) in _INVISIBLE for char in path):
        return "has a control or invisible character"
    if not unicodedata.is_normalized("NFC", path):
        return "is not in Unicode form NFC"
    return _shape_fault(path)


def is_private(path: str) -> bool:
    """True for the daemon's own folder and for key files: no scope opens them to an agent.

    Compared without regard to case, so that a case-insensitive disk gives no second way in.
    """
    plain = path if path.isascii() else unicodedata.normalize("NFC", path)
    parts = plain.casefold().split("/")
    return parts[0] in _PRIVATE_FIRST or not _PRIVATE_NAMES.isdisjoint(parts)


def scope_fault(entry: str) -> str:
    """Why `entry` grants nothing as a reading scope, as words; empty where it is sound."""
    return path_fault(entry[:-1] if entry.endswith("/") else entry)


def covers(entries: Iterable[str], path: str) -> bool:
    """True where an entry of a scope covers `path`; no entry, or a faulty one, covers nothing.

    `dir/` covers what lies inside; a bare name covers itself and what lies inside; `*` matches
    within one component, `**` across components. The comparison is exact, case included.
    """
    if path_fault(path):
        return False
    return any(_matches(entry, path) for entry in entries)


def _shape_fault(path: str) -> str:
    if "\\" in path:
        return "has a backslash; write forward slashes"
    if path.startswith("/"):
        return "is absolute; write it relative to the workspace"
    if _DRIVE.match(path):
        return "starts with a drive letter or a scheme"
    if _ENCODED.search(path):
        return "has a percent-encoded dot, slash or NUL"
    return _component_fault(path)


def _component_fault(path: str) -> str:
    parts = path.split("/")
    if ".." in parts:
        return "leaves its folder with '..'"
    if "." in parts:
        return "has a '.' component"
    if "" in parts:
        return "has an empty component"
    if any(len(part.encode()) > MAX_COMPONENT_BYTES for part in parts):
        return f"has a name longer than {MAX_COMPONENT_BYTES} bytes"
    if len(path.encode()) > MAX_PATH_BYTES:
        return f"is longer than {MAX_PATH_BYTES} bytes"
    return ""


def _matches(entry: str, path: str) -> bool:
    pattern = _compiled(entry)
    return pattern is not None and pattern.fullmatch(path) is not None


@functools.lru_cache(maxsize=1024)
def _compiled(entry: str) -> re.Pattern[str] | None:
    """The entry as a pattern, or None where it is faulty and so grants nothing."""
    if scope_fault(entry):
        return None
    parts = entry.rstrip("/").split("/")
    body = "".join(_component_pattern(part) for part in parts[:-1])
    last = parts[-1]
    if last == "**":
        return re.compile(body + ("[^/]+/.+" if entry.endswith("/") else ".+"), re.DOTALL)
    name = _name_pattern(last)
    if entry.endswith("/"):
        return re.compile(f"{body}{name}/.+", re.DOTALL)
    inside = "" if "*" in last else "(?:/.+)?"
    return re.compile(f"{body}{name}{inside}", re.DOTALL)


def _component_pattern(part: str) -> str:
    return "(?:[^/]+/)*" if part == "**" else _name_pattern(part) + "/"


def _name_pattern(part: str) -> str:
    """`**` inside a longer name is no wildcard across components: it means the same as `*`."""
    return "[^/]+" if part == "*" else "[^/]*".join(map(re.escape, re.split(r"\*+", part)))
