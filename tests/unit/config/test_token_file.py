"""The token of POST /reset-failures is made once, for its owner only."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from daemon.config.token_file import load_or_make_token
from daemon.errors import SprintdError


def test_the_first_start_makes_it_and_later_ones_keep_it(tmp_path: Path) -> None:
    """Mode 0600 in a folder of mode 0700; long enough that nobody guesses it."""
    state = tmp_path / "state"
    token = load_or_make_token(state)
    assert len(token) >= 40
    assert stat.S_IMODE((state / "token").stat().st_mode) == 0o600
    assert stat.S_IMODE(state.stat().st_mode) == 0o700
    assert load_or_make_token(state) == token
    assert load_or_make_token(tmp_path / "other") != token


def test_a_token_of_the_operator_is_used_without_its_line_end(tmp_path: Path) -> None:
    """Whoever wants to choose it may."""
    file = tmp_path / "token"
    file.write_text("chosen-by-the-operator\n")
    file.chmod(0o600)
    assert load_or_make_token(tmp_path) == "chosen-by-the-operator"


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o606])
def test_a_token_that_others_reach_is_refused(tmp_path: Path, mode: int) -> None:
    """It may have been read already, so it is not mended but replaced."""
    load_or_make_token(tmp_path)
    (tmp_path / "token").chmod(mode)
    with pytest.raises(SprintdError, match="others may reach the token; delete it"):
        load_or_make_token(tmp_path)


@pytest.mark.parametrize("content", ["", "\n", "short", "ééééééééééééééééééé"])
def test_a_file_without_a_token_is_refused(tmp_path: Path, content: str) -> None:
    """A crash while it was made leaves an empty one; an empty token would let everybody in."""
    file = tmp_path / "token"
    file.write_text(content)
    file.chmod(0o600)
    with pytest.raises(SprintdError, match="holds no token"):
        load_or_make_token(tmp_path)


def test_a_link_is_refused(tmp_path: Path) -> None:
    """What it points to may be anybody's."""
    (tmp_path / "elsewhere").write_text("a-token-of-somebody-else\n")
    (tmp_path / "token").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(SprintdError, match="cannot be read"):
        load_or_make_token(tmp_path)
