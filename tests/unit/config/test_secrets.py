"""Secrets come from three places, are clean when they arrive, and never show up in an error."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from daemon.config.secrets import find_secret
from daemon.errors import SprintdError

NAME = "anthropic_api_key"


def put(folder: Path, text: str | bytes, mode: int = 0o600) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / NAME
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    path.chmod(mode)
    return path


def find(tmp_path: Path, **environ: str) -> str | None:
    return find_secret(NAME, environ=environ, state_dir=tmp_path / "state")


def test_nowhere_is_none(tmp_path: Path) -> None:
    """No place has it: None, no error."""
    assert find(tmp_path) is None


def test_credentials_folder_wins_over_environment_and_file(tmp_path: Path) -> None:
    """The order is systemd's credential, the environment, the file."""
    put(tmp_path / "state" / "secrets", "from-file")
    assert find(tmp_path) == "from-file"
    assert find(tmp_path, ANTHROPIC_API_KEY="from-environment") == "from-environment"
    put(tmp_path / "credentials", "from-systemd", 0o440)
    found = find(
        tmp_path,
        CREDENTIALS_DIRECTORY=str(tmp_path / "credentials"),
        ANTHROPIC_API_KEY="from-environment",
    )
    assert found == "from-systemd"


def test_empty_places_are_passed_over(tmp_path: Path) -> None:
    """An empty variable or file is no secret; the next place is asked."""
    put(tmp_path / "state" / "secrets", "from-file\n")
    assert find(tmp_path, ANTHROPIC_API_KEY="  ") == "from-file"
    put(tmp_path / "state" / "secrets", " \n")
    assert find(tmp_path) is None


def test_blanks_and_line_ends_around_it_are_dropped(tmp_path: Path) -> None:
    """A file written with echo ends in a line end that no header may carry."""
    put(tmp_path / "state" / "secrets", "  sk-x\r\n\n")
    assert find(tmp_path) == "sk-x"


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o660, 0o604, 0o700])
def test_a_file_that_others_can_reach_is_refused(tmp_path: Path, mode: int) -> None:
    """The error tells the command that mends it, and not the secret."""
    path = put(tmp_path / "state" / "secrets", "sk-private", mode)
    with pytest.raises(SprintdError) as caught:
        find(tmp_path)
    assert f"chmod 0600 {path}" in str(caught.value)
    assert "sk-private" not in str(caught.value)


def test_a_file_of_mode_0400_is_accepted(tmp_path: Path) -> None:
    """Stricter than 0600 is fine."""
    put(tmp_path / "state" / "secrets", "sk-x", 0o400)
    assert find(tmp_path) == "sk-x"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_file_of_somebody_else_is_refused(tmp_path: Path) -> None:
    """A foreign owner could change the secret, or lend one."""
    path = put(tmp_path / "state" / "secrets", "sk-private")
    os.chown(path, 65534, 65534)
    with pytest.raises(SprintdError, match="belongs to user 65534") as caught:
        find(tmp_path)
    assert "sk-private" not in str(caught.value)


def test_a_link_or_folder_in_its_place_is_refused(tmp_path: Path) -> None:
    """A link could point at anything; a folder is no secret."""
    target = put(tmp_path / "elsewhere", "sk-private")
    secrets = tmp_path / "state" / "secrets"
    secrets.mkdir(parents=True)
    (secrets / NAME).symlink_to(target)
    with pytest.raises(SprintdError, match="cannot be read"):
        find(tmp_path)
    (secrets / NAME).unlink()
    (secrets / NAME).mkdir()
    with pytest.raises(SprintdError, match="ordinary file"):
        find(tmp_path)


@pytest.mark.parametrize(
    "value", ["sk-pri vate", "sk-pri\nvate", "sk-pri\tvate", "sk-pri\u2013vate", "sk-pri\x00vate"]
)
def test_a_value_that_no_header_can_carry_is_refused_unseen(tmp_path: Path, value: str) -> None:
    """A blank, line end or dash inside is told without the text around it."""
    put(tmp_path / "state" / "secrets", value)
    with pytest.raises(SprintdError) as caught:
        find(tmp_path)
    chain = f"{caught.value} {caught.value.__cause__!r} {caught.value.__context__!r}"
    assert "sk-pri" not in chain
    assert NAME in str(caught.value)


def test_bytes_that_are_no_text_are_refused_unseen(tmp_path: Path) -> None:
    """A binary file is told as such; no decoding error carries its bytes along."""
    put(tmp_path / "state" / "secrets", b"sk-\xff\xfe")
    with pytest.raises(SprintdError, match="outside ASCII") as caught:
        find(tmp_path)
    assert caught.value.__context__ is None


def test_a_huge_file_is_refused(tmp_path: Path) -> None:
    """The wrong file under the right name is noticed."""
    put(tmp_path / "state" / "secrets", "x" * 100_000)
    with pytest.raises(SprintdError, match="too large"):
        find(tmp_path)


@pytest.mark.parametrize("name", ["../passwd", "", "A", "a/b", "a-b"])
def test_a_name_cannot_leave_the_folder(tmp_path: Path, name: str) -> None:
    """Names are letters, digits and _, so that no name is a path."""
    with pytest.raises(ValueError, match="name"):
        find_secret(name, environ={}, state_dir=tmp_path)
