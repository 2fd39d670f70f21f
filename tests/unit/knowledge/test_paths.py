"""Path rules: what may be named, and what a reading scope covers."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from daemon.knowledge.paths import covers, is_private, path_fault, scope_fault

_NAME = st.text("abcdefgñü0-_. ", min_size=1, max_size=8).filter(
    lambda name: name.strip() and name not in (".", "..") and unicodedata.is_normalized("NFC", name)
)
_PATH = st.lists(_NAME, min_size=1, max_size=4).map("/".join)


@pytest.mark.parametrize(
    "path",
    [
        "", "  ", "/etc/passwd", "../memory-evil/x", "docs/../../etc/passwd", "docs/..", "./docs/a",
        "docs/./a", "docs//a", "docs/", "docs\\a", "C:/x", "c:x", "https://example.org/a",
        "docs/a\x00.md", "docs/a\nb.md", "docs/\u202emd.a", "docs/\u200bx", "docs/\ud800.md",
        "docs/%2e%2e/x", "docs/%2E%2e%2fx", "cafe\u0301.md", "a" * 256, "a/" * 600 + "b",
    ],
)  # fmt: skip
def test_path_that_is_not_canonical_is_refused(path: str) -> None:
    """Leaving, absolute, foreign, invisible, decomposed, too long: each has a reason."""
    assert path_fault(path)


@pytest.mark.parametrize(
    "path", ["a.md", ".github/workflows/ci.yml", "memory/año/café.md", "..notes.md", "a b/c.md"]
)
def test_ordinary_path_is_allowed(path: str) -> None:
    """Hidden files, accents, spaces and leading dots in a name are ordinary."""
    assert path_fault(path) == ""


@given(st.text(max_size=40))
@example("a/../b")
def test_allowed_path_is_canonical(path: str) -> None:
    """Whatever passes has no empty, '.' or '..' component and no second spelling."""
    if not path_fault(path):
        assert not {"", ".", ".."} & set(path.split("/"))
        assert unicodedata.normalize("NFC", path) == path
        assert "\\" not in path
        assert not any(unicodedata.category(char).startswith("C") for char in path
                       if unicodedata.category(char) not in ("Cn", "Co"))  # fmt: skip


@given(_PATH, _PATH)
def test_folder_entry_covers_exactly_what_lies_inside(folder: str, path: str) -> None:
    """A prefix counts only at a component boundary."""
    inside = path[: len(folder) + 1] == folder + "/"
    assert covers([folder + "/"], path) is inside
    assert covers([folder], path) is (inside or path == folder)


@given(_PATH, st.text("abc-_.", min_size=1, max_size=4))
def test_longer_sibling_is_never_covered(folder: str, tail: str) -> None:
    """memory/market does not open memory/market-secret."""
    assert not covers([folder, folder + "/"], f"{folder}{tail}/x")


@pytest.mark.parametrize(
    ("entry", "path", "expected"),
    [
        ("memory/market", "memory/market-secret/x", False),
        ("memory/market/", "memory/market-secret/x", False),
        ("memory/market/", "memory/market", False),
        ("memory/market", "memory/market/x.md", True),
        ("memory/*.md", "memory/a.md", True),
        ("memory/*.md", "memory/x/a.md", False),
        ("memory/*.md", "memory/a.md/secret", False),
        ("memory/*/", "memory/x/deep/a.md", True),
        ("memory/*/", "memory/a.md", False),
        ("memory/*", "memory/x/a.md", False),
        ("memory/**", "memory/x/deep/a.md", True),
        ("memory/**", "memory", False),
        ("memory/**", "memory-evil/a.md", False),
        ("memory/**/a.md", "memory/a.md", True),
        ("memory/**/a.md", "memory/x/y/a.md", True),
        ("memory/**/a.md", "memory/x/ya.md", False),
        ("memory/**/", "memory/a.md", False),
        ("memory/a**b", "memory/axb", True),
        ("memory/a**b", "memory/ax/yb", False),
        ("memory/[ab].md", "memory/a.md", False),
        ("memory/a.md", "memory/axmd", False),
        ("Memory/", "memory/a.md", False),
        ("**", "anything/at/all.md", True),
    ],
)
def test_scope_entry(entry: str, path: str, *, expected: bool) -> None:
    """Prefix at a component boundary, `*` within one component, `**` across, case exact."""
    assert covers([entry], path) is expected


@pytest.mark.parametrize(
    "entry", ["", "/", ".", "./docs/", "../", "docs/../", "docs//", "//", "C:/", "docs\\", "a\n/"]
)
def test_faulty_entry_grants_nothing(entry: str) -> None:
    """An empty or crooked entry never means everything."""
    assert scope_fault(entry)
    assert not covers([entry], "docs/a.md")


def test_empty_scope_covers_nothing() -> None:
    """No entry means no file."""
    assert not covers([], "memory/a.md")


def test_crooked_path_is_covered_by_nothing() -> None:
    """Even `**` does not cover a path that leaves the workspace."""
    assert not covers(["**", "docs/"], "docs/../../etc/passwd")


@pytest.mark.parametrize("path", ["state/secrets/key", "State/x", ".GIT/config", "a/.env", ".ENV"])
def test_daemons_own_folder_and_key_files_are_private(path: str) -> None:
    """Compared without regard to case."""
    assert is_private(path)


def test_name_that_only_begins_like_a_private_one_is_not_private() -> None:
    """statement/ is not state/."""
    assert not is_private("statement/a.md")
    assert not is_private("memory/state/a.md")
