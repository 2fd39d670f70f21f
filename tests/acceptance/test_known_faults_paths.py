"""Faults of path gates as they were reported in public: none happens here.

Each is asked of the gate and, where the fault is in the opening, of the real files.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon.errors import SprintdError
from daemon.knowledge.action import Action, Target
from daemon.memory.opening import OpenRoot, Unreadable
from daemon.memory.writing import MemoryUnwritable, write_file
from tests.acceptance.path_world import POLICY, changed, make_workspace, raw, read
from tests.unit.knowledge.acting import judged, may_read, may_write


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_workspace(tmp_path)


def test_h1_a_folder_whose_name_begins_alike_is_another_folder(root: Path) -> None:
    """gizmax/Sandcastle#3, CodebuffAI/freebuff#463: /srv/memory-evil passed for /srv/memory."""
    assert raw("write_file", Target("write", "../memory-evil/x")).effect == "DENY"
    assert not may_read(POLICY, "docs-evil/x")
    with pytest.raises(Unreadable):
        read(root, "../memory-evil/x")
    with pytest.raises(MemoryUnwritable):
        write_file(root, "../memory-evil/x", b"mine")
    assert (root.parent / "memory-evil" / "x").read_text() == "evil"


def test_h1_an_empty_root_does_not_switch_the_check_off() -> None:
    """An empty root would be wherever the process stands: it opens nothing and writes nothing."""
    with pytest.raises(SprintdError, match="absolute"):
        OpenRoot(Path())
    with pytest.raises(MemoryUnwritable):
        write_file(Path(), "docs/a.md", b"x")


def test_h3_a_write_does_not_follow_a_link_out(root: Path) -> None:
    """CopilotKit/OpenBot#100, anomalyco/opencode#43336: the last component is a symbolic link."""
    victim = root.parent / "victim.txt"
    (root / "docs" / "notes.md").symlink_to(victim)
    with pytest.raises(MemoryUnwritable, match="symbolic link"):
        write_file(root, "docs/notes.md", b"overwritten")
    assert victim.read_text() == "victim"


def test_h5_denials_know_no_case_and_no_unicode_form() -> None:
    """odysseus-dev/odysseus#5096, czottmann/pi-automode#25: KNOWLEDGE.YAML, .ENV, café in NFD."""
    policy = changed("limits:", "deny: {paths: [docs/café.md]}\n      limits:")
    everything = changed("[docs/]", "['**']")
    for path in ("docs/café.md", "docs/CAFÉ.MD", "docs/cafe\u0301.md"):
        action = Action("ana", "read_file", (Target("read", path),), "0" * 64)
        assert judged(policy, action).effect == "DENY"
    for path in (".ENV", ".GIT/config", "State/token"):
        assert not may_read(everything, path)
    assert not may_write(changed("[out/]", "['**']"), "KNOWLEDGE.YAML")


def test_h5_what_is_allowed_stays_exact() -> None:
    """The allow list does not know the same letters in another case."""
    assert not may_read(POLICY, "Docs/a.md")


def test_g3_of_two_equal_keys_none_wins() -> None:
    """yaml/pyyaml#165: the second `write` made of deny an allow, without a word."""
    policy = changed("writes: [out/]", "writes: []\n      writes: ['**']")
    assert "writes" in str(policy.faults[0])
    assert not may_write(policy, "out/a")


def test_cve_2025_53110_a_prefix_is_no_folder() -> None:
    """A file server compared with startswith, so that /private/tmp/allow_dir_sensitive passed."""
    policy = changed("[docs/]", "[private/tmp/allow_dir]")
    assert may_read(policy, "private/tmp/allow_dir/x")
    assert not may_read(policy, "private/tmp/allow_dir_sensitive/x")
    assert not may_read(policy, "private/tmp/allow_dir.md")


def test_cve_2025_53109_a_link_inside_leads_nowhere(root: Path) -> None:
    """The parent of the link was checked instead of its target. Here no step follows a link."""
    (root / "docs" / "inside.md").symlink_to("/etc/passwd")
    (root / "docs" / "folder").symlink_to("/etc")
    for path in ("docs/inside.md", "docs/folder/passwd"):
        assert may_read(POLICY, path)  # by its name it is in scope
        with pytest.raises(Unreadable, match="symbolic link"):
            read(root, path)
        with pytest.raises(MemoryUnwritable):
            write_file(root, path, b"x")


def test_cve_2026_25724_a_link_is_no_way_round_a_denial(root: Path) -> None:
    """A denied file was read through a link that no denial named."""
    (root / "docs" / "secret.md").write_text("denied")
    (root / "docs" / "other.md").symlink_to(root / "docs" / "secret.md")
    policy = changed("limits:", "deny: {paths: [docs/secret.md]}\n      limits:")
    assert not may_read(policy, "docs/secret.md")
    assert may_read(policy, "docs/other.md")
    with pytest.raises(Unreadable, match="symbolic link"):
        read(root, "docs/other.md")
