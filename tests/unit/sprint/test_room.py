"""The room in a prompt: what counts, what is kept free."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon.memory.opening import OpenRoot
from daemon.sprint.candidates import Candidate
from daemon.sprint.room import Room, count_tokens


@pytest.mark.parametrize(
    ("size", "declared", "tokens"),
    [
        (0, None, 0),
        (1, None, 1),
        (8, None, 2),
        (9, None, 3),
        (80, 10, 10),
        (81, 10, 21),
        (5, 900, 900),
    ],
)
def test_tokens_of_a_file(size: int, declared: int | None, tokens: int) -> None:
    """A quarter of the bytes rounded up; a declaration the file has outgrown is set aside."""
    assert count_tokens(size, declared) == tokens


def test_no_more_than_a_third_is_reserved(tmp_path: Path) -> None:
    """What comes later is sure of what it needs, up to a third; a missing file needs nothing."""
    (tmp_path / "small.md").write_text("x" * 40)
    (tmp_path / "large.md").write_text("x" * 4000)
    with OpenRoot(tmp_path) as opened:
        room = Room(opened, 300, 9)
        assert room.reserve([_candidate("small.md"), _candidate("gone.md")]) == (1, 10)
        assert room.reserve([_candidate("small.md"), _candidate("large.md")]) == (2, 100)


def test_room_is_full_at_either_limit(tmp_path: Path) -> None:
    """Units or tokens, whichever comes first."""
    (tmp_path / "a.md").write_text("x" * 40)
    with OpenRoot(tmp_path) as opened:
        by_units, by_tokens = Room(opened, 100, 1), Room(opened, 10, 5)
        for room in (by_units, by_tokens):
            assert not room.is_full()
            room.offer([_candidate("a.md")])
            assert room.is_full()


def _candidate(path: str) -> Candidate:
    return Candidate(path, path, path, "a reason", untrusted=False)
