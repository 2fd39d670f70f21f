"""Ways to write a path that some system, library or reader takes for a file elsewhere."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

_UP = (
    "..",
    "%2e%2e",
    "%2E.",
    ".%2e",
    "\uff0e\uff0e",
    "\u2025",
    "\uff0e.",
    "%252e%252e",
    "%c0%ae%c0%ae",
)
_SLASHES = ("/", "\\", "%2f", "%5c", "\uff0f", "\uff3c", "%252f", "//", "\\\\")
_ABSOLUTE = (
    "/etc/passwd", "//etc/passwd", "///etc/passwd", "\\etc\\passwd", "C:/x", "C:\\x", "c:x",
    "\\\\server\\share\\x", "~/.ssh/id", "~root/x", "~", "file:/etc/passwd", "file:///etc/passwd",
    "file://localhost/etc/passwd", "FILE:etc", "https://example.org/x", "data:text/plain,x", "\uff0fetc",
    "\uff5e/x", "\uff0fetc/passwd",
)  # fmt: skip
_MARKS = (
    "\x00", "\n", "\r", "\t", "\x7f", "\x85", "\u2028", "\u2029", "\u200b", "\u202e", "\ufeff",
    "\u2066", "\ud800",
)  # fmt: skip
_ODD = (
    "", " ", ".", "./", "./a", "docs/./a", "docs/.", "docs//a", "docs/", "docs/a/", "docs/..",
    "docs/a.", "docs/a..", "docs/...", "docs/a ", " docs/a", "docs /a", "docs./a", "docs/ a", "docs/\u00a0a",
    "docs/... ", "docs/cafe\u0301.md", "docs/a" * 400, "docs/" + "a" * 256, "docs/*", "docs/a?", "docs/**",
    "docs/a::$DATA/../x", "docs/%00", "docs/%20", "docs/%61", "docs/a%2fb",
)  # fmt: skip


def leaving() -> Iterator[str]:
    """Every combination of going up with every separator, and the other ways out or astray."""
    for up, slash in itertools.product(_UP, _SLASHES):
        yield f"docs{slash}{up}{slash}{up}{slash}etc"
        yield f"{up}{slash}etc/passwd"
        yield f"docs/{up}{slash}x"
    yield from _ABSOLUTE
    for mark in _MARKS:
        yield f"docs/a{mark}.md"
        yield f"docs/{mark}"
        yield f"{mark}docs/a.md"
        yield f"docs/a.md{mark}"
    yield from _ODD


def of_a_governance_file() -> Iterator[str]:
    """Other cases of the names that nobody may write, and files below the folders."""
    for name in (
        "knowledge.yaml", "config.toml", "backlog.yaml", "kill_criteria.yaml", "quality.toml",
        "prices.toml",
        "agents/lead.md", "agents/playbooks/x.md", "agents", "state/sprintd.db", "state", "daemon/cli.py",
        "state/keys/ed25519", ".git/config", ".git", ".env", "docs/.git/hooks/x", "docs/.env",
    ):  # fmt: skip
        yield from {name, name.upper(), name.title(), name.swapcase(), name.capitalize()}
    yield "\u017ftate/sprintd.db"  # the long s folds to s
    yield "agent\u017f/lead.md"
    yield "\u212anowledge.yaml"  # the Kelvin sign folds to k
    yield "\uff43onfig.toml"  # a full-width c
    yield "pr\u24d8ces.toml"  # a circled i
    yield ".g\u0131t/config"  # a dotless i, whose capital is I
    yield "\U0001d42ctate/x"  # a bold s
